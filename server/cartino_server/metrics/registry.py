"""Counters, gauges and histograms, the samples in which they travel, and the registry that holds them.

Label values are short plain words that no stranger can choose. A metric has at most `MAX_SERIES` of them; the rest is
counted together as `OTHER_LABEL`, so that memory stays bounded.
"""

import math
import re
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Iterable
from time import perf_counter
from typing import Final, Literal, TypeVar

import msgspec

MAX_SERIES: Final = 64
"""Different values of its labels that a figure has, and then the rest."""
OTHER_LABEL: Final = "other"
MAIN_PROCESS: Final = "house"
"""What the process that puts all numbers together calls itself."""
_LABEL_VALUE: Final = re.compile(r"[a-z0-9][a-z0-9_.-]{0,31}\Z")

MetricT = TypeVar("MetricT", bound="Metric")
MetricKind = Literal["counter", "gauge", "histogram"]
Labels = tuple[str, ...]


class BadSample(ValueError):
    """A reading that no figure of this meter can have given."""


class MetricFamily(msgspec.Struct, frozen=True):
    """What a figure is called, with its unit; `help` is a sentence; `labels` name what it is told apart by.

    `bounds` are the upper ones of a histogram's buckets, rising. Of a figure `by_process` each process has its own,
    and the label `process` stands before the others.
    """

    name: str
    kind: MetricKind
    help: str
    labels: tuple[str, ...] = ()
    bounds: tuple[float, ...] = ()
    by_process: bool = False


