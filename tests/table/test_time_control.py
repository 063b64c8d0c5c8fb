"""Clock, substitutes and pause together: what a table waits for, and when it looks again."""

from cartino_server.table.time_control import GameTiming, Takeover, TimeControl, start_timing

HASTY = TimeControl("30s", "30s")
SLOW = TimeControl("none", "2m")
POST = TimeControl("day", "30s")


def running(time_limit: TimeControl, now: float = 0.0) -> GameTiming:
    """Seats 0 and 1 are people who are both there; seat 0 is on turn."""
    return start_timing(time_limit).record_absences([], True, now).wait_for_seats([0], 0, now)


def test_when_time_is_up_a_substitute_plays_that_turn() -> None:
    waiting = running(HASTY)
    assert waiting.next_due() == 30.0
    assert waiting.look(0, 29.9) == (waiting, ())
    late, found = waiting.look(0, 30.0)
    assert found == (Takeover(0, "time"),)
    assert late.plays_for(0)
    assert late.next_due() is None
    assert late.look(0, 90.0) == (late, ())


def test_the_next_turn_is_its_owner_s_with_all_the_time() -> None:
    late, _ = running(HASTY).look(0, 30.0)
    after = late.wait_for_seats([1], 1, 31.0)
    assert not after.plays_for(0)
    again = after.wait_for_seats([0], 2, 40.0)
    assert again.turn.clock.seconds_left(0, 40.0) == 30.0


def test_a_turn_of_several_moves_stays_lost_to_its_end() -> None:
    late, _ = running(HASTY).look(0, 30.0)
    half = late.wait_for_seats([0], 0, 31.0)
    assert half.plays_for(0)
    assert half.turn.clock.seconds_left(0, 31.0) is None


def test_who_is_away_is_played_for_while_another_player_is_there() -> None:
    waiting = running(SLOW).record_absences([1], True, 5.0)
    assert waiting.next_due() == 125.0
    after, found = waiting.look(0, 125.0)
    assert found == (Takeover(1, "away"),)
    assert after.plays_for(1)
    assert not after.record_absences([1, 0], False, 130.0).plays_for(1)


def test_with_nobody_there_no_clock_runs_and_nobody_is_missed() -> None:
    waiting = running(HASTY).record_absences([0, 1], False, 10.0)
    assert waiting.next_due() is None
    assert waiting.look(0, 1e6) == (waiting, ())
    assert waiting.turn.clock.seconds_left(0, 1e6) == 20.0


def test_who_comes_back_first_waits_for_the_others_from_then_on() -> None:
    waiting = running(SLOW).record_absences([1], True, 0.0).record_absences([0, 1], False, 100.0)
    back = waiting.record_absences([1], True, 5000.0)
    assert back.look(0, 5119.9)[1] == ()
    assert back.look(0, 5120.0)[1] == (Takeover(1, "away"),)


def test_by_correspondence_time_runs_on_and_nobody_is_missed() -> None:
    waiting = running(POST).record_absences([0, 1], False, 10.0)
    assert waiting.next_due() == 86_400.0
    late, found = waiting.look(0, 86_400.0)
    assert found == (Takeover(0, "time"),)
    assert late.plays_for(0)


def test_while_it_is_paused_nothing_happens() -> None:
    waiting = running(HASTY).record_absences([1], True, 5.0).pause(True, 10.0)
    assert waiting.next_due() is None
    assert waiting.look(0, 1e6) == (waiting, ())
    on = waiting.pause(False, 1000.0)
    assert on.turn.clock.seconds_left(0, 1000.0) == 20.0


def test_a_pause_outlasts_the_coming_and_going() -> None:
    waiting = running(HASTY).pause(True, 10.0).record_absences([0, 1], False, 20.0)
    assert waiting.record_absences([], True, 50.0).turn.clock.seconds_left(0, 1000.0) == 20.0


def test_no_substitute_plays_while_it_is_paused() -> None:
    late, _ = running(HASTY).look(0, 30.0)
    assert not late.pause(True, 31.0).plays_for(0)


def test_who_is_late_and_away_has_lost_the_turn_for_its_time() -> None:
    waiting = running(HASTY).record_absences([0], True, 0.0)
    late, found = waiting.look(0, 30.0)
    assert found == (Takeover(0, "time"),)
    back = late.record_absences([], True, 31.0)
    assert back.plays_for(0)


def test_what_outlives_the_server_does_not_say_who_was_there() -> None:
    waiting = running(HASTY).record_absences([1], True, 10.0)
    assert waiting.turn.lasting == running(HASTY).turn.lasting
    assert waiting.turn.lasting.clock == waiting.turn.clock


def test_after_the_server_was_down_the_turn_has_what_was_left() -> None:
    waiting = running(HASTY).record_absences([1], True, 10.0)
    after = (
        start_timing(HASTY, waiting.turn.lasting)
        .restart_after_downtime(20.0)
        .record_absences([0, 1], False, 20.0)
    )
    assert after.turn.clock.seconds_left(0, 9999.0) == 10.0
    assert after.record_absences([1], True, 9999.0).turn.clock.seconds_left(0, 9999.0) == 10.0
