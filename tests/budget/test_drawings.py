"""How often a key makes the table draw and compare, and how much of it. Counted, not timed: the same everywhere."""

import asyncio
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from cartino_games.cartino.screen.pointer import CartinoPointer
from cartino_tui.app import CartinoApp
from cartino_tui.draw import canvas, diff
from cartino_tui.screens.table import TableScreen
from cartino_tui.terminal import painter
from cartino_tui.terminal.scheduling import scheduler_for_loop
from cartino_tui.widgets import frame_screen
from tests.support.cartino import random_game
from tests.support.cartino_table import CARTINO_SCREEN, table_of
from tests.support.games import SCREENS
from tests.support.visit import ScriptedLink, lobby, welcome
from tests.tui.terminal.conftest import FakeTerminal, Stage, until

UP, DOWN, LEFT, RIGHT = b"\x1b[A", b"\x1b[B", b"\x1b[D", b"\x1b[C"
WALK: Final = (DOWN, RIGHT, RIGHT, UP, LEFT, DOWN, LEFT, UP) * 4
ROWS_A_KEY: Final = 6
"""Rows of the 24 that are drawn upon for a key of that walk at most: of the open spots, the preview, the status."""
ROWS_BY_CELLS: Final = 2
"""Rows of these at most that are drawn cell by cell, which takes twice as long as splitting runs."""

BYTES_A_KEY: Final = 38_000
"""Memory that a key of that walk takes at once: 31,446 bytes at most, and a fifth for other Pythons."""


class Counted:
    """How often functions were called since `clear`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times: Counter[str] = Counter()
        self._monkeypatch = monkeypatch

    def watch(self, owner: Any, name: str, label: str) -> None:
        """Count the calls of `owner.name`."""
        function: Callable[..., Any] = getattr(owner, name)

        def counted(*args: Any, **kwargs: Any) -> Any:
            self.times[label] += 1
            return function(*args, **kwargs)

        self._monkeypatch.setattr(owner, name, counted)


async def at_a_table() -> tuple[Stage, TableScreen]:
    state = next(state for state, _ in random_game(7, "1974", 2) if state.seat == 0 and state.taken)
    link = ScriptedLink()
    stage = Stage(
        FakeTerminal(width=80, height=24), lambda **kwargs: CartinoApp(link, game_screens=SCREENS, **kwargs)
    )
    link.tell(welcome(), lobby(), table_of(state, 0))
    await stage.shows("Enter lay")
    screen = stage.app.screen
    assert isinstance(screen, TableScreen)
    await until(lambda: link.all_heard and not stage.app.message_queue_size and not screen.message_queue_size)
    stage.face.feed(b"1")
    return stage, screen


def walked(stage: Stage, screen: TableScreen) -> Iterator[bool]:
    """Press keys; whether each has moved the cursor."""
    for key in WALK:
        before = screen.state.pointer
        stage.face.feed(key)
        yield screen.state.pointer != before


async def test_a_cursor_key_is_one_drawing_and_one_difference_of_few_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage, screen = await at_a_table()
    assert isinstance(screen.state.pointer, CartinoPointer)
    assert screen.state.pointer.picked == 0
    counted = Counted(monkeypatch)
    counted.watch(CARTINO_SCREEN, "draw", "drawings")
    counted.watch(CARTINO_SCREEN, "under", "whole drawings")
    counted.watch(painter, "difference", "differences")
    counted.watch(diff, "write_strokes", "writings")
    counted.watch(canvas, "_drawn", "rows")
    counted.watch(canvas, "_runs", "rows by cells")
    counted.watch(frame_screen, "Look", "looks")
    moved = 0
    for has_moved in walked(stage, screen):
        found = dict(counted.times)
        counted.times.clear()
        assert found.pop("rows", 0) <= ROWS_A_KEY
        assert found.pop("rows by cells", 0) <= ROWS_BY_CELLS
        if has_moved:
            moved += 1
            assert found == {"drawings": 1, "differences": 1, "writings": 1}
        else:
            assert set(found.values()) <= {1}
    assert moved >= len(WALK) // 3
    assert await stage.end() == 0


async def test_a_cursor_key_allocates_no_more_than_it_draws() -> None:
    """Bytes that are taken at once for a key, from its parsing to what is to be sent. They come back after it."""
    stage, screen = await at_a_table()
    for _ in walked(stage, screen):
        await asyncio.sleep(0)
    # Tracing makes keys so slow that the walk would have to wait for its turns, as a flood does.
    scheduler_for_loop().clock = lambda: 0.0
    taken: list[int] = []
    tracemalloc.start()
    try:
        walk = walked(stage, screen)
        while True:
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            moved = next(walk, None)
            if moved is None:
                break
            if moved:
                taken.append(tracemalloc.get_traced_memory()[1] - before)
            await asyncio.sleep(0)
    finally:
        tracemalloc.stop()
    assert taken
    assert max(taken) < BYTES_A_KEY
    assert await stage.end() == 0
