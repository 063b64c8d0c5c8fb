"""`ssh host games --finished`, for machines and for people."""

import json
from collections.abc import Sequence

import msgspec
import pytest

from cartino_protocol.views import HistoryView, PastGame
from cartino_server.commands.context import shell_reader
from cartino_tui.pages.history import GAMES_PER_PAGE, HISTORY_PAGE
from cartino_tui.pages.page import page_json, page_text

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


def finished_json(games: Sequence[PastGame]) -> str:
    return page_json(HISTORY_PAGE, listed(games), shell_reader())


def finished_text(games: Sequence[PastGame], *, pruned: bool = False) -> str:
    return page_text(HISTORY_PAGE, listed(games, pruned=pruned), shell_reader())


def test_json_has_what_scripts_need() -> None:
    assert json.loads(finished_json(GAMES))[0] == {
        "name": "K7QP-12",
        "number": 12,
        "game": "cartino",
        "options": {"edition": "1974"},
        "seats": ["ann", "bot:greedy"],
        "totals": [31, -4],
        "winners": [0],
        "reason": "out",
        "ended": "2026-01-02T03:04:05Z",
    }
    assert json.loads(finished_json(())) == []


def test_text_is_a_line_a_game() -> None:
    assert finished_text(GAMES).splitlines() == [
        "K7QP-12   2026-01-02  Cartino 1974  ann 31 (won), bot greedy -4; a player laid all their stones",
        "AB2C-9    2026-01-01  Cartino 1969  bot 7 (won), ann 7 (won); nobody could lay a stone",
    ]
    assert finished_text(()) == "No finished games here.\n"


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
