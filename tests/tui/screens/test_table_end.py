"""The end of a real game on its screen: its pages and another game, by keys and by the mouse."""

import msgspec
import pytest

from cartino_protocol.commands import Rematch
from cartino_protocol.views import TableView
from tests.support.cartino import random_game
from tests.support.cartino_table import table_of
from tests.support.games import SCREENS
from tests.tui.conftest import Visiting

STATES = [state for state, _ in random_game(3, "1974", 2)]
SIZES = [(60, 20), (80, 24), (160, 50)]


def finished(again: tuple[int, ...] = ()) -> TableView:
    return msgspec.structs.replace(table_of(STATES[-1], 0), again=again)


def shows_board(text: str) -> bool:
    """Whether both halves of these cards are there."""
    return all(text.count(card) >= 2 for card in ("A♠", "7♥", "J♣", "Q♦"))


@pytest.mark.parametrize("size", SIZES)
async def test_pages_are_turned_by_key_and_by_click(visit: Visiting, size: tuple[int, int]) -> None:
    async with visit(finished(), game_screens=SCREENS, size=size) as v:
        assert "You win with 150." in v.text
        await v.click("next page")
        assert "Totals by turn" in v.text
        assert "You win with 150." not in v.text
        await v.types("tab")
        assert shows_board(v.text)
        await v.types("escape")
        assert "You win with 150." in v.text
        assert v.link.sent == []


@pytest.mark.parametrize("size", SIZES)
async def test_another_game_is_wanted_by_click_and_who_wants_it_is_seen(
    visit: Visiting, size: tuple[int, int]
) -> None:
    async with visit(finished(), game_screens=SCREENS, size=size) as v:
        await v.click("r rematch")
        await v.says(Rematch())
        await v.hears(finished(again=(0,)))
        assert "Ready for a rematch: Bartholomew XVI." in v.text
        said = " ".join(v.text.split())
        assert "Rematch requested. Waiting for the others." in said


async def test_the_next_game_begins_on_its_board_and_ends_on_its_result(visit: Visiting) -> None:
    async with visit(finished(), game_screens=SCREENS) as v:
        v.app.context.preferences.choose(motion="off")
        await v.types("tab")
        await v.hears(msgspec.structs.replace(table_of(STATES[0], 0), number=1))
        assert shows_board(v.text)
        await v.hears(msgspec.structs.replace(finished(), number=9))
        assert "You win with 150." in v.text


async def test_the_last_stone_is_seen_before_the_end_is(
    visit: Visiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cartino_tui.screens.table_timers.PICTURE_SECONDS", 3600.0)
    last = next(state for state in reversed(STATES) if state.settlement is None)
    async with visit(table_of(last, 0), game_screens=SCREENS) as v:
        await v.hears(msgspec.structs.replace(finished(), number=2))
        assert shows_board(v.text)
        assert v.status == "The game is over."
        await v.types("enter")
        assert "You win with 150." in v.text
