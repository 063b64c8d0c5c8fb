"""Who lost a table is told once, however many lose theirs meanwhile."""

from cartino_server.rooms.giving_way import Loss
from cartino_server.rooms.losses import MOST, MOST_EACH, Losses


def test_each_is_told_once_games_first() -> None:
    losses = Losses()
    losses.note("ann", "AAAA", Loss.DEAL)
    losses.note("ann", "BBBB", Loss.OWN_GAME)
    losses.note("bob", "CCCC", Loss.DEAL)
    assert losses.take("ann") == ("BBBB", "AAAA")
    assert losses.take("ann") == ()
    assert losses.take("bob") == ("CCCC",)


def test_of_a_game_that_was_over_nobody_is() -> None:
    losses = Losses()
    losses.note("ann", "AAAA", Loss.NOTHING)
    assert losses.take("ann") == ()


def test_a_flood_has_nobody_forgotten_who_lost_a_game_and_takes_no_more_than_its_place() -> None:
    losses = Losses()
    losses.note("ann", "AAAA", Loss.OWN_GAME)
    for number in range(3 * MOST):
        losses.note(f"flood{number}", "BBBB", Loss.DEAL)
    told = sum(bool(losses.take(f"flood{number}")) for number in range(3 * MOST))
    assert told == MOST
    assert losses.take("ann") == ("AAAA",)


def test_of_many_the_newest_are_told() -> None:
    losses = Losses()
    for code in "ABCDEFGH":
        losses.note("ann", code * 4, Loss.OWN_GAME)
    told = losses.take("ann")
    assert len(told) == MOST_EACH
    assert told[-1] == "HHHH"
