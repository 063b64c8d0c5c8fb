"""Pairs of whom one hears no more of the other: kept in bounds, and gone with either of them."""

import pytest

from cartino_server.rooms import unheard
from cartino_server.rooms.unheard import MOST_EACH, Unheard


def test_a_pair_has_a_direction() -> None:
    pairs = Unheard()
    pairs.add("ann", "bob")
    pairs.add("ann", "bob")
    assert ("ann", "bob") in pairs
    assert ("bob", "ann") not in pairs
    assert len(pairs) == 1


def test_whoever_is_gone_takes_their_pairs_along() -> None:
    pairs = Unheard()
    for person, of in (("ann", "bob"), ("bob", "ann"), ("bob", "eve"), ("eve", "ann")):
        pairs.add(person, of)
    pairs.forget("bob")
    pairs.forget("bob")
    assert len(pairs) == 1
    assert ("eve", "ann") in pairs
    pairs.forget("ann")
    assert not pairs._of
    assert not pairs._by


def test_one_person_forgets_the_oldest() -> None:
    pairs = Unheard()
    for number in range(MOST_EACH + 1):
        pairs.add("ann", f"bob{number}")
    assert len(pairs) == MOST_EACH
    assert ("ann", "bob0") not in pairs
    assert ("ann", "bob1") in pairs


def test_in_a_full_house_those_give_way_who_have_the_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unheard, "MOST", 4)
    pairs = Unheard()
    pairs.add("ann", "eve")
    for number in range(5):
        pairs.add("joe", f"bob{number}")
    assert len(pairs) == 4
    assert ("ann", "eve") in pairs
    assert ("joe", "bob4") in pairs
