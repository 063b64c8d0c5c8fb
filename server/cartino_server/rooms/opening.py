"""Reading the order for a new table: is there such a game, are there such bots, do they fit."""

from collections.abc import Mapping

import msgspec

from cartino_protocol.commands import Create
from cartino_protocol.refusals import Refusal
from cartino_server.bots.port import Bot
from cartino_server.engine.port import AnyGame
from cartino_server.rooms.waiting import Patience


class Order(msgspec.Struct, frozen=True):
    """A table that can be opened: `options` are all of the game's, `bots` take the last of `seats`.

    `patience` is what time people have there.
    """

    game: AnyGame
    options: dict[str, str]
    seats: int
    bots: tuple[str, ...]
    open: bool
    patience: Patience = Patience()


def order_of(
    create: Create, games: Mapping[str, AnyGame], bots: Mapping[tuple[str, str], Bot]
) -> Order | Refusal:
    """The table that `create` asks for, or what is wrong with it."""
    game = games.get(create.game)
    if game is None:
        return Refusal("unknown-game", create.game)
    options = game.read_options(create.options)
    if isinstance(options, Refusal):
        return options
    least, most = game.seats
    if not least <= create.seats <= most or len(create.bots) >= create.seats:
        return Refusal("bad-seats", f"{least}-{most}")
    unknown = next((name for name in create.bots if (game.name, name) not in bots), None)
    if unknown is not None:
        return Refusal("unknown-bot", unknown)
    patience = Patience(create.clock, create.absence)
    return Order(game, options, create.seats, create.bots, create.open, patience)


def quick_order(
    games: Mapping[str, AnyGame], bots: Mapping[tuple[str, str], Bot], wanted: str = ""
) -> Order | Refusal:
    """Return a table of the game `wanted`, or else of the first one, with its least players: one person and bots.

    The bots are the game's first one.
    """
    if not games:
        return Refusal("unknown-game", wanted)
    game = games.get(wanted) or next(iter(games.values()))
    bot = next((name for of, name in bots if of == game.name), "")
    seats = max(2, game.seats[0])
    return order_of(Create(game.name, seats=seats, bots=(bot,) * (seats - 1)), games, bots)
