"""Draw a page declared in `cartino_tui.pages`, and run its actions.

Columns are as wide as the whole list needs, so that they stay in place while it scrolls. The view changes when the
server answers, not before.
"""

from collections.abc import Sequence
from typing import Any, Final, Generic

import msgspec

from cartino_protocol.commands import Command, Profile, Replay, tag_of
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ProfileView, QueryAnswer, ReplayView
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import (
    Canvas,
    Frame,
    Row,
    Run,
    first_that_fits,
    flow_labels,
    put_row,
    put_rows,
    row_width,
    wrap_rows,
)
from cartino_tui.draw.text import fit, longest, safe, wrap_command
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import Translator
from cartino_tui.keys import KeyTable
from cartino_tui.pages.page import Action, Cell, Column, Open, Page, Paragraph, R, Reader, V
from cartino_tui.pages.people import PROFILE_PAGE
from cartino_tui.screens.replay import ReplayScreen
from cartino_tui.visit.farewell import UNREADABLE
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.replay_cursor import ServerReplayCursor
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import AppScreen, HintRow, Quit
from cartino_tui.widgets.help import HelpModel, HelpPart, HelpScreen, current_keys_help, translate_keys
from cartino_tui.widgets.layout import (
    Hints,
    cursor_step,
    footer,
    footer_height,
    glyphs,
    put_centred,
    put_heading,
    scroll_top,
    title_bar,
)
from cartino_tui.widgets.prompt import Confirmation, Prompt

_TOP: Final = 3
"""The row where a list begins that has no headings and no tabs."""
_LIST_X: Final = 4
_TEXT_X: Final = 2
_DETAIL_ROWS: Final = 2
"""Rows for each of the two groups about the selected row."""
_WIDE: Final = 80
"""The width of a terminal, in cells, from which all columns are shown."""
_MIN_FOR_ELLIPSIS: Final = 4


class PageModel(msgspec.Struct, Generic[V], frozen=True):
    """A page as it stands: the view (None before the first answer), the selected row and the first line in sight.

    `query` opened the page; `waiting` while an answer is due.
    """

    view: V | None = None
    cursor: int = 0
    top: int = 0
    status: str = ""
    waiting: bool = False
    query: Command | None = None


def page_rows(page: Page[V, R], view: V | None) -> list[R]:
    """Return the rows that can be selected."""
    return [] if view is None else [row for section in page.sections(view) for row in section.rows]


def page_hints(page: Page[V, R], view: V | None, reader: Reader) -> HintRow:
    """Return the keys that do something now, in English."""
    return page.keys.hints(*page.hints(view, reader))


def page_help(page: Page[V, R], hints: HintRow, translator: Translator) -> HelpModel:
    """Return the help over a page that offers `hints`."""
    gettext = translator.gettext
    parts = (
        HelpPart(
            gettext(part.heading),
            translate_keys(part.keys.help(), translator) if part.keys else (),
            gettext(part.text),
        )
        for part in page.help
    )
    return HelpModel(gettext(page.help_title), (*current_keys_help(page.keys, hints, translator), *parts))


