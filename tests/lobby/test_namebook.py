"""Kept names: whose they are, how long, and who gives way when there are too many."""

from functools import partial

import pytest

from cartino_server.lobby import people
from cartino_server.lobby.people import KEPT_SECONDS, USE_INTERVAL, NameBook, NameKeeper
from cartino_server.store.people import StoredName, load_names, open_people, put_name


def test_a_kept_name_is_its_persons_and_so_is_what_looks_like_it() -> None:
    book = NameBook()
    assert book.name_of("1") == ""
    kept = book.keep("1", "Ian", 100)
    assert kept == (StoredName("1", "Ian", ("ian", "lan"), 100), ())
    assert book.name_of("1") == "Ian"
    assert book.owners("lan", 100) == book.owners("IAN", 100) == {"1"}
    assert book.owners("ann", 100) == frozenset()
    assert book.keep("1", "Ian", 200) is None


def test_who_takes_another_name_gives_the_old_one_up() -> None:
    book = NameBook()
    book.keep("1", "ann", 1)
    book.keep("1", "eve", 2)
    assert book.owners("ann", 3) == frozenset()
    assert book.owners("eve", 3) == {"1"}


def test_after_a_year_it_is_anybodys() -> None:
    book = NameBook([StoredName("1", "ann", ("ann",), 100)])
    assert book.owners("ann", 100 + KEPT_SECONDS) == {"1"}
    assert book.owners("ann", 101 + KEPT_SECONDS) == frozenset()
    assert book.keep("2", "Ann", 101 + KEPT_SECONDS) == (
        StoredName("2", "Ann", ("ann",), 101 + KEPT_SECONDS),
        ("1",),
    )
    assert book.name_of("1") == ""


def test_a_name_that_is_used_is_written_once_a_day() -> None:
    book = NameBook([StoredName("1", "ann", ("ann",), 100)])
    assert book.use("2", 100) is None
    assert book.use("1", 100) is None
    assert book.use("1", 100 + USE_INTERVAL) == StoredName("1", "ann", ("ann",), 100 + USE_INTERVAL)
    assert book.owners("ann", 100 + USE_INTERVAL + KEPT_SECONDS) == {"1"}


def test_when_there_are_too_many_the_one_used_longest_ago_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "MAX_NAMES", 2)
    book = NameBook()
    book.keep("1", "ann", 1)
    book.keep("2", "bob", 2)
    book.use("1", USE_INTERVAL + 1)
    assert book.keep("3", "eve", USE_INTERVAL + 2) == (
        StoredName("3", "eve", ("eve",), USE_INTERVAL + 2),
        ("2",),
    )
    assert (book.name_of("1"), book.name_of("2"), book.name_of("3")) == ("ann", "", "eve")


def test_who_plays_keeps_their_name_whatever_strangers_call_themselves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(people, "MAX_NAMES", 100)
    book = NameBook()
    book.keep("regular", "Grandmaster", 0)
    played = StoredName("regular", "Grandmaster", ("grandrnaster",), 0, played=True)
    assert not book.has_played("regular")
    assert book.played("regular") == played
    assert book.has_played("regular")
    assert book.played("regular") is None
    for number in range(500):
        book.keep(f"throwaway {number}", f"x{number}yz", 1)
    assert book.owners("Grandmaster", 2) == {"regular"}
    renamed = book.keep("regular", "Patzer", 3)
    assert renamed is not None
    assert renamed[0].played


def test_of_strangers_who_is_here_keeps_their_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "MAX_NAMES", 2)
    book = NameBook()
    book.keep("1", "ann", 1)
    book.keep("2", "bob", 2)
    assert book.use("1", 3) is None
    book.keep("3", "eve", 4)
    assert (book.name_of("1"), book.name_of("2")) == ("ann", "")


def test_a_book_of_those_who_play_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "MAX_NAMES", 2)
    book = NameBook()
    for person, name in (("1", "ann"), ("2", "bob")):
        book.keep(person, name, 1)
        book.played(person)
    assert book.keep("3", "eve", 2) is None
    assert book.keep("1", "eve", 3) is not None
    assert book.keep("3", "ann", 2 + KEPT_SECONDS) == (
        StoredName("3", "ann", ("ann",), 2 + KEPT_SECONDS),
        ("2",),
    )


def of_before() -> list[StoredName]:
    """Two names that an older house took for different ones, and that look alike today."""
    return [StoredName("2", "ann b", ("ann b",), 9), StoredName("1", "annb", ("annb",), 10, played=True)]


@pytest.mark.parametrize("kept", [of_before(), of_before()[::-1]])
async def test_of_two_that_look_alike_today_whoever_has_it_without_blanks_keeps_it(
    kept: list[StoredName],
) -> None:
    register = open_people(None)
    for each in kept:
        await register.do(partial(put_name, kept=each))
    book = NameBook(kept)
    for written in (book.use("2", 10 + USE_INTERVAL), book.played("2")):
        assert book.owners("annb", 11 + USE_INTERVAL) == {"1"}
        assert written is not None
        await register.do(partial(put_name, kept=written))
    theirs = {each.person: each.name for each in await register.do(partial(load_names, since=0))}
    assert theirs == {"1": "annb", "2": "ann b"}
    again = NameBook(await register.do(partial(load_names, since=0)))
    assert again.owners("ann b", 11 + USE_INTERVAL) == {"1"}
    await register.close()


def test_when_the_first_gives_it_up_it_is_the_others_who_is_here_or_says_so() -> None:
    book = NameBook(of_before())
    book.keep("1", "eve", 11)
    assert book.owners("annb", 11) == frozenset()
    assert book.use("2", 10 + USE_INTERVAL) == StoredName("2", "ann b", ("annb",), 10 + USE_INTERVAL)
    assert book.owners("annb", 10 + USE_INTERVAL) == {"2"}
    book = NameBook(of_before())
    book.keep("1", "eve", 11)
    NameKeeper(book, None, lambda: 12).keep("2", "ann b")
    assert book.owners("annb", 12) == {"2"}
    assert book.keep("2", "ann b", 13) is None


def test_of_two_with_marks_it_is_whose_was_used_last_and_who_takes_another_leaves_it_to_them() -> None:
    book = NameBook([StoredName("1", "ann-b", ("ann-b",), 9), StoredName("2", "ann b", ("ann b",), 10)])
    assert book.owners("annb", 11) == {"2"}
    assert book.keep("1", "eve", 12) == (StoredName("1", "eve", ("eve",), 12), ())
    book.forget("1")
    assert book.owners("annb", 13) == {"2"}


async def test_what_is_written_is_there_after_a_restart_and_what_is_old_is_not() -> None:
    register = open_people(None)
    ann = StoredName("1", "Ian", ("ian", "lan"), 10, played=True)
    bob, eve = StoredName("2", "bob", ("bob",), 20), StoredName("3", "eve", ("eve",), 5)
    for kept in (ann, bob, eve):
        await register.do(partial(put_name, kept=kept))
    assert await register.do(lambda db: load_names(db, 10)) == [ann, bob]
    renamed = StoredName("1", "bob", ("bob",), 30)
    await register.do(lambda db: put_name(db, renamed, ["2"]))
    assert await register.do(lambda db: load_names(db, 0)) == [renamed]
    await register.close()
