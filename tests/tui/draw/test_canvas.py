"""Names and talk written from right to left turn nothing round that stands beside them."""

import unicodedata
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_games.cartino.screen.pointer import NOWHERE
from cartino_protocol.views import TableView
from cartino_tui.draw.canvas import (
    LTR_BLANK,
    Canvas,
    Frame,
    IdentityCache,
    first_that_fits,
    flow_labels,
    put_row,
    put_rows,
    row_width,
    wrap_rows,
)
from cartino_tui.draw.text import FILL, clean, plain
from cartino_tui.game_port.screen import Look
from tests.support.cartino_table import AROUND, CARTINO_SCREEN, view_of
from tests.support.table_states import shown_states


def test_text_and_roles_stand_where_they_were_put() -> None:
    canvas = Canvas(6, 2)
    assert canvas.put(1, 0, "ab", "key") == 3
    assert canvas.frame().rows == (
        ((" ", "ground"), ("ab", "key"), ("   ", "ground")),
        (("      ", "ground"),),
    )


def test_paint_changes_the_look_and_keeps_the_text() -> None:
    canvas = Canvas(4, 1)
    canvas.put(0, 0, "abcd", "text")
    canvas.paint(1, 0, 2, "key")
    assert canvas.frame().rows == ((("a", "text"), ("bc", "key"), ("d", "text")),)


def test_the_text_of_a_frame_has_no_blanks_at_the_right() -> None:
    canvas = Canvas(5, 2)
    canvas.put(0, 1, "x", "text")
    assert canvas.frame().text() == "\nx"


@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(-4, 6), st.text("xyz", max_size=9)), max_size=9),
    st.integers(1, 7),
    st.integers(1, 4),
)
def test_nothing_that_is_put_or_filled_breaks_the_rectangle(
    puts: list[tuple[int, int, str]], width: int, height: int
) -> None:
    canvas = Canvas(width, height)
    for x, y, text in puts:
        canvas.put(x, y, text, "text")
        canvas.fill(x, y, len(text), 2, "key")
        canvas.paint(x, y, 3, "hint")
    frame = canvas.frame()
    assert [sum(len(text) for text, _ in row) for row in frame.rows] == [width] * height


WIDE = "王" + FILL


def test_a_wide_letter_that_is_drawn_over_or_cut_is_no_letter_any_more() -> None:
    canvas = Canvas(6, 1)
    canvas.put(0, 0, WIDE * 3, "text")
    canvas.put(1, 0, "x", "title")
    canvas.put(5, 0, WIDE, "text")
    assert "".join(text for text, _ in canvas.frame().rows[0]) == f"?x{WIDE}??"
    canvas.put(-1, 0, WIDE, "text")
    assert canvas.frame().text() == f" x{WIDE}??"
    over = Canvas.from_frame(canvas.frame())
    over.put(2, 0, "y", "text")
    assert over.frame().text() == " xy ??"


def test_both_cells_of_a_wide_letter_have_one_role() -> None:
    canvas = Canvas(4, 1)
    canvas.put(0, 0, WIDE * 2, "text")
    canvas.paint(1, 0, 2, "selected")
    assert canvas.frame().rows[0] == ((WIDE, "text"), (WIDE, "selected"))


def test_nothing_that_a_terminal_obeys_is_in_a_frame() -> None:
    canvas = Canvas(12, 1)
    canvas.put(0, 0, f"\x1b]5\x07\x9b\u202e\u2028\n\x7fx{WIDE}", "text")
    assert canvas.frame().text() == f"?]5??????x{WIDE}"


STROKES = st.lists(
    st.tuples(
        st.integers(-3, 12),
        st.one_of(
            st.integers(0, 5),
            st.sampled_from(("a", "bcd", "e fg", "", "\u05e9\u05dc\u05d5\u05dd", f"\u5b57{FILL}x", "\x1b")),
        ),
        st.sampled_from(("ground", "key", "chat")),
    ),
    max_size=4,
)