class PageDrawing(Generic[V, R]):
    """A page at one size: how its lines are laid out, and its frame."""

    def __init__(self, page: Page[V, R], model: PageModel[V], look: Look, reader: Reader) -> None:
        """Lay out `model` for `look`; the top is scrolled so that the selected row is in sight."""
        self.page, self.look, self.reader = page, look, reader
        self.rows = page_rows(page, model.view)
        headed = any(column.heading for column in page.columns)
        self.list_top = _TOP + headed + (page.tabs is not None)
        self._each = 1 if page.second is None else 2
        self._below = self._sentence_rows(page.below(model.view, reader))
        foot = len(self._below) + footer_height(look, model.status)
        detail = 1 + 2 * _DETAIL_ROWS if page.detail else 0
        self.height = max(1, (look.height - self.list_top - detail - foot) // self._each)
        """Lines in sight at once."""
        self.lines: list[int | str | Row] = self._lines(model.view)
        """The number of a row, the heading of a section, or a row of text."""
        self.model = msgspec.structs.replace(model, top=self._scrolled(model))

    @property
    def last_top(self) -> int:
        """The first line in sight when the last one is, too."""
        return max(0, len(self.lines) - self.height)

    def row_at(self, y: int) -> int | None:
        """Return the number of the row that stands at `y`, or None."""
        line = (y - self.list_top) // self._each
        if y < self.list_top or line >= self.height or self.model.top + line >= len(self.lines):
            return None
        number = self.lines[self.model.top + line]
        return number if isinstance(number, int) else None

    def frame(self, hints: Hints) -> Frame:
        """Draw the whole screen, with `hints` in the last row."""
        model, look, page = self.model, self.look, self.page
        canvas = Canvas(look.width, look.height)
        title, *facts = page.title(model.view, self.reader)
        title_bar(canvas, look, title, *facts)
        if page.tabs is not None:
            self._draw_tabs(canvas, page.tabs(model.view, model.query, self.reader))
        if self.lines:
            self._draw_lines(canvas)
        else:
            empty = page.empty(model.view, model.waiting, self.reader)
            rows = wrap_command(empty, look.width - 4, ascii=look.ascii)
            for line, text in enumerate(rows):
                put_centred(canvas, look.height // 2 - len(rows) // 2 + line, text, "text", ascii=look.ascii)
        bottom = look.height - footer_height(look, model.status)
        put_rows(canvas, 1, bottom - len(self._below), self._below)
        footer(canvas, look, model.status, hints)
        return canvas.frame()

    def _lines(self, view: V | None) -> list[int | str | Row]:
        if view is None:
            return []
        if self.page.text is not None:
            return [row for part in self.page.text(view, self.reader) for row in self._paragraph_rows(part)]
        lines: list[int | str | Row] = []
        number = 0
        for section in self.page.sections(view):
            if section.heading and section.rows:
                lines.append(section.heading)
            lines += range(number, number + len(section.rows))
            number += len(section.rows)
        return lines

    def _scrolled(self, model: PageModel[V]) -> int:
        if self.page.text is not None:
            return min(model.top, self.last_top)
        at = self.lines.index(model.cursor) if model.cursor in self.lines else 0
        top = scroll_top(model.top, at, len(self.lines), self.height)
        # The heading above the first row of a section comes along.
        return at - 1 if top == at > 0 and isinstance(self.lines[at - 1], str) else top

    def _sentence_rows(self, sentences: Sequence[Run]) -> list[Row]:
        look = self.look
        rows = [
            row for text, role in sentences for row in wrap_rows(text, role, look.width - 2, ascii=look.ascii)
        ]
        return [(), *rows] if rows else []

    def _paragraph_rows(self, part: Paragraph) -> list[Row]:
        look = self.look
        cells = look.width - 3 * _TEXT_X - part.indent
        if not part.labels:
            return [()]
        if len(part.labels) == 1:
            rows = wrap_rows(*part.labels[0], cells, ascii=look.ascii)
        else:
            labels = (((safe(text, ascii=look.ascii), role),) for text, role in part.labels)
            rows = flow_labels(labels, (f" {glyphs(look).dot} ", "rule"), cells)
        return [((" " * part.indent, "text"), *row) for row in rows] if part.indent else rows

    def _draw_tabs(self, canvas: Canvas, tabs: Sequence[tuple[str, bool]]) -> None:
        x = _LIST_X
        for label, chosen in tabs:
            text = fit(label, self.look.width // 2, ascii=self.look.ascii)
            x = canvas.put(x, 2, f"[{text}]" if chosen else f" {text} ", "you" if chosen else "dim") + 1

    def _draw_lines(self, canvas: Canvas) -> None:
        model, look = self.model, self.look
        columns = self._layout()
        for column, x, width in columns:
            text = look.translator.gettext(column.heading)
            put_heading(canvas, x + (width - len(text)) * column.right, self.list_top - 1, text)
        for line, content in enumerate(self.lines[model.top : model.top + self.height]):
            y = self.list_top + line * self._each
            if isinstance(content, int):
                self._draw_row(canvas, y, content, columns)
            elif isinstance(content, str):
                put_heading(canvas, _LIST_X, y, look.translator.gettext(content))
            else:
                put_row(canvas, _TEXT_X, y, content)
        if model.top:
            canvas.put(look.width - 1, self.list_top, "^" if look.ascii else "↑", "key")
        more = model.view is not None and self.page.older(model.view) is not None
        if more or model.top + self.height < len(self.lines):
            last = self.list_top + self.height * self._each - 1
            canvas.put(look.width - 1, last, "v" if look.ascii else "↓", "key")
        if self.page.detail is not None:
            self._draw_detail(canvas, *self.page.detail(self.rows[model.cursor], self.reader))

    def _layout(self) -> list[tuple[Column[R], int, int]]:
        """Each column that is shown, with its x and its width."""
        look, shown = self.look, []
        for column in self.page.columns:
            most = column.most if look.width >= _WIDE or column.narrow is None else column.narrow
            if most:
                heading = len(look.translator.gettext(column.heading))
                width = max(column.least, heading)
                last = column.flexible and column is self.page.columns[-1]
                if last or most <= width:
                    content = most
                else:
                    content = max((self._cells_width(column, row) for row in self.rows), default=0)
                shown.append((column, max(width, min(most, content)), heading))
        taken = sum(width + column.gap for column, width, _ in shown if not column.flexible)
        x, placed = _LIST_X, []
        for column, width, heading in shown:
            wide = max(min(width, look.width - 2 - _LIST_X - taken), heading) if column.flexible else width
            placed.append((column, x, wide))
            x += wide + column.gap
        return placed

    def _cells_width(self, column: Column[R], row: R) -> int:
        gaps = len(f" {glyphs(self.look).dot} ")
        cells = column.cells(row, self.reader)
        widths = (
            len(safe("".join((cell.before, cell.text, cell.after)), ascii=self.look.ascii)) for cell in cells
        )
        return sum(width + gaps for width in widths) - gaps

    def _draw_row(
        self, canvas: Canvas, y: int, number: int, columns: Sequence[tuple[Column[R], int, int]]
    ) -> None:
        look, row = self.look, self.rows[number]
        for column, x, width in columns:
            most = column.most if look.width >= _WIDE or column.narrow is None else column.narrow
            runs = self._fit(column.cells(row, self.reader), min(width, most))
            put_row(canvas, x + (width - row_width(runs)) * column.right, y, runs)
        if self.page.second is not None:
            facts = [safe(fact, ascii=look.ascii) for fact in self.page.second(row, self.reader)]
            whole = f" {glyphs(look).dot} ".join(facts)
            room = look.width - _LIST_X - 2
            canvas.put(_LIST_X, y + 1, first_that_fits([whole, *reversed(facts)], room), "dim")
        if number == self.model.cursor:
            canvas.put(2, y, glyphs(look).pick, "selected")
            canvas.paint(1, y, look.width - 2, "selected")

    def _fit(self, cells: Sequence[Cell], width: int) -> list[Run]:
        """Fit `cells` into `width`: the longest are cut first; without room for a letter of each, some are counted."""
        look = self.look
        between = (f" {glyphs(look).dot} ", "rule")
        names = [safe(cell.text, ascii=look.ascii) for cell in cells]
        for shown in range(len(cells), 0, -1):
            more = f" +{len(cells) - shown}" if shown < len(cells) else ""
            fixed = sum(len(cell.before) + len(cell.after) for cell in cells[:shown])
            room = width - len(more) - len(between[0]) * (shown - 1) - fixed
            most = longest(names[:shown], room)
            if sum(min(len(name), most) for name in names[:shown]) > room and shown > 1:
                continue
            runs: list[Run] = []
            for cell, name in zip(cells[:shown], names, strict=False):
                cut = name[:most] if most < _MIN_FOR_ELLIPSIS else fit(name, most, ascii=look.ascii)
                runs += [between, (f"{safe(cell.before, ascii=look.ascii)}{cut}{cell.after}", cell.role)]
            return [*runs[1:], (more, "dim")] if more else runs[1:]
        return []

    def _draw_detail(self, canvas: Canvas, *groups: Sequence[Cell]) -> None:
        look = self.look
        y = self.list_top + self.height * self._each
        canvas.put(0, y, glyphs(look).line * look.width, "rule")
        y += 1
        for group in groups:
            labels = (
                [(safe("".join((cell.before, cell.text, cell.after)), ascii=look.ascii), cell.role)]
                for cell in group
            )
            rows = flow_labels(labels, (f" {glyphs(look).dot} ", "rule"), look.width - 2)
            y = put_rows(canvas, 1, y, rows[:_DETAIL_ROWS])


def draw_page(page: Page[V, R], model: PageModel[V], look: Look, reader: Reader, hints: Hints) -> Frame:
    """Draw a page, `look.width` by `look.height` cells; `hints` for the last row."""
    return PageDrawing(page, model, look, reader).frame(hints)


class PageScreen(AppScreen, Generic[V, R]):
    """A page over another screen."""

    def __init__(
        self,
        stage: AppContext,
        known: ClientState,
        page: Page[V, R],
        asked: Command | None = None,
        view: V | None = None,
    ) -> None:
        """Show `page`: its `view`, or what the server was just `asked` for, unless it is live."""
        super().__init__(stage, known)
        self.page = page
        self.model: PageModel[V] = PageModel(view, query=asked)
        self._asked = asked
        self._asked_older = False
        self.state_changed()

    @property
    def reader(self) -> Reader:
        """The person at this screen."""
        welcome = self.known.welcome
        return Reader(
            self.look.translator,
            self.stage.game_screens,
            self.stage.door,
            welcome is not None and welcome.guest,
            () if welcome is None else tuple(game.name for game in welcome.games),
        )

    def state_changed(self) -> None:
        """Show what a live page has now; the selection stays on its row."""
        if self.page.live is not None:
            self._take(self.page.live(self.known))

    def draw(self, look: Look) -> Frame:
        """Draw the lines around the selected row."""
        drawing = self._drawing()
        self.model = drawing.model
        return drawing.frame(self.shown_hints())

    def keys(self) -> KeyTable:
        """The page's keys."""
        return self.page.keys

    def hints(self) -> HintRow:
        """What can be done now."""
        return page_hints(self.page, self.model.view, self.reader)

    def press(self, press: Press) -> None:
        """Move the selection, or do an action."""
        name = self.page.keys.action(press.key)
        drawing = self._drawing()
        text = self.page.text is not None
        by = cursor_step(name, drawing.height - text, len(drawing.lines))
        if by is not None:
            if text:
                top = max(0, min(self.model.top + by, drawing.last_top))
                self.model = msgspec.structs.replace(self.model, top=top)
            else:
                self._move_or_load(by, len(drawing.rows), onward=name in {"down", "page-down"})
        elif name == "back":
            self.app.pop_screen()
        elif name == "help":
            model = page_help(self.page, self.hints(), self.look.translator)
            self.app.push_screen(HelpScreen(self.stage, self.known, model))
        elif (action := self.page.actions.get(name or "")) is not None:
            self._do_action(action)

    def tap(self, tap: Tap) -> None:
        """A click selects a row; a click on the selected one, or a double click, does the main action."""
        number = self._drawing().row_at(tap.y)
        if number is None:
            return
        again = number == self.model.cursor or tap.chain > 1
        self.model = msgspec.structs.replace(self.model, cursor=number)
        main = next((action for action in self.page.actions.values() if action.main), None)
        if again and main is not None:
            self._do_action(main)

    def answered(self, answer: QueryAnswer) -> bool:
        """Take the answer that this page asked for, or open what it shows."""
        asked = self._asked
        if asked is None:
            return False
        view = self.page.read(answer)
        if view is not None:
            older, before = self._asked_older, self.model.view
            if older and before is not None:
                first = len(page_rows(self.page, before))
                view = self.page.append(before, view)
                last = max(0, len(page_rows(self.page, view)) - 1)
                self.model = msgspec.structs.replace(self.model, view=view, cursor=min(first, last))
            else:
                self._take(view)
            self.status = self.page.note(view, asked, self.reader) or self.status
        elif isinstance(answer, ProfileView) and isinstance(asked, Profile):
            self.app.push_screen(PageScreen(self.stage, self.known, PROFILE_PAGE, view=answer))
        elif isinstance(answer, ReplayView) and isinstance(asked, Replay):
            self._open_replay(answer)
        else:
            return False
        self._asked = None
        self.redraw()
        return True

    def refused(self, refusal: Refusal) -> bool:
        """Show why; what is shown stays."""
        if self._asked is not None and refusal.to in {"", tag_of(self._asked)}:
            self._asked = None
        if self.page.commands and refusal.to not in self.page.commands:
            return False
        return super().refused(refusal)

    def connection_lost(self) -> None:
        """Wait no longer: the answer won't come."""
        self._asked = None

    def _drawing(self) -> PageDrawing[V, R]:
        model = msgspec.structs.replace(self.model, status=self.news, waiting=self._asked is not None)
        return PageDrawing(self.page, model, self.look, self.reader)

    def _take(self, view: V) -> None:
        """Show `view`; the selection stays on its row where rows have an identity, else it goes to the top."""
        rows, identity, cursor, top = page_rows(self.page, view), self.page.identity, 0, 0
        if identity is not None:
            before = page_rows(self.page, self.model.view)
            cursor, top = min(self.model.cursor, max(0, len(rows) - 1)), self.model.top
            if before:
                marked = identity(before[self.model.cursor])
                cursor = next((at for at, row in enumerate(rows) if identity(row) == marked), cursor)
        self.model = msgspec.structs.replace(self.model, view=view, cursor=cursor, top=top)

    def _move_or_load(self, by: int, count: int, *, onward: bool) -> None:
        """Move the selection; down from the last row, ask for older rows."""
        view = self.model.view
        older = self.page.older(view) if view is not None else None
        if onward and self.model.cursor == count - 1 and older is not None:
            self._ask(older, older=True)
            return
        cursor = max(0, min(self.model.cursor + by, count - 1))
        self.model = msgspec.structs.replace(self.model, cursor=cursor)

    def _do_action(self, action: Action[V, R]) -> None:
        view, rows = self.model.view, page_rows(self.page, self.model.view)
        if not action.when(view, self.reader) or (action.row and not rows):
            return
        row: Any = rows[self.model.cursor] if rows else None
        if action.ask is not None:
            ask = action.ask
            label = self.look.translator.gettext(ask.label)
            self.ask(Prompt(label, ask.most, lambda typed: self._run(action, row, typed), to=ask.commands))
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
        self.wish(command, awaited=awaited)

    def _open_replay(self, view: ReplayView) -> None:
        game = view.room.game
        screen = self.stage.game_screens.get(game)
        if screen is None:
            self.status = self.look.translator.gettext(
                "This program is too old to show a game of {game}; that needs a newer one.", game=game
            )
            return
        try:
            self.app.push_screen(ReplayScreen(self.stage, self.known, ServerReplayCursor(view), screen))
        except msgspec.DecodeError:
            self.post_message(Quit(UNREADABLE))


def open_page(opener: AppScreen, page: Page[V, R], command: Command | None = None) -> None:
    """Open `page` over `opener`, and ask the server for it by `command`."""
    if command is not None:
        opener.wish(command)
    opener.app.push_screen(PageScreen(opener.stage, opener.known, page, command))
