"""Stepping through a game that the server keeps: one question at a time, and the newest wish next."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_protocol.commands import Replay
from cartino_tui.visit.replay_cursor import ReplayCursor, ReplayStep, ServerReplayCursor
from tests.support.past import STEPS, moment_of
from tests.support.visit import toy_table

GAME = "K7QP-12"


def at(step: int) -> Replay:
    return Replay(GAME, step)


def answer(replay: ServerReplayCursor) -> Replay | None:
    """What the reel asks next when the server answers what is due."""
    assert replay.due is not None
    return replay.handle(moment_of(replay.due.game, replay.due.step))


def test_one_step_is_asked_for_at_a_time_and_then_the_newest_wanted() -> None:
    replay = ServerReplayCursor(moment_of(GAME, 0))
    assert replay.want(1) == at(1)
    assert [replay.want(step) for step in (2, 3, 4)] == [None, None, None]
    assert answer(replay) == at(4)
    assert replay.current_step == ReplayStep(moment_of(GAME, 1).table, 3)
    assert answer(replay) is None
    assert (replay.current_step.view.number, replay.due) == (4, None)


def test_who_is_back_where_they_were_asks_nothing_more_than_that() -> None:
    replay = ServerReplayCursor(moment_of(GAME, 5))
    assert replay.want(5) is None
    assert replay.want(6) == at(6)
    assert replay.want(5) is None
    assert answer(replay) == at(5)
    assert answer(replay) is None


@pytest.mark.parametrize(("step", "wanted"), [(-3, 0), (10**6, STEPS)])
def test_nobody_wants_a_step_that_there_is_not(step: int, wanted: int) -> None:
    whole: ReplayCursor = ReplayCursor([ReplayStep(toy_table(number=n)) for n in range(STEPS + 1)])
    server: ReplayCursor = ServerReplayCursor(moment_of(GAME, 5))
    for replay in (whole, server):
        replay.want(step)
        assert replay.wanted == wanted


def test_the_server_has_the_last_word_on_where_a_step_is() -> None:
    replay = ServerReplayCursor(moment_of(GAME, 0))
    replay.want(20)
    assert replay.handle(moment_of(GAME, 20, steps=10)) is None
    assert (replay.wanted, replay.last) == (10, 10)


def test_a_refusal_leaves_one_where_one_is_and_the_next_wish_is_asked() -> None:
    replay = ServerReplayCursor(moment_of(GAME, 3))
    replay.want(4)
    replay.give_up()
    assert (replay.wanted, replay.due) == (3, None)
    assert replay.want(4) == at(4)


def test_a_busy_server_is_asked_later_for_what_is_wanted_by_then() -> None:
    replay = ServerReplayCursor(moment_of(GAME, 0))
    assert replay.want(1) == at(1)
    replay.put_off()
    assert [replay.want(2), replay.want(3), replay.due] == [None, None, None]
    assert replay.go_on() == at(3)
    replay.put_off()
    assert replay.want(0) is None
    assert replay.go_on() is None
    assert replay.want(1) == at(1)


def test_what_was_not_asked_for_is_not_shown() -> None:
    replay = ServerReplayCursor(moment_of(GAME, 3))
    assert replay.handle(moment_of(GAME, 9)) is None
    assert (replay.wanted, replay.current_step.view.number) == (3, 3)


@given(st.lists(st.integers(-5, STEPS + 5) | st.none(), max_size=60))
def test_whatever_is_wanted_and_whenever_the_server_answers_the_last_wish_is_shown(
    course: list[int | None],
) -> None:
    """A number is a wish, None an answer if one is due. Never are two questions out."""
    replay = ServerReplayCursor(moment_of(GAME, 0))
    for step in course:
        due = replay.due
        if step is not None:
            asked = replay.want(step)
            assert asked is None or due is None
            assert replay.wanted == max(0, min(step, STEPS))
        elif due is not None:
            answer(replay)
    wanted = replay.wanted
    answers = 0
    while replay.due is not None:
        answer(replay)
        answers += 1
    assert answers <= 2
    assert replay.current_step.view.number == replay.wanted == wanted
