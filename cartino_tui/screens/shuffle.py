"""The provable shuffle, for people: what was promised, what was shown, and one's own cut."""

from collections.abc import Callable

from cartino_protocol.commands import Cut
from cartino_protocol.views import RoomView, Welcome
from cartino_tui.screens.help_drawing import HelpPart
from cartino_tui.screens.prompt import Ask

MOST_CUT = 100


def ask_for_cut(say: Callable[[Cut], None]) -> Ask:
    """Ask for a cut, any text, and `say` it."""
    return Ask("Your cut", MOST_CUT, lambda text: say(Cut(text)))


def promise_help(welcome: Welcome | None) -> tuple[HelpPart, ...]:
    """What is promised to somebody in the lobby: the shuffle of the next table that they open."""
    if welcome is None or not welcome.promise:
        return ()
    lines = ["The next table that you open is shuffled by a seed with this SHA-256 hash:", welcome.promise]
    return (HelpPart("The shuffle", text="\n".join(lines)),)


def shuffle_help(room: RoomView) -> HelpPart:
    """The hashes and the seed of a table in full, to be kept and checked."""
    lines = [
        "A seed fixed this shuffle before the deal; its SHA-256 was shown then:",
        room.commitment,
    ]
    if room.seed:
        lines += ["The seed itself, now that the game is over:", room.seed]
    if room.next_commitment:
        lines += ["The next game here is promised with this hash; x cuts it:", room.next_commitment]
    return HelpPart("The shuffle", text="\n".join(lines))
