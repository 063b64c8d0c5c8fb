"""A connection that is lost in each phase of a visit: what goes on at home, what is refused, and the way back."""

from cartino_protocol.commands import Back
from cartino_protocol.views import TableView
from cartino_tui.visit.connection import Reconnection
from cartino_tui.visit.state import ClientState
from tests.support.visit import Counter, Pick, ToyScreen, welcome
from tests.support.visit_script import visits


class SteadyScreen(ToyScreen):
    """The toy, with a pointer that stays where it is whatever the view."""

    def update_pointer(self, table: TableView, view: Counter, pointer: Pick) -> Pick:
        return pointer


test_visits = visits(__file__, SteadyScreen=SteadyScreen)


test_visits = visits(__file__, SteadyScreen=SteadyScreen)


def test_the_newest_word_counts_and_none_of_another_time() -> None:
    returning = Reconnection()
    returning.handle_loss(ClientState(welcome(guest=True, word="amber-otter")))
    returning.handle_loss(ClientState(welcome(guest=True, word="blue-heron")))
    assert returning.next(welcome(guest=True)) == Back("blue-heron")
    returning.is_back()
    returning.handle_loss(ClientState(welcome()))
    assert returning.next(welcome()) is None
