"""What one can do at a table besides moving: pause, rematch, cut, leave, hints, score explanations, overlays."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import msgspec
from textual.app import App

from cartino_protocol.base import Seat
from cartino_protocol.commands import Cut, Leave, Pause, Rematch, Replay
from cartino_protocol.deals import Duplicate
from cartino_protocol.refusals import REFUSALS
from cartino_protocol.text import N_, legible
from cartino_protocol.views import TableView, Welcome
from cartino_tui.context import AppContext
from cartino_tui.draw.text import clean
from cartino_tui.game_port.screen import AnyScreen, Look
from cartino_tui.i18n import Translator
from cartino_tui.keys import TABLE
from cartino_tui.pages.contacts import MUTED_PAGE
from cartino_tui.pages.deals import DEAL_PAGE
from cartino_tui.preferences import Settings
from cartino_tui.screens.chat import ChatScreen, can_mute, chat_prompt, others_here
from cartino_tui.screens.page import PageScreen, open_page
from cartino_tui.screens.settings import SettingsScreen
from cartino_tui.screens.table_state import ShownTable
from cartino_tui.terminal.session_app import SessionApp
from cartino_tui.visit.messages import hints_allowed, how_others_join, join_command, why_no_hint
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import AppScreen
from cartino_tui.widgets.help import (
    HelpPart,
    HelpScreen,
    cut_prompt,
    resume_code_help,
    table_help,
    translate_keys,
)
from cartino_tui.widgets.prompt import Confirmation

GAME_OVER: Final = N_("Game over. Press r for a rematch, q for the lobby.")
DEAL_OVER: Final = N_("Game over. Press {key} for the results of this deal, q for the lobby.")
SUBSTITUTE_PLAYS = N_("Time's up: a substitute bot plays this turn. The next one is yours.")


def status_sentence(table: TableView, translator: Translator) -> str:
    """Return the status sentence for the reader at `table`, "" for none."""
    if table.state == "finished":
        return _rematch_votes(table, translator)
    if table.state != "playing":
        return ""
    if table.paused:
        return _pause_status(table, translator)
    if table.you is not None and table.seats[table.you].substitute:
        return translator.gettext(SUBSTITUTE_PLAYS)
    return _pause_votes(table, translator)


def paused_sentence(table: TableView, translator: Translator) -> str:
    """Return what a player reads while the game is paused: alone with bots, their own key resumes it."""
    company = any(
        line.kind == "human" and line.here and seat != table.you for seat, line in enumerate(table.seats)
    )
    if company:
        return translator.gettext("Paused. Press p to vote to resume.")
    return translator.gettext("Paused. Press p to resume.")


def why_no_pause(table: TableView, translator: Translator) -> str:
    """Return why the reader can't vote on a pause, "" if they can."""
    if table.state != "playing":
        return translator.gettext("Only a running game can be paused.")
    if table.you is None:
        return translator.gettext("Only players can vote on a pause; you're watching.")
    return ""


def _rematch_votes(table: TableView, translator: Translator) -> str:
    """Name the others who want a rematch, to a player who has not voted."""
    others = _other_names(table, table.again)
    if table.you is None or table.you in table.again or not others:
        return ""
    return translator.ngettext(
        "{names} wants a rematch: r to join, q for the lobby.",
        "{names} want a rematch: r to join, q for the lobby.",
        len(others),
        names=join_names(others, translator),
    )


def _pause_status(table: TableView, translator: Translator) -> str:
    others = _other_names(table, table.votes)
    if table.you in table.votes:
        return translator.gettext("Paused. You asked to resume; waiting for the others.")
    if not others:
        return (
            translator.gettext("The game is paused.")
            if table.you is None
            else paused_sentence(table, translator)
        )
    names = join_names(others, translator)
    if table.you is None:
        return translator.ngettext(
            "Paused. {names} wants to resume.",
            "Paused. {names} want to resume.",
            len(others),
            names=names,
        )
    return translator.ngettext(
        "Paused. {names} wants to resume; press p to agree.",
        "Paused. {names} want to resume; press p to agree.",
        len(others),
        names=names,
    )


