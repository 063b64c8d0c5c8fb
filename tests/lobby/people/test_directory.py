"""Who is here, under which name, through how many links."""

import pytest

from cartino_server.lobby.people.directory import NameBook, People
from cartino_server.lobby.people.names import GUEST, marked_name
from cartino_server.store.people import StoredName
from cartino_server.table.link import Person

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


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("b" * 40, "b" * 16),
        ("𠀀" * 16, "𠀀" * 8),
        ("ﬃ" * 16, "ffi" * 5 + "f"),
        ("maximilian.of.the.mountains", "maximilian.of.th"),
    ],
)
def test_a_name_that_is_too_long_is_cut(asked: str, given: str) -> None:
    people: People[str] = People()
    assert people.arrive(Person("1", asked), "a") == given


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


def test_who_is_here_keeps_the_name_without_a_seat() -> None:
    people: People[str] = People()
    people.arrive(ANN, "a")
    people.release("1")
    assert people.name("1") == "ann"


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


@pytest.mark.parametrize("name", ["MlA", "MIA", "mia", "Mia", "Mla", "M1A", "DlLL", "lvy", "lVY", "IVY"])
def test_nobody_is_called_like_a_bot_however_its_name_is_written(name: str) -> None:
    people: People[str] = People(reserved=["mia", "dill", "Ivy"])
    assert not people.is_free(name, "1")


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
