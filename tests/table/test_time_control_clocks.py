"""The time of a turn runs, stands still, and goes on with what was left."""

from hypothesis import given
from hypothesis import strategies as st

from cartino_server.table.time_control import TurnClock

MINUTE = TurnClock(60.0)


def test_without_a_limit_nobody_s_time_runs() -> None:
    clock = TurnClock().start_turn([0], 1, 0.0).run(False, 1.0).run(True, 2.0)
    assert clock == TurnClock()
    assert (clock.seconds_left(0, 5.0), clock.next_due(), clock.overdue(1e9)) == (None, None, ())


def test_who_is_on_turn_has_the_whole_time() -> None:
    clock = MINUTE.start_turn([1], 0, 10.0)
    assert (clock.seconds_left(1, 10.0), clock.seconds_left(1, 40.0), clock.seconds_left(0, 40.0)) == (
        60.0,
        30.0,
        None,
    )
    assert clock.next_due() == 70.0


def test_time_is_up_at_its_moment_and_never_below_nothing() -> None:
    clock = MINUTE.start_turn([1], 0, 10.0)
    assert (clock.overdue(69.9), clock.overdue(70.0)) == ((), (1,))
    assert clock.seconds_left(1, 500.0) == 0.0


def test_another_move_in_the_same_turn_brings_no_time() -> None:
    clock = MINUTE.start_turn([1], 4, 0.0).start_turn([1], 4, 50.0)
    assert clock.seconds_left(1, 50.0) == 10.0


def test_the_same_seat_twice_in_succession_has_a_new_turn() -> None:
    clock = MINUTE.start_turn([1], 4, 0.0).start_turn([1], 5, 50.0)
    assert clock.seconds_left(1, 50.0) == 60.0


def test_each_of_several_seats_on_turn_has_its_own_time() -> None:
    clock = MINUTE.start_turn([0], 0, 0.0).start_turn([0, 2], 0, 20.0)
    assert (clock.seconds_left(0, 30.0), clock.seconds_left(2, 30.0)) == (30.0, 50.0)
    assert (clock.next_due(), clock.overdue(60.0), clock.overdue(80.0)) == (60.0, (0,), (0, 2))
    assert clock.start_turn([2], 0, 30.0).seconds_left(0, 30.0) is None


def test_what_was_left_when_it_stopped_is_left_when_it_goes_on() -> None:
    clock = MINUTE.start_turn([0], 0, 0.0).run(False, 45.0)
    assert (clock.seconds_left(0, 1000.0), clock.next_due(), clock.overdue(1000.0)) == (15.0, None, ())
    again = clock.run(True, 2000.0)
    assert (again.seconds_left(0, 2000.0), again.next_due()) == (15.0, 2015.0)


def test_a_turn_that_begins_while_it_stands_still_loses_nothing() -> None:
    clock = MINUTE.run(False, 5.0).start_turn([0], 0, 300.0).run(True, 900.0)
    assert clock.seconds_left(0, 900.0) == 60.0


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 40))))
def test_only_the_time_in_which_it_ran_counts(spells: list[tuple[bool, int]]) -> None:
    clock, now, ran = MINUTE.start_turn([0], 0, 0.0), 0, 0
    for on, seconds in spells:
        clock = clock.run(on, now)
        now += seconds
        ran += seconds if on else 0
        assert clock.seconds_left(0, now) == max(0, 60 - ran)
        assert clock.overdue(now) == ((0,) if on and ran >= 60 else ())
