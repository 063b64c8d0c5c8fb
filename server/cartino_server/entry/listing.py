"""The tables of the house as `ssh host games` prints them."""

from collections.abc import Sequence

import msgspec

from cartino_games.registry import installed
from cartino_protocol.ids import Clock
from cartino_protocol.marking import N_
from cartino_protocol.views import RoomLine
from cartino_tui.games.description import titled
from cartino_tui.tongue import ENGLISH, Tongue

_A_TURN: dict[Clock, str] = {
    "none": "",
    "30s": N_("30 s a turn"),
    "60s": N_("60 s a turn"),
    "120s": N_("120 s a turn"),
    "day": N_("a day a turn"),
}


def as_json(rooms: Sequence[RoomLine]) -> str:
    """A list of objects: code, game, options, seats (name and kind), spectators, state, turn (seats to act).

    `commitment` is what the table promises of its shuffle, `clock` the time for a turn ("none", "30s", … "day"),
    `paused` whether its players have stopped the game for a while.
    """
    listed = [
        {
            "code": room.code,
            "game": room.game,
            "options": room.options,
            "seats": [{"name": seat.name, "kind": seat.kind} for seat in room.seats],
            "spectators": room.spectators,
            "state": room.state,
            "turn": list(room.turn),
            "commitment": room.commitment,
            "clock": room.clock,
            "paused": room.paused,
        }
        for room in rooms
    ]
    return msgspec.json.format(msgspec.json.encode(listed), indent=2).decode() + "\n"


def as_text(rooms: Sequence[RoomLine], tongue: Tongue = ENGLISH) -> str:
    """A line a table, for people who read `tongue`."""
    if not rooms:
        return tongue.say("No tables yet; `ssh -t HOST new` opens one.") + "\n"
    states = [_state(room, tongue) for room in rooms]
    width = max(8, *map(len, states))
    return "".join(
        f"{_line(room, state.ljust(width), tongue)}\n" for room, state in zip(rooms, states, strict=True)
    )


def _state(room: RoomLine, tongue: Tongue) -> str:
    if room.paused:
        return tongue.say("paused")
    match room.state:
        case "open":
            return tongue.say("open")
        case "playing":
            return tongue.say("playing")
        case "finished":
            return tongue.say_in("table", "finished")


def _line(room: RoomLine, state: str, tongue: Tongue) -> str:
    game = titled(installed().speeches, room.game, room.options, tongue)
    facts = [_seat(room, number, tongue) for number in range(len(room.seats))]
    if room.spectators:
        facts.append(tongue.count("{n} watching", "{n} watching", room.spectators))
    if room.clock != "none":
        facts.append(tongue.say(_A_TURN[room.clock]))
    return f"{room.code}  {game}  {state}  {', '.join(facts)}"


def _seat(room: RoomLine, number: int, tongue: Tongue) -> str:
    seat = room.seats[number]
    if seat.kind == "empty":
        return tongue.say("(free)")
    name = tongue.say("bot {name}", name=seat.name) if seat.kind == "bot" else seat.name
    return tongue.say("{name} (to move)", name=name) if number in room.turn else name
