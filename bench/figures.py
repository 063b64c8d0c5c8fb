"""How a figure is written down and compared with what it should be."""

import math
from collections.abc import Sequence

import msgspec


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

    `calibration`: milliseconds of the fixed work just before, on the server's core; 0 where it was not done.
    """

    title: str
    how: str
    figures: tuple[Figure, ...]
    calibration: float = 0


def percentile(values: Sequence[float], share: float) -> float:
    """The least of `values` that at least `share` (0 to 1) of them don't exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def table(sections: Sequence[Section]) -> str:
    """The figures as lines of text."""
    width = max(len(figure.name) for section in sections for figure in section.figures)
    lines = []
    for section in sections:
        lines += ["", f"{section.title} (calibration {section.calibration:.1f} ms)", f"  {section.how}"]
        lines += [f"  {_line(figure, width)}" for figure in section.figures]
    return "\n".join(lines[1:])


def _line(figure: Figure, width: int) -> str:
    line = f"{figure.name:<{width}}  {_number(figure.value):>10} {figure.unit:<5}"
    if figure.bound is not None:
        sign = "≥" if figure.at_least else "≤"
        line += f"  {sign} {_number(figure.bound):>7}  {'ok' if figure.holds else 'SHORT'}"
    return line.rstrip()


def _number(value: float) -> str:
    """Three digits of what is small, all whole ones of what is large."""
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"
