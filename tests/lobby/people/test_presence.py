"""Resume codes: read aloud, typed in any way, told once they are saved, and good until the next was used."""

import asyncio
import secrets
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_server.lobby.people.presence import ResumeCodes, new_resume_code, read_resume_code
from cartino_server.store.port import Guest, NotSaved
from tests.support.journal import MemoryJournal


@given(st.binary(min_size=9, max_size=9))
def test_a_word_is_nine_syllables_and_read_however_it_is_typed(chance: bytes) -> None:
    word = new_resume_code(lambda count: chance[:count])
    assert [len(group) for group in word.split("-")] == [6, 6, 6]
    letters = word.replace("-", "")
    assert set(letters[::2]) <= set("bdfghjklmnprstvz")
    assert set(letters[1::2]) <= set("aeio")
    for typed in (word.upper(), letters, word.replace("-", " "), f"  {word}\n", "-".join(word)):
        assert read_resume_code(typed) == word


def test_54_bits_of_chance_go_into_it() -> None:
    assert new_resume_code(bytes) != new_resume_code(lambda count: b"\xff" * count)
    assert len({new_resume_code(secrets.token_bytes) for _ in range(2000)}) == 2000


@given(st.text())
def test_whatever_is_typed_can_be_looked_up(typed: str) -> None:
    assert read_resume_code(read_resume_code(typed)) == read_resume_code(typed)


BOB = Guest("id-bob", "bob")


def the_guests(journal: MemoryJournal) -> ResumeCodes:
    """Guests whose words differ."""
    numbers = count()
    return ResumeCodes(journal, lambda size: bytes([next(numbers) * 17] * size))


async def test_a_word_is_told_only_once_it_is_saved(journal: MemoryJournal) -> None:
    guests = the_guests(journal)
    journal.hold()
    giving = asyncio.create_task(guests.give(BOB))
    await journal.until(lambda journal: journal.held == 1)
    assert guests.knows("id-bob")
    assert guests.word_of("id-bob") == ""
    journal.release()
    await giving
    assert await journal.redeem_resume_code(guests.word_of("id-bob"), "fresh") == BOB


async def test_one_that_can_t_be_saved_is_none(journal: MemoryJournal) -> None:
    guests = the_guests(journal)
    journal.fail = NotSaved("the disk is full")
    with pytest.raises(NotSaved):
        await guests.give(BOB)
    assert not guests.knows("id-bob")


async def test_who_went_before_it_could_not_be_saved_is_nobody_s_trouble(journal: MemoryJournal) -> None:
    guests = the_guests(journal)
    journal.hold()
    giving = asyncio.create_task(guests.give(BOB))
    await journal.until(lambda journal: journal.held == 1)
    guests.forget("id-bob")
    journal.fail = NotSaved("the disk is full")
    journal.release()
    with pytest.raises(NotSaved):
        await giving


async def test_one_that_was_used_is_good_until_the_next_was_used(journal: MemoryJournal) -> None:
    guests = the_guests(journal)
    await guests.give(BOB)
    first = guests.word_of("id-bob")
    assert await guests.redeem_code(first.upper()) == BOB
    assert await guests.redeem_code(first) == BOB, "nobody may ever have seen the next one"
    second = guests.word_of("id-bob")
    assert second != first
    assert await guests.redeem_code(second) == BOB
    assert await guests.redeem_code(first) is None
