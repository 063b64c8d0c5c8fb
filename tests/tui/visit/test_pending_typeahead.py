"""What is typed waits while an answer is due, in order, bounded, and not at all after a no."""

import msgspec

from cartino_protocol.commands import Act, History
from cartino_tui.i18n import ENGLISH
from cartino_tui.visit.pending import Press, Tap, Typeahead
from cartino_tui.visit.state import StateKey

ACT = Act(1, msgspec.Raw())
THEN, NOW = StateKey("K7QP", number=1), StateKey("K7QP", number=2)


def test_nothing_waits_while_no_answer_is_due() -> None:
    line = Typeahead()
    line.hold(Press("1"))
    assert line.next() == Press("1")
    assert line.next() is None


def test_keys_and_clicks_wait_for_another_moment_and_come_in_order() -> None:
    line = Typeahead()
    line.record_command(THEN, ACT)
    line.hold(Press("e"))
    line.hold(Tap(1, 2))
    line.stands(THEN)
    assert line.waiting
    assert line.next() is None
    line.stands(NOW)
    assert [line.next(), line.next(), line.next()] == [Press("e"), Tap(1, 2), None]


def test_a_refusal_forgets_what_was_typed_behind_the_refused() -> None:
    line = Typeahead()
    line.record_command(THEN, ACT)
    line.hold(Press("e"))
    line.cancel_command("Act")
    assert not line.waiting
    assert line.next() is None


def test_a_refusal_of_something_nobody_waits_for_forgets_nothing() -> None:
    line = Typeahead()
    line.hold(Press("e"))
    line.cancel_command("Act")
    assert line.next() == Press("e")


def test_what_is_typed_when_the_line_is_full_is_dropped() -> None:
    line = Typeahead()
    line.record_command(THEN, ACT)
    for number in range(Typeahead.MOST + 5):
        line.hold(Press(str(number)))
    line.stands(NOW)
    taken = []
    while (typed := line.next()) is not None:
        taken.append(typed)
    assert taken == [Press(str(number)) for number in range(Typeahead.MOST)]


def test_a_refusal_of_another_command_is_no_answer() -> None:
    line = Typeahead()
    line.record_command(THEN, ACT)
    line.hold(Press("e"))
    line.cancel_command("Say")
    assert line.waiting
    line.cancel_command("")
    assert not line.waiting, "the server could not read something: nothing else will be answered"


def test_what_was_put_aside_comes_first_where_the_command_was_heard() -> None:
    line = Typeahead()
    line.record_command(THEN, ACT)
    line.hold(Press("e"))
    line.suspend()
    line.hold(Press("down"))
    assert line.next() == Press("down"), "what is typed without a line does not wait"
    line.hold(Press("up"))
    assert line.resume(NOW) == ""
    assert [line.next(), line.next(), line.next()] == [Press("e"), Press("up"), None]


def test_it_is_forgotten_where_the_command_was_not_heard() -> None:
    line = Typeahead()
    line.record_command(THEN, ACT)
    line.hold(Press("e"))
    line.suspend()
    line.suspend()
    assert line.resume(THEN) == "Act"
    assert line.resume(THEN) == ""
    assert line.next() is None


def test_it_is_kept_for_a_command_that_is_said_again() -> None:
    line = Typeahead()
    line.record_command(THEN, ACT)
    line.hold(Press("e"))
    line.suspend()
    assert line.resume(None) == ""
    assert line.next() == Press("e")


def test_a_line_that_is_lost_when_no_answer_is_due_changes_nothing() -> None:
    line = Typeahead()
    line.suspend()
    line.hold(Press("e"))
    assert line.resume(THEN) == ""
    assert line.next() == Press("e")


def test_what_is_told_late_to_a_screen_that_asked_for_it_answers_no_move() -> None:
    told = StateKey("K7QP", number=1, told=1)
    line = Typeahead()
    line.record_command(THEN, ACT)
    line.hold(Press("e"))
    line.stands(told)
    assert line.next() is None
    line.suspend()
    assert line.resume(told) == "Act"


def test_what_is_told_answers_a_question() -> None:
    line = Typeahead()
    line.record_command(StateKey(), History("all"))
    line.hold(Press("down"))
    line.stands(StateKey(told=1))
    assert line.next() == Press("down")


def test_what_was_dropped_is_said_once_behind_all_that_waited() -> None:
    line = Typeahead()
    line.record_command(THEN, ACT)
    for number in range(Typeahead.MOST + 2):
        line.hold(Press(str(number)))
    assert line.dropped() is None, "nothing of it is done yet"
    line.stands(NOW)
    for _ in range(Typeahead.MOST):
        assert line.dropped() is None
        line.next()
    told = line.dropped()
    assert told is not None
    assert "2 keys" in ENGLISH.render(told)
    assert line.dropped() is None


def test_what_was_dropped_is_of_no_interest_behind_a_refusal() -> None:
    line = Typeahead()
    line.record_command(THEN, ACT)
    for number in range(Typeahead.MOST + 2):
        line.hold(Press(str(number)))
    line.cancel_command("Act")
    assert line.dropped() is None
