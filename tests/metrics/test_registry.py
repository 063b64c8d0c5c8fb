"""Numbers in one process, and the numbers of several put together."""

import math
import threading

import pytest

from cartino_server.metrics.registry import MAX_SERIES, OTHER_LABEL, BadSample, MetricRegistry, Sample


def registry(*, on: bool = True) -> MetricRegistry:
    made = MetricRegistry()
    made.on = on
    return made


def labels_of(made: MetricRegistry) -> set[tuple[str, ...]]:
    return {sample.labels for sample in made.read()}


def test_nothing_is_counted_while_metrics_are_off() -> None:
    off = registry(on=False)
    counter, gauge = off.counter("a_total", "A.", "kind"), off.gauge("b", "B.")
    histogram = off.histogram("c_seconds", "C.", (1.0,))
    counter.add("x")
    gauge.set(3)
    gauge.change(1)
    histogram.observe(0.5)
    begun = histogram.begin()
    off.on = True
    # What began before isn't timed, though it ends afterwards.
    histogram.end(begun)
    assert off.read() == ()


def test_counters_tell_labels_apart_and_histograms_have_buckets() -> None:
    here = registry()
    counter, histogram = here.counter("a_total", "A.", "kind"), here.histogram("b_seconds", "B.", (0.1, 1.0))
    for label, by in (("x", 1), ("y", 4), ("x", 1)):
        counter.add(label, by=by)
    for value in (0.1, 0.2, 1.0, 7.0):
        histogram.observe(value)
    histogram.end(histogram.begin())
    *counts, times = here.read()
    assert counts == [Sample("a_total", ("x",), 2), Sample("a_total", ("y",), 4)]
    # What stands on a bound is in the bucket below.
    assert times.counts == (2, 2, 1)
    assert times.value == pytest.approx(8.3, abs=0.1)


@pytest.mark.parametrize("word", ["K7QP Zoë", "\x1b[2J", 'a"b', "a\nb", "", "x" * 33, "UPPER"])
def test_what_is_no_plain_word_is_no_label(word: str) -> None:
    here = registry()
    here.counter("a_total", "A.", "kind").add(word)
    here.gauge("b", "B.", "kind").set(1, word)
    here.histogram("c_seconds", "C.", (1.0,), "kind").observe(1, word)
    assert labels_of(here) == {(OTHER_LABEL,)}


def test_series_are_bounded_and_those_of_before_take_no_place() -> None:
    here = registry()
    counter, gauge = here.counter("a_total", "A.", "kind"), here.gauge("b", "B.", "kind")
    histogram = here.histogram("c_seconds", "C.", (1.0,), "kind")
    for age in ("old", "new"):
        here.begin()
        for number in range(MAX_SERIES):
            counter.add(f"{age}{number}")
            gauge.set(1, f"{age}{number}")
            histogram.observe(1, f"{age}{number}")
        assert (OTHER_LABEL,) not in labels_of(here)
    for number in range(100):
        counter.add(f"more{number}")
    assert Sample("a_total", (OTHER_LABEL,), 100) in here.read()
    here.end()
    assert (here.on, here.read()) == (False, ())


def test_a_metric_has_the_labels_and_the_name_that_it_was_made_with() -> None:
    here = registry()
    counter = here.counter("a_total", "A.", "kind")
    for labels in ((), ("x", "y")):
        with pytest.raises(BadSample):
            counter.add(*labels)
    with pytest.raises(ValueError, match="two metrics"):
        here.gauge("a_total", "A.")


def of_a_process() -> MetricRegistry:
    """Return a registry as server and workers have it."""
    made = registry()
    made.counter("a_total", "A.", "kind")
    made.gauge("b_bytes", "B.", by_process=True)
    made.histogram("c_seconds", "C.", (1.0,))
    made.gauge("d", "D.")
    return made


def test_counts_of_workers_add_up_and_their_gauges_stand_side_by_side() -> None:
    server = of_a_process()
    samples = [
        Sample("a_total", ("x",), 2),
        Sample("b_bytes", (), 100.0),
        Sample("c_seconds", (), 0.5, (1, 0)),
    ]
    for process in ("1", "2"):
        server.absorb(process, samples)
    counts = {Sample("a_total", ("x",), 4), Sample("c_seconds", (), 1.0, (2, 0))}
    gauges = {Sample("b_bytes", (process,), 100.0) for process in ("1", "2")}
    assert set(server.read()) == counts | gauges
    server.forget("1")
    assert set(server.read()) == counts | {Sample("b_bytes", ("2",), 100.0)}


def test_a_worker_reports_what_is_new() -> None:
    server, worker = registry(), registry()
    counter, gauge = worker.counter("n_total", "N."), worker.gauge("g", "G.", by_process=True)
    server.counter("n_total", "N.")
    server.gauge("g", "G.", by_process=True).set(7)
    counter.add(by=3)
    gauge.set(5)
    server.absorb("1", worker.take_samples())
    # A gauge is reported again, as it stands; a counter that has not moved is not.
    assert worker.take_samples() == (Sample("g", (), 5),)
    counter.add()
    server.absorb("1", worker.take_samples())
    assert set(server.read()) == {
        *(Sample("n_total", (), 4), Sample("g", ("server",), 7), Sample("g", ("1",), 5))
    }


@pytest.mark.parametrize(
    "sample",
    [
        Sample("unknown_total", (), 1),
        *(Sample("a_total", ("x",), value) for value in (-1, math.nan, math.inf)),
        Sample("a_total", ("x",), 1, (1,)),
        *(Sample("a_total", labels, 1) for labels in ((), ("x", "y"))),
        Sample("b_bytes", ("x",), 1),
        Sample("b_bytes", (), 1, (1,)),
        *(Sample("c_seconds", (), 1, counts) for counts in ((), (1, 2, 3), (-1, 2))),
        Sample("d", (), 1),
    ],
)
def test_what_no_worker_can_have_counted_is_refused(sample: Sample) -> None:
    server = of_a_process()
    with pytest.raises(BadSample):
        server.absorb("1", [sample])
    assert server.read() == ()


def test_a_thread_counts_beside_the_loop_that_reads() -> None:
    here = registry()
    histogram, begun = here.histogram("a_seconds", "A.", (1.0,)), threading.Event()

    def write() -> None:
        for number in range(5_000):
            histogram.observe(0.5)
            if number == 10:
                begun.set()

    writer = threading.Thread(target=write)
    writer.start()
    begun.wait()
    seen = []
    while writer.is_alive():
        seen += [sample.counts[0] for sample in here.read()]
    writer.join()
    assert seen == sorted(seen)
    assert [sample.counts for sample in here.read()] == [(5_000, 0)]
