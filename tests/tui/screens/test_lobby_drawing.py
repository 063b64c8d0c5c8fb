"""The lobby of a large terminal: preview, people online, best players, games of a day. Small ones have the list."""

import pytest
from syrupy.assertion import SnapshotAssertion

from cartino_protocol.views import (
    Answer,
    Leader,
    OnlineView,
    PastGame,
    PreviewView,
    SummaryView,
    TopPlayers,
)
from tests.support.visit import line, lobby, toy_table
from tests.support.visit_script import visits
from tests.tui.conftest import Visiting

LARGE, SMALL = (120, 40), (80, 24)
OPEN, FULL, MINE = (
    line("K7QP", "Bo -"),
    line("B4ZT", "Bo Chika", "playing", 2, turn=(1,), clock="60s"),
    line("QQ2MQQ2M", "Ann Bo", "playing"),
)
ONLINE = OnlineView(("Ann", "Bo", "Chika", "Bartholomew_1234"))


def past(name: str, seats: tuple[str, ...], totals: tuple[int, ...]) -> PastGame:
    return PastGame(name, 1, "toy", {"size": "big"}, seats, totals, (0,), "out", "2026-01-31T12:00:00Z")


SUMMARY = SummaryView(
    "Café Kartenhaus",
    (
        TopPlayers("toy", (Leader(1, 7, "Bartholomew_1234", 1240, 9), Leader(2, 8, "Bo", 1100, 3))),
        TopPlayers("odd", (Leader(1, 8, "Bo", 1010, 1),)),
    ),
    (past("K7QP-2", ("Ann", "bot:greedy"), (20, 7)), past("K7QP-1", ("Bo", "Chika", "Dunja"), (20, 12, 3))),
)
HERE: tuple[Answer, ...] = (lobby(OPEN, FULL, people=5), ONLINE, SUMMARY)


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (115, 40), (120, 35), (116, 36), (120, 40), (160, 50)])
async def test_each_size_has_what_fits(
    visit: Visiting, snapshot: SnapshotAssertion, size: tuple[int, int]
) -> None:
    """From 116x36 on the panels stand around the list; below it is the list alone, place and people in its title."""
    async with visit(*HERE, size=size) as v:
        await v.hears(PreviewView("K7QP", toy_table("Bo -", "open", you=None)))
        assert v.text == snapshot


async def test_a_running_table_is_drawn_by_its_game(visit: Visiting, snapshot: SnapshotAssertion) -> None:
    """Title, code and spectators are in the frame; the game's title row and its last two rows are cut off."""
    async with visit(lobby(FULL), *HERE[1:], size=LARGE) as v:
        await v.hears(
            PreviewView("B4ZT", toy_table("Bo Chika", you=None, code="B4ZT", laid=3, watchers=("Eve", "Al")))
        )
        assert v.text == snapshot


async def test_an_empty_lobby_says_what_to_do_beside_the_panels(
    visit: Visiting, snapshot: SnapshotAssertion
) -> None:
    """With nothing to rank and no game over, the panels say so; there is no frame for a preview of nothing."""
    async with visit(lobby(people=1), OnlineView(("Ann",)), SummaryView(), size=LARGE) as v:
        assert v.text == snapshot


test_visits = visits(__file__)