class Sample(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What one figure has come to, for one value of its labels.

    `value` is a counter's number, a gauge's, or the sum of all that a histogram has seen; `counts` are how often it
    fell into each of its buckets, of which the last has no upper bound.
    """

    family: str
    labels: Labels = ()
    value: float = 0.0
    counts: tuple[int, ...] = ()


class Metric(ABC):
    """What the three kinds have in common."""

    def __init__(self, meter: "MetricRegistry", family: MetricFamily) -> None:
        """Made by `Meter`."""
        self.family = family
        self._meter = meter
        self._known: set[Labels] = set()

    def clear(self) -> None:
        """Begin anew, with no value of its labels known."""
        self._known.clear()

    @abstractmethod
    def readings(self) -> list[Sample]:
        """What it has come to."""

    def take(self) -> list[Sample]:
        """What has come about here since the last time, for a meter that puts processes together."""
        taken = self.readings()
        self.clear()
        return taken

    @abstractmethod
    def absorb(self, process: str, reading: Sample) -> None:
        """Take in what the same figure of `process` has taken. Raises BadReading."""

    def _place(self, labels: Labels) -> Labels:
        """Where something of these labels is counted."""
        if labels in self._known:
            return labels
        if len(labels) != len(self.family.labels):
            raise BadSample(f"{self.family.name} has the labels {self.family.labels}")
        if len(self._known) >= MAX_SERIES or not all(map(_LABEL_VALUE.match, labels)):
            return (OTHER_LABEL,) * len(labels)
        self._known.add(labels)
        return labels


class Counter(Metric):
    """A number that only rises."""

    def __init__(self, meter: "MetricRegistry", family: MetricFamily) -> None:
        """Made by `Meter`."""
        super().__init__(meter, family)
        self._values: dict[Labels, float] = {}

    def add(self, *labels: str, by: float = 1) -> None:
        """Something happened `by` times."""
        if self._meter.on:
            try:
                self._values[labels] += by
            except KeyError:
                self._add(labels, by)

    def clear(self) -> None:
        """See Figure."""
        super().clear()
        self._values.clear()

    def readings(self) -> list[Sample]:
        """See Figure."""
        return [Sample(self.family.name, labels, value) for labels, value in self._values.items()]

    def absorb(self, process: str, reading: Sample) -> None:
        """See Figure."""
        if reading.counts or reading.value < 0:
            raise BadSample(f"{self.family.name} can't fall")
        self._add(reading.labels, reading.value)

    def _add(self, labels: Labels, by: float) -> None:
        place = self._place(labels)
        self._values[place] = self._values.get(place, 0) + by


class Gauge(Metric):
    """A number that rises and falls."""

    def __init__(self, meter: "MetricRegistry", family: MetricFamily) -> None:
        """Made by `Meter`."""
        super().__init__(meter, family)
        self._values: dict[Labels, float] = {}
        self._others: dict[str, dict[Labels, float]] = {}

    def set(self, value: float, *labels: str) -> None:
        """It is `value` now."""
        if self._meter.on:
            self._values[self._place(labels)] = value

    def change(self, by: float, *labels: str) -> None:
        """It rises, or falls, `by` so much."""
        if self._meter.on:
            place = self._place(labels)
            self._values[place] = self._values.get(place, 0) + by

    def clear(self) -> None:
        """See Figure."""
        super().clear()
        self._values.clear()
        self._others.clear()

    def readings(self) -> list[Sample]:
        """See Figure; of other processes too."""
        own = (MAIN_PROCESS,) if self.family.by_process else ()
        told = [Sample(self.family.name, (*own, *labels), value) for labels, value in self._values.items()]
        for process, values in self._others.items():
            told += [Sample(self.family.name, (process, *labels), value) for labels, value in values.items()]
        return told

    def take(self) -> list[Sample]:
        """See Figure: it stands where it stands, and the process's name is not in it."""
        return [Sample(self.family.name, labels, value) for labels, value in self._values.items()]

    def absorb(self, process: str, reading: Sample) -> None:
        """See Figure."""
        if not self.family.by_process or reading.counts:
            raise BadSample(f"{self.family.name} is no worker's to tell")
        self._others.setdefault(process, {})[self._place(reading.labels)] = reading.value

    def forget(self, process: str) -> None:
        """That process has gone."""
        self._others.pop(process, None)


class Histogram(Metric):
    """How often something took how long, in buckets that are set."""

    def __init__(self, meter: "MetricRegistry", family: MetricFamily) -> None:
        """Made by `Meter`."""
        super().__init__(meter, family)
        self._counts: dict[Labels, list[int]] = {}
        self._sums: dict[Labels, float] = {}

    def begin(self) -> float:
        """The moment from which something is timed; 0 while nobody watches."""
        return perf_counter() if self._meter.on else 0.0

    def end(self, begun: float, *labels: str) -> None:
        """It is over; see `begin`."""
        if begun:
            self.observe(perf_counter() - begun, *labels)

    def observe(self, value: float, *labels: str) -> None:
        """It took `value`."""
        if self._meter.on:
            if labels not in self._counts:
                labels = self._series(labels)
            self._counts[labels][bisect_left(self.family.bounds, value)] += 1
            self._sums[labels] += value

    def clear(self) -> None:
        """See Figure."""
        super().clear()
        self._counts.clear()
        self._sums.clear()

    def readings(self) -> list[Sample]:
        """See Figure."""
        return [
            Sample(self.family.name, labels, self._sums[labels], tuple(counts))
            for labels, counts in self._counts.items()
        ]

    def absorb(self, process: str, reading: Sample) -> None:
        """See Figure."""
        if len(reading.counts) != len(self.family.bounds) + 1 or min(reading.counts) < 0:
            raise BadSample(f"{self.family.name} has other buckets")
        labels = self._series(reading.labels)
        self._counts[labels] = [*map(sum, zip(self._counts[labels], reading.counts, strict=True))]
        self._sums[labels] += reading.value

    def _series(self, labels: Labels) -> Labels:
        place = self._place(labels)
        if place not in self._counts:
            # The sum first: a reader in between would find it missing.
            self._sums[place] = 0.0
            self._counts[place] = [0] * (len(self.family.bounds) + 1)
        return place


class MetricRegistry:
    """All figures of a process. `on`: somebody watches, so it counts."""

    def __init__(self) -> None:
        """Without a figure; off."""
        self.on = False
        self._figures: dict[str, Metric] = {}

    @property
    def families(self) -> tuple[MetricFamily, ...]:
        """What it has figures of, in the order in which they were made."""
        return tuple(figure.family for figure in self._figures.values())

    def counter(self, name: str, help: str, *labels: str) -> Counter:
        """A new counter."""
        return self._keep(Counter(self, MetricFamily(name, "counter", help, labels)))

    def gauge(self, name: str, help: str, *labels: str, by_process: bool = False) -> Gauge:
        """A new gauge."""
        return self._keep(Gauge(self, MetricFamily(name, "gauge", help, labels, by_process=by_process)))

    def histogram(self, name: str, help: str, bounds: tuple[float, ...], *labels: str) -> Histogram:
        """A new histogram with buckets up to each of the `bounds`, and one for all beyond."""
        return self._keep(Histogram(self, MetricFamily(name, "histogram", help, labels, bounds)))

    def begin(self) -> None:
        """Somebody watches from now on, and knows of nothing before."""
        self.end()
        self.on = True

    def end(self) -> None:
        """Nobody watches any more."""
        self.on = False
        for figure in self._figures.values():
            figure.clear()

    def read(self) -> tuple[Sample, ...]:
        """All that is known here, of other processes too."""
        return tuple(reading for figure in self._figures.values() for reading in figure.readings())

    def take(self) -> tuple[Sample, ...]:
        """What has come about here since the last time, for a meter that puts processes together."""
        return tuple(reading for figure in self._figures.values() for reading in figure.take())

    def absorb(self, process: str, readings: Iterable[Sample]) -> None:
        """Take in what the meter of `process` has taken. Raises BadReading; what stood before that is taken in."""
        for reading in readings:
            figure = self._figures.get(reading.family)
            if figure is None or not math.isfinite(reading.value):
                raise BadSample("there is no such figure")
            figure.absorb(process, reading)

    def forget(self, process: str) -> None:
        """That process has gone: what it has counted stays, what it was is no more."""
        for figure in self._figures.values():
            if isinstance(figure, Gauge):
                figure.forget(process)

    def _keep(self, figure: MetricT) -> MetricT:
        if figure.family.name in self._figures:
            raise ValueError(f"there are two figures {figure.family.name}")
        self._figures[figure.family.name] = figure
        return figure
