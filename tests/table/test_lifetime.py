"""How long a table at which nobody is stays open."""

from cartino_server.limits import ServerConfig
from cartino_server.table.lifetime import seconds_until_closed
from cartino_server.table.time_control import TimeControl
from tests.support.race_table import a_room, filled, finished

CONFIG = ServerConfig(empty_after=600, unused_after=30, unfinished_after=1000)


def test_one_where_nothing_was_dealt_goes_soonest() -> None:
    assert seconds_until_closed(a_room().table, CONFIG) == 30
    assert seconds_until_closed(a_room().table, ServerConfig(empty_after=5, unused_after=30)) == 5


def test_one_whose_game_is_over_stays_a_while() -> None:
    assert seconds_until_closed(finished("ann", "bob").table, CONFIG) == 600


def test_a_running_game_waits_for_who_has_a_key() -> None:
    assert seconds_until_closed(filled("ann", "bob").table, CONFIG) == 1000


def test_among_guests_it_waits_no_longer_than_others() -> None:
    table = a_room()
    for name in ("ann", "bob"):
        assert table.join(name, name, guest=True) is None
    assert seconds_until_closed(table.table, CONFIG) == 600


def test_one_of_them_with_a_key_is_enough() -> None:
    table = a_room()
    for name in ("ann", "bob"):
        assert table.join(name, name, guest=name == "ann") is None
    assert seconds_until_closed(table.table, CONFIG) == 1000


def test_by_correspondence_it_waits_for_ever_unless_it_is_paused() -> None:
    table = filled("ann", "bob", time_limit=TimeControl("day"))
    assert seconds_until_closed(table.table, CONFIG) is None
    for name in ("ann", "bob"):
        assert table.vote(name, True) is None
    assert seconds_until_closed(table.table, CONFIG) == CONFIG.paused_after > 1000
