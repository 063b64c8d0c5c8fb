"""Draw the waiting room, with less text the smaller the terminal (`_DETAIL_LEVELS`).

The help has what is left out.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from cartino_protocol.base import CODE_ALPHABET
from cartino_protocol.text import N_
from cartino_protocol.views import RoomView, SeatView
from cartino_tui.draw.canvas import Canvas, Frame, Row, Run, put_row, put_rows, row_width, wrap_rows
from cartino_tui.draw.text import fit, with_lead, wrap_command
from cartino_tui.game_port.description import SHUFFLE, ChanceWords
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import Translator
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

LEFT_MARGIN = 4
"""The first column of the text."""
_MIN_HEADING = 7
_MAX_NAME_WIDTH = 20


def seat_rows(room: RoomView, look: Look) -> list[Row]:
    """Return a row per seat: number, player, notes."""
    return [_seat_row(room, number, seat, look) for number, seat in enumerate(room.seats)]


def time_rows(room: RoomView, look: Look, *, short: bool) -> list[Row]:
    """Return the time per turn, and what happens to absent players."""
    translator = look.translator
    text = (
        translator.gettext(CLOCK_CHOICES[room.clock])
        if short
        else time_control_text(room.clock, room.absence, translator)
    )
    return _with_heading(
        translator.gettext("time"), wrap_rows(text, "text", _text_width(look), ascii=look.ascii), look
    )


def invite_rows(room: RoomView, door: ShellCommands, look: Look, *, short: bool) -> list[Row]:
    """Return how friends join: from a terminal, and from the lobby."""
    translator = look.translator
    more = translator.gettext(
        "{watch} to look on; from the lobby: c, then the code", watch=door.watch(room.code)
    )
    return _with_heading(
        translator.gettext("friends"), _command_rows(door.join(room.code), "" if short else more, look), look
    )


def resume_rows(word: str, door: ShellCommands, look: Look, *, short: bool) -> list[Row]:
    """Return how a guest comes back."""
    translator = look.translator
    more = translator.gettext("brings you back from anywhere; then you get a new word")
    return _with_heading(
        translator.gettext("return"),
        _command_rows(translator.render(door.back(word)), "" if short else more, look),
        look,
    )


def shuffle_rows(words: ChanceWords, room: RoomView, look: Look, *, short: bool) -> list[Row]:
    """Return the commitment to the shuffle, and one's own cut."""
    translator = look.translator
    heading = translator.gettext(words.heading).upper()
    cells = look.width - LEFT_MARGIN - 1
    lead: Run = (f"{heading}  ", "heading")
    if short:
        text = (
            translator.gettext("? has its hash.")
            if room.you is None
            else translator.gettext("x cuts it; ? has its hash.")
        )
        return _after_heading(lead, text, cells, look)
    fixed = translator.gettext("A seed with this hash fixes it; the end shows the seed.")
    rows = [*_after_heading(lead, fixed, cells, look), *_hash_rows(room.commitment, cells)]
    if room.you is None:
        return rows
    cut = N_("You have cut it; x cuts it anew.") if room.seats[room.you].cut else words.cut
    return [*rows, *wrap_rows(translator.gettext(cut), "text", cells, ascii=look.ascii)]


def _seat_row(room: RoomView, number: int, seat: SeatView, look: Look) -> Row:
    mark, translator = glyphs(look), look.translator
    if seat.kind == "empty":
        return (f"{number + 1} ", "key"), (f"{mark.free} ", "dim"), (translator.gettext("free"), "dim")
    you = number == room.you
    sign: Run = (f"{mark.here} ", "points") if seat.here else (f"{mark.free} ", "dim")
    name = seat.name
    if seat.kind == "bot" and not name.startswith("bot"):
        name = translator.gettext("bot {name}", name=name)
    notes = ", ".join(_seat_notes(room, number, seat, translator))
    row: Row = (
        (f"{number + 1} ", "dim"),
        sign,
        (fit(name, _MAX_NAME_WIDTH, ascii=look.ascii), "you" if you else "text"),
    )
    return (*row, (" ", "dim"), (notes, "dim")) if notes else row


def _seat_notes(room: RoomView, number: int, seat: SeatView, translator: Translator) -> list[str]:
    return [
        *([translator.gettext("you")] if number == room.you else []),
        *([translator.gettext("owner")] if number == room.owner else []),
        *([translator.gettext("has cut")] if seat.cut else []),
        *([] if seat.here else [translator.gettext("away")]),
    ]


