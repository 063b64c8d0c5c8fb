"""Where somebody wants to go as soon as they are in: the lobby, a table, or one of their own making."""

import msgspec

from cartino_protocol.commands import Command, Create, Join, Watch


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


Intent = ToLobby | ToTable | ToNewTable


def command_of(intent: Intent) -> Command | None:
    """What to say to the house for `intent`; None where there is nothing to say."""
    match intent:
        case ToTable(code=code, watch=watch):
            return Watch(code) if watch else Join(code)
        case ToNewTable(game=game, options=options, seats=seats, bots=bots, open=listed):
            return Create(game, options, seats, bots, listed)
        case _:
            return None
