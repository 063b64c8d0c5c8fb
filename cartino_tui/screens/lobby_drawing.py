"""Draw the lobby of a large terminal: tables, a preview, people online, the best players, and the games of a day.

On a smaller terminal it is the page of the tables alone.
"""

from collections.abc import Hashable, Mapping
from typing import Final

import msgspec
from typing_extensions import override

from cartino_protocol.views import OnlineView, PastGame, PreviewView, SummaryView, TableView
from cartino_tui.draw.canvas import Canvas, Frame, IdentityCache, Row, Run, flow_labels, put_rows, row_width
from cartino_tui.draw.text import fit, safe
from cartino_tui.game_port.description import game_title
from cartino_tui.game_port.screen import MIN_LOOK, MIN_PREVIEW_ROWS, AnyScreen, Look
from cartino_tui.pages.history import player_cells
from cartino_tui.pages.page import EmptyCard, PageColumn, Reader
from cartino_tui.pages.tables import TABLES_PAGE, TablesView, second_line, short_title
from cartino_tui.screens.page_columns import LIST_X, ColumnLayout, fit_cells
from cartino_tui.screens.page_drawing import PageDrawing, PageModel
from cartino_tui.time_control import CLOCK_FACTS
from cartino_tui.visit.state import LobbyEntry
from cartino_tui.widgets.layout import glyphs

MIN_WIDTH, MIN_HEIGHT = 116, 36
"""The smallest terminal, in cells, that has more than the list."""
_MAX_PREVIEW: Final = Look(114, 36)
"""The largest preview."""
_LIST_WIDTH: Final = 60
"""Cells beyond which the list gains nothing."""
_TOP: Final = 2
"""The first row below the title."""
_MIN_LIST: Final = 9
"""Rows of the list with its headings that games of a day leave in any case."""
_MIN_SMALL: Final = 3
"""Rows for the games of a day below the list of a smaller terminal; with fewer there are none."""
_EMPTY_CARD: Final = 14
"""Rows of the list where it says what to do first."""
_MAX_ONLINE: Final = 6
_MIN_TOP_WIDTH, _MAX_TOP_WIDTH = 19, 26
"""Cells for a game's best players."""
_OFFER_ROWS: Final = 7
"""Rows of the offer of lessons below the tables; one more where several games have some."""
_LETTERS: Final = 4
"""Of a name at least so many are shown."""

_TWO_LINES: Final = msgspec.structs.replace(
    TABLES_PAGE,
    columns=tuple(column for column in TABLES_PAGE.columns if not column.optional),
    second=second_line,
)
"""The page with two lines a table, for a list that has the rows for them."""

_PREVIEWS: Final[IdentityCache[Frame | None]] = IdentityCache(16)
"""Shared by all who look at the same table."""


class Surroundings(msgspec.Struct, frozen=True):
    """What stands beside the list of tables, and the games that can be drawn."""

    summary: SummaryView | None = None
    online: OnlineView = OnlineView(())
    preview: PreviewView | None = None
    game_screens: Mapping[str, AnyScreen] = {}


def is_large(look: Look) -> bool:
    """Return whether the terminal has room for more than the list."""
    return look.width >= MIN_WIDTH and look.height >= MIN_HEIGHT


class _ColumnsBesidePreview(ColumnLayout[LobbyEntry]):
    @override
    def most_of(self, column: PageColumn[LobbyEntry]) -> int:
        """Return the most cells of `column`; the game stays in a narrow list, too."""
        return column.most

    @override
    def width_of(self, column: PageColumn[LobbyEntry]) -> int:
        """Return the width of `column`; no cell is kept free for what may stand there later."""
        if column.samples is not None:
            return max(self.content_width(column), self.heading_width(column))
        return super().width_of(column)