def _heading_width(look: Look) -> int:
    """Return the width of the headings beside their text."""
    words = [
        look.translator.gettext("time"),
        look.translator.gettext("friends"),
        look.translator.gettext("return"),
    ]
    return max(_MIN_HEADING, *(len(word.upper()) for word in words)) + 2


def _text_width(look: Look) -> int:
    return look.width - LEFT_MARGIN - _heading_width(look) - 1


def _with_heading(heading: str, rows: Sequence[Row], look: Look) -> list[Row]:
    """Return `rows` with `heading` beside the first."""
    column = _heading_width(look)
    return [
        ((("" if number else heading.upper()).ljust(column), "heading"), *row)
        for number, row in enumerate(rows)
    ]


def _command_rows(command: str, more: str, look: Look) -> list[Row]:
    """Return a command on lines of its own, never cut, and the text after it."""
    lines = wrap_command(command, _text_width(look), ascii=look.ascii)
    return [
        *(((line, "key"),) for line in lines),
        *wrap_rows(more, "dim", _text_width(look), ascii=look.ascii),
    ]


def _after_heading(lead: Run, text: str, cells: int, look: Look) -> list[Row]:
    """Return `text` after `lead`, or below it where it doesn't fit beside it."""
    beside = wrap_rows(text, "dim", cells - row_width((lead,)), ascii=look.ascii)
    if len(beside) == 1:
        return [(lead, *beside[0])]
    return [(lead,), *wrap_rows(text, "dim", cells, ascii=look.ascii)]


def _hash_rows(commitment: str, cells: int) -> list[Row]:
    """Return a hash in rows, with its first eight characters highlighted for comparison."""
    lines = [commitment[at : at + cells] for at in range(0, len(commitment), cells)]
    first: Row = ((lines[0][:8], "key"), (lines[0][8:], "dim"))
    return [first, *(((line, "dim"),) for line in lines[1:])]


LETTER_HEIGHT = 3
LETTER_WIDTH = 3

# One string per letter, its five lines from the top, in octal: 4 the left dot, 2 the middle, 1 the right.
_PICTURES = (
    "25755 65656 34443 65556 74647 74644 34553 55755 11152 55655 44447 57755 "  # A to M, without I
    "75555 65644 25563 65655 34216 72222 55557 55552 55775 55255 55222 71247 "  # N to Z, without O
    "61247 61216 55711 74616 34757 71222 75757 75716"  # 2 to 9
)
_PICTURE_OF = dict(zip(CODE_ALPHABET, _PICTURES.split(), strict=True))
_BLOCKS = " ▀▄█"


def big_letters(code: str) -> tuple[str, ...]:
    """Return `code` in three rows of text, letters 3 cells wide with a blank between; unknown ones are blank."""
    pictures = [_PICTURE_OF.get(letter, "00000") + "0" for letter in code]
    return tuple(
        " ".join(_cell_row(int(picture[row]), int(picture[row + 1])) for picture in pictures)
        for row in (0, 2, 4)
    )


def _cell_row(upper: int, lower: int) -> str:
    return "".join(_BLOCKS[bool(upper & dot) + 2 * bool(lower & dot)] for dot in (4, 2, 1))


_TOP = 2
_BOX_HEIGHT = 5
_BOX_LEFT = 52
"""The column of the code's box, unless the seats need the space."""


class WaitingModel(msgspec.Struct, frozen=True):
    """What the waiting room shows.

    `cursor`: the selected seat; `said`: chat as (name, text), oldest first; `word`: a guest's resume code; `chance`:
    None for games without. Without a `status` the line says what the game waits for, after `lead` where both fit.
    """

    room: RoomView
    title: str
    cursor: int = 0
    said: ChatText = ()
    status: str = ""
    lead: str = ""
    door: ShellCommands = ShellCommands()
    word: str = ""
    hints: tuple[tuple[str, str], ...] = ()
    chance: ChanceWords | None = SHUFFLE


class _Detail(NamedTuple):
    """How much text is shown.

    `gaps`: 2 between all parts, 1 between groups, 0 nowhere.
    """

    gaps: int
    box: bool = True
    shuffle: bool = True
    shuffle_short: bool = False
    short: bool = False
    time_short: bool = False
    talk: int = 3


