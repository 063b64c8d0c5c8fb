"""Stepping through a record: forward, back, far, to both ends, and out."""

import msgspec
import pytest
from textual.pilot import Pilot

from cartino_tui.replay_app import ReplayApp
from cartino_tui.visit.replay_cursor import ReplayStep
from cartino_tui.widgets.frame_screen import FrameScreen
from tests.support.visit import TOYS, toy_table

STEPS = [ReplayStep(toy_table(number=n, laid=n), n + 1) for n in range(25)]


def shown(app: ReplayApp) -> str:
    assert isinstance(app.screen, FrameScreen)
    return app.screen.shown.text()


async def press(pilot: Pilot[str], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.pause()


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ((), 1),
        (("right",), 2),
        (("l", "l", "h"), 2),
        (("left",), 1),
        (("pagedown", "pagedown"), 21),
        (("pagedown", "pagedown", "pagedown"), 25),
        (("end", "pageup"), 15),
        (("end", "right"), 25),
        (("end", "home"), 1),
    ],
)
async def test_the_keys_step_and_stop_at_the_ends(keys: tuple[str, ...], place: int) -> None:
    app = ReplayApp(STEPS, depth="true", game_screens=TOYS)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, *keys)
        rows = shown(app).splitlines()
        assert rows[0] == f"Toy small · a record | {place}/25"
        assert rows[1].startswith(f"laid {place - 1} ")
        done = f"Stone {place - 1} was laid" if place > 1 else "The deal"
        assert rows[-2] == done
        assert rows[-1] == "← step back  c chart  → next step  : more  ? help  q quit"


async def test_help_tells_the_keys_and_comes_back() -> None:
    app = ReplayApp(STEPS, depth="true", game_screens=TOYS)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "question_mark")
        assert "go forward ten steps" in shown(app)
        await press(pilot, "backspace")
        assert "1/25" in shown(app)


async def test_help_at_the_end_has_the_seed_in_full() -> None:
    over = msgspec.structs.replace(toy_table(state="finished"), seed="5" * 64)
    app = ReplayApp([ReplayStep(toy_table()), ReplayStep(over)], depth="true", game_screens=TOYS)
    async with app.run_test(size=(80, 40)) as pilot:
        await press(pilot, "question_mark")
        assert over.commitment in shown(app)
        assert over.seed not in shown(app)
        await press(pilot, "q", "end", "question_mark")
        assert over.seed in shown(app)


@pytest.mark.parametrize("key", ["q", "escape", "backspace", "ctrl+c"])
async def test_every_way_out_ends_well(key: str) -> None:
    app = ReplayApp(STEPS, depth="true", game_screens=TOYS)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(key)
    assert app.return_code == 0


def test_a_record_without_a_moment_is_refused() -> None:
    with pytest.raises(ValueError, match="without a moment"):
        ReplayApp([], game_screens=TOYS)


def test_a_game_that_cannot_be_shown_is_refused() -> None:
    with pytest.raises(ValueError, match="no way to show a game of chess"):
        ReplayApp([ReplayStep(toy_table(game="chess"))], game_screens=TOYS)
