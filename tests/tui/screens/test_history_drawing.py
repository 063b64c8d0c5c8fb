"""What the list of finished games looks like. Each picture says in its test's sentence what it proves."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import ENGLISH
from cartino_tui.screens.history import (
    LIST_TOP,
    HistoryModel,
    draw_history,
    game_at_row,
    history_hints,
    list_height,
)
from cartino_tui.widgets.help import draw_help, history_help
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


def listed(cursor: int = 1) -> HistoryModel:
    return HistoryModel("all", "", GAMES, cursor=cursor, arrived=True, status="A sentence about it.")


def drawn(model: HistoryModel, look: Look) -> Frame:
    return draw_history(model, look, TOYS, history_hints(model))


@LOOKS
def test_a_list_with_every_kind_of_game(snapshot: SnapshotAssertion, look: Look) -> None:
    """Two who share a win among four long names; bots; a loss below nought; one abandoned; an unknown game."""
    assert whole(drawn(listed(), look), look) == snapshot


@pytest.mark.parametrize(
    "model",
    [
        HistoryModel(waiting=True),
        HistoryModel(),
        HistoryModel("all", arrived=True),
        HistoryModel("mine", arrived=True),
        HistoryModel("player", LONGEST, arrived=True),
    ],
    ids=["not yet", "not at all", "all", "mine", "player"],
)
def test_an_empty_list_says_why(snapshot: SnapshotAssertion, model: HistoryModel) -> None:
    """It is not here yet, it did not come, or there is nothing in it, each in words of its own."""
    assert whole(drawn(model, SMALL), SMALL) == snapshot


def test_a_long_list_of_a_player_shows_that_there_is_more_both_ways(snapshot: SnapshotAssertion) -> None:
    games = tuple(past(number, f"{LONGEST} Bo") for number in range(90, 40, -1))
    model = HistoryModel("player", LONGEST, games, more=True, cursor=30, top=20, arrived=True)
    assert whole(drawn(model, SMALL), SMALL) == snapshot


@LOOKS
def test_the_help_of_the_list(snapshot: SnapshotAssertion, look: Look) -> None:
    assert whole(draw_help(history_help(ENGLISH), look), look) == snapshot


def test_the_last_page_that_is_here_shows_that_the_house_has_more() -> None:
    model = HistoryModel("all", "", GAMES, arrived=True)
    for more in (False, True):
        seen = drawn(msgspec.structs.replace(model, more=more), SMALL).text()
        assert ("↓" in seen) == more
        assert ("the newest 5" if more else "5 games") in seen


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "K7QP-4711 · Toy small · 2026-01-31 18:30 UTC · a player went out"),
        (1, "B4ZT-312 · Toy small · 2026-01-31 18:30 UTC · nobody could go on"),
        (2, "QQ2M-40 · Toy small · 2026-01-31 18:30 UTC · the points to win were reached"),
        (3, "M8RW-7 · Toy small · 2025-12-31 23:59 UTC · left before its end, so nobody has won"),
        (4, "Z9YX-3 · unknown-game · 2026-01-31 18:30 UTC"),
    ],
)
def test_the_marked_game_says_how_it_ended(number: int, words: str) -> None:
    assert words in " · ".join(below(listed(number), SMALL))


def below(model: HistoryModel, look: Look) -> list[str]:
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
    model = HistoryModel(games=tuple(past(number) for number in range(40, 0, -1)), top=7)
    height = list_height(SMALL)
    assert [game_at_row(model, SMALL, LIST_TOP + line) for line in range(height)] == list(
        range(7, 7 + height)
    )
    assert (game_at_row(model, SMALL, LIST_TOP - 1), game_at_row(model, SMALL, LIST_TOP + height)) == (
        None,
        None,
    )
    assert game_at_row(listed(), SMALL, LIST_TOP + len(GAMES)) is None


def test_the_hints_all_fit_or_are_behind_the_last_ones() -> None:
    for model in (listed(), msgspec.structs.replace(listed(), more=True), HistoryModel()):
        last = drawn(model, Look(96, 24)).text().splitlines()[-1]
        assert last.split() == " ".join(f"{key} {what}" for key, what in history_hints(model)).split()
        assert drawn(model, Look(60, 20)).text().splitlines()[-1].endswith(": more  ? help  q back")


def test_older_games_are_offered_where_there_are_some() -> None:
    assert ("PgDn", "older") not in history_hints(listed())
    assert ("PgDn", "older") in history_hints(msgspec.structs.replace(listed(), more=True))


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
    model = HistoryModel("player", LONGEST, games, cursor=cursor, arrived=True)
    rows = whole(drawn(model, look), look).splitlines()
    for row, game in zip(rows[LIST_TOP:], games, strict=False):
        assert game.name in row
        assert [total for total in game.totals if f" {total}" not in row] == []
    assert LONGEST in rows[2]
    assert any(games[cursor].name in row for row in rows[-6:])
