"""The words by which guests come back."""

import secrets

from hypothesis import given
from hypothesis import strategies as st

from cartino_server.lobby.people.presence import new_resume_code, read_resume_code


@given(st.binary(min_size=9, max_size=9))
def test_a_word_is_nine_syllables_that_can_be_read_aloud(chance: bytes) -> None:
    word = new_resume_code(lambda count: chance[:count])
    assert [len(group) for group in word.split("-")] == [6, 6, 6]
    letters = word.replace("-", "")
    assert set(letters[::2]) <= set("bdfghjklmnprstvz")
    assert set(letters[1::2]) <= set("aeio")


@given(st.binary(min_size=9, max_size=9))
def test_it_is_read_however_it_is_typed(chance: bytes) -> None:
    word = new_resume_code(lambda count: chance[:count])
    for typed in (word.upper(), word.replace("-", ""), word.replace("-", " "), f"  {word}\n", "-".join(word)):
        assert read_resume_code(typed) == word


def test_54_bits_of_chance_go_into_it() -> None:
    assert new_resume_code(bytes) != new_resume_code(lambda count: b"\xff" * count)
    assert len({new_resume_code(secrets.token_bytes) for _ in range(2000)}) == 2000


@given(st.text())
def test_whatever_is_typed_can_be_looked_up(typed: str) -> None:
    assert read_resume_code(read_resume_code(typed)) == read_resume_code(typed)
