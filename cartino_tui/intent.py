"""Where somebody wants to go as soon as they are in: the lobby, a table, one of their own making, their old seat."""

import msgspec

from cartino_protocol.commands import Back, Command, Create, Join, Watch
from cartino_protocol.ids import Absence, Clock


class ToLobby(msgspec.Struct, frozen=True):
    """Nowhere yet; look round first."""


class ToTable(msgspec.Struct, frozen=True):
    """To the table `code`, to sit down there or (`watch`) to look on."""

    code: str
    watch: bool = False


class ToNewTable(msgspec.Struct, frozen=True):
    """To a table opened with these words; fields as in `Create`."""

    game: str
    options: dict[str, str] = {}
    seats: int = 2
    bots: tuple[str, ...] = ()
    open: bool = True
    clock: Clock = "none"
    absence: Absence = "2m"


class ToSeat(msgspec.Struct, frozen=True):
    """To the seat of the guest to whom the house gave `word`."""

    word: str


class ToLesson(msgspec.Struct, frozen=True):
    """To the first lesson of a game: how it is played. Of the first that has lessons, if `game` is ""."""

    game: str = ""


Intent = ToLobby | ToTable | ToNewTable | ToSeat | ToLesson


def command_of(intent: Intent) -> Command | None:
    """What to say to the house for `intent`; None where there is nothing to say."""
    match intent:
        case ToTable(code=code, watch=watch):
            return Watch(code) if watch else Join(code)
        case ToNewTable(game, options, seats, bots, listed, clock, absence):
            return Create(game, options, seats, bots, listed, clock, absence)
        case ToSeat(word=word):
            return Back(word)
        case _:
            return None
