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
