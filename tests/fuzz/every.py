"""All decoders by name."""

from typing import Final

from tests.fuzz.attacking import Decoder
from tests.fuzz.decoders import house, records, settings, terminal, wire, words

DECODERS: Final[dict[str, Decoder]] = {
    decoder.name: decoder
    for module in (wire, records, settings, terminal, words, house)
    for decoder in module.DECODERS
}
