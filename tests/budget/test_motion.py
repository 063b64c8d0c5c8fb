"""What it costs to show that a stone was laid, at 80 by 24 cells and 256 colours. Counted, not timed."""

from collections.abc import Iterator
from statistics import mean

import pytest

from cartino_games.cartino.board import Edition
from cartino_games.cartino.screen.pointer import NOWHERE
from cartino_protocol.base import Seat
from tests.support.cartino_table import AROUND, CARTINO_SCREEN, SMALL, table_of, view_of
from tests.support.played import PLAYED
from tests.support.window import Window

MOST_A_LAY = 2048
"""Bytes: promised of all pictures of a lay, with the one that stays."""
OUGHT_TO = 1800
"""None takes more as it is: 1,796 at most over these games, where hand and hints change with the turn."""


def lays(edition: Edition, you: Seat | None) -> Iterator[int]:
    """The bytes of every lay of a game of four, each picture sent."""
    window = Window(own=you is not None)
    states = PLAYED[f"cartino {edition}"].states(4)
    before = view_of(table_of(states[0], you))
    for state in states:
        table = table_of(state, you)
        view = view_of(table)
        numbers = range(CARTINO_SCREEN.pictures(before, view))
        moving = [
            window.bytes_of(CARTINO_SCREEN.draw_picture(table, view, NOWHERE, SMALL, AROUND, before, number))
            for number in numbers
        ]
        still = window.bytes_of(CARTINO_SCREEN.draw(table, view, NOWHERE, SMALL, AROUND))
        if moving:
            yield sum(moving) + still
        before = view


@pytest.mark.parametrize("you", [None, 0])
@pytest.mark.parametrize("edition", ["1974", "1969"])
def test_a_lay_is_shown_in_less_than_2_kb(edition: Edition, you: Seat | None) -> None:
    found = list(lays(edition, you))
    assert len(found) > 50
    assert max(found) <= OUGHT_TO < MOST_A_LAY
    assert mean(found) <= 850