def _pause_votes(table: TableView, translator: Translator) -> str:
    """Name those who want to pause the running game."""
    others = _other_names(table, table.votes)
    if table.you is not None and table.you in table.votes:
        return translator.gettext("You asked to pause. Waiting for the others; press p to cancel.")
    if not others:
        return ""
    names = join_names(others, translator)
    if table.you is None:
        return translator.ngettext(
            "{names} wants to pause.", "{names} want to pause.", len(others), names=names
        )
    return translator.ngettext(
        "{names} wants to pause. Press p to agree.",
        "{names} want to pause. Press p to agree.",
        len(others),
        names=names,
    )


def join_names(names: Sequence[str], translator: Translator) -> str:
    """Join `names`, the last one with "and"."""
    if len(names) < 2:
        return "".join(names)
    return translator.gettext("{names} and {last}", names=", ".join(names[:-1]), last=names[-1])


def _other_names(table: TableView, seats: Sequence[Seat]) -> list[str]:
    """Return the names at `seats` except the reader's."""
    return [clean(table.seats[seat].name) for seat in seats if seat != table.you]


def _copy_to_clipboard(app: App[Any], text: str, translator: Translator) -> str:
    """Copy `text` to the terminal's clipboard; return a sentence about the result.

    Control characters are removed: a shell would run a pasted line end. Monochrome terminals, which may show the
    sequence as text, get none.
    """
    text = legible(text)
    if isinstance(app, SessionApp) and app.session_depth == "mono":
        return translator.gettext(
            "Your terminal can't copy to the clipboard. Copy it by hand: {text}", text=text
        )
    app.copy_to_clipboard(text)
    return translator.gettext("Copied, if your terminal allows it: {text}", text=text)


def copy_join_command(screen: AppScreen, table: TableView) -> str:
    """Copy what others type to join the table, or to play its deal; return a sentence about the result."""
    commands, translator = screen.context.shell_commands, screen.look.translator
    if not commands.words:
        return translator.gettext("This table closes with the program; nobody can join from elsewhere.")
    if table.once and not table.sealed:
        return translator.gettext(REFUSALS["deal-over"])
    return _copy_to_clipboard(screen.app, translator.render(join_command(table, commands)), translator)


def can_review(table: TableView) -> bool:
    """Return whether the game is over and may be looked at: a shared deal stays closed while others can play it."""
    return table.state == "finished" and not table.sealed


def has_results(table: TableView) -> bool:
    """Return whether the reader plays a deal here whose results can be asked for."""
    return table.once and table.you is not None


def why_no_rematch(table: TableView, translator: Translator) -> str:
    """Return why the reader can't ask for a rematch, "" if they can."""
    if table.state != "finished":
        return translator.gettext("You can ask for a rematch when this game is over.")
    if table.you is None:
        return translator.gettext("The players decide on a rematch; you'll see it here.")
    return translator.gettext(REFUSALS["played-once"]) if table.once else ""


def why_no_cut(table: TableView, translator: Translator) -> str:
    """Return why the reader can't cut the next shuffle, "" if they can."""
    if table.state != "finished" or table.once:
        return translator.gettext("Texts are added before the shuffle; this game has started.")
    return "" if table.you is not None else translator.gettext("Only players can add text to the shuffle.")


def leave_question(welcome: Welcome | None, translator: Translator) -> str:
    """Ask whether to leave the running game, and say what becomes of the seat."""
    if welcome is None or not welcome.guest:
        return translator.gettext("Leave the table? Your seat is kept.")
    if welcome.word:
        return translator.gettext(
            "Leave the table? Your seat is kept. Resume code: {word}", word=welcome.word
        )
    return translator.gettext("Leave the table? Your seat is kept while you stay connected.")


