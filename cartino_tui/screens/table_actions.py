"""What one can do at a table besides moving: pause, rematch, cut, leave, hints, score explanations, overlays.

Each function returns the sentence to show, or why the action is not available now.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import msgspec

from cartino_protocol.base import Seat
from cartino_protocol.text import N_
from cartino_protocol.views import RoomView, Welcome
from cartino_tui.context import AppContext
from cartino_tui.draw.text import clean
from cartino_tui.game_port.screen import AnyScreen, Look
from cartino_tui.i18n import Translator
from cartino_tui.keys import TABLE
from cartino_tui.pages.contacts import MUTED_PAGE
from cartino_tui.preferences import Settings
from cartino_tui.screens.chat import ChatScreen
from cartino_tui.screens.page import PageScreen
from cartino_tui.screens.settings import SettingsScreen
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import AppScreen
from cartino_tui.widgets.help import HelpPart, translate_keys

PAUSED = N_("The game is paused; p votes to go on.")
"""What a move is answered with in a pause."""
SUBSTITUTE_PLAYS = N_("Your time was up: a stand-in plays this turn; the next one is yours.")


def status_sentence(room: RoomView, translator: Translator) -> str:
    """The sentence for who looks on at `room`, "" where nothing is to be said."""
    if room.state == "finished":
        return _rematch_votes(room, translator)
    if room.state != "playing":
        return ""
    if room.paused:
        return _pause_status(room, translator)
    if room.you is not None and room.seats[room.you].stand_in:
        return translator.say(SUBSTITUTE_PLAYS)
    return _pause_votes(room, translator)


def why_no_pause(room: RoomView, translator: Translator) -> str:
    """Why who looks on at `room` has no vote on a pause, "" where they have one."""
    if room.state != "playing":
        return translator.say("Only a game that runs can be paused.")
    if room.you is None:
        return translator.say("Those who play decide on a pause; you are watching.")
    return ""


def _rematch_votes(room: RoomView, translator: Translator) -> str:
    """Who else wants another game, to a player who has not said so."""
    others = _other_names(room, room.again)
    if room.you is None or room.you in room.again or not others:
        return ""
    return translator.count(
        "{names} would play again; r joins in, q goes back to the lobby.",
        "{names} would play again; r joins in, q goes back to the lobby.",
        len(others),
        names=join_names(others, translator),
    )


def _pause_status(room: RoomView, translator: Translator) -> str:
    others = _other_names(room, room.votes)
    if room.you in room.votes:
        return translator.say("The game is paused; you would go on, and it does when the others agree.")
    if not others:
        return translator.say("The game is paused.") if room.you is None else translator.say(PAUSED)
    names = join_names(others, translator)
    if room.you is None:
        return translator.count(
            "The game is paused; {names} would go on.",
            "The game is paused; {names} would go on.",
            len(others),
            names=names,
        )
    return translator.count(
        "The game is paused; {names} would go on, p agrees.",
        "The game is paused; {names} would go on, p agrees.",
        len(others),
        names=names,
    )


def _pause_votes(room: RoomView, translator: Translator) -> str:
    """Who would pause the running game."""
    others = _other_names(room, room.votes)
    if room.you is not None and room.you in room.votes:
        return translator.say("You would pause; the game stops when the others agree. p takes that back.")
    if not others:
        return ""
    names = join_names(others, translator)
    if room.you is None:
        return translator.count("{names} would pause.", "{names} would pause.", len(others), names=names)
    return translator.count(
        "{names} would pause; p agrees.", "{names} would pause; p agrees.", len(others), names=names
    )


def join_names(names: Sequence[str], translator: Translator) -> str:
    """`names` as one reads them: one, or the last one behind an "and"."""
    if len(names) < 2:
        return "".join(names)
    return translator.say("{names} and {last}", names=", ".join(names[:-1]), last=names[-1])


def _other_names(room: RoomView, seats: Sequence[Seat]) -> list[str]:
    """The names at `seats` but one's own."""
    return [clean(room.seats[seat].name) for seat in seats if seat != room.you]


