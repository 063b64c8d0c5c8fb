"""Which table gives way: what is lost with it decides, then how much its people and their networks hold."""

import msgspec
import pytest

from cartino_server.table.lifetime import (
    EvictionLoss,
    TableCounts,
    TableHolding,
    table_to_evict,
    table_to_evict_of_network,
)

HERE = ("192.0.2.7", "4/24/192.0.2", "4/16/192.0")
THERE = ("198.51.100.1", "4/24/198.51.100", "4/16/198.51")


def table(
    code: str,
    opener: str = "",
    origin: tuple[str, ...] = (),
    loss: EvictionLoss = EvictionLoss.DEAL,
    moves: int = 0,
) -> TableHolding:
    return TableHolding(code, opener or f"of {code}", origin, loss, moves=moves)


def of_address(number: int) -> tuple[str, ...]:
    return (f"192.0.2.{number}", *HERE[1:])


def test_what_is_over_goes_before_a_deal_and_that_before_a_game_whoever_they_are_of() -> None:
    flood = [table(f"F{at}", origin=HERE, loss=EvictionLoss.OWN_GAME, moves=9) for at in range(9)]
    over, deal = table("OVER", loss=EvictionLoss.NOTHING), table("DEAL")
    assert table_to_evict([*flood, deal, over]) == over
    assert table_to_evict([*flood, deal]) == deal
    assert table_to_evict(flood) is not None


def test_a_game_between_people_or_with_somebody_there_never_goes() -> None:
    assert (
        table_to_evict([table(f"F{at}", "flood", HERE, EvictionLoss.GAME) for at in range(200)], "ann", THERE)
        is None
    )


@pytest.mark.parametrize("loss", [EvictionLoss.DEAL, EvictionLoss.OWN_GAME])
def test_of_a_flood_s_tables_and_another_s_the_flood_s_goes_by_whatever_keys_and_addresses(
    loss: EvictionLoss,
) -> None:
    """From a /24 each with an address and a key of its own; another's table is the oldest, or the newest."""
    other = table("MINE", "ann", THERE, loss, moves=1)
    flood = [table(f"F{at}", origin=of_address(at), loss=loss, moves=5) for at in range(9)]
    for tables in ([other, *flood], [*flood, other]):
        while len(tables) > 3:
            gone = table_to_evict(tables, "new", ("203.0.113.1", "4/24/203.0.113", "4/16/203.0"))
            assert gone is not None
            assert gone != other
            tables.remove(gone)


def test_a_game_that_was_played_does_not_go_for_somebody_who_holds_more() -> None:
    own = table("MINE", "ann", THERE, EvictionLoss.OWN_GAME, moves=1)
    flood = [table(f"F{at}", origin=HERE, loss=EvictionLoss.GAME) for at in range(9)]
    assert table_to_evict([own, *flood], "new", HERE) is None
    assert table_to_evict([own, *flood], "new", of_address(9)) is None
    assert table_to_evict([own, *flood], "bob", ("203.0.113.1", "4/24/203.0.113", "4/16/203.0")) == own
    # A deal that nobody has touched is nobody's loss.
    deal = msgspec.structs.replace(own, loss=EvictionLoss.DEAL)
    assert table_to_evict([deal, *flood], "new", HERE) == deal


def test_of_equals_the_fewest_moves_go_first_and_then_who_came_last() -> None:
    early, late = (
        table("EARL", "ann", (), EvictionLoss.OWN_GAME, 3),
        table("LATE", "bob", (), EvictionLoss.OWN_GAME, 2),
    )
    assert table_to_evict([early, late], "new") == late
    early = msgspec.structs.replace(early, moves=2)
    assert table_to_evict([early, late], "new") == late
    assert table_to_evict([msgspec.structs.replace(early, guest=True), late], "new") != late


def test_of_one_person_s_the_oldest_goes() -> None:
    tables = [table(code, "ann") for code in ("AAAA", "BBBB")]
    assert table_to_evict([*tables, table("CCCC")], "new") == tables[0]


def test_a_network_has_several_measures() -> None:
    tables = [table(f"F{at}", origin=of_address(at)) for at in range(6)]
    burden = TableCounts(tables)
    assert burden.highest_count("new", HERE) == 3
    assert burden.highest_count("new", HERE, more=1) == 3.5
    assert burden.highest_count("new", THERE, more=1) == burden.highest_count("new", (), more=1) == 1
    assert burden.full(HERE, 4) == frozenset()
    assert burden.full(HERE, 3) == {HERE[1]}
    assert burden.full(HERE, 1) == set(HERE[1:])


def test_for_a_source_that_has_its_measure_only_its_own_go_and_no_game_of_a_key_s() -> None:
    other = table("MINE", "ann", THERE, EvictionLoss.NOTHING)
    played = [table(f"F{at}", origin=HERE, loss=EvictionLoss.OWN_GAME) for at in range(3)]
    assert table_to_evict_of_network([other, *played], HERE, 3) is None
    deal = table("DEAL", origin=HERE)
    assert table_to_evict_of_network([other, *played, deal], HERE, 3) == deal
    guests = msgspec.structs.replace(played[1], guest=True)
    assert table_to_evict_of_network([other, *played, guests], HERE, 3) == guests
    # Where the network around has its measure, one from there goes.
    assert table_to_evict_of_network([other, deal, played[0]], of_address(200), 1) == deal


def test_whose_network_is_not_known_counts_by_themselves() -> None:
    unknown = [table(f"F{at}") for at in range(4)]
    two = [table(f"G{at}", "gus") for at in range(2)]
    gone = table_to_evict([*unknown, *two], "new")
    assert gone == two[0]