class ScoreExplanations:
    """Explains scores: asked again in the same state, it explains the move before."""

    def __init__(self) -> None:
        """Start with the last move."""
        self._asked: tuple[str, int, msgspec.Struct] | None = None
        self._back = 0

    def why(
        self, game_screen: AnyScreen, table: TableView, view: Any, pointer: msgspec.Struct, look: Look
    ) -> str:
        """Return the game's explanation, or else the last move in a sentence."""
        asked = table.code, table.number, pointer
        self._back = self._back + 1 if asked == self._asked else 0
        self._asked = asked
        return game_screen.why(table, view, pointer, look, self._back) or game_screen.describe_last_action(
            table, view, look.translator
        )


HINTS_OFF: Final = N_("Hints are off. Turn them on in settings (o), then press i.")


def hint_or_reason(
    game_screen: AnyScreen, table: TableView, view: Any, look: Look, settings: Settings
) -> str:
    """Return a hint, or why there is none."""
    why_not = why_no_hint(settings, table, look.translator, off=HINTS_OFF)
    return (
        why_not or game_screen.hint(table, view, look) or look.translator.gettext("This game has no hints.")
    )


def useful_actions(table: TableView, settings: Settings) -> set[str]:
    """Return the actions of the key table that somebody at `table` is likely to want now."""
    over, plays, others = table.state == "finished", table.you is not None, others_here(table)
    useful = {
        "chat": others,
        "said": others,
        "review": can_review(table),
        "results": has_results(table),
        "rematch": plays and over and not table.once,
        "cut": plays and over and not table.once,
        "pause": plays and not over and (table.paused or others),
        "hint": hints_allowed(settings, table),
    }
    return {"why", "leave", *(action for action, is_useful in useful.items() if is_useful)}


def current_table_keys(
    game_screen: AnyScreen,
    table: TableView,
    view: Any,
    pointer: msgspec.Struct,
    settings: Settings,
    translator: Translator,
) -> HelpPart:
    """Return the keys that work now: the game's, then the frame's."""
    useful = useful_actions(table, settings)
    frame = ((row.shown, row.help or row.what) for row in TABLE.rows if row.action in useful)
    keys = (*game_screen.keys_now(table, view, pointer), *frame)
    return HelpPart(translator.gettext("Available now"), translate_keys(keys, translator))


TABLE_OVERLAYS: Final[Mapping[str, Callable[[AppContext, ClientState], AppScreen]]] = {
    "said": ChatScreen,
    "ignore": partial(ChatScreen, about="ignore"),
    "report": partial(ChatScreen, about="report"),
    "ignored": partial(PageScreen, page=MUTED_PAGE),
    "settings": SettingsScreen,
}
"""By the action that opens it."""


