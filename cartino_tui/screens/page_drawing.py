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
from cartino_tui.draw.text import fit, longest, safe, wrap_command
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import Translator
from cartino_tui.pages.page import EmptyCard, Page, PageCell, PageColumn, PageParagraph, R, Reader, V
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
_LIST_X: Final = 4
_TEXT_X: Final = 2
_DETAIL_ROWS: Final = 2
"""Rows for each of the two groups about the selected row."""
_WIDE: Final = 80
"""The width of a terminal, in cells, from which all columns are shown."""
_MIN_FOR_ELLIPSIS: Final = 4


_LAYOUTS: Final[IdentityCache[Any]] = IdentityCache(64)
"""Columns as laid out: all rows are measured once for a view, not with each key."""
_BODIES: Final[IdentityCache[Frame]] = IdentityCache(32)
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
        self._below = self._sentence_rows(page.below(model.view, reader))
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
        canvas = Canvas.over(_BODIES.get(made_from, shared, self._body))
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
            self._draw_tabs(canvas, page.tabs(model.view, model.query, self.reader))
        if self.lines:
            self._draw_selected(canvas)
        else:
            self._draw_empty(canvas, page.empty(model.view, model.waiting, self.reader))
        put_rows(canvas, 1, self.list_end() - len(self._below), self._below)
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

    def _paragraph_rows(self, part: PageParagraph) -> list[Row]:
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

    def _draw_empty(self, canvas: Canvas, empty: str | EmptyCard) -> None:
        look = self.look
        if isinstance(empty, str):
            lines = wrap_command(empty, look.width - 4, ascii=look.ascii)
            for line, text in enumerate(lines):
                put_centred(canvas, look.height // 2 - len(lines) // 2 + line, text, "text", ascii=look.ascii)
            return
        texts = empty.actions.values()
        keys = [look.keymap.shown(key) for key, _ in self.page.keys.hints(*empty.actions)]
        column = 2 + max(map(len, keys))
        width = min(self.width - 4, max(len(empty.title) + 8, *(len(text) + column + 8 for text in texts)))
        rows: list[Row] = [*wrap_rows(empty.title, "title", width - 8, ascii=look.ascii), ()]
        for key, text in zip(keys, texts, strict=True):
            for number, row in enumerate(wrap_rows(text, "text", width - column - 8, ascii=look.ascii)):
                rows.append(((("" if number else key).ljust(column), "key"), *row))
        height = look.height - self.foot + self.list_end()
        x, y = (self.width - width) // 2, max(2, (height - len(rows) - 4) // 2)
        box(canvas, look, x, y, width, len(rows) + 4)
        put_rows(canvas, x + 4, y + 2, rows)

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

    def _draw_selected(self, canvas: Canvas) -> None:
        """Mark the selected row, and draw all of it below the list."""
        number, model = self.model.cursor, self.model
        if self.rows and self.page.text is None:
            y = self.list_top + (self.lines.index(number) - model.top) * self._each
            canvas.put(2, y, glyphs(self.look).pick, "selected")
            canvas.paint(1, y, self.selected_width(), "selected")
        if self.page.detail is not None and self.detail_rows():
            self._draw_detail(canvas, *self.page.detail(self.rows[number], self.reader))

    def _draw_lines(self, canvas: Canvas) -> None:
        model, look = self.model, self.look
        made_from = self._made_from()
        columns: list[tuple[PageColumn[R], int, int]] = _LAYOUTS.get(
            made_from, (look, self.width), self._layout
        )
        for column, x, width in columns:
            text = look.translator.gettext(column.heading)
            y = self.list_top - 1 - self.page.high_headings
            put_heading(canvas, x + (width - len(text)) * column.right, y, text)
        for line, content in enumerate(self.lines[model.top : model.top + self.height]):
            y = self.list_top + line * self._each
            if isinstance(content, int):
                self._draw_row(canvas, y, content, columns)
            elif isinstance(content, str):
                put_heading(canvas, _LIST_X, y, look.translator.gettext(content))
            else:
                put_row(canvas, _TEXT_X, y, content)
        older = model.view is not None and self.page.older(model.view) is not None
        more = older or model.top + self.height < len(self.lines)
        x, rows = self.width - 1, self.height * self._each
        put_scroll_marks(canvas, look, self.list_top, rows, up=model.top > 0, down=more, x=x)

    def _layout(self) -> list[tuple[PageColumn[R], int, int]]:
        """Return each column that is shown, with its x and its width."""
        shown = [column for column in self.page.columns if self.most_of(column) and not self._hides(column)]
        widths = {id(column): self.width_of(column) for column in shown}

        def left() -> int:
            """Return the cells for the flexible column."""
            taken = sum(widths[id(column)] + column.gap for column in shown if not column.flexible)
            return self.width - 2 - _LIST_X - taken

        keeps = max((column.keeps for column in shown), default=0)
        while left() < keeps and any(column.optional for column in shown):
            shown.remove(next(column for column in reversed(shown) if column.optional))
        x, placed = _LIST_X, []
        for column in shown:
            width = widths[id(column)]
            if column.flexible:
                width = max(min(width, left()), self.heading_width(column))
            placed.append((column, x, width))
            x += width + column.gap
        return placed

    def most_of(self, column: PageColumn[R]) -> int:
        """Return the most cells of `column`, 0 to leave it out."""
        if self.look.width < _WIDE and column.narrow is not None:
            return column.narrow
        return max(column.most, min(column.wide, column.most + self.look.width - _WIDE))

    def _hides(self, column: PageColumn[R]) -> bool:
        return column.hides and not self.content_width(column)

    def width_of(self, column: PageColumn[R]) -> int:
        """Return the width of `column`, of a flexible one what it takes where there is room."""
        most, width = self.most_of(column), max(column.least, self.heading_width(column))
        if column.samples is not None:
            return max(width, *map(len, column.samples(self.look.translator)))
        if most <= width or column.keeps or (column.flexible and column is self.page.columns[-1]):
            return max(width, most)
        return max(width, min(most, self.content_width(column)))

    def heading_width(self, column: PageColumn[R]) -> int:
        """Return the cells of the column's heading."""
        return len(self.look.translator.gettext(column.heading))

    def content_width(self, column: PageColumn[R]) -> int:
        """Return the width of the widest row; rows that read the same are measured once."""
        gap, ascii = len(f" {glyphs(self.look).dot} "), self.look.ascii
        widest = 0
        for cells in {tuple(column.cells(row, self.reader)) for row in self.rows}:
            width = gap * (len(cells) - 1)
            for text, _, before, after, _ in cells:
                width += len(safe(text, ascii=ascii)) + len(before) + len(after)
            widest = max(widest, width)
        return widest

    def _draw_row(
        self, canvas: Canvas, y: int, number: int, columns: Sequence[tuple[PageColumn[R], int, int]]
    ) -> None:
        look, row = self.look, self.rows[number]
        for column, x, width in columns:
            runs = self.fit_cells(
                column.cells(row, self.reader), min(width, self.most_of(column)), column.letters
            )
            put_row(canvas, x + width - row_width(runs) if column.right else x, y, runs)
        if self.page.second is not None:
            facts = [safe(fact, ascii=look.ascii) for fact in self.page.second(row, self.reader)]
            whole = f" {glyphs(look).dot} ".join(facts)
            room = self.width - _LIST_X - 2
            canvas.put(_LIST_X, y + 1, first_that_fits([whole, *reversed(facts)], room), "dim")
        if self.page.mark is not None and self.page.mark(row):
            canvas.put(0, y, glyphs(look).here, "turn")

    def fit_cells(self, cells: Sequence[PageCell], width: int, letters: int) -> list[Run]:
        """Fit `cells` into `width`: the longest are cut first; where that says too little, some are counted."""
        look = self.look
        if len(cells) == 1 and len(name := safe(cells[0].text, ascii=look.ascii)) <= width:
            cell = cells[0]
            if not (cell.before or cell.after):
                return [(name, cell.role)]
        between = (f" {glyphs(look).dot} ", "rule")
        names = [safe(cell.text, ascii=look.ascii) for cell in cells]
        for shown in range(len(cells), 0, -1):
            more = f" +{len(cells) - shown}" if shown < len(cells) else ""
            fixed = sum(len(cell.before) + len(cell.after) for cell in cells[:shown])
            room = width - len(more) - len(between[0]) * (shown - 1) - fixed
            most = longest(names[:shown], room)
            told = sum(min(len(name), most) for name in names[:shown]) <= room and most >= min(
                letters, max(map(len, names[:shown]))
            )
            if shown > 1 and not told:
                continue
            runs: list[Run] = []
            for cell, name in zip(cells[:shown], names, strict=False):
                text = safe(cell.short, ascii=look.ascii) if len(name) > most and cell.short else name
                cut = text[:most] if most < _MIN_FOR_ELLIPSIS else fit(text, most, ascii=look.ascii)
                runs += [between, (f"{safe(cell.before, ascii=look.ascii)}{cut}{cell.after}", cell.role)]
            return [*runs[1:], (more, "dim")] if more else runs[1:]
        return []

    def _draw_detail(self, canvas: Canvas, *groups: Sequence[PageCell]) -> None:
        look = self.look
        y = self.list_top + self.height * self._each
        canvas.put(0, y, glyphs(look).line * self.width, "rule")
        y += 1
        for group in groups:
            labels = (
                [(safe("".join((cell.before, cell.text, cell.after)), ascii=look.ascii), cell.role)]
                for cell in group
            )
            rows = flow_labels(labels, (f" {glyphs(look).dot} ", "rule"), self.width - 2)
            y = put_rows(canvas, 1, y, rows[:_DETAIL_ROWS])


def draw_page(page: Page[V, R], model: PageModel[V], look: Look, reader: Reader, hints: Hints) -> Frame:
    """Draw a page, `look.width` by `look.height` cells; `hints` for the last row."""
    return PageDrawing(page, model, look, reader).frame(hints)