_DETAIL_LEVELS: Final = (
    _Detail(2, talk=5),
    _Detail(1),
    _Detail(0),
    _Detail(1, box=False),
    _Detail(0, box=False),
    _Detail(1, box=False, shuffle_short=True),
    _Detail(0, box=False, shuffle_short=True, talk=2),
    _Detail(0, box=False, shuffle_short=True, short=True, talk=2),
    _Detail(0, box=False, shuffle_short=True, short=True, time_short=True, talk=2),
    _Detail(0, box=False, shuffle=False, short=True, time_short=True, talk=0),
)
"""From the most text to the least."""


class _WaitingLayout(NamedTuple):
    """Rows and columns of the parts; `box` is None without the code's box."""

    seats: int
    box: int | None
    below: int
    rows: list[Row]
    talk: int
    end: int


def seat_at(model: WaitingModel, look: Look, x: int, y: int) -> int | None:
    """Return the seat whose row has the cell (x, y), or None."""
    plan = _waiting_layout(model, look)
    seat = y - plan.seats
    right = look.width if plan.box is None else plan.box
    return seat if 0 <= seat < len(model.room.seats) and x < right else None


def waiting_hints(room: RoomView, *, sure: bool = False) -> tuple[tuple[str, str], ...]:
    """Return the hints for what can be done now, in English; `sure`: the game has no chance."""
    actions: list[str] = []
    if room.you is None and any(seat.kind == "empty" for seat in room.seats):
        actions.append("sit")
    if room.you is not None and room.you == room.owner and _taken_seats(room) >= 2:
        actions.append("start")
    actions.append("chat")
    if room.you is not None:
        actions += ["invite", *(() if sure else ("cut",)), "stand"]
    return WAITING.hints(*actions, "copy", "said", "actions", "help", "leave")


def draw_waiting(model: WaitingModel, look: Look) -> Frame:
    """Draw the waiting room."""
    room = model.room
    canvas = Canvas(look.width, look.height)
    title_bar(canvas, look, model.title, *_table_facts(room, look))
    plan = _waiting_layout(model, look)
    _draw_seats(canvas, model, look, plan)
    if plan.box is not None:
        _draw_code(canvas, look, room.code, plan.box, plan.seats)
    put_rows(canvas, LEFT_MARGIN, plan.below, plan.rows)
    _draw_chat(canvas, model, look, plan)
    footer(canvas, look, _status_line(model, look), model.hints)
    return canvas.frame()


def _table_facts(room: RoomView, look: Look) -> tuple[str, ...]:
    translator = look.translator
    listed = translator.gettext("in the lobby's list") if room.open else translator.gettext("private")
    if not room.spectators:
        return (listed,)
    watching = translator.ngettext("{n} watching", "{n} watching", room.spectators)
    return f"{listed} {glyphs(look).dot} {watching}", watching


def _waiting_layout(model: WaitingModel, look: Look) -> _WaitingLayout:
    """Return the fullest layout that fits."""
    end = look.height - footer_height(look, _status_line(model, look))
    for words in _DETAIL_LEVELS:
        plan = _try_layout(words, model, look, end)
        if plan is not None and plan.talk + words.talk <= end:
            return plan
    # A very long server name at a small terminal: the help has the rest.
    words = _DETAIL_LEVELS[-1]
    seats = _TOP + 1
    below = seats + len(model.room.seats)
    return _WaitingLayout(seats, None, below, _rows_below(words, model, look)[: end - below], end, end)


def _try_layout(words: _Detail, model: WaitingModel, look: Look, end: int) -> _WaitingLayout | None:
    """Return the layout at one level of detail; None where the box doesn't fit."""
    seats = _TOP + 1 + (words.gaps == 2)
    box = _box_x(model, look) if words.box else None
    if words.box and box is None:
        return None
    below = seats + max(len(model.room.seats), _BOX_HEIGHT if words.box else 0)
    below += words.gaps == 2 or (words.gaps == 1 and not words.box)
    rows = _rows_below(words, model, look)
    return _WaitingLayout(seats, box, below, rows, below + len(rows) + (words.gaps > 0), end)


def _box_x(model: WaitingModel, look: Look) -> int | None:
    """Return the column of the code's box, None where the seats leave no space."""
    x = max(_BOX_LEFT, LEFT_MARGIN + max(map(row_width, seat_rows(model.room, look))) + 3)
    x = min(x, look.width - _box_width(model.room.code) - 1)
    return x if x >= LEFT_MARGIN + max(map(row_width, seat_rows(model.room, look))) + 3 else None


