"""Show a page declared in `cartino_tui.pages`, and run its actions.

The view changes when the server answers, not before.
"""

from typing import Any, Generic

import msgspec

from cartino_protocol.commands import Command, Profile, Replay, tag_of
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ProfileView, QueryAnswer, ReplayView
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look
from cartino_tui.keys import KeyTable
from cartino_tui.pages.page import Action, Open, Page, R, Reader, V, this_minute
from cartino_tui.pages.people import PROFILE_PAGE
from cartino_tui.screens.page_drawing import (
    PageDrawing,
    PageModel,
    page_help,
    page_hints,
    page_rows,
    with_older,
    with_view,
)
from cartino_tui.screens.replay.screen import open_replay
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import AppScreen, HintRow
from cartino_tui.widgets.help import HelpModel, HelpScreen
from cartino_tui.widgets.layout import cursor_step
from cartino_tui.widgets.prompt import Confirmation, Prompt


class PageScreen(AppScreen, Generic[V, R]):
    """A page over another screen."""

    def __init__(
        self,
        context: AppContext,
        known: ClientState,
        page: Page[V, R],
        asked: Command | None = None,
        view: V | None = None,
    ) -> None:
        """Show `page`: its `view`, or what the server was just `asked` for, unless it is live."""
        super().__init__(context, known)
        self.page = page
        self.model: PageModel[V] = PageModel(page.live(known) if page.live else view, query=asked)
        self._asked = asked
        self._asked_older = False
        self._day = 0 if known.today is None else known.today.number

    @property
    def reader(self) -> Reader:
        """The person at this screen."""
        welcome = self.known.welcome
        return Reader(
            self.look.translator,
            self.context.game_screens,
            self.context.shell_commands,
            welcome is not None and welcome.guest,
            () if welcome is None else tuple(game.name for game in welcome.games),
            self.link_time,
            this_minute(),
        )

    @property
    def message(self) -> str:
        """The text of the status line."""
        return self.status_text

    def state_changed(self) -> None:
        """Show what a live page has now, where the selection stays on its row; on a new day, ask again."""
        day, view = self._day, self.model.view
        self._day = day if self.known.today is None else self.known.today.number
        if day not in {0, self._day} and self.page.renew is not None and view is not None:
            self._asked, self._asked_older = self.page.renew(view), False
            self.send(self._asked, awaited=False)
        if self.page.live is not None:
            self.model = with_view(self.page, self.model, self.page.live(self.known))

    def draw(self, look: Look) -> Frame:
        """Draw the lines around the selected row."""
        drawing = self._drawing()
        self.model = drawing.model
        return drawing.frame(self.shown_hints())

    def keys(self) -> KeyTable:
        """Return the page's keys."""
        return self.page.keys

    def hints(self) -> HintRow:
        """Return what can be done now."""
        return page_hints(self.page, self.model.view, self.reader)

    def can(self, action: str) -> bool:
        """Return whether `action` of the page does something with what it shows."""
        done, rows = self.page.actions.get(action), page_rows(self.page, self.model.view)
        return done is None or (done.when(self.model.view, self.reader) and (bool(rows) or not done.row))

    def help(self) -> HelpModel:
        """Return the page's help."""
        return page_help(self.page, self.hints(), self.look.translator)

    def select(self, number: int) -> None:
        """Select a row."""
        self._set(cursor=number)

    def press(self, press: Press) -> None:
        """Move the selection, or do an action."""
        name = self.page.keys.action(press.key)
        drawing = self._drawing()
        text = self.page.text is not None
        by = cursor_step(name, drawing.height - text, len(drawing.lines))
        if by is not None:
            if text:
                self._set(top=max(0, min(self.model.top + by, drawing.last_top)))
            else:
                self._move_or_load(by, len(drawing.rows), onward=name in {"down", "page-down"})
        elif name == "back":
            self.app.pop_screen()
        elif name == "help":
            self.app.push_screen(HelpScreen(self.context, self.known, self.help()))
        elif (action := self.page.actions.get(name or "")) is not None:
            self._do_action(action)

    def tap(self, tap: Tap) -> None:
        """Select the row that is clicked; do the main action if it was selected, or on a double click."""
        drawing = self._drawing()
        number = drawing.row_at(tap.y) if tap.x < drawing.width else None
        if number is None:
            return
        again = number == self.model.cursor or tap.chain > 1
        self.select(number)
        main = next((action for action in self.page.actions.values() if action.main), None)
        if again and main is not None:
            self._do_action(main)

    def handle_answer(self, answer: QueryAnswer) -> bool:
        """Take the answer that this page asked for, or open what it shows."""
        asked = self._asked
        if asked is None:
            return False
        view = self.page.read(answer)
        if view is not None:
            take = with_older if self._asked_older else with_view
            self.model = take(self.page, self.model, view)
            self.status = self.page.note(view, asked, self.reader) or self.status
        elif isinstance(answer, ProfileView) and isinstance(asked, Profile):
            self.app.push_screen(PageScreen(self.context, self.known, PROFILE_PAGE, view=answer))
        elif isinstance(answer, ReplayView) and isinstance(asked, Replay):
            open_replay(self, answer)
        else:
            return False
        self._asked = None
        self.redraw()
        return True

    def handle_refusal(self, refusal: Refusal) -> bool:
        """Show why; the page stays."""
        if self._asked is not None and refusal.to in {"", tag_of(self._asked)}:
            self._asked = None
        if self.page.commands and refusal.to not in self.page.commands:
            return False
        return super().handle_refusal(refusal)

    def connection_lost(self) -> None:
        """Wait no longer: the answer won't come."""
        self._asked = None

    def drawn_model(self) -> PageModel[V]:
        """Return what is drawn: the model with the status as it is now."""
        return msgspec.structs.replace(self.model, status=self.message, waiting=self._asked is not None)

    def _drawing(self) -> PageDrawing[V, R]:
        return PageDrawing(self.page, self.drawn_model(), self.look, self.reader)

    def _set(self, **changes: Any) -> None:
        self.model = msgspec.structs.replace(self.model, **changes)

    def _move_or_load(self, by: int, count: int, *, onward: bool) -> None:
        """Move the selection; down from the last row, ask for older rows."""
        view = self.model.view
        older = self.page.older(view) if view is not None else None
        if onward and self.model.cursor == count - 1 and older is not None:
            self._ask(older, older=True)
            return
        self.select(max(0, min(self.model.cursor + by, count - 1)))

    def _do_action(self, action: Action[V, R]) -> None:
        view, rows = self.model.view, page_rows(self.page, self.model.view)
        if not action.when(view, self.reader) or (action.row and not rows):
            return
        row: Any = rows[self.model.cursor] if rows else None
        if action.ask is not None:
            ask, label = action.ask, self.look.translator.gettext(action.ask.label)
            self.ask(
                Prompt(
                    label,
                    ask.most,
                    lambda typed: self._run(action, row, typed),
                    ask.start(view),
                    check=lambda text: ask.check(text, self.reader),
                    to=ask.commands,
                )
            )
        elif action.confirm is not None:
            self.question = Confirmation(action.confirm(row, self.reader), lambda: self._run(action, row))
        else:
            self._run(action, row)

    def _run(self, action: Action[V, R], row: Any, typed: str = "") -> None:
        view: Any = self.model.view
        outcome = action.do(view, row, typed, self.reader)
        if isinstance(outcome, Action):
            self._do_action(outcome)
        elif isinstance(outcome, Open):
            open_page(self, outcome.page, outcome.command)
        elif isinstance(outcome, str):
            self.status = outcome
        elif outcome is not None:
            self._ask(outcome, awaited=action.awaited)

    def _ask(self, command: Command, *, awaited: bool = True, older: bool = False) -> None:
        if awaited and self.page.live is None:
            self._asked, self._asked_older = command, older
        self.send(command, awaited=awaited)


def open_page(opener: AppScreen, page: Page[V, R], command: Command | None = None) -> None:
    """Open `page` over `opener`, and ask the server for it by `command`."""
    if command is not None:
        opener.send(command)
    opener.app.push_screen(PageScreen(opener.context, opener.known, page, command))
