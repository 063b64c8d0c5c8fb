"""Stepping through a game that the house keeps: one question at a time, and the newest wish next."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_protocol.commands import Replay
from cartino_tui.visit.replay_cursor import ReplayCursor, ReplayStep, ServerReplayCursor
from tests.support.past import STEPS, moment_of
from tests.support.visit import room

GAME = "K7QP-12"


def at(step: int) -> Replay:
    return Replay(GAME, step)


def answer(reel: ServerReplayCursor) -> Replay | None:
    """What the reel asks next when the house answers what is due."""
    assert reel.due is not None
    return reel.hear(moment_of(reel.due.game, reel.due.step))


def test_one_step_is_asked_for_at_a_time_and_then_the_newest_wanted() -> None:
    reel = ServerReplayCursor(moment_of(GAME, 0))
    assert reel.want(1) == at(1)
    assert [reel.want(step) for step in (2, 3, 4)] == [None, None, None]
    assert answer(reel) == at(4)
    assert reel.here == ReplayStep(moment_of(GAME, 1).room, 3)
    assert answer(reel) is None
    assert (reel.here.view.number, reel.due) == (4, None)


def test_who_is_back_where_they_were_asks_nothing_more_than_that() -> None:
    reel = ServerReplayCursor(moment_of(GAME, 5))
    assert reel.want(5) is None
    assert reel.want(6) == at(6)
    assert reel.want(5) is None
    assert answer(reel) == at(5)
    assert answer(reel) is None


@pytest.mark.parametrize(("step", "wanted"), [(-3, 0), (10**6, STEPS)])
def test_nobody_wants_a_step_that_there_is_not(step: int, wanted: int) -> None:
    whole: ReplayCursor = ReplayCursor([ReplayStep(room(number=n)) for n in range(STEPS + 1)])
    house: ReplayCursor = ServerReplayCursor(moment_of(GAME, 5))
    for reel in (whole, house):
        reel.want(step)
        assert reel.wanted == wanted


def test_the_house_has_the_last_word_on_where_a_step_is() -> None:
    reel = ServerReplayCursor(moment_of(GAME, 0))
    reel.want(20)
    assert reel.hear(moment_of(GAME, 20, steps=10)) is None
    assert (reel.wanted, reel.last) == (10, 10)


def test_a_refusal_leaves_one_where_one_is_and_the_next_wish_is_asked() -> None:
    reel = ServerReplayCursor(moment_of(GAME, 3))
    reel.want(4)
    reel.give_up()
    assert (reel.wanted, reel.due) == (3, None)
    assert reel.want(4) == at(4)


def test_a_busy_house_is_asked_later_for_what_is_wanted_by_then() -> None:
    reel = ServerReplayCursor(moment_of(GAME, 0))
    assert reel.want(1) == at(1)
    reel.put_off()
    assert [reel.want(2), reel.want(3), reel.due] == [None, None, None]
    assert reel.go_on() == at(3)
    reel.put_off()
    assert reel.want(0) is None
    assert reel.go_on() is None
    assert reel.want(1) == at(1)


def test_what_was_not_asked_for_is_not_shown() -> None:
    reel = ServerReplayCursor(moment_of(GAME, 3))
    assert reel.hear(moment_of(GAME, 9)) is None
    assert (reel.wanted, reel.here.view.number) == (3, 3)


@given(st.lists(st.integers(-5, STEPS + 5) | st.none(), max_size=60))
def test_whatever_is_wanted_and_whenever_the_house_answers_the_last_wish_is_shown(
    course: list[int | None],
) -> None:
    """A number is a wish, None an answer if one is due. Never are two questions out."""
    reel = ServerReplayCursor(moment_of(GAME, 0))
    for step in course:
        due = reel.due
        if step is not None:
            asked = reel.want(step)
            assert asked is None or due is None
            assert reel.wanted == max(0, min(step, STEPS))
        elif due is not None:
            answer(reel)
    wanted = reel.wanted
    answers = 0
    while reel.due is not None:
        answer(reel)
        answers += 1
    assert answers <= 2
    assert reel.here.view.number == reel.wanted == wanted
