"""Names and talk written from right to left turn nothing round that stands beside them."""

import unicodedata

import msgspec
import pytest

from cartino_games.cartino.screen.pointer import NOWHERE
from cartino_protocol.views import TableView
from cartino_tui.draw.canvas import LTR_BLANK, Canvas, Frame
from cartino_tui.draw.text import clean, plain
from cartino_tui.game_port.screen import Look
from tests.support.cartino_table import AROUND, CARTINO_SCREEN, view_of
from tests.support.table_states import shown_states

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