class LobbyDrawing(PageDrawing[TablesView, LobbyEntry]):
    """The lobby at one size."""

    def __init__(
        self,
        model: PageModel[TablesView],
        look: Look,
        reader: Reader,
        around: Surroundings,
    ) -> None:
        """Lay out the list, and what is `around` it where there is room and the server tells it."""
        self._around = around
        self._large = (
            is_large(look) and around.summary is not None and bool(model.view and model.view.arrived)
        )
        self._offers = model.view is not None and bool(model.view.offer)
        self._entries = model.view.entries if model.view is not None else ()
        self._finished = around.summary.finished if around.summary is not None else ()
        self._top = around.summary.top if around.summary is not None else ()
        self._people = model.view.people if model.view is not None else 0
        self._look = look
        cells = max(MIN_LOOK.width, min(look.width - _LIST_WIDTH, _MAX_PREVIEW.width))
        self._preview = msgspec.structs.replace(look, width=cells, height=self._preview_rows(cells))
        offer = _OFFER_ROWS + (model.view is not None and model.view.other_lessons)
        self._below_list = offer if self._offers and self._entries else 0
        two = self._large and 2 * len(self._entries) <= self.list_end() - _TOP - 2
        two = two and any(second_line(entry, reader) for entry in self._entries)
        super().__init__(_TWO_LINES if two else TABLES_PAGE, model, look, reader)

    def _preview_rows(self, cells: int) -> int:
        """Return the rows of the preview: those that people online and the best players leave."""
        online = min(_MAX_ONLINE, len(self._online_rows(cells - 2)))
        best = max((len(game.people) for game in self._top), default=0) + 1
        left = self._look.height - 2 - _TOP - (online + 2) - (best + 2) - 2
        return max(MIN_PREVIEW_ROWS, min(left, _MAX_PREVIEW.height))

    def list_width(self) -> int:
        """Return the cells left of the preview."""
        return self._look.width - self._preview.width - 3 if self._large else super().list_width()

    def list_end(self) -> int:
        """Return the row below the list: the games of a day get the rows that the tables don't need."""
        if not self._large:
            return self.foot - self._small_rows() - self._below_list
        rows = self._look.height - 2 - _TOP
        games = min(max(1, len(self._finished)) + 2, rows - _MIN_LIST - self._below_list)
        return _TOP + rows - games - self._below_list

    def _small_rows(self) -> int:
        """Return the rows below the list of a smaller terminal: games of a day get those that the tables don't need."""
        if not self._finished or self._offers:
            return 0
        tables = len(self._entries) + super().detail_rows() if self._entries else _EMPTY_CARD
        rows = min(len(self._finished) + 2, self.foot - self.list_top - tables)
        return rows if rows >= _MIN_SMALL else 0

    def detail_rows(self) -> int:
        """Return no rows where the preview shows the selected table."""
        return 0 if self._large or self._offers else super().detail_rows()

    def selected_width(self) -> int:
        """Return the cells up to the end of the code: a bar across would have to be sent with each key."""
        return LIST_X + max((len(entry.line.code) for entry in self._entries), default=0)

    @override
    def made_from(self) -> tuple[object, ...]:
        """People without a table of their own have the same entries."""
        around = self._around
        return self._entries, around.summary, around.online, around.preview

    @override
    def made_for(self) -> Hashable:
        return self._large, self._people, self.list_end()

    @override
    def draw_selected(self, canvas: Canvas) -> None:
        """Draw the offer of lessons below the tables, while there is one; then none of them is selected."""
        card = self.page.empty(self.model.view, self.model.waiting, self.reader) if self._offers else ""
        if isinstance(card, EmptyCard):
            self.draw_card(canvas, self.card_rows(card), self.list_end())
        else:
            super().draw_selected(canvas)

    def draw_beside(self, canvas: Canvas) -> None:
        """Draw the panels."""
        if not self._large:
            if self._small_rows():
                self._draw_finished(canvas, self.list_end() + self._below_list, self.foot)
            return
        look, preview, translator = self.look, self._preview, self.look.translator
        x, y = self.width + 2, _TOP
        end = look.height - 2
        if self._entries:
            self._draw_preview(canvas, x, y)
            y += preview.height + 2
        online = self._online_rows(preview.width - 2)[: max(1, min(_MAX_ONLINE, end - y - 4))]
        self._head(canvas, x, y, preview.width, translator.gettext("Online ({n})", n=self._people))
        put_rows(canvas, x + 1, y + 1, online)
        y += len(online) + 2
        if end - y > 1:
            self._head(canvas, x, y, preview.width, translator.gettext("Top players"))
            put_rows(canvas, x + 1, y + 1, self._top_rows(preview.width - 2)[: end - y - 1])
        self._draw_finished(canvas, self.list_end() + self._below_list, end)

    def _draw_finished(self, canvas: Canvas, y: int, end: int) -> None:
        """Draw the games of a day from row `y` to `end`."""
        heading = self.look.translator.gettext("Finished in the last 24 hours")
        self._head(canvas, 1, y, self.width - 2, heading)
        put_rows(canvas, 2, y + 1, self._finished_rows(self.width - 4)[: end - y - 1])

    @override
    def columns(self) -> ColumnLayout[LobbyEntry]:
        if not self._large:
            return super().columns()
        return _ColumnsBesidePreview(self.page.columns, self.rows, self.width, self.look, self.reader)

    def _head(self, canvas: Canvas, x: int, y: int, width: int, heading: str) -> None:
        """Draw a line of `width` cells with a heading in it; sides would cost two changes of style a row."""
        look = self.look
        canvas.put(x, y, glyphs(look).line * width, "rule")
        canvas.put(x + 2, y, fit(f" {heading} ", width - 2, ascii=look.ascii), "heading")

    def _draw_preview(self, canvas: Canvas, x: int, y: int) -> None:
        look, preview = self._preview, self._around.preview
        gettext = self.look.translator.gettext
        table = None if preview is None else preview.table
        code = "" if preview is None else preview.code
        self._head(canvas, x, y, look.width, self._preview_heading(table) or code or gettext("Preview"))
        frame = None if table is None else preview_frame(table, self._around.game_screens, look)
        if frame is not None:
            put_rows(canvas, x, y + 1, frame.rows)
            return
        rows: list[Row] = [((gettext("No preview of this table."), "dim"),)] if preview is not None else []
        if table is not None and table.state == "open":
            rows = self._seat_rows(table)
        width = max(map(row_width, rows), default=0)
        put_rows(canvas, x + (look.width - width) // 2, y + 1 + (look.height - len(rows)) // 2, rows)

    def _seat_rows(self, table: TableView) -> list[Row]:
        """Return who sits at a table that waits for players, and its terms."""
        look, gettext = self.look, self.look.translator.gettext
        mark, cells = glyphs(look), self._preview.width - 4
        rows: list[Row] = [((gettext("Waiting for players."), "title"),), ()]
        for seat in table.seats:
            if seat.kind == "empty":
                rows.append(((f"{mark.free} {gettext('free')}", "dim"),))
            else:
                name = self.reader.player(seat.name, bot=seat.kind == "bot")
                name = name if seat.here else gettext("{name} (away)", name=name)
                rows.append(((f"{mark.here} {fit(name, cells, ascii=look.ascii)}", "text"),))
        clock = gettext(CLOCK_FACTS[table.clock]) if table.clock != "none" else gettext("no time limit")
        return [*rows, (), ((safe(clock, ascii=look.ascii), "dim"),)]

    def _preview_heading(self, table: TableView | None) -> str:
        if table is None:
            return ""
        look, translator = self.look, self.look.translator
        watching = (
            translator.ngettext("{n} watching", "{n} watching", table.spectators) if table.spectators else ""
        )
        facts = (
            game_title(self._around.game_screens, table.game, table.options, translator),
            table.code,
            watching,
        )
        return f" {glyphs(look).dot} ".join(filter(None, facts))

    def _online_rows(self, cells: int) -> list[Row]:
        look, names = self._look, self._around.online.names
        labels: list[Row] = [((safe(name, ascii=look.ascii), "text"),) for name in names]
        if self._people > len(names):
            labels.append(((f"+{self._people - len(names)}", "dim"),))
        return flow_labels(labels, (f" {glyphs(look).dot} ", "rule"), cells)

    def _top_rows(self, cells: int) -> list[Row]:
        """Return the best players of each game, games side by side."""
        look, top = self.look, self._top
        if not top:
            return [((look.translator.gettext("Nobody has a rating yet."), "dim"),)]
        count = min(len(top), cells // _MIN_TOP_WIDTH)
        each = min(_MAX_TOP_WIDTH, (cells + 2) // count - 2)
        blocks: list[list[Row]] = []
        for game in top[:count]:
            title = short_title(game_title(self._around.game_screens, game.game, {}, look.translator))
            rows: list[Row] = [((fit(title, each, ascii=look.ascii), "strong"),)]
            for leader in game.people:
                rating = str(leader.rating)
                name = fit(leader.name, each - len(rating) - 4, ascii=look.ascii)
                gap = " " * (each - 3 - len(name) - len(rating))
                rows.append(((f"{leader.place:>2} ", "dim"), (name + gap, "text"), (rating, "points")))
            blocks.append(rows)
        lines: list[Row] = []
        for at in range(max(map(len, blocks))):
            line: list[Run] = []
            for block in blocks:
                row = block[at] if at < len(block) else ()
                line += [*row, (" " * (each + 2 - row_width(row)), "text")]
            lines.append(tuple(line[:-1]))
        return lines

    def _finished_rows(self, cells: int) -> list[Row]:
        if not self._finished:
            return [((self.look.translator.gettext("No games yet."), "dim"),)]
        titles = [
            short_title(game_title(self._around.game_screens, game.game, game.options, self.look.translator))
            for game in self._finished
        ]
        shown = [fit(title, cells // 3, ascii=self.look.ascii) for title in titles]
        most = max(map(len, shown))
        return [
            self._finished_row(game, title, most, cells)
            for game, title in zip(self._finished, shown, strict=True)
        ]

    def _finished_row(self, game: PastGame, title: str, most: int, cells: int) -> Row:
        """Return a game in a line: what was played, and the players with their totals."""
        players = fit_cells(self.look, player_cells(game, self.reader), cells - most - 2, _LETTERS)
        return ((title.ljust(most + 2), "dim"), *players)


def preview_frame(table: TableView, game_screens: Mapping[str, AnyScreen], look: Look) -> Frame | None:
    """Return the table as its game draws it for spectators; None where there is none, or the game can't."""
    game_screen = game_screens.get(table.game)
    if game_screen is None or table.state == "open":
        return None

    def draw() -> Frame | None:
        try:
            return game_screen.preview(table, game_screen.read(table.game_view), look)
        except Exception:
            # A game that fails here must not take the lobby away.
            return None

    return _PREVIEWS.get((game_screen, table), look, draw)
