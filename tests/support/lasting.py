"""Servers that end without a word, and the next ones, which find what was saved."""

from collections.abc import Callable

import msgspec

from cartino_protocol.base import Clock
from cartino_protocol.commands import Create, Join
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView, TableView
from cartino_server.limits import ServerConfig
from cartino_server.server import Server
from cartino_server.store.figures.sums import uncounted_games
from tests.support.game_server import QUICK, Guest, World, race_bots
from tests.support.journal import MemoryJournal
from tests.support.race import Add, Race

ServerKeeper = Callable[[Server], Server]


def lasting(
    servers: ServerKeeper,
    world: World,
    journal: MemoryJournal,
    config: ServerConfig = QUICK,
) -> Server:
    """A server of races on `journal`, with all tables that it finds there."""
    server = servers(Server({"race": Race()}, race_bots(), config, world.ports(), journal))
    damaged = server.recover(journal.unfinished())
    assert damaged == ()
    return server


class Starter:
    """Starts servers of races, one after the other, each with the tables that it finds in the journal."""

    def __init__(self, servers: ServerKeeper, world: World, journal: MemoryJournal) -> None:
        self._servers = servers
        self._world = world
        self.journal = journal

    def __call__(self, config: ServerConfig = QUICK) -> Server:
        return lasting(self._servers, self._world, self.journal, config)

    def after_kill(self, config: ServerConfig = QUICK) -> Server:
        """The next server, after the one before was killed; what that one still does is lost on it."""
        self.journal = killed(self.journal)
        return self(config)


def killed(journal: MemoryJournal) -> MemoryJournal:
    """The disk as a server that is killed now leaves it. What that one still does is lost on it."""
    return journal.copy()


def steady(view: TableView) -> TableView:
    """What of a table outlives the server: all but who is there, what they want, who stands or stood in, the time left.

    Neither does what a review of a finished game says.
    """
    seats = tuple(
        msgspec.structs.replace(seat, here=False, substitute="", left=None, substituted=False)
        for seat in view.seats
    )
    claim = view.claim and msgspec.structs.replace(view.claim, left=None)
    result = view.result and msgspec.structs.replace(view.result, rating=None, missed=None)
    return msgspec.structs.replace(
        view, seats=seats, spectators=0, watchers=(), again=(), votes=(), claim=claim, result=result
    )


def words(view: ChatView) -> tuple[tuple[str, str, str], ...]:
    """What people said, without the notices."""
    return tuple((line.name, line.text, line.channel) for line in view.lines if line.name)


async def hush(guest: Guest) -> None:
    """Everything that `guest` was to get so far has been read: a command of theirs is answered behind it."""
    mark = Refusal("unknown-game", "none", "Create")
    await guest.ask(Create("none"), Refusal, lambda refusal: refusal == mark)


async def summed_up(journal: MemoryJournal) -> None:
    """Wait until no game is due."""
    await journal.until(lambda it: not uncounted_games(it.connection, 1))


async def play(
    *guests: Guest, points: int = 3, listed: bool = True, bots: tuple[str, ...] = (), clock: Clock = "none"
) -> str:
    """A game among `guests`, in which the first makes so many points; the table's code."""
    create = Create("race", seats=len(guests) + len(bots), bots=bots, open=listed, clock=clock)
    code = (await guests[0].ask(create, TableView)).code
    for guest in guests[1:]:
        guest.say(Join(code))
    for guest in guests:
        if guest.table is None or (guest.table.code, guest.table.state) != (code, "playing"):
            await guest.wait(TableView, lambda view: (view.code, view.state) == (code, "playing"))
    await guests[0].act(Add(points))
    await guests[0].wait(TableView, lambda view: view.state == "finished")
    return code
