"""What stands in a table's status line as long as it is so: a pause, votes for one, a stand-in, a wish to go on."""

from collections.abc import Sequence

from cartino_protocol.ids import Seat
from cartino_protocol.views import RoomView
from cartino_tui.draw.text import clean

PAUSED = "The game is paused; p votes to go on."
"""What a move is answered with in a pause."""
STOOD_IN = "Your time was up: a stand-in plays this turn; the next one is yours."


def standing(room: RoomView) -> str:
    """The sentence for who looks on at `room`, "" where nothing is to be said."""
    if room.state == "finished":
        return _again(room)
    if room.state != "playing":
        return ""
    if room.paused:
        return _paused(room)
    if room.you is not None and room.seats[room.you].stand_in:
        return STOOD_IN
    return _votes(room)


def may_pause(room: RoomView) -> str:
    """Why who looks on at `room` has no vote on a pause, "" where they have one."""
    if room.state != "playing":
        return "Only a game that runs can be paused."
    return "Those who play decide on a pause; you are watching." if room.you is None else ""


def _again(room: RoomView) -> str:
    """Who else wants another game, to a player who has not said so."""
    others = _names(room, room.again)
    if room.you is None or room.you in room.again or not others:
        return ""
    return f"{others} would play again; r joins in, q goes back to the lobby."


def _paused(room: RoomView) -> str:
    others = _names(room, room.votes)
    if room.you is None:
        return f"The game is paused; {others} would go on." if others else "The game is paused."
    if room.you in room.votes:
        return "The game is paused; you would go on, and it does when the others agree."
    return f"The game is paused; {others} would go on, p agrees." if others else PAUSED


def _votes(room: RoomView) -> str:
    """Who would pause the running game."""
    others = _names(room, room.votes)
    if room.you is not None and room.you in room.votes:
        return "You would pause; the game stops when the others agree. p takes that back."
    if not others:
        return ""
    return f"{others} would pause{'; p agrees' if room.you is not None else ''}."


def _names(room: RoomView, seats: Sequence[Seat]) -> str:
    """The names at `seats` but one's own, as one reads them."""
    return " and ".join(clean(room.seats[seat].name) for seat in seats if seat != room.you)
