"""All decoders by name."""

from typing import Final

from tests.fuzz.attacking import Decoder
from tests.fuzz.decoders import (
    bots,
    declared,
    hosts,
    listener,
    records,
    server,
    sessions,
    settings,
    terminal,
    texts,
    wire,
    words,
)

DECODERS: Final[dict[str, Decoder]] = {
    decoder.name: decoder
    for module in (
        wire,
        declared,
        records,
        sessions,
        settings,
        terminal,
        words,
        server,
        sessions,
        listener,
        hosts,
        texts,
        bots,
    )
    for decoder in module.DECODERS
}
