"""Who is online, under which name, through how many links; whose the stored names are, and for how long."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial

import pytest

from cartino_protocol.views import TableView
from cartino_server.lobby.people import directory as people
from cartino_server.lobby.people.directory import KEPT_SECONDS, USE_INTERVAL, NameBook, People
from cartino_server.lobby.people.names import GUEST, marked_name
from cartino_server.server import Server
from cartino_server.store.people import PeopleDatabase, StoredName, load_names, open_people, put_name
from cartino_server.table.link import Person
from cartino_server.table.seating import Chair
from tests.support.game_server import QUICK, World, at_a_table, race_bots
from tests.support.race import Add, Race

ANN, OTHER_ANN, NOBODY = Person("1", "ann"), Person("2", "Ann"), Person("3", "\x1b", guest=True)


def test_names_are_given_by_order_of_arrival() -> None:
    people: People[str] = People()
    assert [people.arrive(person, person.id) for person in (ANN, OTHER_ANN, NOBODY)] == [
        "ann",
        "Ann2",
        "~player",
    ]
    assert len(people) == 3


def test_a_person_is_here_as_long_as_one_link_is() -> None:
    people: People[str] = People()
    people.arrive(ANN, "desk")
    people.arrive(ANN, "phone")
    assert (len(people), people.links("1")) == (1, ("desk", "phone"))
    people.depart(ANN, "desk")
    people.release("1")
    assert people.name("1") == "ann"
    people.depart(ANN, "phone")
    people.depart(ANN, "phone")
    assert (len(people), people.links("1")) == (0, ())
    with pytest.raises(KeyError):
        people.name("1")


def test_a_name_can_be_changed_to_a_free_one() -> None:
    people: People[str] = People()
    people.arrive(ANN, "a")
    people.arrive(Person("2", "bob"), "b")
    assert not people.is_free("BOB", "1")
    assert people.is_free("ANN", "1")
    people.rename("1", "eve")
    assert people.name("1") == "eve"
    assert people.is_free("ann", "2")


def test_a_name_stays_its_owner_s_as_long_as_they_have_a_seat() -> None:
    seated = {"1"}
    people: People[str] = People(seated)
    people.arrive(ANN, "a")
    people.depart(ANN, "a")
    assert (len(people), people.is_here("1"), people.name("1")) == (0, False, "ann")
    assert people.arrive(OTHER_ANN, "b") == "Ann2"
    assert not people.is_free("ANN", "2")
    assert people.arrive(ANN, "c") == "ann"
    people.depart(ANN, "c")
    people.release("1")
    assert not people.is_free("ann", "2"), "released too early"
    seated.clear()
    people.release("1")
    assert people.is_free("ann", "2")


def test_a_name_that_looks_like_somebody_elses_is_not_free() -> None:
    people: People[str] = People(reserved=["greedy"])
    people.arrive(Person("1", "HOPE"), "a")
    assert people.arrive(Person("2", "НОРЕ"), "b") == "НОРЕ2"
    assert not people.is_free("hope", "2")
    assert not people.is_free("Grееdy".replace("е", "e"), "2")


@pytest.mark.parametrize(
    "name", ["greedy", "Greedy 2", "greedy2", "2 greedy", "g-r-e-e-d-y.3", "gréedy", "GREEDY 12"]
)
def test_nobody_is_called_like_a_bot_of_several(name: str) -> None:
    people: People[str] = People(reserved=["greedy"])
    assert people.arrive(Person("1", name), "a") == "player"
    assert people.refused_name_of("1") == (name, "house-name")
    assert people.arrive(Person("2", name, guest=True), "b").startswith("~player")
    people.hold("3", name)
    assert people.name("3").startswith("player")
    assert not people.is_free(name, "4")
    assert people.arrive(Person("5", "greedybo"), "e") == "greedybo"


def test_nobody_is_called_like_a_bot_however_its_name_is_written() -> None:
    people: People[str] = People(reserved=["mia", "dill", "Ivy"])
    names = ("MlA", "MIA", "mia", "Mia", "Mla", "M1A", "DlLL", "lvy", "lVY", "IVY")
    assert [name for name in names if people.is_free(name, "1")] == []


def test_only_who_is_called_so_is_meant_and_not_who_is_called_alike() -> None:
    people: People[str] = People()
    people.arrive(Person("1", "Ian"), "a")
    people.arrive(Person("2", "eve", guest=True), "b")
    assert people.person_called("ian") == people.person_called("ＩＡＮ") == "1"
    assert people.person_called("lan") is None
    assert people.person_called("~Eve") == "2"
    assert people.person_called("eve") is None
    people.depart(Person("1", "Ian"), "a")
    assert people.person_called("ian") is None
    assert people.is_free("lan", "3")


def test_a_guest_is_marked_and_takes_no_name_from_anybody() -> None:
    people: People[str] = People()
    assert people.arrive(Person("1", "ann", guest=True), "a") == "~ann"
    assert people.arrive(Person("2", "~ann"), "b") == "ann"
    assert people.arrive(Person("3", "~ann", guest=True), "c") == "~ann2"
    assert [people.refused_name_of(each)[0] for each in "123"] == ["", "", "~ann"]
    people.hold("4", "bob", guest=True)
    people.hold("5", "~eve", guest=True)
    people.hold("6", "bob")
    assert [people.name(each) for each in "456"] == ["~bob", "~eve", "bob"]


def test_a_name_that_an_older_server_gave_and_that_can_be_none_any_more_is_lost_with_a_word() -> None:
    book = NameBook(
        [StoredName("1", "The host says", ("the host says",), 0), StoredName("2", "bob.", ("bob.",), 0)]
    )
    people: People[str] = People(book=book)
    assert people.arrive(Person("1", "ann"), "a") == "player"
    assert people.refused_name_of("1") == ("The host says", "house-name")
    assert people.arrive(Person("2", "bea"), "b") == "bob"
    assert people.refused_name_of("2") == ("bob.", "bad-name")
    people.hold("3", "►ann")
    people.hold("4", "██", guest=True)
    people.hold("5", "~cy:", guest=True)
    assert [people.name(each) for each in "345"] == ["ann", "~player", "~cy"]


def test_who_is_only_told_apart_by_a_dot_gets_another_name_and_is_told() -> None:
    book = NameBook([StoredName("1", "bob", ("bob",), 0), StoredName("2", "b.ob", ("b.ob",), 1)])
    people: People[str] = People(book=book)
    assert people.arrive(Person("2", "b.ob"), "b") == "b.ob2"
    assert people.refused_name_of("2") == ("b.ob", "name-taken")
    assert people.arrive(Person("1", "bob"), "a") == "bob"
    for name in ("b o b", "B-O-B", "b_0b", "b'ob"):
        assert not people.is_free(name, "3")


def test_a_kept_name_is_its_persons_whatever_they_ask_for() -> None:
    book = NameBook([StoredName("1", "Ann", ("ann",), 0)])
    people: People[str] = People(book=book)
    assert people.arrive(Person("2", "ann"), "b") == "ann2"
    assert people.refused_name_of("2") == ("ann", "name-taken")
    assert people.arrive(Person("1", "root"), "a") == "Ann"
    assert people.refused_name_of("1")[0] == ""
    assert not people.is_free("ANN", "2")
    people.rename("2", "bea")
    assert people.refused_name_of("2")[0] == ""


@pytest.mark.parametrize(
    ("asked", "name", "why"),
    [
        ("bot", "player", "house-name"),
        ("\N{CYRILLIC CAPITAL LETTER A}nn", "player", "mixed-name"),
        ("x", "player", "bad-name"),
        ("christopher-robin", "christopher-robi", "bad-name"),
        ("🙂🙂", "player", "bad-name"),
        ("bea🙂", "bea", "bad-name"),
        ("_cy, the 2nd_", "cy the 2nd", "bad-name"),
        ("𠀀" * 16, "𠀀" * 8, "bad-name"),
        ("ﬃ" * 16, "ffi" * 5 + "f", "bad-name"),
        ("The host says", "player", "house-name"),
    ],
)
def test_who_asks_for_what_is_no_name_is_told_why_they_are_called_otherwise(
    asked: str, name: str, why: str
) -> None:
    people: People[str] = People()
    assert people.arrive(Person("1", asked), "a") == name
    assert people.refused_name_of("1") == (asked, why)
    assert people.arrive(Person("2", asked, guest=True), "b") == marked_name(name, GUEST)
    assert people.refused_name_of("2") == (asked, why)
    # Whoever has the name that is left: it is the asked one's fault that there is another.
    assert people.arrive(Person("3", asked), "c").endswith("2")
    assert people.refused_name_of("3") == (asked, why)


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
    names.book.forget("1")
    assert names.book.owners("eve") == frozenset()
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


async def kept(people_db: PeopleDatabase) -> dict[str, bool]:
    """Who has a name, and whether they have played."""
    names: list[StoredName] = await people_db.do(lambda db: load_names(db, 0))
    return {each.name: each.played > 0 for each in names}


async def test_who_plays_a_game_to_its_end_is_no_stranger(people_db: PeopleDatabase) -> None:
    server = Server({"race": Race()}, race_bots(), QUICK, World().ports(), people_db=people_db)
    ann, bob = await at_a_table(server, "ann", "bob")
    assert await kept(people_db) == {"ann": False, "bob": False}
    players = (ann, bob)
    while ann.table is None or ann.table.state != "finished":
        assert ann.table is not None
        await players[ann.table.turn[0]].act(Add(3))
        await asyncio.gather(*(each.wait(TableView) for each in players))
    assert await kept(people_db) == {"ann": True, "bob": True}
    await server.close()
