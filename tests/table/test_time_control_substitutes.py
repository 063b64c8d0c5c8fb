"""Stand-ins begin when a seat has waited long enough, and end when their reason does."""

from cartino_server.table.time_control import Substitutes

PATIENT = Substitutes(30.0)


def test_a_seat_waits_from_the_moment_its_player_went() -> None:
    substitutes = PATIENT.record_absences([1], 10.0).record_absences([1, 0], 25.0)
    assert substitutes.away == ((0, 25.0), (1, 10.0))
    assert substitutes.next_due() == 40.0
    assert (substitutes.overdue(39.9), substitutes.overdue(40.0), substitutes.overdue(55.0)) == (
        (),
        (1,),
        (0, 1),
    )


def test_who_came_back_and_went_again_waits_anew() -> None:
    substitutes = PATIENT.record_absences([1], 0.0).record_absences([], 20.0).record_absences([1], 25.0)
    assert substitutes.overdue(54.9) == ()
    assert substitutes.overdue(55.0) == (1,)


def test_a_table_that_waits_for_ever_misses_nobody() -> None:
    substitutes = Substitutes().record_absences([0, 1], 0.0)
    assert (substitutes.next_due(), substitutes.overdue(1e9)) == (None, ())


def test_nobody_begins_twice() -> None:
    substitutes = PATIENT.record_absences([1], 0.0).begin(1, "away", 3)
    assert (substitutes.why(1), substitutes.why(0)) == ("away", None)
    assert (substitutes.next_due(), substitutes.overdue(1e9)) == (None, ())


def test_who_is_back_plays_again_in_mid_turn() -> None:
    assert PATIENT.record_absences([1], 0.0).begin(1, "away", 3).record_absences([], 50.0).why(1) is None


def test_a_turn_lost_in_time_stays_lost_though_its_owner_is_there() -> None:
    substitutes = PATIENT.begin(1, "time", 3).record_absences([], 50.0)
    assert substitutes.why(1) == "time"
    assert substitutes.end_past_turns([1], 3).why(1) == "time"


def test_it_is_over_with_the_turn() -> None:
    substitutes = PATIENT.begin(1, "time", 3)
    assert substitutes.end_past_turns([1], 4).why(1) is None
    assert substitutes.end_past_turns([0], 3).why(1) is None


def test_who_is_away_is_played_for_turn_after_turn() -> None:
    substitutes = (
        PATIENT.record_absences([1], 0.0).begin(1, "away", 3).end_past_turns([0], 4).end_past_turns([1], 5)
    )
    assert substitutes.why(1) == "away"


def test_after_the_server_was_down_everybody_is_waited_for_anew() -> None:
    substitutes = PATIENT.record_absences([1], 0.0).restart_absences(500.0)
    assert substitutes.overdue(529.9) == ()
    assert substitutes.overdue(530.0) == (1,)
