"""What is typed waits while an answer is due, in order and bounded; the selection is sent when it changes."""

import msgspec
import pytest

from cartino_protocol.commands import Act, SaveSelection
from cartino_protocol.views import SavedSelection
from cartino_tui.i18n import ENGLISH
from cartino_tui.visit.pending import Press, SelectionSync, Tap, Typeahead
from cartino_tui.visit.state import StateKey

ACT = Act(1, msgspec.Raw())
THEN, NOW = StateKey("K7QP", number=1), StateKey("K7QP", number=2)


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


A, B = msgspec.msgpack.encode("a"), msgspec.msgpack.encode("b")


def sent(keep: SaveSelection | None) -> object:
    assert keep is not None
    return msgspec.msgpack.decode(keep.selection)


def kept(number: int, selection: bytes) -> SavedSelection:
    """What the server gives back of what it was told."""
    keep = SelectionSync().keep(number, selection)
    assert keep is not None
    return SavedSelection(keep.selection)


def test_it_is_said_when_it_changes_and_only_then() -> None:
    hand = SelectionSync()
    assert hand.keep(7, b"") is None
    assert sent(hand.keep(7, A)) == [7, "a"]
    assert hand.keep(7, A) is None
    assert sent(hand.keep(7, B)) == [7, "b"]
    assert sent(hand.keep(7, b"")) is None
    assert hand.keep(7, b"") is None


def test_a_move_that_took_it_needs_no_word() -> None:
    hand = SelectionSync()
    hand.keep(7, A)
    assert hand.keep(8, b"") is None
    assert sent(hand.keep(8, A)) == [8, "a"]
    assert sent(hand.keep(9, A)) == [9, "a"], "still in hand in another state"


def test_what_was_kept_comes_back_once_and_need_not_be_said_again() -> None:
    hand, back = SelectionSync(), kept(7, A)
    assert hand.recall(7, None) is None
    selection = hand.recall(7, back)
    assert selection is not None
    assert msgspec.msgpack.decode(selection) == "a"
    assert hand.recall(7, back) is None
    assert hand.keep(7, A) is None


@pytest.mark.parametrize(
    "selection",
    [
        b"",
        b"\xc0",
        b"\xc1",
        msgspec.msgpack.encode(7),
        msgspec.msgpack.encode(("x", 1)),
        kept(6, A).selection,
    ],
)
def test_what_cannot_be_read_or_is_of_another_state_is_nothing(selection: bytes) -> None:
    assert SelectionSync().recall(7, SavedSelection(msgspec.Raw(selection))) is None
