"""Draw the waiting room, with less text the smaller the terminal (`_DETAIL_LEVELS`).

The help has what is left out.
"""

from typing import Final, NamedTuple

import msgspec
from typing_extensions import override

from cartino_protocol.text import N_
from cartino_protocol.views import TableView
from cartino_tui.draw.big_letters import big_letters
from cartino_tui.draw.canvas import (
    Canvas,
    Frame,
    Row,
    Run,
    flow_labels,
    put_row,
    put_rows,
    row_width,
    wrap_rows,
)
from cartino_tui.draw.text import fit, safe, with_lead, wrap_command
from cartino_tui.game_port.description import SHUFFLE, ChanceWords, Chapter
from cartino_tui.game_port.screen import Look
from cartino_tui.keys import WAITING
from cartino_tui.screens.chat import ChatText, chat_rows
from cartino_tui.time_control import CLOCK_CHOICES, time_control_text
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.widgets.layout import (
    box,
    footer,
    footer_height,
    glyphs,
    hint_line,
    localize_hints,
    put_heading,
    title_bar,
)

_LEFT: Final = 4
"""The first column of the text."""
_MIN_HEADING: Final = 7
_ALIGNED: Final = 80
"""Cells from which the shuffle's heading stands in the column of the others."""
_MAX_NAME_WIDTH: Final = 20
_TOP: Final = 2
_BOX_HEIGHT: Final = 5
_HASH_CELLS: Final = 8
"""As much of the seed's hash as people compare."""
_BOX_LEFT: Final = 52
"""The column of the code's box, unless the seats need the space."""

_LARGE_WIDTH, _LARGE_HEIGHT = 116, 36
"""The smallest terminal with two columns of panels, in cells."""
_MAX_LARGE_WIDTH: Final = 156
_MAX_ONLINE: Final = 3
"""Rows for the names of people online."""
_SPARE_TALK: Final = 4
"""Rows that the rules leave it besides."""
_MIN_TALK: Final = 4
"""Rows of chat below the panels, with its heading."""
_MAX_WIDTH, _MAX_HEIGHT = 84, 40
"""On a larger terminal the table stands in the middle."""


class WaitingModel(msgspec.Struct, frozen=True):
    """What the waiting room shows.

    `cursor`: the selected seat; `said`: chat as (name, text), oldest first; `word`: a guest's resume code; `chance`:
    None for games without; `rules`: those of this edition; `online`: people who were in the lobby last. Without a
    `status` the line says what the game waits for, after `lead` where both fit.
    """

    table: TableView
    title: str
    cursor: int = 0
    said: ChatText = ()
    status: str = ""
    lead: str = ""
    shell_commands: ShellCommands = ShellCommands()
    word: str = ""
    hints: tuple[tuple[str, str], ...] = ()
    chance: ChanceWords | None = SHUFFLE
    rules: tuple[Chapter, ...] = ()
    online: tuple[str, ...] = ()


class _Detail(NamedTuple):
    """How much is shown: `gaps` between all parts (2), groups (1) or nowhere (0), the code's box, rows of chat.

    `text`: 2 is all of it, 1 shortens the shuffle and the ways here, 0 the time, too, and leaves the shuffle out.
    """

    gaps: int
    box: bool
    text: int
    talk: int


_DETAIL_LEVELS: Final = (
    _Detail(2, True, 2, 5),
    _Detail(1, True, 2, 3),
    _Detail(0, False, 2, 3),
    _Detail(0, False, 1, 2),
    _Detail(0, False, 0, 0),
)
"""From the most text to the least."""


class _Layout(msgspec.Struct, frozen=True):
    """Rows and columns of the parts; `box` is None without the code's box."""

    seats: int
    box: int | None
    below: int
    rows: list[Row]
    talk: int


def waiting_hints(table: TableView, *, sure: bool = False) -> tuple[tuple[str, str], ...]:
    """Return the hints for what can be done now, in English; `sure`: the game has no chance."""
    return WAITING.hints(*waiting_actions(table, sure=sure), "copy", "said", "actions", "help", "leave")


def waiting_actions(table: TableView, *, sure: bool) -> list[str]:
    """Return what the reader can do in `table` besides leaving and looking around, in the order of the hints."""
    actions: list[str] = []
    if table.you is None and any(seat.kind == "empty" for seat in table.seats):
        actions.append("sit")
    if table.you is not None and table.you == table.owner and _taken_seats(table) >= 2:
        actions.append("start")
    actions.append("chat")
    if table.you is not None:
        actions += ["invite", *(() if sure else ("cut",)), "stand"]
    return actions