class TableActions:
    """What the frame's keys do at a table."""

    def __init__(self, screen: AppScreen, state: ShownTable) -> None:
        """Act for `screen`, which shows `state`."""
        self._screen = screen
        self._state = state
        self._explanations = ScoreExplanations()
        self.replay_due = False
        """Whether the replay of the game that is over was asked for and has not come yet."""

    def can(self, action: str) -> bool:
        """Return whether `action` of the key table is available now."""
        table, translator = self._state.table, self._screen.look.translator
        match action:
            case "hint":
                return hints_allowed(self._screen.context.preferences.settings, table)
            case "pause":
                useful = table.paused or table.clock != "none" or others_here(table)
                return useful and not why_no_pause(table, translator)
            case "chat":
                return others_here(table)
            case "said":
                return others_here(table) or self._screen.known.chat is not None
            case "ignored":
                return others_here(table) or bool(self._screen.known.ignored)
            case "rematch":
                return not why_no_rematch(table, translator) and table.you not in table.again
            case "review":
                return can_review(table)
            case "results":
                return has_results(table)
            case "cut":
                return not why_no_cut(table, translator)
            case "copy":
                return bool(how_others_join(table, self._screen.context.shell_commands, translator))
        return can_mute(action, self._screen.known)

    def do(self, action: str | None) -> None:
        """Do `action` of the key table; say why where it is not available now."""
        screen, table = self._screen, self._state.table
        own: Mapping[str, Callable[[], None]] = {
            "help": self._help,
            "why": self._explain,
            "hint": self._hint,
            "pause": self._pause,
            "rematch": self._rematch,
            "review": self._review,
            "cut": self._ask_for_cut,
            "copy": self._copy,
            "leave": self._leave,
        }
        match action:
            case "chat":
                screen.ask(chat_prompt(screen, screen.known.chat))
            case str(over) if over in TABLE_OVERLAYS:
                screen.app.push_screen(TABLE_OVERLAYS[over](screen.context, screen.known))
            case "results" if has_results(table):
                open_page(screen, DEAL_PAGE, Duplicate(table.code))
            case str(act) if act in own:
                own[act]()
            case _ if table.state == "finished":
                key, translator = screen.look.key_shown("d"), screen.look.translator
                screen.status = translator.gettext(DEAL_OVER if has_results(table) else GAME_OVER, key=key)

    def _copy(self) -> None:
        self._screen.status = copy_join_command(self._screen, self._state.table)

    def _hint(self) -> None:
        screen, state = self._screen, self._state
        settings = screen.context.preferences.settings
        screen.status = hint_or_reason(state.game_screen, state.table, state.view, screen.look, settings)

    def _explain(self) -> None:
        """Explain the score; as a notice for those who wait, since the next move would clear the status."""
        screen, state = self._screen, self._state
        told = self._explanations.why(state.game_screen, state.table, state.view, state.pointer, screen.look)
        if state.table.state == "playing" and state.table.you not in state.table.turn:
            screen.notice(told)
        else:
            screen.status = told

    def _help(self) -> None:
        screen, state, translator = self._screen, self._state, self._screen.look.translator
        game_screen, settings = state.game_screen, screen.context.preferences.settings
        now = current_table_keys(game_screen, state.table, state.view, state.pointer, settings, translator)
        code = resume_code_help(screen.known.welcome, screen.context.shell_commands, translator)
        help = table_help(game_screen, state.table, translator, now, code)
        screen.app.push_screen(HelpScreen(screen.context, screen.known, help))

    def _pause(self) -> None:
        screen, table = self._screen, self._state.table
        screen.status = why_no_pause(table, screen.look.translator)
        if not screen.status:
            voted = table.you in table.votes
            screen.send(Pause(table.paused == voted), awaited=False)

    def _review(self) -> None:
        screen, table = self._screen, self._state.table
        if table.state == "finished":
            self.replay_due = True
            screen.send(Replay(table.code))
        else:
            screen.status = screen.look.translator.gettext("You can review this game when it's over.")

    def _rematch(self) -> None:
        screen, table, translator = self._screen, self._state.table, self._screen.look.translator
        screen.status = why_no_rematch(table, translator)
        if not screen.status:
            screen.status = translator.gettext("Rematch requested. Waiting for the others.")
            if table.you not in table.again:
                screen.send(Rematch())

    def _ask_for_cut(self) -> None:
        screen, translator = self._screen, self._screen.look.translator
        screen.status = why_no_cut(self._state.table, translator)
        if not screen.status:
            screen.ask(cut_prompt(self._cut, translator))

    def _cut(self, cut: Cut) -> None:
        self._screen.send(cut, awaited=False)
        self._screen.status = self._screen.look.translator.gettext(
            "Your text was added to the next game's shuffle."
        )

    def _leave(self) -> None:
        screen, table = self._screen, self._state.table
        if table.state == "playing" and table.you is not None:
            asked = leave_question(screen.known.welcome, screen.look.translator)
            screen.question = Confirmation(asked, lambda: screen.send(Leave()))
        else:
            screen.send(Leave())
