"""What counts as a cursor move is one, and what counts for its cost was drawn for it."""

from pathlib import Path
from typing import Any

import pytest

from bench import keys
from bench.tables import all_quiet, on_turn, open_table
from bench.visitors import visiting
from cartino_games.cartino.screen.screen import CartinoScreen
from cartino_tui.draw.diff import difference
from cartino_tui.terminal import painter
from tests.support.open_listener import open_listener
from tests.support.steady import run_steadily

CLOCKS = ("bench.terminal", "bench.tables")


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is worked out from now on, in the server of this process."""
    done: list[str] = []
    draw = CartinoScreen.draw

    def note_draw(*args: Any, **words: Any) -> Any:
        done.append("frame")
        return draw(*args, **words)

    def note_difference(*args: Any, **words: Any) -> Any:
        done.append("difference")
        return difference(*args, **words)

    monkeypatch.setattr(CartinoScreen, "draw", note_draw)
    monkeypatch.setattr(painter, "difference", note_difference)
    return done


def test_every_key_that_counts_is_drawn(tmp_path: Path, drawn: list[str]) -> None:
    run_steadily(every_key(tmp_path, drawn), *CLOCKS)


async def every_key(tmp_path: Path, drawn: list[str]) -> None:
    async with open_listener(tmp_path) as server, visiting(server) as visitors:
        opened = await open_table(visitors, ["ann", "bob"])
        await all_quiet(opened.players.values())
        player = await on_turn(visitors, opened)
        for stone in keys.STONES:
            player.terminal.press(stone)
            await player.terminal.quiet()
            drawn.clear()
            walked = await keys._walk(server, player)
            moves = [key for key in walked if key.moved]
            assert drawn == ["frame", "difference"] * len(moves)
            # There and back, at least.
            assert len(moves) >= 2
            player.terminal.press(keys.BACK)
            await player.terminal.quiet()
