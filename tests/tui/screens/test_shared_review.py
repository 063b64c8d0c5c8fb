"""A review looked at together; the visits are in `shared_review.txt`."""

from tests.support.visit_script import visits

test_visits = visits(__file__)
