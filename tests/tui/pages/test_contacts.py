"""Invitations and muted people: where they are told, and each answer to them; the visits are in `contacts.txt`."""

from tests.support.visit_script import visits

test_visits = visits(__file__)