def waiting_drawing(model: WaitingModel, look: Look) -> "WaitingDrawing":
    """Return the waiting room as it is drawn at the size of `look`."""
    if look.width >= _LARGE_WIDTH and look.height >= _LARGE_HEIGHT:
        large = _LargeDrawing(model, look)
        if large.fits:
            return large
    return WaitingDrawing(model, look)


def _margins(look: Look) -> tuple[int, int]:
    """Return the columns at the left and the rows at the top that stay free."""
    return max(0, look.width - _MAX_WIDTH) // 2, max(0, look.height - _MAX_HEIGHT) // 2


def _taken_seats(table: TableView) -> int:
    return sum(seat.kind != "empty" for seat in table.seats)


class WaitingDrawing:
    """The waiting room at one size."""

    def __init__(self, model: WaitingModel, look: Look) -> None:
        """Lay out `model` with as much text as fits."""
        self._whole, self._model, self._table = look, model, model.table
        self._left, self._top = _margins(look)
        self._look = look = msgspec.structs.replace(look, width=min(look.width, _MAX_WIDTH))
        self._translator = look.translator
        self._status = model.status or with_lead(model.lead, self._start_condition(), self._whole.width - 2)
        self._end = look.height - self._top - footer_height(self._whole, self._status)
        self._seats = [self._seat_row(number) for number in range(len(model.table.seats))]
        headings: tuple[str, ...] = (
            self._translator.gettext("time"),
            self._translator.gettext("friends"),
            self._translator.gettext("resume"),
        )
        if model.chance is not None and look.width >= _ALIGNED:
            headings = *headings, self._translator.gettext(model.chance.heading)
        self._heading_width = max(_MIN_HEADING, *(len(word.upper()) for word in headings)) + 2
        self._text_width = look.width - _LEFT - self._heading_width - 1
        self.layout = self._fullest_layout()

    def seat_at(self, x: int, y: int) -> int | None:
        """Return the seat whose row has the cell (x, y), or None."""
        seat = y - self._top - self.layout.seats
        right = self._whole.width if self.layout.box is None else self.layout.box + self._left
        return seat if 0 <= seat < len(self._seats) and x < right else None

    def frame(self) -> Frame:
        """Draw the whole screen."""
        whole, layout = self._whole, self.layout
        room = Canvas(self._look.width, self._end)
        self._draw_seats(room)
        if layout.box is not None:
            self._draw_code(room, layout.box, layout.seats)
        put_rows(room, _LEFT, layout.below, layout.rows)
        if layout.talk + 1 < self._end:
            self._draw_chat(room, self._end - layout.talk - 1)
        canvas = Canvas(whole.width, whole.height)
        put_rows(canvas, self._left, self._top, room.frame().rows)
        title_bar(canvas, whole, self._model.title, *self._facts())
        footer(canvas, whole, self._status, self._model.hints)
        return canvas.frame()

    def _fullest_layout(self) -> _Layout:
        for detail in _DETAIL_LEVELS:
            layout = self._layout_at(detail)
            if layout.talk + detail.talk <= self._end:
                return layout
        # A very long server name at a small terminal: the help has the rest.
        layout = self._layout_at(_DETAIL_LEVELS[-1])
        rows = layout.rows[: self._end - layout.below]
        return msgspec.structs.replace(layout, talk=self._end, rows=rows)

    def _layout_at(self, detail: _Detail) -> _Layout:
        """Return the layout at one level of detail, past the end where the box doesn't fit."""
        seats = _TOP + 1 + (detail.gaps == 2)
        box = self._box_x() if detail.box else None
        if detail.box and box is None:
            return _Layout(seats, None, self._end, [], self._end + 1)
        below = seats + max(len(self._seats), _BOX_HEIGHT if detail.box else 0)
        below += detail.gaps == 2
        rows = self._rows_below(detail)
        return _Layout(seats, box, below, rows, below + len(rows) + (detail.gaps > 0))

    def _box_x(self) -> int | None:
        """Return the column of the code's box, None where the seats leave no space."""
        least = _LEFT + max(map(row_width, self._seats)) + 3
        x = min(max(_BOX_LEFT, least), self._look.width - _box_width(self._table.code) - 1)
        return x if x >= least else None

    def _rows_below(self, detail: _Detail) -> list[Row]:
        """Return the parts between the seats and the chat."""
        terms = [self._time_rows(short=not detail.text), *self._ways_here(short=detail.text < 2)]
        shuffle = self._shuffle_rows(short=detail.text < 2) if detail.text else []
        rows: list[Row] = []
        for part in filter(None, (*terms, shuffle)):
            if rows and (detail.gaps == 2 or (detail.gaps == 1 and part is shuffle)):
                rows.append(())
            rows += part
        return rows

    def _start_condition(self) -> str:
        """Return one sentence: what has to happen before the game begins."""
        table, look = self._table, self._look
        ngettext, free = look.translator.ngettext, len(table.seats) - _taken_seats(table)
        if table.clock == "day" and table.you is not None and _taken_seats(table) < 2:
            return look.translator.gettext("Your challenge is open for 14 days. You can leave.")
        if table.you is None:
            return ngettext(
                "Waiting for {n} more player; you're watching.",
                "Waiting for {n} more players; you're watching.",
                free,
            )
        if table.you == table.owner and _taken_seats(table) >= 2:
            return ngettext(
                "Waiting for {n} more player, or press {key} to start.",
                "Waiting for {n} more players, or press {key} to start.",
                free,
                key=look.key_shown("s"),
            )
        return ngettext(
            "Waiting for {n} more player.",
            "Waiting for {n} more players.",
            free,
        )

    def _facts(self) -> tuple[str, ...]:
        table = self._table
        listed = self._translator.gettext("public") if table.open else self._translator.gettext("private")
        if table.hints:
            listed = f"{listed} {glyphs(self._look).dot} {self._translator.gettext('hints for all')}"
        if not table.spectators:
            return (listed,)
        watching = self._translator.ngettext("{n} watching", "{n} watching", table.spectators)
        return f"{listed} {glyphs(self._look).dot} {watching}", watching

    def _seat_row(self, number: int) -> Row:
        """Return a seat's number, player and notes."""
        mark, seat = glyphs(self._look), self._table.seats[number]
        if seat.kind == "empty":
            return (
                (f"{number + 1} ", "key"),
                (f"{mark.free} ", "dim"),
                (self._translator.gettext("free"), "dim"),
            )
        you = number == self._table.you
        name = seat.name
        if seat.kind == "bot" and not name.startswith("bot"):
            name = self._translator.gettext("bot {name}", name=name)
        notes = (
            self._translator.gettext("you") if you else "",
            self._translator.gettext("owner") if number == self._table.owner else "",
            self._translator.gettext("text added") if seat.cut else "",
            "" if seat.here else self._translator.gettext("away"),
        )
        row: Row = (
            (f"{number + 1} ", "dim"),
            (f"{mark.here} ", "points") if seat.here else (f"{mark.free} ", "dim"),
            (fit(name, _MAX_NAME_WIDTH, ascii=self._look.ascii), "you" if you else "text"),
        )
        return (*row, (" ", "dim"), (", ".join(filter(None, notes)), "dim")) if any(notes) else row

    def _time_rows(self, *, short: bool) -> list[Row]:
        """Return the time per turn, and what happens to absent players."""
        table = self._table
        whole = time_control_text(table.clock, table.absence, self._translator)
        text = self._translator.gettext(CLOCK_CHOICES[table.clock]) if short else whole
        return self._with_heading(
            self._translator.gettext("time"), self._wrapped(text, "text", self._text_width)
        )

    def _ways_here(self, *, short: bool) -> list[list[Row]]:
        """Return how friends join, from a terminal and from the lobby, and how a guest comes back."""
        model, shell_commands, code = self._model, self._model.shell_commands, self._table.code
        look_on = self._translator.gettext(
            "{watch} to watch; from the lobby: c, then the code", watch=shell_commands.watch(code)
        )
        ways = [
            self._way(
                self._translator.gettext("friends"), shell_commands.join(code), "" if short else look_on
            )
        ]
        if model.word:
            command = self._translator.render(shell_commands.describe_return(model.word))
            more = self._translator.gettext("lets you come back from anywhere; you then get a new code")
            ways.append(self._way(self._translator.gettext("resume"), command, "" if short else more))
        return ways

    def _way(self, heading: str, command: str, more: str) -> list[Row]:
        """Return a command on lines of its own, never cut, and the text after it."""
        lines = wrap_command(command, self._text_width, ascii=self._look.ascii)
        rows: list[Row] = [((line, "key"),) for line in lines]
        return self._with_heading(heading, rows + self._wrapped(more, "dim", self._text_width))

    def _shuffle_rows(self, *, short: bool) -> list[Row]:
        """Return the commitment to the shuffle, and the reader's own cut."""
        table, words, gettext = self._table, self._model.chance, self._translator.gettext
        if words is None:
            return []
        if self._whole.width >= _ALIGNED and not short:
            rows = self._wrapped(self._hash(), "dim", self._text_width)
            return self._with_heading(
                gettext(words.heading), [*rows, *self._cut_rows(words, self._text_width)]
            )
        cells = self._look.width - _LEFT - 1
        lead: Run = (f"{gettext(words.heading).upper()}  ", "heading")
        if short:
            plays = gettext("Press x to add text to the shuffle, ? for the hash.")
            return self._after(lead, gettext("Press ? for its hash.") if table.you is None else plays, cells)
        fixed = self._hash()
        return [*self._after(lead, fixed, cells), *self._cut_rows(words, cells)]

    def _hash(self) -> str:
        return self._translator.gettext(
            "Seed hash {hash}…: press ? for all of it.", hash=self._table.commitment[:_HASH_CELLS]
        )

    def _cut_rows(self, words: ChanceWords, cells: int) -> list[Row]:
        """Return how a player adds their own text to the shuffle, or that they did."""
        table = self._table
        if table.you is None:
            return []
        cut = N_("Your text is added. Press x to replace it.") if table.seats[table.you].cut else words.cut
        return self._wrapped(self._translator.gettext(cut), "text", cells)

    def _wrapped(self, text: str, role: str, cells: int) -> list[Row]:
        return wrap_rows(text, role, cells, ascii=self._look.ascii)

    def _with_heading(self, heading: str, rows: list[Row]) -> list[Row]:
        """Return `rows` with `heading` beside the first."""
        return [
            ((("" if number else heading.upper()).ljust(self._heading_width), "heading"), *row)
            for number, row in enumerate(rows)
        ]

    def _after(self, lead: Run, text: str, cells: int) -> list[Row]:
        """Return `text` after `lead`, or below it where it doesn't fit beside it."""
        beside = self._wrapped(text, "dim", cells - row_width((lead,)))
        return [(lead, *beside[0])] if len(beside) == 1 else [(lead,), *self._wrapped(text, "dim", cells)]

    def _draw_seats(self, canvas: Canvas) -> None:
        layout, look = self.layout, self._look
        put_heading(canvas, _LEFT, layout.seats - 1, self._translator.gettext("seats"))
        put_rows(canvas, _LEFT, layout.seats, self._seats)
        y = layout.seats + self._model.cursor
        canvas.put(2, y, glyphs(look).pick, "key")
        canvas.paint(1, y, (look.width if layout.box is None else layout.box) - 3, "selected")

    def _draw_code(self, canvas: Canvas, x: int, y: int) -> None:
        look, code, caption = self._look, self._table.code, self._translator.gettext("table code")
        if x + len(caption) < look.width:
            put_heading(canvas, x, y - 1, caption)
        width = _box_width(code)
        box(canvas, look, x, y, width, _BOX_HEIGHT)
        if look.ascii:
            canvas.put(x + width // 2 - len(code) + 1, y + 2, " ".join(code), "title")
            return
        for line, text in enumerate(big_letters(code)):
            canvas.put(x + 3, y + 1 + line, text, "title")

    def _draw_chat(self, canvas: Canvas, height: int) -> None:
        """Draw the newest chat lines below a heading."""
        look, y, said = self._look, self.layout.talk, self._model.said
        rows = chat_rows(said, look, look.width - _LEFT - 1)
        x = put_heading(canvas, _LEFT, y, self._translator.gettext("Chat")) + 2
        invitation = self._translator.gettext("Press t to chat.")
        if not said and x + len(invitation) < look.width:
            put_row(canvas, x, y, ((invitation, "dim"),))
        elif len(rows) > height:
            hint_line(canvas, look, y, localize_hints(WAITING.hints("said"), look), x)
        put_rows(canvas, _LEFT, y + 1, rows[-height:])


class _LargeDrawing(WaitingDrawing):
    """The waiting room of a large terminal: two columns of panels, and the chat below them."""

    def __init__(self, model: WaitingModel, look: Look) -> None:
        """Lay out `model` in columns of the same width."""
        super().__init__(model, look)
        width = min(look.width, _MAX_LARGE_WIDTH) - 2
        self._x = (look.width - width) // 2
        self._cells = (width - 2) // 2
        self._wide = width
        # The parts are wrapped to a column's width, and their headings stand above them.
        self._look = msgspec.structs.replace(look, width=self._cells)
        self._text_width = self._cells - 2
        self._end = look.height - footer_height(look, self._status)
        gettext = self._translator.gettext
        code: list[Row] = [((text, "title"),) for text in big_letters(model.table.code)]
        if look.ascii:
            code = [((" ".join(model.table.code), "title"),)]
        shuffle = [(gettext(model.chance.heading), self._shuffle_rows(short=False))] if model.chance else []
        right = [
            (gettext("table code").capitalize(), [(), *code]),
            (
                gettext("friends").capitalize(),
                [row for way in self._ways_here(short=False) for row in [*way, ()]][:-1],
            ),
            *([(gettext("Recently online"), self._online_rows())] if model.online else []),
            (gettext("time").capitalize(), self._time_rows(short=False)),
        ]
        taken = len(self._seats) + sum(len(rows) + 2 for _, rows in shuffle) + 4
        rules = self._rule_rows(self._end - _TOP - _MIN_TALK - _SPARE_TALK - taken)
        self._columns = (
            [(gettext("seats").capitalize(), self._seats), (gettext("The game"), rules), *shuffle],
            right,
        )
        self._talk_y = _TOP + max(sum(len(rows) + 2 for _, rows in column) for column in self._columns)

    @property
    def fits(self) -> bool:
        """Whether everything has room above the chat, and the code and the commands, unbroken, in their column."""
        model, code = self._model, self._table.code
        lines = [model.shell_commands.join(code)]
        if model.word:
            lines.append(self._translator.render(model.shell_commands.describe_return(model.word)))
        if not self._look.ascii:
            lines.append(big_letters(code)[0])
        return self._talk_y + _MIN_TALK <= self._end and max(map(len, lines)) <= self._text_width

    @override
    def seat_at(self, x: int, y: int) -> int | None:
        seat = y - _TOP - 1
        return seat if 0 <= seat < len(self._seats) and x < self._x + self._cells else None

    @override
    def frame(self) -> Frame:
        whole, right = self._whole, self._x + self._cells + 2
        canvas = Canvas(whole.width, whole.height)
        for x, column in zip((self._x, right), self._columns, strict=True):
            y = _TOP
            for heading, rows in column:
                self._draw_heading(canvas, x, y, self._cells, heading)
                put_rows(canvas, x + 2, y + 1, rows)
                y += len(rows) + 2
        y = _TOP + 1 + self._model.cursor
        canvas.put(self._x, y, glyphs(whole).pick, "key")
        canvas.paint(self._x, y, max(map(row_width, self._seats)) + 3, "selected")
        self._draw_heading(canvas, self._x, self._talk_y, self._wide, self._translator.gettext("Chat"))
        height, said = self._end - self._talk_y - 1, self._model.said
        rows = chat_rows(said, msgspec.structs.replace(whole, width=self._wide), self._wide - 3, self._table)
        if not said:
            rows = [((self._translator.gettext("Press t to chat."), "dim"),)]
        put_rows(canvas, self._x + 2, self._talk_y + 1, rows[-height:])
        title_bar(canvas, whole, self._model.title, *self._facts())
        footer(canvas, whole, self._status, self._model.hints)
        return canvas.frame()

    def _draw_heading(self, canvas: Canvas, x: int, y: int, cells: int, heading: str) -> None:
        look = self._whole
        canvas.put(x, y, glyphs(look).line * cells, "rule")
        canvas.put(x + 2, y, fit(f" {heading} ", cells - 2, ascii=look.ascii), "heading")

    def _rule_rows(self, height: int) -> list[Row]:
        """Return what the game is about, as many more of its rules as `height` bears, and the key for all of them."""
        gettext, rows = self._translator.gettext, list[Row]()
        more = gettext("Press {key} for all the rules.", key=self._whole.key_shown("?"))
        last = self._wrapped(more, "dim", self._text_width)
        for chapter in self._model.rules:
            wrapped = [row for text in chapter.lines for row in self._wrapped(text, "text", self._text_width)]
            part = (
                [((safe(chapter.heading, ascii=self._whole.ascii), "strong"),), *wrapped] if rows else wrapped
            )
            if rows and len(rows) + len(part) + len(last) > height:
                break
            rows += part
        return [*rows, *last]

    def _online_rows(self) -> list[Row]:
        """Return the people to invite, and the key for that."""
        look = self._whole
        names: list[Row] = [((safe(name, ascii=look.ascii), "text"),) for name in self._model.online]
        rows = flow_labels(names, (f" {glyphs(look).dot} ", "rule"), self._text_width)[:_MAX_ONLINE]
        if self._table.you is None:
            return rows
        text = self._translator.gettext("Press {key} to invite someone by name.", key=look.key_shown("i"))
        return [*rows, *self._wrapped(text, "dim", self._text_width)]

    @override
    def _with_heading(self, heading: str, rows: list[Row]) -> list[Row]:
        return rows


def _box_width(code: str) -> int:
    """Return the width of the code in big letters with a margin of 3 cells."""
    return len(big_letters(code)[0]) + 6
