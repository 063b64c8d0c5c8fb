"""Draw a page declared in `cartino_tui.pages`.

Columns are as wide as the whole list needs, so that they stay in place while it scrolls.
"""

from collections.abc import Hashable, Sequence
from typing import Any, Final, Generic

import msgspec

from cartino_protocol.commands import Command
from cartino_tui.draw.canvas import (
    Canvas,
    Frame,
    IdentityCache,
    Row,
    Run,
    first_that_fits,
    flow_labels,
    put_row,
    put_rows,
    row_width,
    wrap_rows,
)
from cartino_tui.draw.text import fit, safe, wrap_command
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import Translator
from cartino_tui.pages.page import EmptyCard, Page, PageCell, PageParagraph, R, Reader, V
from cartino_tui.screens.page_columns import LIST_X, ColumnLayout, PlacedColumn, fit_cells
from cartino_tui.widgets.app_screen import HintRow
from cartino_tui.widgets.help import HelpModel, HelpPart, current_keys_help, translate_keys
from cartino_tui.widgets.layout import (
    Hints,
    box,
    footer,
    footer_height,
    glyphs,
    put_centred,
    put_heading,
    put_scroll_marks,
    scroll_top,
    title_bar,
)

_TOP: Final = 3
"""The row where a list begins that has no headings and no tabs."""
_TEXT_X: Final = 2
_DETAIL_ROWS: Final = 2
"""Rows for each of the two groups about the selected row."""

_LAYOUTS: Final[IdentityCache[Any]] = IdentityCache(16)
"""Columns as laid out: all rows are measured once for a view, not with each key. Each one holds its whole list."""
_BODIES: Final[IdentityCache[Frame]] = IdentityCache(16)
"""Frames of what no key changes but one that scrolls; people who see the same list share them."""


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


def with_view(page: Page[V, R], model: PageModel[V], view: V) -> PageModel[V]:
    """Return `model` with `view`; the selection stays on its row if rows have an identity, else it goes to the top."""
    rows, identity, cursor, top = page_rows(page, view), page.identity, 0, 0
    if identity is not None:
        before = page_rows(page, model.view)
        cursor, top = min(model.cursor, max(0, len(rows) - 1)), model.top
        if before:
            marked = identity(before[model.cursor])
            cursor = next((at for at, row in enumerate(rows) if identity(row) == marked), cursor)
    return msgspec.structs.replace(model, view=view, cursor=cursor, top=top)