@given(STROKES, STROKES)
def test_a_row_of_few_strokes_looks_as_if_it_had_many(first: list[Any], second: list[Any]) -> None:
    """Few strokes split a row's runs, many go through its cells."""

    def draw(canvas: Canvas, strokes: list[Any]) -> Frame:
        for x, what, role in strokes:
            if isinstance(what, int):
                canvas.paint(x, 0, what, role)
            else:
                canvas.put(x, 0, what, role)
        return canvas.frame()

    padding = [(0, " ", "ground")] * 5
    few = draw(Canvas(10, 1), first)
    assert draw(Canvas(10, 1), [*padding, *first]) == few
    text, role = few.rows[0][0]
    assert draw(Canvas.from_frame(few), [*[(0, text, role)] * 5, *second]) == draw(
        Canvas.from_frame(few), second
    )


NAMES = ("עומר", "דנה כהן", "علي", "מיכל2")
SAID = (("עומר", "שלום 5 ימים, 12"), ("דנה כהן", "לא"), ("", "עומר is watching"), ("علي", "٣ 4"))
TALK = {"chat", "input"}


def turned(frame: Frame) -> list[str]:
    """Numbers and names that a terminal would put elsewhere: behind such a letter, and nothing holds them."""
    found = []
    for row in frame.rows:
        cells = [(char, role) for text, role in row for char in text]
        last: int | None = None
        for at, (char, role) in enumerate(cells):
            direction = unicodedata.bidirectional(char)
            if direction == "L":
                last = None
            elif direction in {"R", "AL", "AN", "EN"}:
                if last is not None and not (
                    at - last == 1
                    or (at - last == 2 and direction != "EN")
                    or (role in TALK and {each for _, each in cells[last : at + 1]} == {role})
                ):
                    found.append("".join(char for char, _ in cells))
                if direction != "EN" or last is not None:
                    last = at
    return found


def drawn(*pieces: tuple[str, str]) -> Frame:
    canvas, x = Canvas(40, 1), 0
    for text, role in pieces:
        x = canvas.put(x, 0, clean(text), role)
    return canvas.frame()


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ([("עומר 12", "name")], f"עומר{LTR_BLANK}12"),
        (
            [("עומר", "name"), ("  12  ", "points"), ("דנה", "name"), (" 9", "points")],
            f"עומר{LTR_BLANK} 12  דנה{LTR_BLANK}9",
        ),
        ([("דנה כהן  ", "name"), ("7", "points")], f"דנה כהן{LTR_BLANK} 7"),
        ([("מיכל2 7", "name")], f"מיכל2{LTR_BLANK}7"),
        ([("علي, دنا", "name")], f"علي,{LTR_BLANK}دنا"),
        (
            [("דנה  ", "chat-name"), ("שלום 5 ימים", "chat"), ("   12", "points")],
            f"דנה{LTR_BLANK} שלום 5 ימים{LTR_BLANK}  12",
        ),
        ([("דנה  ", "name"), ("sits 12", "name")], f"דנה{LTR_BLANK} sits 12"),
        ([("ann 12  bob 9", "name")], "ann 12  bob 9"),
        ([("עומר", "name")], "עומר"),
    ],
)
def test_a_blank_that_holds_stands_behind_what_turns(pieces: list[tuple[str, str]], text: str) -> None:
    frame = drawn(*pieces)
    assert frame.text() == text
    assert turned(frame) == []
    assert [role for piece, role in frame.rows[0] for _ in piece][: len(text)] == [
        role for piece, role in pieces for _ in clean(piece)
    ][: len(text)]
    # Drawn over once more it is the same.
    canvas = Canvas.from_frame(frame)
    canvas.paint(0, 0, 0, "x")
    assert canvas.frame() == frame


