"""Pages in plain mode: the rows of a page by number, then what its keys do on the screen."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from cartino_protocol.commands import Command
from cartino_protocol.views import QueryAnswer, ReplayView
from cartino_tui.game_port.speech import find_word
from cartino_tui.i18n import ENGLISH, Translator
from cartino_tui.key_table import KeyRow
from cartino_tui.pages.account import ACCOUNT_PAGE, KEYS_PAGE
from cartino_tui.pages.deals import DEAL_PAGE
from cartino_tui.pages.history import HISTORY_PAGE
from cartino_tui.pages.leagues import LEAGUE_PAGE
from cartino_tui.pages.page import Action, AnyPage, EmptyCard, Open, page_sentences, row_sentence
from cartino_tui.pages.people import LEADERS_PAGE, PROFILE_PAGE
from cartino_tui.plain.menu import ConfirmMenu, LineMenu, MenuChoice, PlainContext, TextPrompt
from cartino_tui.plain.replay_menu import ReplayMenu

_PAGES: Final[Sequence[AnyPage]] = (
    DEAL_PAGE,
    LEAGUE_PAGE,
    HISTORY_PAGE,
    LEADERS_PAGE,
    PROFILE_PAGE,
    ACCOUNT_PAGE,
    KEYS_PAGE,
)
"""The pages that open with an answer."""


_COMMANDS: Final = frozenset(
    (
        *ENGLISH.command_words(
            "play", "list", "new", "code", "word", "name", "results", "history", "ratings"
        ),
        *ENGLISH.command_words(
            "invitations", "ignored", "settings", "learn", "rules", "keys", "account", "who"
        ),
        *ENGLISH.command_words("join", "watch", "older", "all", "mine", "next", "league", "delete"),
        *ENGLISH.command_words("decline", "ignore", "unignore", "add", "drop"),
    )
)
"""What can be typed for actions, in English."""
_COMMAND_OF: Final[Mapping[str, str]] = {
    "quick": "play",
    "rename": "name",
    "leaders": "ratings",
    "daily": "results",
    "invited": "invitations",
    "hear": "unignore",
    "page-down": "older",
}
"""The commands of actions that have another name."""


def action_words(key: KeyRow, translator: Translator) -> tuple[str, ...]:
    """Return what to type for a row of a key table: its command, or its letters on the screen."""
    word = _COMMAND_OF.get(key.action, key.action)
    commands = (translator.pgettext("command", word), word) if word in _COMMANDS else ()
    return *commands, *(each for each in key.keys if len(each) == 1 and each.isalpha())


class ActionMenu(LineMenu):
    """A menu that does actions of pages and opens the pages that they lead to."""

    def __init__(self, context: PlainContext) -> None:
        super().__init__(context)
        self._asked: Command | None = None
        """What an action sent last."""

    def handle_answer(self, answer: QueryAnswer) -> bool:
        """Open the replay or the page that shows `answer`."""
        if isinstance(answer, ReplayView):
            self.context.push(ReplayMenu(self.context, answer))
            return True
        page = next((page for page in _PAGES if page.read(answer) is not None), None)
        if page is not None:
            self.context.push(PageMenu(self.context, page, answer))
        return page is not None

    def run(self, action: Action[Any, Any], view: Any = None, row: Any = None, typed: str = "") -> None:
        """Do `action` of a page that shows `view`, once the person has typed or confirmed what it asks for."""
        context, gettext = self.context, self.translator.gettext
        if action.ask is not None and not typed:
            answered = partial(self.run, action, view, row)
            context.push(TextPrompt(context, gettext(action.ask.label), answered))
        elif action.confirm is not None:
            question, stay = action.confirm(row, context.reader), gettext("Nothing was changed.")
            context.push(ConfirmMenu(context, question, lambda: self._do(action, view, row, typed), stay))
        else:
            self._do(action, view, row, typed)

    def _do(self, action: Action[Any, Any], view: Any, row: Any, typed: str) -> None:
        outcome = action.do(view, row, typed, self.context.reader)
        if isinstance(outcome, Action):
            self.run(outcome, view, row)
        elif isinstance(outcome, Open) and outcome.command is None:
            self.context.push(PageMenu(self.context, outcome.page))
        elif isinstance(outcome, str):
            self.context.tell(outcome)
        elif outcome is not None:
            self._asked = outcome.command if isinstance(outcome, Open) else outcome
            if self._asked is not None:
                self.context.send(self._asked, awaited=action.awaited)


class PageMenu(ActionMenu):
    """A page: its lines, its rows by number, and its actions. A number means the same row until they are told again."""

    def __init__(self, context: PlainContext, page: AnyPage, view: Any = None) -> None:
        """Show `page` with its `view`; a live page takes it from what the client knows."""
        super().__init__(context)
        self._page = page
        self._view = view
        self._first = 0
        """The first row that is told."""
        self._rows: Sequence[Any] = ()
        """The rows that have a number."""
        self._left = 0
        """The rows here that stand behind them."""
        self._older: Command | None = None
        """The command that asked for rows behind those that are here."""

    def open(self) -> None:
        """Tell the page as it is now; go back if nothing can be done there."""
        if self._page.live is not None:
            self._view = self._page.live(self.context.client_state)
        super().open()
        if not self._offered:
            self.go_back()

    def opening(self) -> Sequence[str]:
        """Return what stands above the rows, and what a number does; all of a page whose rows have no number."""
        page, view, reader = self._page, self._view, self.context.reader
        gettext, picks = self.translator.gettext, self._picks()
        if not picks:
            told = () if view is None else page_sentences(page, view, reader)
            empty = page.empty(view, False, reader)
            return told or (empty.title if isinstance(empty, EmptyCard) else empty,)
        lines = list(page.opening(view, reader))
        if not lines:
            parts = (part for part in page.title(view, reader) if part and isinstance(part, str))
            lines.append(f"{', '.join(parts)}.")
        lines.append(gettext("A number: {what}.", what=gettext(self._key(picks[0]).help)))
        lines += [
            gettext("{word} and a number: {what}.", word=words[0], what=gettext(key.help))
            for key in map(self._key, picks[1:])
            if (words := self._words(key))
        ]
        return lines

    def choices(self) -> Sequence[MenuChoice]:
        """Return the rows, if a number does something with them, then what else can be done."""
        page, view, reader = self._page, self._view, self.context.reader
        choices = self._row_choices() if self._picks() else []
        closing = tuple(page.closing(view, reader)) if choices else ()
        actions = []
        if choices and (self._left or page.older(view) is not None):
            older = self._key("page-down")
            actions.append(MenuChoice(self.translator.gettext(older.what), self._go_on, self._words(older)))
        for name in self._others():
            key, then = self._key(name), partial(self.run, page.actions[name], view)
            actions.append(MenuChoice(self.translator.gettext(key.help), then, self._words(key)))
        if actions and closing:
            actions[0] = MenuChoice(actions[0].label, actions[0].then, actions[0].words, closing)
        return (*choices, *actions)

    def _row_choices(self) -> list[MenuChoice]:
        page, gettext, main = self._page, self.translator.gettext, self._page.actions[self._picks()[0]]
        rows = [
            (row, "" if at else section.sentence)
            for section in page.sections(self._view)
            for at, row in enumerate(section.rows)
        ]
        told = rows[self._first : self._first + (page.portion or len(rows))]
        self._rows = [row for row, _ in told]
        self._left = len(rows) - self._first - len(told)
        return [
            MenuChoice(
                row_sentence(page, row, self.context.reader),
                partial(self.run, main, self._view, row),
                (page.identity(row),) if page.identity is not None else (),
                (gettext(heading),),
            )
            for row, heading in told
        ]

    def go_back(self) -> None:
        """Go back to the menu below, which needn't be told whole."""
        self.context.topics.remove(self)
        self.context.topics[-1].resume()

    def free(self, text: str) -> bool:
        """Do `watch 2`, an action with the number of a row, or `player Ann`, one with its text."""
        head, _, rest = text.partition(" ")
        rest = rest.strip()
        for name in (*self._picks(), *self._others()):
            action, is_row = self._page.actions[name], name in self._picks()
            if not rest or find_word(self._words(self._key(name)), head) is None:
                continue
            if is_row and rest.isascii() and rest.isdigit() and 0 < int(rest[:4]) <= len(self._rows):
                self.run(action, self._view, self._rows[int(rest[:4]) - 1])
                return True
            if not is_row and action.ask is not None:
                self.run(action, self._view, None, rest[: action.ask.most])
                return True
        return False

    def handle_answer(self, answer: QueryAnswer) -> bool:
        """Show the page's next view, or open another page over it."""
        view, asked = self._page.read(answer), self._asked
        if view is None:
            return super().handle_answer(answer)
        older = asked is not None and asked is self._older
        if asked is not None:
            self.context.tell(self._page.note(view, asked, self.context.reader))
        self._view = self._page.append(self._view, view) if older else view
        self._first = self._first + len(self._rows) if older else 0
        self.open()
        return True

    def _key(self, name: str) -> KeyRow:
        return next(row for row in self._page.keys.rows if row.action == name)

    def _words(self, key: KeyRow) -> tuple[str, ...]:
        return action_words(key, self.translator)

    def _hinted(self) -> list[str]:
        page, view, reader = self._page, self._view, self.context.reader
        actions = page.actions
        return [
            name for name in page.hints(view, reader) if name in actions and actions[name].when(view, reader)
        ]

    def _picks(self) -> Sequence[str]:
        """Return the actions that do something with a row; a number alone does the first."""
        rows = [name for name in self._hinted() if self._page.actions[name].row]
        return sorted(rows, key=lambda name: not self._page.actions[name].main)

    def _others(self) -> Sequence[str]:
        """Return the actions of the page as a whole."""
        return [name for name in self._hinted() if not self._page.actions[name].row]

    def _go_on(self) -> None:
        """Tell the rows behind those that were told, or ask for older ones."""
        older = self._page.older(self._view)
        if self._left:
            self._first += len(self._rows)
            self.open()
        elif older is not None:
            self._asked = self._older = older
            self.context.send(older)


class TablesMenu(PageMenu):
    """The open tables; what else can be done in the lobby stays there."""

    def _picks(self) -> Sequence[str]:
        return ("join", "watch") if self._view.entries else ()

    def _others(self) -> Sequence[str]:
        return ()
