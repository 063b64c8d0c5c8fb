"""The way back, one step after another; the whole of it is played in `test_lost_line`."""

from cartino_protocol.commands import Back, Join, Watch
from cartino_tui.visit.connection import Reconnection
from cartino_tui.visit.state import ClientState
from tests.support.visit import toy_table, welcome


def test_each_step_is_said_once() -> None:
    returning = Reconnection()
    returning.handle_loss(ClientState(welcome("Ann", guest=True, word="amber-otter"), table=toy_table()))
    assert returning.is_under_way
    stranger, ann = welcome("guest-2", guest=True), welcome("Ann", guest=True, back="K7QP")
    assert returning.next(stranger) == Back("amber-otter")
    assert returning.next(ann) == Join("K7QP", again=True)
    assert returning.is_awaited
    assert returning.next(ann) is None
    returning.is_back()
    assert (returning.is_under_way, returning.is_awaited) == (False, False)


def test_where_one_was_is_what_one_knew_when_the_line_was_lost_first() -> None:
    returning = Reconnection()
    returning.handle_loss(ClientState(welcome(), table=toy_table(you=None)))
    returning.handle_loss(ClientState(welcome()))
    assert returning.next(welcome()) == Watch("K7QP", again=True)


def test_the_newest_word_counts_and_none_of_another_time() -> None:
    returning = Reconnection()
    returning.handle_loss(ClientState(welcome(guest=True, word="amber-otter")))
    returning.handle_loss(ClientState(welcome(guest=True, word="blue-heron")))
    assert returning.next(welcome(guest=True)) == Back("blue-heron")
    returning.is_back()
    returning.handle_loss(ClientState(welcome()))
    assert returning.next(welcome()) is None
