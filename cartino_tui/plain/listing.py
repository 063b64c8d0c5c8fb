"""Tables and seats in sentences, for lists."""

from cartino_protocol.ids import Clock
from cartino_protocol.views import RoomLine, SeatLine, SeatView
from cartino_tui.known import Entry
from cartino_tui.plain.floor import Floor
from cartino_tui.terms import CLOCK_WORDS
from cartino_tui.tongue import Tongue


def seat_name(seat: SeatLine | SeatView, tongue: Tongue) -> str:
    """Who sits there."""
    if seat.kind == "empty":
        return tongue.say("free seat")
    if seat.kind == "bot" and not seat.name.startswith("bot"):
        return tongue.say("bot {name}", name=seat.name)
    return seat.name


def table(floor: Floor, entry: Entry) -> str:
    """A table of the lobby: "K7QP: Cartino 1974, open; Bob, free seat."."""
    tongue, line = floor.tongue, entry.line
    return tongue.say(
        "{code}: {game}, {state}; {players}.",
        code=line.code,
        game=floor.title(line.game, line.options),
        state=_state(floor, entry),
        players=", ".join(seat_name(seat, tongue) for seat in line.seats),
    )


def is_own_turn(floor: Floor, line: RoomLine) -> bool:
    """Whether a table of one's own waits for oneself."""
    seat = floor.own_seat([seat.name if seat.kind == "human" else "" for seat in line.seats])
    return line.state == "playing" and not line.paused and seat in line.turn


def clock(clock: Clock, tongue: Tongue) -> str:
    """How long a turn may take, as a choice."""
    return tongue.say(CLOCK_WORDS[clock])


def _state(floor: Floor, entry: Entry) -> str:
    tongue, line = floor.tongue, entry.line
    if entry.mine and is_own_turn(floor, line):
        return tongue.say("it is your turn")
    if line.paused:
        return tongue.say("paused, you play there") if entry.mine else tongue.say("paused")
    match line.state, entry.mine:
        case "open", True:
            return tongue.say("not begun, you have a seat")
        case "open", _:
            return tongue.say("open")
        case "playing", True:
            return tongue.say("you play there")
        case "playing", _:
            return tongue.say("being played")
        case _:
            return tongue.say("over")
