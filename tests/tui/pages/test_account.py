"""One's account and SSH keys on the screen: told, deleted with one's name; keys added by a code, and dropped."""

from tests.support.visit_script import visits

test_visits = visits(__file__)
