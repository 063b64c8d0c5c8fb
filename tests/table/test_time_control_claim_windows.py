"""The window of a claim as a value: whose time it keeps from one state to the next, and how much is left."""

import pytest

from cartino_engine.port import Claim
from cartino_server.table.time_control import ClaimWindow

PASSING: Claim[str] = Claim((1, 2), 5.0)
STOPPING: Claim[str] = Claim((1, 2), 15.0, "accept")


@pytest.mark.parametrize("turn", [3, 4])
def test_where_play_stops_everybody_has_the_whole_time_whatever_ran_before(turn: int) -> None:
    window = ClaimWindow().update_claim(PASSING, 3, 2, (), 0.0).update_claim(STOPPING, 4, turn, (), 4.0)
    assert (window.seconds_left(4.0), window.silence, window.is_waited_for) == (15.0, "accept", False)


def test_what_is_left_is_the_time_of_the_last_who_may_answer() -> None:
    window = ClaimWindow().update_claim(STOPPING, 4, 2, (2,), 0.0)
    assert window.seconds_left(5.0) == 10.0
    window = window.update_claim(STOPPING, 4, 2, (), 5.0)
    assert window.seconds_left(5.0) == 15.0


def test_a_passing_window_closes_when_its_time_is_up() -> None:
    window = ClaimWindow().update_claim(PASSING, 3, 2, (), 0.0)
    assert window.look(4.9).is_waited_for
    assert not window.look(5.0).is_waited_for
    assert window.look(5.0).seconds_left(5.0) is None
