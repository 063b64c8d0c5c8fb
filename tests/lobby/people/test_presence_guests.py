"""Words are given once they are saved, and known to nobody but the guest they bring back."""

import asyncio
from itertools import count

import pytest

from cartino_server.lobby.people.presence import ResumeCodes
from cartino_server.store.port import Guest, NotSaved
from tests.support.journal import MemoryJournal

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
    assert journal.guests == {guests.word_of("id-bob"): BOB}


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


async def test_it_is_good_though_its_guest_has_gone(journal: MemoryJournal) -> None:
    guests = the_guests(journal)
    await guests.give(BOB)
    word = guests.word_of("id-bob")
    guests.forget("id-bob")
    assert guests.word_of("id-bob") == ""
    assert await guests.redeem_code(word) == BOB
