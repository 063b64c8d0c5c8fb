"""The waiting room; the visits are in `waiting.txt`."""

from tests.support.visit_script import visits

test_visits = visits(__file__)
