"""A replay in the server; the visits are in `screen.txt`."""

from tests.support.visit_script import visits

test_visits = visits(__file__)
