"""What the list of finished games looks like. Each picture says in its test's sentence what it proves."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from cartino_protocol.views import HistoryView, PastGame
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import ENGLISH
from cartino_tui.pages.history import HISTORY_PAGE, ended_ago
from cartino_tui.pages.page import Reader
from cartino_tui.screens.page_drawing import PageDrawing, PageModel, page_help, page_hints
from cartino_tui.widgets.app_screen import HintRow
from cartino_tui.widgets.help import draw_help
from cartino_tui.widgets.layout import glyphs
from tests.support.past import past, whole
from tests.support.visit import TOYS

SMALL, LARGE, PLAIN = Look(80, 24), Look(120, 40), Look(80, 24, ascii=True)
LOOKS = pytest.mark.parametrize("look", [SMALL, LARGE, PLAIN], ids=["80x24", "120x40", "ascii"])
LONGEST = "Bartholomew_1234"
FOUR = " ".join(f"Bartholomew_{n}234" for n in range(4))

GAMES = (
    past(4711, "Ann Léa[red]", (120, -5)),
    past(312, FOUR, (101, 98, 101, -12), (0, 2), code="B4ZT", reason="blocked"),
    past(40, "bot:greedy bot:random Ann", (10, 20, 5), (1,), code="QQ2M", reason="points"),
    past(7, "Ann Bo", (3, 0), (), code="M8RW", reason="abandoned", ended="2025-12-31T23:59:00Z"),
    past(3, "Ann Bo", (3, 9), (1,), code="Z9YX", game="unknown-game", reason="a new reason"),
)


READER = Reader(games=TOYS)
Model = PageModel[HistoryView]


def listed(cursor: int = 1, games: Sequence[PastGame] = GAMES, **view: Any) -> Model:
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
    assert whole(drawn(listed(), look), look) == snapshot


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


@LOOKS
def test_the_help_of_the_list(snapshot: SnapshotAssertion, look: Look) -> None:
    assert whole(draw_help(page_help(HISTORY_PAGE, (), ENGLISH), look), look) == snapshot


def test_the_last_page_that_is_here_shows_that_the_server_has_more() -> None:
    for more in (False, True):
        seen = drawn(listed(0, more=more), SMALL).text()
        assert ("↓" in seen) == more
        assert ("latest 5" if more else "5 games") in seen


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "K7QP-4711 · Toy small · 2026-01-31 · a player laid all their stones"),
        (1, "B4ZT-312 · Toy small · 2026-01-31 · nobody could lay a stone"),
        (2, "QQ2M-40 · Toy small · 2026-01-31 · the winning score was reached"),
        (3, "M8RW-7 · Toy small · 2025-12-31 · abandoned before the end, so nobody won"),
        (4, "Z9YX-3 · unknown-game · 2026-01-31"),
    ],
)
def test_the_marked_game_says_how_it_ended(number: int, words: str) -> None:
    assert words in " · ".join(below(listed(number), SMALL))


def below(model: Model, look: Look) -> list[str]:
    """What stands below the list, row by row."""
    rows = drawn(model, look).text().splitlines()
    rule = max(y for y, row in enumerate(rows) if row.startswith(glyphs(look).line))
    return [row.strip() for row in rows[rule + 1 :]]


@pytest.mark.parametrize("look", [SMALL, PLAIN], ids=["80x24", "ascii"])
def test_a_winner_has_a_mark_and_not_a_colour_alone(look: Look) -> None:
    star, dot = glyphs(look).won, glyphs(look).dot
    players = f" {dot} ".join(below(listed(1), look)[:2]).split(f" {dot} ")
    assert [label.startswith(star) for label in players] == [True, False, True, False]
    assert star not in below(listed(3), look)[0]


def test_a_row_of_the_list_is_its_game_and_no_other_row_is_any() -> None:
    games = tuple(past(number) for number in range(40, 0, -1))
    drawing = laid_out(PageModel(HistoryView("all", "", games, more=False), 10, 7), SMALL)
    top, height = drawing.list_top, drawing.height
    assert [drawing.row_at(top + line) for line in range(height)] == list(range(7, 7 + height))
    assert (drawing.row_at(top - 1), drawing.row_at(top + height)) == (None, None)
    few = laid_out(listed(), SMALL)
    assert few.row_at(few.list_top + len(GAMES)) is None


def test_the_hints_all_fit_or_are_behind_the_last_ones() -> None:
    for model in (listed(), listed(more=True), Model()):
        last = drawn(model, Look(96, 24)).text().splitlines()[-1]
        assert last.split() == " ".join(f"{key} {what}" for key, what in hints(model)).split()
        assert drawn(model, Look(60, 20)).text().splitlines()[-1].endswith(": more  ? help  q back")


def test_older_games_are_offered_where_there_are_some() -> None:
    assert ("PgDn", "older") not in hints(listed())
    assert ("PgDn", "older") in hints(listed(more=True))


@given(
    width=st.integers(80, 200),
    height=st.integers(24, 60),
    ascii=st.booleans(),
    cursor=st.integers(0, len(GAMES) - 1),
    totals=st.lists(st.integers(-99, 999), min_size=4, max_size=4),
)
def test_in_every_size_no_name_of_a_game_and_no_total_is_cut(
    width: int, height: int, ascii: bool, cursor: int, totals: list[int]
) -> None:
    look = Look(width, height, ascii)
    games = (past(99999, FOUR, totals, (1, 3)), *GAMES[1:])
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
    game = msgspec.structs.replace(GAMES[0], ended="2026-01-31T18:30:00Z")
    assert ended_ago(game, Reader(now=ended + seconds)) == said


@pytest.mark.parametrize("ended", ["", "soon", "2026-01-31"])
def test_an_end_that_is_no_time_is_shown_as_it_is(ended: str) -> None:
    assert ended_ago(msgspec.structs.replace(GAMES[0], ended=ended), Reader(now=1)) == ended[:10]
