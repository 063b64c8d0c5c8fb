"""Finds what a drawing loses: labels that run off the frame, lie over each other, or were cut to fit.

    with drawn_whole(LONGEST_NAME) as faults:
        HelpDrawing(model, look).frame()
    assert faults == []

Whatever is drawn on a `Canvas` in between is looked at, wherever the drawing makes it, and every text that the
functions of `draw.text` cut. What may be cut is named: names and words of people (`foreign`).
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import pytest

from cartino_tui.draw import text
from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.theme import DECORATION

_Cell = tuple[int, int]
_Labels = dict[_Cell, tuple[str, tuple[str, str]]]
"""Which character stands in a cell, and of which label in which role."""


@contextmanager
def drawn_whole(*foreign: str, over: frozenset[str] = frozenset()) -> Iterator[list[str]]:
    """The faults, one sentence each, of all that is drawn meanwhile.

    A text that holds one of `foreign` may be cut. What is drawn in a role of `over` may be drawn over, as lines may.
    """
    faults: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        _watch_canvas(patch, faults, DECORATION | over)
        _watch_cuts(patch, faults, foreign)
        yield faults


def _watch_canvas(patch: pytest.MonkeyPatch, faults: list[str], over: frozenset[str]) -> None:
    put, fill = Canvas.put, Canvas.fill
    drawn: WeakKeyDictionary[Canvas, _Labels] = WeakKeyDictionary()

    def watched_put(self: Canvas, x: int, y: int, text: str, role: str) -> int:
        where = f"{text!r} ({role}) at {x},{y} of {self.width}x{self.height}"
        seen = text.strip()
        left = x + len(text) - len(text.lstrip())
        inside = 0 <= y < self.height and left >= 0 and left + len(seen) <= self.width
        if seen and not inside:
            faults.append(f"outside: {where}")
        labels = drawn.setdefault(self, {})
        label, is_free = (text, role), True
        for at, char in enumerate(text, x):
            there = labels.get((at, y))
            if is_free and there is not None and there[0] not in {" ", char} and there[1][1] not in over:
                faults.append(f"over {there[1][0]!r} ({there[1][1]}): {where}")
                is_free = False
            labels[at, y] = (char, label)
        return put(self, x, y, text, role)

    def watched_fill(
        self: Canvas, x: int, y: int, width: int, height: int, role: str, char: str = " "
    ) -> None:
        """What is filled is cleared on purpose: a card lies over the rest."""
        labels = drawn.setdefault(self, {})
        for row in range(y, y + height):
            for column in range(x, x + width):
                labels.pop((column, row), None)
        fill(self, x, y, width, height, role, char)

    patch.setattr(Canvas, "put", watched_put)
    patch.setattr(Canvas, "fill", watched_fill)


def _watch_cuts(patch: pytest.MonkeyPatch, faults: list[str], foreign: tuple[str, ...]) -> None:
    """Watch the functions that cut, in every module that has taken them by name."""

    cut_before: set[str] = set()
    """What cutting left of foreign texts: they may be cut again."""

    def is_foreign(text: str) -> bool:
        return text in cut_before or any(part in text for part in foreign)

    def watched_fit(given: str, cells: int, *, ascii: bool = False) -> str:
        fitted = fit(given, cells, ascii=ascii)
        if len(text.plain(given) if ascii else text.clean(given)) > cells:
            if is_foreign(given):
                cut_before.add(fitted)
            else:
                faults.append(f"cut to {cells} cells: {given!r}")
        return fitted

    def watched_wrap(given: str, cells: int, lines: int, *, ascii: bool = False) -> list[str]:
        broken = wrap(given, cells, lines, ascii=ascii)
        safe = text.plain(given) if ascii else text.clean(given)
        if "".join("".join(broken).split()) != "".join(safe.split()) and not is_foreign(given):
            faults.append(f"cut to {lines} lines of {cells} cells: {given!r}")
        return broken

    fit, wrap = text.fit, text.wrap
    _replace(patch, fit, watched_fit)
    _replace(patch, wrap, watched_wrap)


def _replace(patch: pytest.MonkeyPatch, old: Callable[..., Any], new: Callable[..., Any]) -> None:
    for module, name in _places(old, len(sys.modules)):
        patch.setattr(module, name, new)


@lru_cache(maxsize=8)
def _places(function: Callable[..., Any], modules: int) -> list[tuple[ModuleType, str]]:
    """Where the app's modules hold `function`. Searched again when the number of loaded modules changes.

    The search takes longer than most drawings.
    """
    return [
        (module, name)
        for path, module in list(sys.modules.items())
        if path.startswith(("cartino_tui.", "cartino_games."))
        for name, value in vars(module).items()
        if value is function
    ]
