"""Figures with their bounds, and the table that shows them."""

import math
import textwrap
from collections.abc import Sequence
from typing import Final

import msgspec

WIDTH: Final = 100
"""Of the lines that say how."""


class Figure(msgspec.Struct, frozen=True):
    """One measured number: what it is, in which unit, and the bound that it should keep (None: just told)."""

    name: str
    value: float
    unit: str
    bound: float | None = None
    at_least: bool = False

    @property
    def holds(self) -> bool:
        """Whether the bound is kept."""
        if self.bound is None:
            return True
        return self.value >= self.bound if self.at_least else self.value <= self.bound


class Section(msgspec.Struct, frozen=True):
    """Figures that were measured together, and one line on how.

    `calibration`: milliseconds of the fixed work on the server's core, just before and just after.
    `took`: seconds. `broken`: why the measuring of it broke off, "" where it did not.
    """

    title: str
    how: str
    figures: tuple[Figure, ...]
    calibration: tuple[float, float] = (0, 0)
    took: float = 0
    broken: str = ""


def percentile(values: Sequence[float], share: float) -> float:
    """Return the least of `values` that at least `share` (0 to 1) of them don't exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def table(sections: Sequence[Section]) -> str:
    """Return the figures as lines of text."""
    width = max((len(figure.name) for section in sections for figure in section.figures), default=0)
    lines = []
    for section in sections:
        lines += ["", f"{section.title} ({section.took:.0f} s, calibration {_both(section.calibration)} ms)"]
        lines += textwrap.wrap(section.how, WIDTH, initial_indent="  ", subsequent_indent="  ")
        lines += [f"  BROKE OFF: {section.broken}"] if section.broken else []
        lines += [f"  {_line(figure, width)}" for figure in section.figures]
    return "\n".join(lines[1:])


def _line(figure: Figure, width: int) -> str:
    line = f"{figure.name:<{width}}  {_number(figure.value):>10} {figure.unit:<5}"
    if figure.bound is not None:
        sign = "≥" if figure.at_least else "≤"
        line += f"  {sign} {_number(figure.bound):>7}  {'ok' if figure.holds else 'SHORT'}"
    return line.rstrip()


def _both(calibration: tuple[float, float]) -> str:
    before, after = calibration
    return f"{before:.0f} to {after:.0f}"


def _number(value: float) -> str:
    """Three digits of what is small, all whole ones of what is large."""
    if math.isinf(value):
        return "no end"
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"
