"""Rooms of the race, without a server, and short ways to what they show."""

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
    patience: TimeControl = PATIENT,
    stand_ins: Sequence[str] = (),
    world: World | None = None,
    game: Race | None = None,
) -> LiveTable:
    """A table for a race, which waits for everybody as long as they like unless told otherwise."""
    world = world or World()
    order = Order(game or Race(), {"goal": goal, "turns": turns}, seats, bots, True, patience)
    return LiveTable("AAAA", order, world.entropy(32), world.ports(), stand_ins)


def filled(
    *people: str,
    goal: str = "3",
    turns: str = "one",
    patience: TimeControl = PATIENT,
    stand_ins: Sequence[str] = (),
    world: World | None = None,
) -> LiveTable:
    """A table at which these play."""
    room = a_room(len(people), goal=goal, turns=turns, patience=patience, stand_ins=stand_ins, world=world)
    for person in people:
        assert room.join(person, person) is None
    return room


def move(room: LiveTable, person: str, what: Move, number: int | None = None) -> Refusal | None:
    """A person's move as an answer to the newest state, or to `number`."""
    return room.act(person, room.number if number is None else number, encode(what))


def finished(*people: str) -> LiveTable:
    """A table whose game the first of these won at once."""
    room = filled(*people)
    assert move(room, people[0], Add(3)) is None
    assert state(room) == "finished"
    return room


def state(room: LiveTable) -> str:
    """The room's state, forgotten by the type checker between two looks."""
    return room.table.state


def names(room: LiveTable) -> list[str]:
    """What stands on the seats."""
    return [chair.name for chair in room.seating.chairs]


def heard(room: LiveTable, *, spectator: bool = False) -> list[str]:
    """What the chat says."""
    return texts(room.chat_view(spectator))
