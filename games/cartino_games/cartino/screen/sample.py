"""A few cards and stones as they look in the person's settings."""

from collections.abc import Sequence
from typing import Final

from cartino_games.cartino.board import JOKER
from cartino_games.cartino.marks import marks_for
from cartino_games.cartino.screen.scene import suit_of
from cartino_tui.draw.canvas import Row
from cartino_tui.game_port.screen import Look

_COURTS: Final = ("AS", "KH", "QD", "JC")
_STATES: Final = (("JS", "legal"), ("JH", "cursor"), ("JD", "picked"))


def sample(look: Look) -> tuple[Row, ...]:
    """Return a row of cards, with a legal spot, the cursor and a picked stone behind them, and a row of stones."""
    printed = [(name, "printed") for name in _COURTS]
    stones = [(name, "stone") for name in (*_COURTS, JOKER)]
    return (*_cards(look, printed), (" ", "ground"), *_cards(look, _STATES)), _cards(look, stones)


def _cards(look: Look, cards: Sequence[tuple[str, str]]) -> Row:
    marks = marks_for(look)
    return tuple(
        run
        for name, state in cards
        for run in ((f" {marks.card(name)} ", f"{state}-{suit_of(name)}"), (" ", "ground"))
    )
