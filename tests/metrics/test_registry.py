"""Numbers in one process, and the numbers of several put together."""

import math
import threading

import pytest

from cartino_server.metrics.registry import MAX_SERIES, OTHER_LABEL, BadSample, MetricRegistry, Sample


def meter() -> MetricRegistry:
    made = MetricRegistry()
    made.on = True
    return made


def test_nothing_is_counted_while_nobody_watches() -> None:
    off = MetricRegistry()
    counter, gauge = off.counter("a_total", "A.", "kind"), off.gauge("b", "B.")
    histogram = off.histogram("c_seconds", "C.", (1.0,))
    counter.add("x")
    gauge.set(3)
    gauge.change(1)
    histogram.observe(0.5)
    begun = histogram.begin()
    off.on = True
    # What began while nobody watched is not timed, though it ends while somebody does.
    histogram.end(begun)
    assert off.read() == ()


def test_a_counter_tells_its_labels_apart() -> None:
    here = meter()
    counter = here.counter("a_total", "A.", "kind")
    counter.add("x")
    counter.add("y", by=4)
    counter.add("x")
    assert here.read() == (Sample("a_total", ("x",), 2), Sample("a_total", ("y",), 4))


def test_a_histogram_has_what_stands_on_a_bound_in_the_bucket_below() -> None:
    here = meter()
    histogram = here.histogram("a_seconds", "A.", (0.1, 1.0))
    for value in (0.1, 0.2, 1.0, 7.0):
        histogram.observe(value)
    [reading] = here.read()
    assert reading.counts == (1, 2, 1)
    assert reading.value == pytest.approx(8.3)


def test_what_is_timed_falls_into_a_bucket() -> None:
    here = meter()
    histogram = here.histogram("a_seconds", "A.", (1000.0,))
    histogram.end(histogram.begin())
    [reading] = here.read()
    assert reading.counts == (1, 0)


@pytest.mark.parametrize("word", ["K7QP Zoë", "\x1b[2J", 'a"b', "a\nb", "", "x" * 33, "UPPER"])
def test_what_is_no_plain_word_is_no_label(word: str) -> None:
    here = meter()
    counter = here.counter("a_total", "A.", "kind")
    gauge, histogram = here.gauge("b", "B.", "kind"), here.histogram("c_seconds", "C.", (1.0,), "kind")
    counter.add(word)
    gauge.set(1, word)
    histogram.observe(1, word)
    assert {reading.labels for reading in here.read()} == {(OTHER_LABEL,)}


def test_a_figure_has_a_bounded_number_of_series() -> None:
    here = meter()
    counter = here.counter("a_total", "A.", "kind")
    for number in range(MAX_SERIES + 100):
        counter.add(f"k{number}")
    told = {reading.labels: reading.value for reading in here.read()}
    assert len(told) == MAX_SERIES + 1
    assert told[(OTHER_LABEL,)] == 100


def test_what_stood_in_the_series_before_somebody_watches_takes_no_place() -> None:
    here = meter()
    counter, gauge = here.counter("a_total", "A.", "kind"), here.gauge("b", "B.", "kind")
    histogram = here.histogram("c_seconds", "C.", (1.0,), "kind")
    for before in (True, False):
        for number in range(MAX_SERIES):
            word = f"{'old' if before else 'new'}{number}"
            counter.add(word)
            gauge.set(1, word)
            histogram.observe(1, word)
        assert OTHER_LABEL not in {label for reading in here.read() for label in reading.labels}
        if before:
            here.begin()


def test_a_figure_has_the_labels_that_it_was_made_with() -> None:
    counter = meter().counter("a_total", "A.", "kind")
    with pytest.raises(BadSample):
        counter.add()
    with pytest.raises(BadSample):
        counter.add("x", "y")


def test_two_figures_of_one_name_are_a_mistake() -> None:
    here = meter()
    here.counter("a_total", "A.")
    with pytest.raises(ValueError, match="two metrics"):
        here.gauge("a_total", "A.")


def pair() -> tuple[MetricRegistry, MetricRegistry]:
    """A server's meter and a worker's, with the same figures."""
    made = meter(), meter()
    for each in made:
        each.counter("a_total", "A.", "kind")
        each.gauge("b_bytes", "B.", by_process=True)
        each.histogram("c_seconds", "C.", (1.0,))
        each.gauge("d", "D.")
    return made


def test_workers_add_up_and_gauges_stand_side_by_side() -> None:
    server, _ = pair()
    for process in ("1", "2"):
        server.absorb(
            process,
            [
                Sample("a_total", ("x",), 2),
                Sample("b_bytes", (), 100.0),
                Sample("c_seconds", (), 0.5, (1, 0)),
            ],
        )
    assert set(server.read()) == {
        Sample("a_total", ("x",), 4),
        Sample("b_bytes", ("1",), 100.0),
        Sample("b_bytes", ("2",), 100.0),
        Sample("c_seconds", (), 1.0, (2, 0)),
    }
    server.forget("1")
    assert Sample("b_bytes", ("1",), 100.0) not in server.read()
    # What it counted has happened all the same.
    assert Sample("a_total", ("x",), 4) in server.read()


def test_a_worker_tells_what_is_new_and_the_server_has_all_of_it() -> None:
    server, worker = pair()
    counter = worker.counter("n_total", "N.")
    server.counter("n_total", "N.")
    gauge = worker.gauge("g", "G.", by_process=True)
    server.gauge("g", "G.", by_process=True)
    counter.add(by=3)
    gauge.set(5)
    server.absorb("1", worker.take_samples())
    # A gauge is told again, as it stands; a counter that has not moved is not.
    assert worker.take_samples() == (Sample("g", (), 5),)
    counter.add()
    server.absorb("1", worker.take_samples())
    assert set(server.read()) == {Sample("n_total", (), 4), Sample("g", ("1",), 5)}


def test_a_server_calls_its_own_gauges_the_servers() -> None:
    here = meter()
    here.gauge("b_bytes", "B.", by_process=True).set(7)
    assert here.read() == (Sample("b_bytes", ("server",), 7),)


@pytest.mark.parametrize(
    "reading",
    [
        Sample("unknown_total", (), 1),
        Sample("a_total", ("x",), -1),
        Sample("a_total", ("x",), math.nan),
        Sample("a_total", ("x",), math.inf),
        Sample("a_total", ("x",), 1, (1,)),
        Sample("a_total", (), 1),
        Sample("a_total", ("x", "y"), 1),
        Sample("b_bytes", ("x",), 1),
        Sample("b_bytes", (), 1, (1,)),
        Sample("c_seconds", (), 1),
        Sample("c_seconds", (), 1, (1, 2, 3)),
        Sample("c_seconds", (), 1, (-1, 2)),
        Sample("d", (), 1),
    ],
)
def test_what_no_worker_can_have_read_is_refused(reading: Sample) -> None:
    server, _ = pair()
    with pytest.raises(BadSample):
        server.absorb("1", [reading])
    assert server.read() == ()


def test_a_thread_counts_beside_the_loop_that_reads() -> None:
    here = meter()
    histogram = here.histogram("a_seconds", "A.", (1.0,))
    begun = threading.Event()

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
        seen += [reading.counts[0] for reading in here.read()]
    writer.join()
    assert seen == sorted(seen)
    [reading] = here.read()
    assert reading.counts == (5_000, 0)


def test_who_watches_knows_of_nothing_before() -> None:
    server, _ = pair()
    server.absorb("1", [Sample("a_total", ("x",), 2), Sample("b_bytes", (), 5.0)])
    server.begin()
    assert server.on
    assert server.read() == ()
    server.end()
    assert not server.on