def test_such_a_blank_is_one_cell_and_strong() -> None:
    assert clean(LTR_BLANK) == LTR_BLANK
    assert len(clean(LTR_BLANK)) == 1
    assert unicodedata.bidirectional(LTR_BLANK) == "L"
    assert unicodedata.east_asian_width(LTR_BLANK) == "N"


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40), (160, 50), (200, 60)])
def test_a_table_of_such_names_keeps_its_columns(size: tuple[int, int]) -> None:
    around = msgspec.structs.replace(AROUND, said=SAID)
    for shown in shown_states("1974", 4):
        frames = []
        for names in (NAMES, tuple("x" * len(name) for name in NAMES)):
            seats = tuple(
                msgspec.structs.replace(seat, name=name)
                for seat, name in zip(shown.table.seats, names, strict=True)
            )
            table: TableView = msgspec.structs.replace(shown.table, seats=seats)
            said = tuple((name and names[NAMES.index(name)], text) for name, text in SAID)
            frames.append(
                CARTINO_SCREEN.draw(
                    table, view_of(table), NOWHERE, Look(*size), msgspec.structs.replace(around, said=said)
                )
            )
        assert turned(frames[0]) == [], shown.name
        there, plainly = (frame.text().replace(LTR_BLANK, " ") for frame in frames)
        assert [len(row.rstrip()) for row in there.split("\n")] == [len(row) for row in plainly.split("\n")]


def test_ascii_has_nothing_of_it() -> None:
    assert plain(f"עומר{LTR_BLANK}12").endswith("12")
    canvas = Canvas(10, 1)
    canvas.put(0, 0, plain("עומר 12"), "name")
    assert canvas.frame().text() == "???? 12"


def test_the_same_objects_give_the_same_value_and_equal_ones_another() -> None:
    remembered: IdentityCache[object] = IdentityCache(8)
    one, twin = [1], [1]
    assert remembered.get((one,), "x", object) is remembered.get((one,), "x", object)
    assert remembered.get((one,), "x", object) is not remembered.get((twin,), "x", object)
    assert remembered.get((one,), "x", object) is not remembered.get((one,), "y", object)


def test_the_oldest_are_forgotten() -> None:
    remembered: IdentityCache[object] = IdentityCache(2)
    held = [[n] for n in range(3)]
    first = remembered.get((held[0],), None, object)
    remembered.get((held[1],), None, object)
    assert remembered.get((held[0],), None, object) is first
    remembered.get((held[2],), None, object)
    assert remembered.get((held[0],), None, object) is first
    second = object()
    assert remembered.get((held[1],), None, lambda: second) is second, "it was used least lately"


DOT = (" · ", "rule")


def shown(rows: list[tuple[tuple[str, str], ...]]) -> list[str]:
    return ["".join(text for text, _ in row) for row in rows]


def test_labels_stand_side_by_side_as_long_as_they_fit() -> None:
    labels = [[("one", "a")], [("two", "b")], [("three", "c")]]
    assert shown(flow_labels(labels, DOT, 99)) == ["one · two · three"]
    assert shown(flow_labels(labels, DOT, 9)) == ["one · two", "three"]
    assert shown(flow_labels(labels, DOT, 8)) == ["one", "two", "three"]
    assert shown(flow_labels([], DOT, 8)) == []


@given(st.lists(st.text("ab", min_size=1, max_size=12)), st.integers(1, 30))
def test_no_label_is_broken_and_none_is_lost(labels: list[str], cells: int) -> None:
    rows = flow_labels([[(label, "a")] for label in labels], DOT, cells)
    assert [label for row in shown(rows) for label in row.split(" · ")] == labels
    assert all(row_width(row) <= cells or len(row) == 1 for row in rows)


def test_a_sentence_takes_the_rows_that_it_needs_and_nothing_none() -> None:
    assert wrap_rows("The line is lost.", "status", 9) == [
        (("The line", "status"),),
        (("is lost.", "status"),),
    ]
    assert wrap_rows("", "status", 9) == []
    assert shown(wrap_rows("Léa…", "status", 9, ascii=True)) == ["Lea~"]


def test_rows_are_drawn_one_below_the_other() -> None:
    canvas = Canvas(8, 3)
    assert put_row(canvas, 1, 0, (("a", "text"), ("bc", "dim"))) == 4
    assert put_rows(canvas, 0, 1, [(("x", "text"),), ()]) == 3
    assert canvas.frame().text() == " abc\nx\n"


def test_the_first_text_that_fits_is_the_one_that_says_most() -> None:
    texts = ("lines 1 to 9 of 20", "1-9/20")
    assert [first_that_fits(texts, cells) for cells in (18, 17, 6, 5)] == [texts[0], texts[1], texts[1], ""]
