"""What stands in a table's status line as long as it is so: a pause, votes for one, a stand-in, a wish to go on."""

from collections.abc import Sequence

from cartino_protocol.ids import Seat
from cartino_protocol.marking import N_
from cartino_protocol.views import RoomView, Welcome
from cartino_tui.draw.text import clean
from cartino_tui.tongue import Tongue

PAUSED = N_("The game is paused; p votes to go on.")
"""What a move is answered with in a pause."""
STOOD_IN = N_("Your time was up: a stand-in plays this turn; the next one is yours.")


def standing(room: RoomView, tongue: Tongue) -> str:
    """The sentence for who looks on at `room`, "" where nothing is to be said."""
    if room.state == "finished":
        return _again(room, tongue)
    if room.state != "playing":
        return ""
    if room.paused:
        return _paused(room, tongue)
    if room.you is not None and room.seats[room.you].stand_in:
        return tongue.say(STOOD_IN)
    return _votes(room, tongue)


def may_pause(room: RoomView, tongue: Tongue) -> str:
    """Why who looks on at `room` has no vote on a pause, "" where they have one."""
    if room.state != "playing":
        return tongue.say("Only a game that runs can be paused.")
    if room.you is None:
        return tongue.say("Those who play decide on a pause; you are watching.")
    return ""


def _again(room: RoomView, tongue: Tongue) -> str:
    """Who else wants another game, to a player who has not said so."""
    others = _others(room, room.again)
    if room.you is None or room.you in room.again or not others:
        return ""
    return tongue.count(
        "{names} would play again; r joins in, q goes back to the lobby.",
        "{names} would play again; r joins in, q goes back to the lobby.",
        len(others),
        names=listed(others, tongue),
    )


def _paused(room: RoomView, tongue: Tongue) -> str:
    others = _others(room, room.votes)
    if room.you in room.votes:
        return tongue.say("The game is paused; you would go on, and it does when the others agree.")
    if not others:
        return tongue.say("The game is paused.") if room.you is None else tongue.say(PAUSED)
    names = listed(others, tongue)
    if room.you is None:
        return tongue.count(
            "The game is paused; {names} would go on.",
            "The game is paused; {names} would go on.",
            len(others),
            names=names,
        )
    return tongue.count(
        "The game is paused; {names} would go on, p agrees.",
        "The game is paused; {names} would go on, p agrees.",
        len(others),
        names=names,
    )


def _votes(room: RoomView, tongue: Tongue) -> str:
    """Who would pause the running game."""
    others = _others(room, room.votes)
    if room.you is not None and room.you in room.votes:
        return tongue.say("You would pause; the game stops when the others agree. p takes that back.")
    if not others:
        return ""
    names = listed(others, tongue)
    if room.you is None:
        return tongue.count("{names} would pause.", "{names} would pause.", len(others), names=names)
    return tongue.count(
        "{names} would pause; p agrees.", "{names} would pause; p agrees.", len(others), names=names
    )


def listed(names: Sequence[str], tongue: Tongue) -> str:
    """`names` as one reads them: one, or the last one behind an "and"."""
    if len(names) < 2:
        return "".join(names)
    return tongue.say("{names} and {last}", names=", ".join(names[:-1]), last=names[-1])


def _others(room: RoomView, seats: Sequence[Seat]) -> list[str]:
    """The names at `seats` but one's own."""
    return [clean(room.seats[seat].name) for seat in seats if seat != room.you]


def may_play_again(room: RoomView, tongue: Tongue) -> str:
    """Why nobody can want another game now, "" where one can."""
    if room.state != "finished":
        return tongue.say("You can ask for another game when this one is over.")
    if room.you is None:
        return tongue.say("Those who played decide on another game; you will see it.")
    return ""


def may_cut(room: RoomView, tongue: Tongue) -> str:
    """Why the next game's shuffle can't be cut now, "" where it can."""
    if room.state != "finished":
        return tongue.say("The shuffle is cut before a game; this one runs.")
    return "" if room.you is not None else tongue.say("Only those who play cut the shuffle.")


def may_leave(welcome: Welcome | None, tongue: Tongue) -> str:
    """Whether to leave the running game, and what becomes of one's seat then."""
    if welcome is None or not welcome.guest:
        return tongue.say("Leave the table? Your seat stays yours.")
    if welcome.word:
        return tongue.say("Leave the table? Your seat is kept; to come back: {word}", word=welcome.word)
    return tongue.say("Leave the table? Your seat stays yours while you are connected.")
