"""How long a table at which nobody is stays open, and which one goes where there are too many."""

import msgspec
import pytest

from cartino_server.limits import ServerConfig
from cartino_server.table.lifetime import (
    EvictionLoss,
    TableCounts,
    TableHolding,
    loss_of,
    seconds_until_closed,
    table_to_evict,
    table_to_evict_of_network,
)
from cartino_server.table.time_control import TimeControl
from tests.support.race_table import RaceTable, filled, finished

CONFIG = ServerConfig(empty_after=600, unused_after=30, unfinished_after=1000)
HERE = ("192.0.2.7", "4/24/192.0.2", "4/16/192.0")
THERE = ("198.51.100.1", "4/24/198.51.100", "4/16/198.51")
ELSEWHERE = ("203.0.113.1", "4/24/203.0.113", "4/16/203.0")
NOTHING, DEAL, OWN_GAME, GAME = EvictionLoss


def with_guests(*guests: bool) -> RaceTable:
    table = RaceTable(len(guests))
    for number, guest in enumerate(guests):
        table.join(f"p{number}", f"p{number}", guest=guest)
    return table


@pytest.mark.parametrize(
    ("table", "seconds"),
    [
        pytest.param(RaceTable(), 30, id="nothing was dealt"),
        pytest.param(finished("ann", "bob"), 600, id="the game is over"),
        pytest.param(with_guests(False, False), 1000, id="a running game"),
        pytest.param(with_guests(True, True), 600, id="of guests"),
        pytest.param(with_guests(True, False), 1000, id="one has a key"),
        pytest.param(filled("ann", "bob", time_control=TimeControl("day")), None, id="by correspondence"),
    ],
)
def test_how_long_an_empty_table_stays_open(table: RaceTable, seconds: float | None) -> None:
    assert seconds_until_closed(table.table, CONFIG) == seconds


def test_a_paused_game_waits_longest_and_an_unused_table_no_longer_than_any() -> None:
    table = filled("ann", "bob", time_control=TimeControl("day")).play("ann pauses, bob pauses")
    assert seconds_until_closed(table.table, CONFIG) == CONFIG.paused_after > 1000
    assert seconds_until_closed(RaceTable().table, ServerConfig(empty_after=5, unused_after=30)) == 5


def test_what_is_lost_with_a_table() -> None:
    challenge = RaceTable(time_control=TimeControl("day")).play("ann joins")
    alone, both = RaceTable(2, "steady", goal="9").play("ann joins"), filled("ann", "bob", goal="9")
    tables = (finished("ann", "bob"), challenge, alone, both)
    assert [loss_of(each.table, is_wanted=False) for each in tables] == [NOTHING, OWN_GAME, DEAL, DEAL]
    for table, loss in ((alone, OWN_GAME), (both, GAME)):
        assert loss_of(table.play("ann adds 1").table, is_wanted=False) is loss
    assert loss_of(challenge.table, is_wanted=True) is GAME


def held(
    code: str, opener: str = "", origin: tuple[str, ...] = (), loss: EvictionLoss = DEAL, moves: int = 0
) -> TableHolding:
    return TableHolding(code, opener or f"of {code}", origin, loss, moves=moves)


def of_address(number: int) -> tuple[str, ...]:
    return (f"192.0.2.{number}", *HERE[1:])


def test_what_is_over_goes_before_a_deal_and_that_before_a_game_whoever_they_are_of() -> None:
    flood = [held(f"F{at}", origin=HERE, loss=OWN_GAME, moves=9) for at in range(9)]
    over, deal = held("OVER", loss=NOTHING), held("DEAL")
    assert table_to_evict([*flood, deal, over]) == over
    assert table_to_evict([*flood, deal]) == deal
    assert table_to_evict(flood) is not None
    assert table_to_evict([held(f"F{at}", "flood", HERE, GAME) for at in range(200)], "ann", THERE) is None


@pytest.mark.parametrize("loss", [DEAL, OWN_GAME])
def test_a_flood_evicts_its_own_tables_by_whatever_keys_and_addresses(loss: EvictionLoss) -> None:
    """From a /24 each with an address and a key of its own; another's table is the oldest, or the newest."""
    other = held("MINE", "ann", THERE, loss, moves=1)
    flood = [held(f"F{at}", origin=of_address(at), loss=loss, moves=5) for at in range(9)]
    for tables in ([other, *flood], [*flood, other]):
        while len(tables) > 3:
            gone = table_to_evict(tables, "new", ELSEWHERE)
            assert gone is not None
            assert gone != other
            tables.remove(gone)


def test_a_game_that_was_played_does_not_go_for_somebody_who_holds_more() -> None:
    own = held("MINE", "ann", THERE, OWN_GAME, moves=1)
    flood = [held(f"F{at}", origin=HERE, loss=GAME) for at in range(9)]
    assert table_to_evict([own, *flood], "new", HERE) is None
    assert table_to_evict([own, *flood], "new", of_address(9)) is None
    assert table_to_evict([own, *flood], "bob", ELSEWHERE) == own
    deal = msgspec.structs.replace(own, loss=DEAL)
    assert table_to_evict([deal, *flood], "new", HERE) == deal, "nobody has touched it"


def test_of_equals_the_fewest_moves_go_first_then_the_newest_opener_s_oldest() -> None:
    early, late = held("EARL", "ann", (), OWN_GAME, 3), held("LATE", "bob", (), OWN_GAME, 2)
    assert table_to_evict([early, late], "new") == late
    early = msgspec.structs.replace(early, moves=2)
    assert table_to_evict([early, late], "new") == late
    early = msgspec.structs.replace(early, guest=True)
    assert table_to_evict([early, late], "new") == early
    tables = [held(code, "ann") for code in ("AAAA", "BBBB")]
    assert table_to_evict([*tables, held("CCCC")], "new") == tables[0]
    two = [held(f"G{at}", "gus") for at in range(2)]
    assert table_to_evict([*(held(f"F{at}") for at in range(4)), *two], "new") == two[0]


def test_a_wider_network_may_hold_several_times_as_many() -> None:
    counts = TableCounts([held(f"F{at}", origin=of_address(at)) for at in range(6)])
    assert counts.highest_count("new", HERE) == 3
    assert counts.highest_count("new", HERE, more=1) == 3.5
    assert counts.highest_count("new", THERE, more=1) == counts.highest_count("new", (), more=1) == 1
    assert [counts.full(HERE, most) for most in (4, 3, 1)] == [set(), {HERE[1]}, set(HERE[1:])]


def test_a_network_that_holds_its_most_loses_its_own_and_no_game_of_a_key_s() -> None:
    other = held("MINE", "ann", THERE, NOTHING)
    played = [held(f"F{at}", origin=HERE, loss=OWN_GAME) for at in range(3)]
    assert table_to_evict_of_network([other, *played], HERE, 3) is None
    deal = held("DEAL", origin=HERE)
    assert table_to_evict_of_network([other, *played, deal], HERE, 3) == deal
    guests = msgspec.structs.replace(played[1], guest=True)
    assert table_to_evict_of_network([other, *played, guests], HERE, 3) == guests
    assert table_to_evict_of_network([other, deal, played[0]], of_address(200), 1) == deal