def with_older(page: Page[V, R], model: PageModel[V], older: V) -> PageModel[V]:
    """Return `model` with the rows of `older` behind its own, and the first of them selected."""
    if model.view is None:
        return with_view(page, model, older)
    view = page.append(model.view, older)
    last = max(0, len(page_rows(page, view)) - 1)
    return msgspec.structs.replace(model, view=view, cursor=min(len(page_rows(page, model.view)), last))


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
        self.width = self.list_width()
        """The cells of a row of the list."""
        self.rows = page_rows(page, model.view)
        headed = any(column.heading for column in page.columns)
        self.list_top = _TOP + headed + (page.tabs is not None)
        self._each = 1 if page.second is None else 2
        self._below = _sentence_rows(look, page.below(model.view, reader))
        self.foot = look.height - footer_height(look, model.status)
        """The first row of status and hints."""
        self.lines: list[int | str | Row] = self._lines(model.view)
        """The number of a row, the heading of a section, or a row of text."""
        self.height = max(
            1, (self.list_end() - self.list_top - self.detail_rows() - len(self._below)) // self._each
        )
        """Lines in sight at once."""
        self.model = msgspec.structs.replace(model, top=self._scrolled(model))

    # For a subclass with something beside the list.

    def list_width(self) -> int:
        """Return the cells of a row of the list."""
        return self.look.width

    def list_end(self) -> int:
        """Return the row below the list, its details and sentences."""
        return self.foot

    def columns(self) -> ColumnLayout[R]:
        """Return the columns, not yet placed."""
        return ColumnLayout(self.page.columns, self.rows, self.width, self.look, self.reader)

    def selected_width(self) -> int:
        """Return the cells of the selected row that are filled."""
        return self.width - 2

    def detail_rows(self) -> int:
        """Return the rows for the details of the selected row."""
        return 1 + 2 * _DETAIL_ROWS if self.page.detail else 0

    def made_from(self) -> tuple[object, ...]:
        """Return the objects, besides page and games, that `draw_beside` and the rows are made from."""
        return (self.model.view,)

    def made_for(self) -> Hashable:
        """Return the values that they depend on, besides size and language."""
        return None

    def draw_beside(self, canvas: Canvas) -> None:
        """Draw what stands beside the list and no key changes."""

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
        made_from = self._made_from()
        shared = look, model.top, self.height, self.reader.guest, self.made_for()
        canvas = Canvas.from_frame(_BODIES.get(made_from, shared, self._body))
        dot = f" {glyphs(look).dot} "
        title_bar(
            canvas,
            look,
            *(
                part if isinstance(part, str) else dot.join(part)
                for part in page.title(model.view, self.reader)
            ),
        )
        if page.tabs is not None:
            _draw_tabs(canvas, look, page.tabs(model.view, model.query, self.reader))
        if self.lines:
            self.draw_selected(canvas)
        else:
            self._draw_empty(canvas, page.empty(model.view, model.waiting, self.reader))
        put_rows(canvas, 1, self.list_end() - len(self._below), self._below)
        footer(canvas, look, model.status, hints)
        return canvas.frame()

    def _lines(self, view: V | None) -> list[int | str | Row]:
        if view is None:
            return []
        if self.page.text is not None:
            return [
                row for part in self.page.text(view, self.reader) for row in _paragraph_rows(self.look, part)
            ]
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

    def _draw_empty(self, canvas: Canvas, empty: str | EmptyCard) -> None:
        look = self.look
        if isinstance(empty, str):
            lines = wrap_command(empty, look.width - 4, ascii=look.ascii)
            for line, text in enumerate(lines):
                put_centred(canvas, look.height // 2 - len(lines) // 2 + line, text, "text", ascii=look.ascii)
            return
        rows = self.card_rows(empty)
        height = look.height - self.foot + self.list_end()
        free = self.list_end() - len(self._below) - 2
        margin = min(1, (free - len(rows) - 2) // 2)
        if margin >= 0:
            card = len(rows) + 2 + 2 * margin
            self.draw_card(canvas, rows, max(2, min((height - card) // 2, free + 2 - card)), margin=margin)
        elif len(rows) <= free:
            put_rows(canvas, _TEXT_X, 2 + (free - len(rows)) // 2, rows)

    def card_rows(self, card: EmptyCard) -> list[Row]:
        """Return the title and the keys of `card`, as wide as the list bears."""
        look, width = self.look, self.width - 12
        rows: list[Row] = [*wrap_rows(card.title, "title", width, ascii=look.ascii), ()]
        keys = [look.key_shown(key) for key, _ in self.page.keys.hints(*card.actions)]
        column = 2 + max(map(len, keys))
        for key, text in zip(keys, card.actions.values(), strict=True):
            for number, row in enumerate(wrap_rows(text, "text", width - column, ascii=look.ascii)):
                rows.append(((("" if number else key).ljust(column), "key"), *row))
        return rows

    def draw_card(self, canvas: Canvas, rows: Sequence[Row], y: int, *, margin: int = 0) -> None:
        """Draw `rows` in a box from row `y` on, in the middle of the list, with `margin` rows above and below them."""
        width = max(map(row_width, rows)) + 8
        x = max(0, (self.width - width) // 2)
        box(canvas, self.look, x, y, width, len(rows) + 2 + 2 * margin)
        put_rows(canvas, x + 4, y + 1 + margin, rows)

    def _made_from(self) -> tuple[object, ...]:
        """Return all objects that the rows are made from; the mapping of the games is another one for each visit."""
        return (self.page, *self.reader.games.values(), *self.made_from())

    def _body(self) -> Frame:
        """Draw the lines in sight without the selection, and what stands beside them."""
        canvas = Canvas(self.look.width, self.look.height)
        if self.lines:
            self._draw_lines(canvas)
        self.draw_beside(canvas)
        return canvas.frame()

    def draw_selected(self, canvas: Canvas) -> None:
        """Mark the selected row, and draw all of it below the list."""
        number, model = self.model.cursor, self.model
        if self.rows and self.page.text is None:
            y = self.list_top + (self.lines.index(number) - model.top) * self._each
            canvas.put(2, y, glyphs(self.look).pick, "selected")
            canvas.paint(1, y, self.selected_width(), "selected")
        if self.page.detail is not None and self.detail_rows():
            y = self.list_top + self.height * self._each
            _draw_detail(canvas, self.look, y, self.width, self.page.detail(self.rows[number], self.reader))

    def _draw_lines(self, canvas: Canvas) -> None:
        model, look = self.model, self.look
        made_from = self._made_from()
        columns: list[PlacedColumn[R]] = _LAYOUTS.get(
            made_from, (look, self.width), lambda: self.columns().layout()
        )
        for column, x, width, _ in columns:
            text = look.translator.gettext(column.heading)
            y = self.list_top - 1 - self.page.high_headings
            put_heading(canvas, x + (width - len(text)) * column.right, y, text)
        for line, content in enumerate(self.lines[model.top : model.top + self.height]):
            y = self.list_top + line * self._each
            if isinstance(content, int):
                self._draw_row(canvas, y, content, columns)
            elif isinstance(content, str):
                put_heading(canvas, LIST_X, y, look.translator.gettext(content))
            else:
                put_row(canvas, _TEXT_X, y, content)
        older = model.view is not None and self.page.older(model.view) is not None
        more = older or model.top + self.height < len(self.lines)
        x, rows = self.width - 1, self.height * self._each
        put_scroll_marks(canvas, look, self.list_top, rows, up=model.top > 0, down=more, x=x)

    def _draw_row(self, canvas: Canvas, y: int, number: int, columns: Sequence[PlacedColumn[R]]) -> None:
        look, row = self.look, self.rows[number]
        for column, x, width, most in columns:
            runs = fit_cells(look, column.cells(row, self.reader), min(width, most), column.letters)
            put_row(canvas, x + width - row_width(runs) if column.right else x, y, runs)
        if self.page.second is not None:
            facts = [safe(fact, ascii=look.ascii) for fact in self.page.second(row, self.reader)]
            whole = f" {glyphs(look).dot} ".join(facts)
            below = next((placed.x for placed in columns if placed.column.flexible), LIST_X)
            canvas.put(
                below, y + 1, first_that_fits([whole, *reversed(facts)], self.width - below - 2), "dim"
            )
        if self.page.mark is not None and self.page.mark(row):
            canvas.put(0, y, glyphs(look).here, "turn")


def _sentence_rows(look: Look, sentences: Sequence[Run]) -> list[Row]:
    rows = [
        row for text, role in sentences for row in wrap_rows(text, role, look.width - 2, ascii=look.ascii)
    ]
    return [(), *rows] if rows else []


def _paragraph_rows(look: Look, part: PageParagraph) -> list[Row]:
    cells = look.width - 3 * _TEXT_X - part.indent
    if not part.labels:
        return [()]
    if len(part.labels) == 1:
        rows = wrap_rows(*part.labels[0], cells, ascii=look.ascii)
    else:
        labels = (((safe(text, ascii=look.ascii), role),) for text, role in part.labels)
        rows = flow_labels(labels, (f" {glyphs(look).dot} ", "rule"), cells)
    return [((" " * part.indent, "text"), *row) for row in rows] if part.indent else rows


def _draw_tabs(canvas: Canvas, look: Look, tabs: Sequence[tuple[str, bool]]) -> None:
    x = LIST_X
    for label, chosen in tabs:
        text = fit(label, look.width // 2, ascii=look.ascii)
        x = canvas.put(x, 2, f"[{text}]" if chosen else f" {text} ", "you" if chosen else "dim") + 1


def _draw_detail(
    canvas: Canvas, look: Look, y: int, width: int, groups: Sequence[Sequence[PageCell]]
) -> None:
    canvas.put(0, y, glyphs(look).line * width, "rule")
    y += 1
    for group in groups:
        labels = (
            [(safe("".join((cell.before, cell.text, cell.after)), ascii=look.ascii), cell.role)]
            for cell in group
        )
        rows = flow_labels(labels, (f" {glyphs(look).dot} ", "rule"), width - 2)
        y = put_rows(canvas, 1, y, rows[:_DETAIL_ROWS])
