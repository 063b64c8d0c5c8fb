"""The list of finished games: as a picture, in the app, as text, and as JSON."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from cartino_protocol.views import HistoryView, PastGame
from cartino_server.commands.context import shell_reader
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look
from cartino_tui.pages.history import GAMES_PER_PAGE, HISTORY_PAGE, ended_ago
from cartino_tui.pages.page import Reader, page_json, page_text
from cartino_tui.screens.page_drawing import PageDrawing, PageModel, page_hints
from cartino_tui.widgets.app_screen import HintRow
from tests.support.past import past, whole
from tests.support.visit import TOYS
from tests.support.visit_script import visits

SMALL, LARGE, PLAIN = Look(80, 24), Look(120, 40), Look(80, 24, ascii=True)
LOOKS = pytest.mark.parametrize("look", [SMALL, LARGE, PLAIN], ids=["80x24", "120x40", "ascii"])
LONGEST = "Bartholomew_1234"
FOUR = " ".join(f"Bartholomew_{n}234" for n in range(4))
PICTURED = (
    past(4711, "Ann Léa[red]", (120, -5)),
    past(312, FOUR, (101, 98, 101, -12), (0, 2), code="B4ZT", reason="blocked"),
    past(40, "bot:greedy bot:random Ann", (10, 20, 5), (1,), code="QQ2M", reason="points"),
    past(7, "Ann Bo", (3, 0), (), code="M8RW", reason="abandoned", ended="2025-12-31T23:59:00Z"),
    past(3, "Ann Bo", (3, 9), (1,), code="Z9YX", game="unknown-game", reason="a new reason"),
)
READER = Reader(games=TOYS)
Model = PageModel[HistoryView]


def model_of(cursor: int = 1, games: Sequence[PastGame] = PICTURED, **view: Any) -> Model:
    history = HistoryView(**{"of": "all", "name": "", "games": tuple(games), "more": False, **view})
    return PageModel(history, cursor, status="A sentence about it.")


def laid_out(model: Model, look: Look) -> PageDrawing[HistoryView, PastGame]:
    return PageDrawing(HISTORY_PAGE, model, look, READER)


def drawn(model: Model, look: Look) -> Frame:
    return laid_out(model, look).frame(hints(model))


def hints(model: Model) -> HintRow:
    return page_hints(HISTORY_PAGE, model.view, READER)


@LOOKS
def test_a_list_with_every_kind_of_game(snapshot: SnapshotAssertion, look: Look) -> None:
    """Two who share a win among four long names; bots; a loss below nought; one abandoned; an unknown game."""
    assert whole(drawn(model_of(), look), look) == snapshot


@pytest.mark.parametrize(
    "model",
    [
        Model(waiting=True),
        Model(),
        Model(HistoryView("all", "", (), more=False)),
        Model(HistoryView("mine", "", (), more=False)),
        Model(HistoryView("player", LONGEST, (), more=False)),
    ],
    ids=["not yet", "not at all", "all", "mine", "player"],
)
def test_an_empty_list_says_why(snapshot: SnapshotAssertion, model: Model) -> None:
    """It is not here yet, it did not come, or there is nothing in it, each in words of its own."""
    assert whole(drawn(model, SMALL), SMALL) == snapshot


def test_a_long_list_of_a_player_shows_that_there_is_more_both_ways(snapshot: SnapshotAssertion) -> None:
    games = tuple(past(number, f"{LONGEST} Bo") for number in range(90, 40, -1))
    model = PageModel(HistoryView("player", LONGEST, games, more=True), 30, 20)
    assert whole(drawn(model, SMALL), SMALL) == snapshot


def test_a_row_of_the_list_is_its_game_and_no_other_row_is_any() -> None:
    games = tuple(past(number) for number in range(40, 0, -1))
    drawing = laid_out(PageModel(HistoryView("all", "", games, more=False), 10, 7), SMALL)
    top, height = drawing.list_top, drawing.height
    assert [drawing.row_at(top + line) for line in range(height)] == list(range(7, 7 + height))
    assert (drawing.row_at(top - 1), drawing.row_at(top + height)) == (None, None)
    few = laid_out(model_of(), SMALL)
    assert few.row_at(few.list_top + len(PICTURED)) is None


@given(
    width=st.integers(80, 200),
    height=st.integers(24, 60),
    ascii=st.booleans(),
    cursor=st.integers(0, len(PICTURED) - 1),
    totals=st.lists(st.integers(-99, 999), min_size=4, max_size=4),
)
def test_in_every_size_no_name_of_a_game_and_no_total_is_cut(
    width: int, height: int, ascii: bool, cursor: int, totals: list[int]
) -> None:
    look = Look(width, height, ascii)
    games = (past(99999, FOUR, totals, (1, 3)), *PICTURED[1:])
    model = PageModel(HistoryView("player", LONGEST, games, more=False), cursor)
    rows = whole(drawn(model, look), look).splitlines()
    for row, game in zip(rows[laid_out(model, look).list_top :], games, strict=False):
        assert game.name in row
        assert [total for total in game.totals if f" {total}" not in row] == []
    assert LONGEST in rows[2]
    assert any(games[cursor].name in row for row in rows[-6:])


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-40, "just now"),
        (59, "just now"),
        (60, "1 min ago"),
        (3599, "59 min ago"),
        (3600, "1 h ago"),
        (86_399, "23 h ago"),
        (86_400, "1 day ago"),
        (6 * 86_400, "6 days ago"),
        (7 * 86_400, "2026-01-31"),
        (-3600, "2026-01-31"),
    ],
)
def test_a_game_of_the_last_days_ended_so_long_ago(seconds: int, said: str) -> None:
    ended = int(datetime(2026, 1, 31, 18, 30, tzinfo=UTC).timestamp())
    game = msgspec.structs.replace(PICTURED[0], ended="2026-01-31T18:30:00Z")
    assert ended_ago(game, Reader(now=ended + seconds)) == said


@pytest.mark.parametrize("ended", ["", "soon", "2026-01-31"])
def test_an_end_that_is_no_time_is_shown_as_it_is(ended: str) -> None:
    assert ended_ago(msgspec.structs.replace(PICTURED[0], ended=ended), Reader(now=1)) == ended[:10]


test_visits = visits(__file__)

GAMES = (
    PastGame(
        name="K7QP-12",
        number=12,
        game="cartino",
        options={"edition": "1974"},
        seats=("ann", "bot:greedy"),
        totals=(31, -4),
        winners=(0,),
        reason="out",
        ended="2026-01-02T03:04:05Z",
    ),
    PastGame(
        name="AB2C-9",
        number=9,
        game="cartino",
        options={"edition": "1969"},
        seats=("bot", "ann"),
        totals=(7, 7),
        winners=(0, 1),
        reason="blocked",
        ended="2026-01-01T00:00:00Z",
    ),
)


def listed(games: Sequence[PastGame], *, pruned: bool = False) -> HistoryView:
    return HistoryView("all", "", tuple(games), len(games) == GAMES_PER_PAGE, pruned)


def finished_text(games: Sequence[PastGame], *, pruned: bool = False) -> str:
    return page_text(HISTORY_PAGE, listed(games, pruned=pruned), shell_reader())


@pytest.mark.parametrize("games", [GAMES, ()], ids=["games", "none"])
def test_games_as_text_and_as_json(games: Sequence[PastGame], snapshot: SnapshotAssertion) -> None:
    assert finished_text(games) + page_json(HISTORY_PAGE, listed(games), shell_reader()) == snapshot


def test_the_end_says_that_older_games_are_gone() -> None:
    gone = "Older games are no longer kept."
    assert finished_text((), pruned=True) == f"{gone}\n"
    assert finished_text(GAMES, pruned=True).splitlines()[2:] == [gone]
    assert gone not in finished_text(GAMES[:1] * GAMES_PER_PAGE, pruned=True)


@pytest.mark.parametrize("reason", ["out", "blocked", "points", "abandoned"])
def test_every_reason_is_told_in_words(reason: str) -> None:
    line = finished_text([msgspec.structs.replace(GAMES[0], reason=reason)])
    assert len(line.split("; ")[1].split()) >= 3


def test_a_full_answer_says_how_to_go_on() -> None:
    many = GAMES[:1] * (GAMES_PER_PAGE - 1) + GAMES[1:]
    assert finished_text(many).splitlines()[GAMES_PER_PAGE:] == [
        "There may be more: `ssh HOST games --finished --before AB2C-9`."
    ]
    assert len(finished_text(many[1:]).splitlines()) == GAMES_PER_PAGE - 1