def _box_width(code: str) -> int:
    """Return the width of the code in big letters with a margin of 3 cells."""
    return len(code) * (LETTER_WIDTH + 1) - 1 + 6


def _rows_below(words: _Detail, model: WaitingModel, look: Look) -> list[Row]:
    """Return the parts between the seats and the chat."""
    room, door = model.room, model.door
    matters = [
        [
            time_rows(room, look, short=words.time_short),
            invite_rows(room, door, look, short=words.short),
            resume_rows(model.word, door, look, short=words.short) if model.word else [],
        ],
        [
            shuffle_rows(model.chance, room, look, short=words.shuffle_short)
            if words.shuffle and model.chance
            else []
        ],
    ]
    rows: list[Row] = []
    for matter in matters:
        for number, part in enumerate(matter):
            if part and rows and (words.gaps == 2 or (words.gaps == 1 and number == 0)):
                rows.append(())
            rows += part
    return rows


def _taken_seats(room: RoomView) -> int:
    return sum(seat.kind != "empty" for seat in room.seats)


def _status_line(model: WaitingModel, look: Look) -> str:
    return model.status or with_lead(model.lead, _start_condition(model.room, look), look.width - 2)


def _start_condition(room: RoomView, look: Look) -> str:
    """Return one sentence: what has to happen before the game begins."""
    ngettext, free = look.translator.ngettext, len(room.seats) - _taken_seats(room)
    if room.you is None:
        return ngettext(
            "The game begins by itself when one more sits down; you are watching.",
            "The game begins by itself when {n} more sit down; you are watching.",
            free,
        )
    if room.you == room.owner and _taken_seats(room) >= 2:
        return ngettext(
            "The game begins by itself when one more sits down, or when you press {key}.",
            "The game begins by itself when {n} more sit down, or when you press {key}.",
            free,
            key=look.keymap.shown("s"),
        )
    return ngettext(
        "The game begins by itself when one more sits down.",
        "The game begins by itself when {n} more sit down.",
        free,
    )


def _draw_seats(canvas: Canvas, model: WaitingModel, look: Look, plan: _WaitingLayout) -> None:
    put_heading(canvas, LEFT_MARGIN, plan.seats - 1, look.translator.gettext("seats"))
    right = look.width if plan.box is None else plan.box
    for number, row in enumerate(seat_rows(model.room, look)):
        put_row(canvas, LEFT_MARGIN, plan.seats + number, row)
        if number == model.cursor:
            canvas.put(2, plan.seats + number, glyphs(look).pick, "key")
            canvas.paint(1, plan.seats + number, right - 3, "selected")


def _draw_code(canvas: Canvas, look: Look, code: str, x: int, y: int) -> None:
    caption = look.translator.gettext("the table's code")
    if x + len(caption) < look.width:
        put_heading(canvas, x, y - 1, caption)
    width = _box_width(code)
    box(canvas, look, x, y, width, _BOX_HEIGHT)
    if look.ascii:
        canvas.put(x + width // 2 - len(code) + 1, y + 2, " ".join(code), "title")
        return
    for line, text in enumerate(big_letters(code)):
        canvas.put(x + 3, y + 1 + line, text, "title")


def _draw_chat(canvas: Canvas, model: WaitingModel, look: Look, plan: _WaitingLayout) -> None:
    """Draw the newest chat lines below a heading."""
    room = plan.end - plan.talk - 1
    if room < 1:
        return
    gettext = look.translator.gettext
    rows = chat_rows(model.said, look, look.width - LEFT_MARGIN - 1)
    x = put_heading(canvas, LEFT_MARGIN, plan.talk, gettext("Talk")) + 2
    if not model.said:
        put_rows(canvas, x, plan.talk, _if_it_fits(x, gettext("t says something to the table."), look))
    elif len(rows) > room:
        hint_line(canvas, look, plan.talk, localize_hints(WAITING.hints("said"), look), x)
    put_rows(canvas, LEFT_MARGIN, plan.talk + 1, rows[-room:])


def _if_it_fits(x: int, text: str, look: Look) -> list[Row]:
    """Return `text` from `x` on, if it fits."""
    return [((text, "dim"),)] if x + len(text) < look.width else []
