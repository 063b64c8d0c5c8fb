"""Nothing unanswered is left out of a percentile."""

import math

from bench.load.orders import Pressed, Stormed


def test_keys_without_an_answer_count_as_endless() -> None:
    waits = [float(wait) for wait in range(98)]
    assert Pressed(waits, [], 1, 0).percentile(0.98) == 97
    assert Pressed(waits, [], 2, 0).percentile(0.99) == math.inf
    assert Pressed([*waits, 98, 99], [], 0, 0).percentile(0.99) == 98


def test_log_ins_that_failed_count_as_endless() -> None:
    assert Stormed([5.0], [], 1, 1.0).percentile(0.5) == 5
    assert Stormed([5.0], [], 1, 1.0).percentile(0.99) == math.inf
    assert Stormed([], [], 3, 1.0).percentile(0.5) == math.inf
