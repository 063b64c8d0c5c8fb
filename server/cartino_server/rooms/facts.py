"""What the journal holds of a table: entries of JSON, each a difference to the ones before it.

Whoever reads all entries of a game in order knows the table: the newest facts, every line of the game's record, what
was said. Fields are only ever added, always with a default, so that a later house reads what an earlier one wrote.
That goes for the structs in an entry too, wherever they are at home: ChatLine, Chair, Patience, Waiting with its Clock
and StandIns. The entries in `tests/golden/journal-entries-*` must be read for ever.
"""

from typing import Final

import msgspec

from cartino_protocol.ids import RoomState
from cartino_protocol.views import ChatLine
from cartino_server.rooms.seating import Chair
from cartino_server.rooms.waiting import Patience, Waiting

FORMAT: Final = 2
"""One more whenever an earlier house could no longer read what is written, as where a field is added."""


class Facts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A table without its game's record: written whole whenever any of it changes.

    `ordered` and `options` are the options as ordered and as in the round that is shown; `chairs` in seat order;
    `owner` and `opener` are ids of persons; `seed` and `next_seed` are hex, and nobody's business while the game
    runs. What people who were here voted for is not among it: who goes takes their vote along.
    """

    code: str
    game: str
    ordered: dict[str, str]
    options: dict[str, str]
    chairs: tuple[Chair, ...]
    owner: str
    opener: str
    open: bool
    patience: Patience
    state: RoomState
    round: int
    seed: str
    next_seed: str


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One entry: what is new since the one before, as far as it is not None or empty.

    `at` is the house's time in seconds, `number` the number of the state; `lines` are lines of the game's record,
    `said` what people said, `kept` what players have in hand, by person.
    """

    at: float
    number: int
    facts: Facts | None = None
    lines: tuple[msgspec.Raw, ...] = ()
    said: tuple[ChatLine, ...] = ()
    waiting: Waiting | None = None
    kept: dict[str, bytes] = {}


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Entry)


def write_entry(entry: Entry) -> bytes:
    """`entry` as the journal keeps it."""
    return _encoder.encode(entry)


def read_entry(body: bytes) -> Entry:
    """The entry in `body`. Raises msgspec.DecodeError."""
    return _decoder.decode(body)
