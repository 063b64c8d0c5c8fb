"""The end as a scene: who won and why, the accounts, the course, the proof, at every size whole."""

import hashlib
import itertools
from collections.abc import Iterator

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from cartino_games.cartino.board import Edition
from cartino_games.cartino.screen.pointer import CartinoPointer
from cartino_games.kit.result import Page
from cartino_protocol.views import ResultView, TableView
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look
from tests.support.cartino import random_game
from tests.support.cartino_table import AROUND, CARTINO_SCREEN, NAMES, SAID, table_of, view_of
from tests.support.games import DARK
from tests.support.languages import in_others
from tests.support.pseudo import in_pseudo, plain_words
from tests.support.sizes import each_size, sizes, with_seats
from tests.support.whole import drawn_whole

EDITIONS: tuple[Edition, ...] = ("1974", "1969")
ENDS = {
    (edition, seats): [state for state, _ in random_game(3, edition, seats)][-1]
    for edition in EDITIONS
    for seats in (2, 3, 4)
}
SEED = "3fa9c2d1" * 8
HINTS = (("x", "cut"), ("t", "talk"), ("r", "again"), ("?", "help"), ("q", "leave"))
FINISHED = msgspec.structs.replace(AROUND, hints=HINTS)
LET_THROUGH = (
    *(part for name in NAMES for part in name.split()),
    *(what for _, what in HINTS),
    AROUND.facts,
    "SHA",
    "Cartino",
)
PAGES: tuple[Page, ...] = ("result", "course")
SIZES = {
    "60x20": Look(60, 20),
    "80x24": Look(80, 24),
    "120x40": Look(120, 40),
    "160x50": Look(160, 50),
}
sized = pytest.mark.parametrize("look", SIZES.values(), ids=SIZES.keys())


def finished(edition: Edition, seats: int, you: int | None = 0) -> TableView:
    """A game that is over, whose seed has the promised hash, with one who would play again."""
    promise = hashlib.sha256(bytes.fromhex(SEED)).hexdigest()
    table = table_of(ENDS[edition, seats], you)
    return msgspec.structs.replace(table, seed=SEED, commitment=promise, again=(1,))


def shown(table: TableView, page: Page, look: Look) -> Frame:
    return CARTINO_SCREEN.draw(table, view_of(table), CartinoPointer(page=page), look, FINISHED)


@sized
def test_result(look: Look, snapshot: SnapshotAssertion) -> None:
    """Proves that the end says who won and why, and has every player's bonuses and penalties in a line."""
    assert shown(finished("1974", 4), "result", look).text() == snapshot


@sized
def test_course(look: Look, snapshot: SnapshotAssertion) -> None:
    """Proves that the course of all totals is drawn at every size, with promise, seed and verdict whole."""
    assert shown(finished("1969", 3), "course", look).text() == snapshot


def test_result_of_two(snapshot: SnapshotAssertion) -> None:
    """Proves that a small table leaves room for the chart and the talk at 80 by 24."""
    assert shown(finished("1969", 2, None), "result", SIZES["80x24"]).text() == snapshot


def test_ascii(snapshot: SnapshotAssertion) -> None:
    """Proves that nothing of the end needs more than ASCII: players' courses are told apart by their marks."""
    look = Look(80, 24, ascii=True)
    text = "\n".join(shown(finished("1974", 4), page, look).text() for page in PAGES)
    assert text.isascii()
    assert text == snapshot


def a_tie(table: TableView) -> TableView:
    """The same where all share the win and all want another game: the most that there is to say."""
    seats = tuple(range(len(table.seats)))
    return msgspec.structs.replace(table, again=seats, result=ResultView((101,) * len(seats), seats, "out"))


def looks(every: bool) -> Iterator[Look]:
    widths, heights = (60, 61, 79, 80, 100, 120, 159, 160, 200), (20, 21, 24, 33, 40, 50, 60)
    for width, height in sizes([*itertools.product(widths, heights)], every=every):
        yield Look(width, height)
        yield in_pseudo(Look(width, height))
        yield from in_others(Look(width, height))
        yield Look(width, height, ascii=True)


@each_size
@with_seats
@pytest.mark.parametrize("edition", EDITIONS)
def test_at_every_size_all_is_whole(edition: Edition, seats: int, every: bool) -> None:
    said = {text for line in SAID for text in line if text}
    table = finished(edition, seats)
    names = [part for name in NAMES for part in name.split()]
    whole: list[tuple[TableView, Page]] = [(table, page) for page in (*PAGES, "board")]
    whole += [(a_tie(table), "result"), (a_tie(table), "board")]
    for look in looks(every):
        for each, page in whole:
            with drawn_whole(*names, *said) as faults:
                frame = shown(each, page, look)
            assert faults == [], (look.width, look.height, page)
            text = frame.text()
            assert len(frame.rows) == look.height
            if page == "course":
                # In one piece, or in two rows of half of it.
                assert SEED in text or text.count(SEED[:32]) == 2
            if look.translator.name == "xx":
                hexes = (SEED, SEED[:32], table.commitment, table.commitment[:32], table.commitment[32:])
                assert plain_words(frame, *LET_THROUGH, *said, *hexes) == []


def test_the_headings_are_whole_where_they_have_room_for_all_of_it() -> None:
    assert "five stones" in shown(finished("1974", 4), "result", SIZES["120x40"]).text()
    assert "five stones" not in shown(finished("1974", 4), "result", SIZES["60x20"]).text()


def test_another_shuffle_than_the_promised_one_is_said_so() -> None:
    table = msgspec.structs.replace(finished("1974", 2), commitment="0" * 64)
    assert "The seed doesn't match the hash" in shown(table, "course", SIZES["80x24"]).text()


def test_a_game_without_course_and_seed_still_has_its_end() -> None:
    """An older server tells neither."""
    table = msgspec.structs.replace(finished("1974", 2), seed="")
    view = msgspec.structs.replace(view_of(table), course=(), fives=())
    for page in PAGES:
        frame = CARTINO_SCREEN.draw(table, view, CartinoPointer(page=page), SIZES["80x24"], FINISHED)
        assert "┤" not in frame.text()
        assert SEED not in frame.text()


def test_every_role_is_known_to_the_theme() -> None:
    roles = {
        role
        for page in PAGES
        for row in shown(finished("1974", 4), page, SIZES["80x24"]).rows
        for _, role in row
    }
    assert roles - set(DARK.styles) == set()


def test_keys_turn_the_pages_and_a_click_on_their_hint_does() -> None:
    table = finished("1974", 4)
    pointer = CARTINO_SCREEN.fresh()
    seen = []
    for key in ("tab", "right", "l", "left", "escape"):
        seen.append(pointer.page)
        reaction = CARTINO_SCREEN.key(table, view_of(table), pointer, key)
        assert reaction.taken
        pointer = CARTINO_SCREEN.update_pointer(table, view_of(table), reaction.pointer)
    assert seen == ["result", "course", "board", "result", "board"]
    assert pointer.page == "result"
    look = SIZES["80x24"]
    hint = shown(table, "result", look).text().split("\n")[-1].index("next page")
    clicked = CARTINO_SCREEN.click(table, view_of(table), pointer, look, hint, look.height - 1)
    assert clicked.pointer.page == "course"
    assert not CARTINO_SCREEN.key(table, view_of(table), pointer, "r").taken
