"""Who is here, under which name, through how many links."""

import pytest

from cartino_server.rooms.people import People, Person

ANN, OTHER_ANN, NOBODY = Person("1", "ann"), Person("2", "Ann"), Person("3", "\x1b", guest=True)


def test_names_are_given_by_order_of_arrival() -> None:
    people: People[str] = People()
    assert [people.arrive(person, person.id) for person in (ANN, OTHER_ANN, NOBODY)] == [
        "ann",
        "Ann2",
        "guest",
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
        ("🂡" * 16, "🂡" * 8),
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
