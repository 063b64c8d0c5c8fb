"""How long a table at which nobody is stays open."""

from cartino_server.rooms.config import HouseConfig
from cartino_server.rooms.lifetime import time_left
from cartino_server.rooms.waiting import Patience
from tests.support.race_room import a_room, filled, finished

CONFIG = HouseConfig(empty_after=600, unused_after=30, unfinished_after=1000)


def test_one_where_nothing_was_dealt_goes_soonest() -> None:
    assert time_left(a_room(), CONFIG) == 30
    assert time_left(a_room(), HouseConfig(empty_after=5, unused_after=30)) == 5


def test_one_whose_game_is_over_stays_a_while() -> None:
    assert time_left(finished("ann", "bob"), CONFIG) == 600


def test_a_running_game_waits_for_who_has_a_key() -> None:
    assert time_left(filled("ann", "bob"), CONFIG) == 1000


def test_among_guests_it_waits_no_longer_than_others() -> None:
    room = a_room()
    for name in ("ann", "bob"):
        assert room.join(name, name, guest=True) is None
    assert time_left(room, CONFIG) == 600


def test_one_of_them_with_a_key_is_enough() -> None:
    room = a_room()
    for name in ("ann", "bob"):
        assert room.join(name, name, guest=name == "ann") is None
    assert time_left(room, CONFIG) == 1000


def test_by_correspondence_it_waits_for_ever_unless_it_is_paused() -> None:
    room = filled("ann", "bob", patience=Patience("day"))
    assert time_left(room, CONFIG) is None
    for name in ("ann", "bob"):
        assert room.vote(name, True) is None
    assert time_left(room, CONFIG) == CONFIG.paused_after > 1000
