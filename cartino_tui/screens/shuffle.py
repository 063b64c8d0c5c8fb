"""The provable shuffle, for people: what was promised, what was shown, and one's own cut."""

from collections.abc import Callable

from cartino_protocol.commands import Cut
from cartino_protocol.views import RoomView, Welcome
from cartino_tui.games.chance import ChanceWords
from cartino_tui.screens.help_drawing import HelpPart
from cartino_tui.screens.prompt import Ask
from cartino_tui.tongue import Tongue

MOST_CUT = 100


def ask_for_cut(say: Callable[[Cut], None], tongue: Tongue) -> Ask:
    """Ask for a cut, any text, and `say` it."""
    return Ask(tongue.say("Your cut"), MOST_CUT, lambda text: say(Cut(text)))


def promise_help(welcome: Welcome | None, tongue: Tongue) -> tuple[HelpPart, ...]:
    """What is promised to somebody in the lobby: the shuffle of the next table that they open."""
    if welcome is None or not welcome.promise:
        return ()
    lines = [
        tongue.say("The next table that you open is shuffled by a seed with this SHA-256 hash:"),
        welcome.promise,
    ]
    return (HelpPart(tongue.say("The shuffle"), text="\n".join(lines)),)


def shuffle_help(words: ChanceWords | None, room: RoomView, tongue: Tongue) -> tuple[HelpPart, ...]:
    """The hashes and the seed of a table in full, to be kept and checked; () where nothing is left to chance."""
    if words is None:
        return ()
    lines = [tongue.say(words.open if room.state == "open" else words.begun), room.commitment]
    if room.seed:
        lines += [tongue.say("The seed itself, now that the game is over:"), room.seed]
    if room.next_commitment:
        lines += [
            tongue.say("The next game here is promised with this hash; x cuts it:"),
            room.next_commitment,
        ]
    return (HelpPart(tongue.say(words.heading), text="\n".join(lines)),)
