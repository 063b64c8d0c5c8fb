"""Figures are compared with their bounds and written so that people can judge."""

import math

import pytest

from bench.figures import Figure, Section, percentile, table


@pytest.mark.parametrize(
    ("share", "found"), [(0, 1), (0.5, 50), (0.501, 51), (0.95, 95), (0.99, 99), (1, 100)]
)
def test_percentiles_are_values_that_were_measured(share: float, found: float) -> None:
    assert percentile(range(100, 0, -1), share) == found


@pytest.mark.parametrize(
    ("figure", "holds"),
    [
        (Figure("told", 5, "ms"), True),
        (Figure("most", 5, "ms", 5), True),
        (Figure("most", 5.1, "ms", 5), False),
        (Figure("none", 0, "B/s", 0), True),
        (Figure("none", 0.01, "B/s", 0), False),
        (Figure("least", 5, "/s", 5, at_least=True), True),
        (Figure("least", 4.9, "/s", 5, at_least=True), False),
        (Figure("never came", math.inf, "ms", 100), False),
    ],
)
def test_bounds(figure: Figure, holds: bool) -> None:
    assert figure.holds is holds


def test_a_table_says_what_is_missed_and_what_broke() -> None:
    text = table(
        [
            Section(
                "One", "how", (Figure("a", 1234, "B", 1000), Figure("bb", math.inf, "ms")), (60, 61), 7.4
            ),
            Section("Two", "", (), (61, 125), 8, broken="nobody answered"),
        ]
    )
    assert text.splitlines() == [
        "One (7 s, calibration 60 to 61 ms)",
        "  how",
        "  a        1,234 B      ≤   1,000  SHORT",
        "  bb      no end ms",
        "",
        "Two (8 s, calibration 61 to 125 ms)",
        "  BROKE OFF: nobody answered",
    ]
