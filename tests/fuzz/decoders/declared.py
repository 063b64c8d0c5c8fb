"""Views of games that are not installed: read, drawn and told as `cartino connect` does with a stranger's server."""

import msgspec

from cartino_crazy_eights import PACKAGE, CrazyEights
from cartino_engine.chance import GivenOrder
from cartino_games.kit.declared.package import generic_package
from cartino_protocol.wire import encode
from cartino_tui.game_port.screen import MIN_LOOK, TableChrome
from cartino_tui.i18n import ENGLISH
from tests.fuzz.attacking import Decoder, plainly
from tests.support.declared import NAMES, LowestBid, of_eights, position

_EIGHTS = of_eights(("7C 8H", "KS"), "9D 7D")
_BIDS = LowestBid().start({}, NAMES[:2], GivenOrder())
_ROOM = position(CrazyEights(), _EIGHTS, 0)
SEEN = (
    bytes(_ROOM.game_view),
    encode(CrazyEights().view(_EIGHTS, None)),
    encode(LowestBid().view(_BIDS.state, 0)),
)
_SCREEN, _SPEECH = PACKAGE.screen, generic_package(CrazyEights()).speech


def _declared(data: bytes) -> bool:
    try:
        view = _SCREEN.read(msgspec.Raw(data))
    except msgspec.DecodeError:
        return False
    pointer = _SCREEN.update_pointer(_ROOM, view, _SCREEN.fresh())
    for key in ("down", "enter", "1"):
        pointer = _SCREEN.key(_ROOM, view, pointer, key, MIN_LOOK).pointer
    frame = _SCREEN.draw(_ROOM, view, pointer, MIN_LOOK, TableChrome("Table"))
    assert all(sum(len(text) for text, _ in row) == MIN_LOOK.width for row in frame.rows)
    told = [*_SPEECH.describe_table(_ROOM, view, ENGLISH), *_SPEECH.standing(_ROOM, view, ENGLISH)]
    told += [*_SPEECH.picture(_ROOM, view, ENGLISH), *_SPEECH.own(_ROOM, view, ENGLISH)]
    assert not any("\x1b" in line for line in told)
    return True


DECODERS = (
    Decoder(
        "declared", SEEN, plainly(_declared), "msgpack", (b"\xa4card", b"\xa6player", b"{who}"), slow_for=10
    ),
)
