"""Blanks, dots and the like make no other name of one."""

import pytest

from cartino_server.store.people import strip_separators


@pytest.mark.parametrize(
    ("look", "without"), [("bad guy", "badguy"), ("b.o_b-'", "bob"), ("bob", "bob"), (".-.", ".-."), ("", "")]
)
def test_what_stands_between_letters_is_left_out_unless_it_is_all_there_is(look: str, without: str) -> None:
    assert strip_separators(look) == without
