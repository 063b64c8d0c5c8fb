"""How a figure is written down and compared with what it should be."""

import statistics
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


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` (0 to 1) of `values` lie."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def median(values: Sequence[float]) -> float:
    """The middle value."""
    return statistics.median(values)


def table(figures: Sequence[Figure]) -> str:
    """The figures as lines of text."""
    width = max(len(figure.name) for figure in figures)
    lines = []
    for figure in figures:
        bound = ""
        if figure.bound is not None:
            sign, word = ("≥", "") if figure.at_least else ("≤", "")
            bound = f"{sign} {figure.bound:g}{word}   {'ok' if figure.holds else 'SHORT'}"
        lines.append(f"{figure.name:<{width}}  {figure.value:>12,.2f} {figure.unit:<8} {bound}".rstrip())
    return "\n".join(lines)
