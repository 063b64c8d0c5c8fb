"""Kept names: whose they are, how long, and who gives way when there are too many."""

from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial

import pytest

from cartino_server.lobby.people import directory as people
from cartino_server.lobby.people.directory import KEPT_SECONDS, USE_INTERVAL, NameBook
from cartino_server.store.people import StoredName, load_names, open_people, put_name
from cartino_server.table.seating import Chair


class Names:
    """A name book at a time that the test sets, and the database that it writes to."""

    def __init__(self, kept: Sequence[StoredName] = ()) -> None:
        self.now = 0
        self.people_db = open_people(None)
        for each in kept:
            self.people_db.post(partial(put_name, kept=each))
        self.book = NameBook(kept, lambda: self.now, self.people_db)

    def at(self, now: int) -> NameBook:
        self.now = now
        return self.book

    async def stored(self) -> dict[str, StoredName]:
        return {each.person: each for each in await self.people_db.do(partial(load_names, since=-1))}

    def finish_game(self, person: str) -> None:
        chair = Chair("human", self.book.name_of(person), person)
        self.book.store_seated_names([chair], lambda _name, _person: True, over=True)


Open = Callable[..., Names]


@pytest.fixture
async def opened() -> AsyncIterator[Open]:
    made: list[Names] = []

    def open_names(kept: Sequence[StoredName] = ()) -> Names:
        made.append(Names(kept))
        return made[-1]

    yield open_names
    for each in made:
        await each.people_db.close()


async def test_a_kept_name_is_its_persons_and_so_is_what_looks_like_it(opened: Open) -> None:
    names = opened()
    book = names.at(100)
    assert book.name_of("1") == ""
    book.keep("1", "Ian")
    ian = StoredName("1", "Ian", ("ian", "lan"), 100)
    assert await names.stored() == {"1": ian}
    assert book.name_of("1") == "Ian"
    assert book.owners("lan") == book.owners("IAN") == {"1"}
    assert book.owners("ann") == frozenset()
    names.at(200).keep("1", "Ian")
    assert await names.stored() == {"1": ian}


async def test_who_takes_another_name_gives_the_old_one_up(opened: Open) -> None:
    names = opened()
    names.at(1).keep("1", "ann")
    names.at(2).keep("1", "eve")
    assert names.at(3).owners("ann") == frozenset()
    assert names.book.owners("eve") == {"1"}
    assert await names.stored() == {"1": StoredName("1", "eve", ("eve",), 2)}


async def test_who_gives_a_name_up_is_not_stored_either(opened: Open) -> None:
    names = opened([StoredName("1", "ann", ("ann",), 100)])
    names.book.forget("1")
    assert names.book.owners("ann") == frozenset()
    assert await names.stored() == {}


async def test_after_a_year_it_is_anybodys(opened: Open) -> None:
    names = opened([StoredName("1", "ann", ("ann",), 100)])
    assert names.at(100 + KEPT_SECONDS).owners("ann") == {"1"}
    assert names.at(101 + KEPT_SECONDS).owners("ann") == frozenset()
    names.book.keep("2", "Ann")
    assert await names.stored() == {"2": StoredName("2", "Ann", ("ann",), 101 + KEPT_SECONDS)}
    assert names.book.name_of("1") == ""


async def test_a_name_that_is_used_is_written_once_a_day(opened: Open) -> None:
    ann = StoredName("1", "ann", ("ann",), 100)
    names = opened([ann])
    names.at(99 + USE_INTERVAL).use("2")
    names.book.use("1")
    assert await names.stored() == {"1": ann}
    names.at(100 + USE_INTERVAL).use("1")
    assert await names.stored() == {"1": StoredName("1", "ann", ("ann",), 100 + USE_INTERVAL)}
    assert names.at(100 + USE_INTERVAL + KEPT_SECONDS).owners("ann") == {"1"}


async def test_when_there_are_too_many_the_one_used_longest_ago_goes(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people, "MAX_NAMES", 2)
    names = opened()
    names.at(1).keep("1", "ann")
    names.at(2).keep("2", "bob")
    names.at(USE_INTERVAL + 1).use("1")
    names.at(USE_INTERVAL + 2).keep("3", "eve")
    assert await names.stored() == {
        "1": StoredName("1", "ann", ("ann",), USE_INTERVAL + 1),
        "3": StoredName("3", "eve", ("eve",), USE_INTERVAL + 2),
    }
    assert [names.book.name_of(person) for person in "123"] == ["ann", "", "eve"]


