"""Tables of the race, without a server, and short ways to what they show."""

from collections.abc import Sequence

from cartino_protocol.refusals import Refusal
from cartino_protocol.wire import encode
from cartino_server.table.seating import Order
from cartino_server.table.time_control import TimeControl
from tests.support.game_server import World, texts
from tests.support.live_table import LiveTable
from tests.support.race import Add, Move, Race

PATIENT = TimeControl("none", "never")


def a_room(
    seats: int = 2,
    *bots: str,
    goal: str = "3",
    turns: str = "one",
    time_limit: TimeControl = PATIENT,
    substitutes: Sequence[str] = (),
    world: World | None = None,
    game: Race | None = None,
) -> LiveTable:
    """A table for a race, which waits for everybody as long as they like unless told otherwise."""
    world = world or World()
    order = Order(game or Race(), {"goal": goal, "turns": turns}, seats, bots, True, time_limit)
    return LiveTable("AAAA", order, world.entropy(32), world.ports(), substitutes)


def filled(
    *people: str,
    goal: str = "3",
    turns: str = "one",
    time_limit: TimeControl = PATIENT,
    substitutes: Sequence[str] = (),
    world: World | None = None,
) -> LiveTable:
    """A table at which these play."""
    table = a_room(
        len(people), goal=goal, turns=turns, time_limit=time_limit, substitutes=substitutes, world=world
    )
    for person in people:
        assert table.join(person, person) is None
    return table


def move(table: LiveTable, person: str, what: Move, number: int | None = None) -> Refusal | None:
    """A person's move as an answer to the newest state, or to `number`."""
    return table.act(person, table.number if number is None else number, encode(what))


def finished(*people: str) -> LiveTable:
    """A table whose game the first of these won at once."""
    table = filled(*people)
    assert move(table, people[0], Add(3)) is None
    assert state(table) == "finished"
    return table


def state(table: LiveTable) -> str:
    """The table's state, forgotten by the type checker between two looks."""
    return table.table.state


def names(table: LiveTable) -> list[str]:
    """What stands on the seats."""
    return [chair.name for chair in table.seating.chairs]


def heard(table: LiveTable, *, spectator: bool = False) -> list[str]:
    """What the chat says."""
    return texts(table.chat_view(spectator))
