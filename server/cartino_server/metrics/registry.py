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
"""Label values of one metric; the rest is counted as `OTHER_LABEL`."""
OTHER_LABEL: Final = "other"
MAIN_PROCESS: Final = "server"
"""The `process` label of the process that merges all samples."""
_LABEL_VALUE: Final = re.compile(r"[a-z0-9][a-z0-9_.-]{0,31}\Z")

MetricT = TypeVar("MetricT", bound="Metric")
MetricKind = Literal["counter", "gauge", "histogram"]
Labels = tuple[str, ...]


class BadSample(ValueError):
    """A sample that no metric of this registry can have produced."""


class MetricFamily(msgspec.Struct, frozen=True):
    """The name (with its unit), help sentence and label names of a metric.

    `bounds` are the rising upper bounds of a histogram's buckets. A metric `by_process` has one value per process,
    with the label `process` before the others.
    """

    name: str
    kind: MetricKind
    help: str
    labels: tuple[str, ...] = ()
    bounds: tuple[float, ...] = ()
    by_process: bool = False


class Sample(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The value of one metric for one set of label values.

    `value` is a histogram's sum; `counts` are its buckets, the last one without an upper bound.
    """

    family: str
    labels: Labels = ()
    value: float = 0.0
    counts: tuple[int, ...] = ()


class Metric(ABC):
    """A metric of a `MetricRegistry`, which creates it."""

    def __init__(self, registry: "MetricRegistry", family: MetricFamily) -> None:
        self.family = family
        self._registry = registry
        self._values: dict[Labels, float] = {}

    def clear(self) -> None:
        """Forget all series."""
        self._values.clear()

    def readings(self) -> list[Sample]:
        """Return the samples."""
        return [Sample(self.family.name, labels, value) for labels, value in self._values.items()]

    def take_samples(self) -> list[Sample]:
        """Return what has changed since the last call, for the registry that merges processes."""
        taken = self.readings()
        self.clear()
        return taken

    @abstractmethod
    def absorb(self, process: str, reading: Sample) -> None:
        """Merge a sample that `process` has taken. Raises BadSample."""

    def _add(self, labels: Labels, by: float) -> None:
        place = self._place(labels, self._values)
        self._values[place] = self._values.get(place, 0) + by

    def _place(self, labels: Labels, series: dict[Labels, float]) -> Labels:
        """Return the labels under which these are counted in `series`."""
        if labels in series:
            return labels
        if len(labels) != len(self.family.labels):
            raise BadSample(f"{self.family.name} has the labels {self.family.labels}")
        if len(series) >= MAX_SERIES or not all(map(_LABEL_VALUE.match, labels)):
            return (OTHER_LABEL,) * len(labels)
        return labels


class Counter(Metric):
    """A number that only rises."""

    def add(self, *labels: str, by: float = 1) -> None:
        """Add `by`."""
        if self._registry.on:
            try:
                self._values[labels] += by
            except KeyError:
                self._add(labels, by)

    def absorb(self, process: str, reading: Sample) -> None:
        """Add the sample."""
        if reading.counts or reading.value < 0:
            raise BadSample(f"{self.family.name} can't fall")
        self._add(reading.labels, reading.value)


class Gauge(Metric):
    """A number that rises and falls."""

    def __init__(self, registry: "MetricRegistry", family: MetricFamily) -> None:
        super().__init__(registry, family)
        self._others: dict[str, dict[Labels, float]] = {}

    def set(self, value: float, *labels: str) -> None:
        """Set the value."""
        if self._registry.on:
            self._values[self._place(labels, self._values)] = value

    def change(self, by: float, *labels: str) -> None:
        """Add `by`, which may be negative."""
        if self._registry.on:
            self._add(labels, by)

    def clear(self) -> None:
        """Forget all series, also of other processes."""
        super().clear()
        self._others.clear()

    def readings(self) -> list[Sample]:
        """Return the samples, also of other processes."""
        if not self.family.by_process:
            return super().readings()
        return [
            Sample(self.family.name, (process, *labels), value)
            for process, values in ((MAIN_PROCESS, self._values), *self._others.items())
            for labels, value in values.items()
        ]

    def take_samples(self) -> list[Sample]:
        """Return this process's samples without the label `process`; they stay."""
        return super().readings()

    def absorb(self, process: str, reading: Sample) -> None:
        """Set the value of `process`."""
        if not self.family.by_process or reading.counts:
            raise BadSample(f"{self.family.name} is not reported by workers")
        series = self._others.setdefault(process, {})
        series[self._place(reading.labels, series)] = reading.value

    def forget(self, process: str) -> None:
        """Drop the values of a process that has ended."""
        self._others.pop(process, None)


class Histogram(Metric):
    """Durations, counted in buckets; `_values` are their sums."""

    def __init__(self, registry: "MetricRegistry", family: MetricFamily) -> None:
        super().__init__(registry, family)
        self._counts: dict[Labels, list[int]] = {}

    def begin(self) -> float:
        """Return the start time for `end`; 0 while metrics are off."""
        return perf_counter() if self._registry.on else 0.0

    def end(self, begun: float, *labels: str) -> None:
        """Observe the time since `begin`."""
        if begun:
            self.observe(perf_counter() - begun, *labels)

    def observe(self, value: float, *labels: str) -> None:
        """Count a duration in seconds."""
        if self._registry.on:
            if labels not in self._counts:
                labels = self._series(labels)
            self._counts[labels][bisect_left(self.family.bounds, value)] += 1
            self._values[labels] += value

    def clear(self) -> None:
        """Forget all series."""
        super().clear()
        self._counts.clear()

    def readings(self) -> list[Sample]:
        """Return the samples with their buckets."""
        return [
            Sample(self.family.name, labels, self._values[labels], tuple(counts))
            for labels, counts in self._counts.items()
        ]

    def absorb(self, process: str, reading: Sample) -> None:
        """Add the sample's buckets."""
        if len(reading.counts) != len(self.family.bounds) + 1 or min(reading.counts) < 0:
            raise BadSample(f"{self.family.name} has other buckets")
        labels = self._series(reading.labels)
        self._counts[labels] = [*map(sum, zip(self._counts[labels], reading.counts, strict=True))]
        self._values[labels] += reading.value

    def _series(self, labels: Labels) -> Labels:
        place = self._place(labels, self._values)
        if place not in self._counts:
            # The sum first: a reader in another thread would miss it.
            self._values[place] = 0.0
            self._counts[place] = [0] * (len(self.family.bounds) + 1)
        return place


class MetricRegistry:
    """All metrics of a process. They count only while it is `on`."""

    def __init__(self) -> None:
        self.on = False
        self._metrics: dict[str, Metric] = {}

    @property
    def families(self) -> tuple[MetricFamily, ...]:
        """The families of all metrics, in the order of their creation."""
        return tuple(metric.family for metric in self._metrics.values())

    def counter(self, name: str, help: str, *labels: str) -> Counter:
        """Create a counter."""
        return self._register(Counter(self, MetricFamily(name, "counter", help, labels)))

    def gauge(self, name: str, help: str, *labels: str, by_process: bool = False) -> Gauge:
        """Create a gauge."""
        return self._register(Gauge(self, MetricFamily(name, "gauge", help, labels, by_process=by_process)))

    def histogram(self, name: str, help: str, bounds: tuple[float, ...], *labels: str) -> Histogram:
        """Create a histogram with a bucket up to each of `bounds` and one beyond."""
        return self._register(Histogram(self, MetricFamily(name, "histogram", help, labels, bounds)))

    def begin(self) -> None:
        """Clear everything and start counting."""
        self.end()
        self.on = True

    def end(self) -> None:
        """Stop counting and clear everything."""
        self.on = False
        for metric in self._metrics.values():
            metric.clear()

    def read(self) -> tuple[Sample, ...]:
        """Return all samples, also those of other processes."""
        return tuple(reading for metric in self._metrics.values() for reading in metric.readings())

    def take_samples(self) -> tuple[Sample, ...]:
        """Return what has changed since the last call, for the registry that merges processes."""
        return tuple(reading for metric in self._metrics.values() for reading in metric.take_samples())

    def absorb(self, process: str, readings: Iterable[Sample]) -> None:
        """Merge the samples that `process` has taken. Raises BadSample; those before it are merged."""
        for reading in readings:
            metric = self._metrics.get(reading.family)
            if metric is None or not math.isfinite(reading.value):
                raise BadSample("there is no such metric")
            metric.absorb(process, reading)

    def forget(self, process: str) -> None:
        """Drop the gauges of a process that has ended; its counts stay."""
        for metric in self._metrics.values():
            if isinstance(metric, Gauge):
                metric.forget(process)

    def _register(self, metric: MetricT) -> MetricT:
        if metric.family.name in self._metrics:
            raise ValueError(f"two metrics are called {metric.family.name}")
        self._metrics[metric.family.name] = metric
        return metric
