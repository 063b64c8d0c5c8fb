"""A connection that is lost in each phase of a visit: what goes on at home, what is refused, and the way back."""

import pytest

from cartino_protocol.commands import Back, Command, Join, Watch
from cartino_protocol.link import ConnectionStatus
from cartino_protocol.views import Answer, TableView
from cartino_tui.visit.connection import Reconnection
from cartino_tui.visit.state import ClientState
from tests.support.visit import Counter, Pick, ToyScreen, lobby, toy_table, welcome
from tests.support.visit_script import visits
from tests.tui.conftest import Visiting

LOST, BACK = ConnectionStatus("lost", 4.0), ConnectionStatus("back")
AGAIN, LOOK_AGAIN = Join("K7QP", again=True), Watch("K7QP", again=True)


class SteadyScreen(ToyScreen):
    """The toy, with a pointer that stays where it is whatever the view."""

    def update_pointer(self, table: TableView, view: Counter, pointer: Pick) -> Pick:
        return pointer


test_visits = visits(__file__, SteadyScreen=SteadyScreen)


async def test_the_seconds_go_by(visit: Visiting) -> None:
    now = [100.0]
    async with visit(toy_table(), now=lambda: now[0]) as v:
        await v.hears(LOST)
        assert v.status == "Connection lost. Next try in 4 s; Ctrl-C to quit."
        now[0] += 2.4
        await v.until(lambda: v.status == "Connection lost. Next try in 2 s; Ctrl-C to quit.", "it counts")
        await v.hears(ConnectionStatus("lost", 15.0, restarts=True))
        assert v.status == "Server restarting. Next try in 15 s; Ctrl-C to quit."


@pytest.mark.parametrize(
    ("before", "greeting", "way"),
    [
        (toy_table(), welcome(back="K7QP"), AGAIN),
        (toy_table(), welcome(back="K7QP", elsewhere=True), AGAIN),
        (toy_table(), welcome(), LOOK_AGAIN),
        (toy_table("Ann -", "open"), welcome(), AGAIN),
        (toy_table(state="finished"), welcome(), LOOK_AGAIN),
        (toy_table(you=None), welcome(), LOOK_AGAIN),
        (toy_table(you=None), welcome(back="B4ZT"), LOOK_AGAIN),
    ],
)
async def test_everybody_goes_where_they_were(
    visit: Visiting, before: TableView, greeting: Answer, way: Command
) -> None:
    async with visit(before) as v:
        screen = v.app.screen
        await v.hears(LOST, BACK, greeting, lobby())
        await v.says(way)
        await v.hears(greeting, before)
        await v.says(way)
        assert v.app.screen is screen, "nothing at home is lost"
        assert v.status.startswith("Reconnected.")


def test_the_newest_word_counts_and_none_of_another_time() -> None:
    returning = Reconnection()
    returning.handle_loss(ClientState(welcome(guest=True, word="amber-otter")))
    returning.handle_loss(ClientState(welcome(guest=True, word="blue-heron")))
    assert returning.next(welcome(guest=True)) == Back("blue-heron")
    returning.is_back()
    returning.handle_loss(ClientState(welcome()))
    assert returning.next(welcome()) is None
