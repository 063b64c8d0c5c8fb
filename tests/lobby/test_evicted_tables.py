"""Who lost a table is told once, however many lose theirs meanwhile."""

from cartino_server.lobby.moderation import MAX_TOLD_EACH, MAX_UNTOLD, EvictedTables
from cartino_server.table.lifetime import EvictionLoss


def test_each_is_told_once_games_first() -> None:
    losses = EvictedTables()
    losses.note("ann", "AAAA", EvictionLoss.DEAL)
    losses.note("ann", "BBBB", EvictionLoss.OWN_GAME)
    losses.note("bob", "CCCC", EvictionLoss.DEAL)
    assert losses.take("ann") == ("BBBB", "AAAA")
    assert losses.take("ann") == ()
    assert losses.take("bob") == ("CCCC",)


def test_of_a_game_that_was_over_nobody_is() -> None:
    losses = EvictedTables()
    losses.note("ann", "AAAA", EvictionLoss.NOTHING)
    assert losses.take("ann") == ()


def test_a_flood_has_nobody_forgotten_who_lost_a_game_and_takes_no_more_than_its_place() -> None:
    losses = EvictedTables()
    losses.note("ann", "AAAA", EvictionLoss.OWN_GAME)
    for number in range(3 * MAX_UNTOLD):
        losses.note(f"flood{number}", "BBBB", EvictionLoss.DEAL)
    told = sum(bool(losses.take(f"flood{number}")) for number in range(3 * MAX_UNTOLD))
    assert told == MAX_UNTOLD
    assert losses.take("ann") == ("AAAA",)


def test_of_many_the_newest_are_told() -> None:
    losses = EvictedTables()
    for code in "ABCDEFGH":
        losses.note("ann", code * 4, EvictionLoss.OWN_GAME)
    told = losses.take("ann")
    assert len(told) == MAX_TOLD_EACH
    assert told[-1] == "HHHH"