async def test_who_plays_keeps_their_name_whatever_strangers_call_themselves(
    opened: Open,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(people, "MAX_NAMES", 100)
    names = opened()
    book = names.book
    book.keep("regular", "Grandmaster")
    assert not book.has_played("regular")
    names.finish_game("regular")
    assert book.has_played("regular")
    played = StoredName("regular", "Grandmaster", ("grandrnaster",), 0, played=True)
    assert await names.stored() == {"regular": played}
    names.now = 1
    for number in range(500):
        book.keep(f"throwaway {number}", f"x{number}yz")
    names.now = 2
    assert book.owners("Grandmaster") == {"regular"}
    assert not book.is_known("regular"), "only from the next day on"
    names.now = USE_INTERVAL
    assert book.is_known("regular")
    book.keep("regular", "Patzer")
    assert (await names.stored())["regular"].played


def test_of_strangers_who_is_here_keeps_their_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "MAX_NAMES", 2)
    book = NameBook()
    book.keep("1", "ann")
    book.keep("2", "bob")
    book.use("1")
    book.keep("3", "eve")
    assert (book.name_of("1"), book.name_of("2")) == ("ann", "")


async def test_a_book_of_those_who_play_is_full(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "MAX_NAMES", 2)
    names = opened()
    book = names.at(1)
    for person, name in (("1", "ann"), ("2", "bob")):
        book.keep(person, name)
        names.finish_game(person)
    names.at(2).keep("3", "eve")
    assert book.name_of("3") == ""
    names.at(3).keep("1", "eve")
    assert book.name_of("1") == "eve"
    names.at(2 + KEPT_SECONDS).keep("3", "ann")
    stored = await names.stored()
    assert stored.keys() == {"1", "3"}
    assert stored["3"] == StoredName("3", "ann", ("ann",), 2 + KEPT_SECONDS)


def of_before() -> list[StoredName]:
    """Two names that an older release took for different ones, and that look alike today."""
    return [StoredName("2", "ann b", ("ann b",), 9), StoredName("1", "annb", ("annb",), 10, played=True)]


@pytest.mark.parametrize("kept", [of_before(), of_before()[::-1]])
async def test_of_two_that_look_alike_today_whoever_has_it_without_blanks_keeps_it(
    kept: list[StoredName], opened: Open
) -> None:
    names = opened(kept)
    names.at(10 + USE_INTERVAL).use("2")
    assert names.book.owners("annb") == {"1"}
    names.finish_game("2")
    assert names.book.owners("annb") == {"1"}
    stored = await names.stored()
    assert {person: each.name for person, each in stored.items()} == {"1": "annb", "2": "ann b"}
    assert (stored["2"].used, stored["2"].played) == (10 + USE_INTERVAL, 10 + USE_INTERVAL)
    again = NameBook(stored.values(), lambda: 11 + USE_INTERVAL)
    assert again.owners("ann b") == {"1"}


async def test_when_the_first_gives_it_up_it_is_the_others_who_is_here_or_says_so(opened: Open) -> None:
    names = opened(of_before())
    names.at(11).keep("1", "eve")
    assert names.book.owners("annb") == frozenset()
    names.at(10 + USE_INTERVAL).use("2")
    assert (await names.stored())["2"] == StoredName("2", "ann b", ("annb",), 10 + USE_INTERVAL)
    assert names.book.owners("annb") == {"2"}
    names = opened(of_before())
    names.at(11).keep("1", "eve")
    names.at(12).keep("2", "ann b")
    assert names.book.owners("annb") == {"2"}
    names.at(13).keep("2", "ann b")
    assert (await names.stored())["2"].used == 12


async def test_of_two_with_marks_it_is_whose_was_used_last_and_who_takes_another_leaves_it_to_them(
    opened: Open,
) -> None:
    names = opened([StoredName("1", "ann-b", ("ann-b",), 9), StoredName("2", "ann b", ("ann b",), 10)])
    assert names.at(11).owners("annb") == {"2"}
    names.at(12).keep("1", "eve")
    assert (await names.stored())["1"] == StoredName("1", "eve", ("eve",), 12)
    names.at(13).forget("1")
    assert names.book.owners("annb") == {"2"}


async def test_what_is_written_is_there_after_a_restart_and_what_is_old_is_not() -> None:
    people_db = open_people(None)
    ann = StoredName("1", "Ian", ("ian", "lan"), 10, played=True)
    bob, eve = StoredName("2", "bob", ("bob",), 20), StoredName("3", "eve", ("eve",), 5)
    for kept in (ann, bob, eve):
        await people_db.do(partial(put_name, kept=kept))
    assert await people_db.do(lambda db: load_names(db, 10)) == [ann, bob]
    renamed = StoredName("1", "bob", ("bob",), 30)
    await people_db.do(lambda db: put_name(db, renamed, ["2"]))
    assert await people_db.do(lambda db: load_names(db, 0)) == [renamed]
    await people_db.close()
