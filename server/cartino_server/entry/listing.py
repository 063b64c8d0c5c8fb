"""The tables of the house as `ssh host games` prints them."""

from collections.abc import Sequence

import msgspec

from cartino_protocol.ids import Clock
from cartino_protocol.views import RoomLine

_A_TURN: dict[Clock, str] = {"none": "", "30s": "30 s", "60s": "60 s", "120s": "120 s", "day": "a day"}


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


def as_text(rooms: Sequence[RoomLine]) -> str:
    """A line a table, for people."""
    if not rooms:
        return "No tables yet; `ssh -t HOST new` opens one.\n"
    return "".join(_line(room) + "\n" for room in rooms)


def _line(room: RoomLine) -> str:
    options = " ".join(room.options.values())
    seats = ", ".join(_seat(room, number) for number in range(len(room.seats)))
    watching = f", {room.spectators} watching" if room.spectators else ""
    state = "paused" if room.paused else room.state
    clock = "" if room.clock == "none" else f", {_A_TURN[room.clock]} a turn"
    return f"{room.code}  {room.game} {options}  {state:<8}  {seats}{watching}{clock}"


def _seat(room: RoomLine, number: int) -> str:
    seat = room.seats[number]
    name = {"empty": "(free)", "bot": f"bot {seat.name}"}.get(seat.kind, seat.name)
    return f"{name} (to move)" if number in room.turn else name