def why_no_rematch(room: RoomView, translator: Translator) -> str:
    """Why nobody can want another game now, "" where one can."""
    if room.state != "finished":
        return translator.say("You can ask for another game when this one is over.")
    if room.you is None:
        return translator.say("Those who played decide on another game; you will see it.")
    return ""


def why_no_cut(room: RoomView, translator: Translator) -> str:
    """Why the next game's shuffle can't be cut now, "" where it can."""
    if room.state != "finished":
        return translator.say("The shuffle is cut before a game; this one runs.")
    return "" if room.you is not None else translator.say("Only those who play cut the shuffle.")


def leave_question(welcome: Welcome | None, translator: Translator) -> str:
    """Whether to leave the running game, and what becomes of one's seat then."""
    if welcome is None or not welcome.guest:
        return translator.say("Leave the table? Your seat stays yours.")
    if welcome.word:
        return translator.say("Leave the table? Your seat is kept; to come back: {word}", word=welcome.word)
    return translator.say("Leave the table? Your seat stays yours while you are connected.")


class ScoreExplanations:
    """Why the points: asked again at the same table it is about the move before."""

    def __init__(self) -> None:
        """Nothing was asked yet."""
        self._asked: tuple[str, int, msgspec.Struct] | None = None
        self._back = 0

    def why(
        self, game_screen: AnyScreen, room: RoomView, view: Any, pointer: msgspec.Struct, look: Look
    ) -> str:
        """Return the game's explanation; where it has none, the last move in a sentence."""
        asked = room.code, room.number, pointer
        self._back = self._back + 1 if asked == self._asked else 0
        self._asked = asked
        return game_screen.why(room, view, pointer, look, self._back) or game_screen.told(
            room, view, look.translator
        )


def hints_allowed(settings: Settings, room: RoomView) -> bool:
    """Whether there are ideas here: for a player who has switched them on, against bots alone.

    Against people nobody is helped whose table didn't agree to it, and there is no way to ask them.
    """
    others = [seat for number, seat in enumerate(room.seats) if number != room.you]
    plays = room.you is not None and room.state == "playing"
    return settings.hints and plays and all(seat.kind == "bot" for seat in others)


def hint_or_reason(game_screen: AnyScreen, room: RoomView, view: Any, look: Look, settings: Settings) -> str:
    """An idea for somebody who asks for one, or why there is none."""
    say = look.translator.say
    if not settings.hints:
        return say("i shows an idea in a game against bots; switch ideas on in your settings (o).")
    if not hints_allowed(settings, room):
        return say("Ideas are for those who play against bots alone.")
    if room.you not in room.turn:
        return say("Ideas come when it is your turn.")
    return game_screen.advice(room, view, look) or say("There are no ideas for this game.")


def current_table_keys(
    game_screen: AnyScreen,
    room: RoomView,
    view: Any,
    pointer: msgspec.Struct,
    settings: Settings,
    translator: Translator,
) -> HelpPart:
    """The keys that do something at the table as it is: the game's, then the frame's."""
    over, plays = room.state == "finished", room.you is not None
    useful = {"chat", "said", "why", "leave"}
    if plays:
        useful |= {"rematch", "cut"} if over else {"pause"}
    if hints_allowed(settings, room):
        useful.add("advice")
    frame = ((row.shown, row.help or row.what) for row in TABLE.rows if row.action in useful)
    keys = (*game_screen.keys_now(room, view, pointer), *frame)
    return HelpPart(translator.say("Just now"), translate_keys(keys, translator))


TABLE_OVERLAYS: Final[Mapping[str, Callable[[AppContext, ClientState], AppScreen]]] = {
    "said": ChatScreen,
    "ignore": partial(ChatScreen, about="ignore"),
    "report": partial(ChatScreen, about="report"),
    "ignored": partial(PageScreen, page=MUTED_PAGE),
    "settings": SettingsScreen,
}
"""Each by the action of the key that leads there."""
