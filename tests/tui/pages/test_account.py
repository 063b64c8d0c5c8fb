"""One's account and SSH keys on the screen: told, deleted, added and dropped; the visits are in `account.txt`."""

from tests.support.visit_script import visits

test_visits = visits(__file__)
