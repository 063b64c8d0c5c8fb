"""A connection that is lost in each phase of a visit: what goes on at home, what is refused, and the way back."""

import pytest

from cartino_protocol.commands import Act, Back, Command, Hello, Join, Leave, Watch
from cartino_protocol.exit_status import FAILURE
from cartino_protocol.link import ConnectionStatus, LinkEnded
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import lazy_gettext
from cartino_protocol.views import Answer, SavedSelection, TableView
from cartino_protocol.wire import encode_raw
from cartino_tui.screens.lobby import LobbyScreen
from cartino_tui.screens.table import TableScreen
from cartino_tui.screens.waiting import WaitingScreen
from cartino_tui.visit.connection import Reconnection
from cartino_tui.visit.pending import SelectionSync
from cartino_tui.visit.state import ClientState
from tests.support.visit import Counter, LayOne, Pick, ToyScreen, Visit, chat, line, lobby, toy_table, welcome
from tests.tui.conftest import Visiting

LOST = ConnectionStatus("lost", 4.0)
TRYING = ConnectionStatus("trying")
BACK = ConnectionStatus("back")
UNSAID = Refusal("no-line").sentence()
AGAIN, LOOK_AGAIN = Join("K7QP", again=True), Watch("K7QP", again=True)
LAY = Act(1, encode_raw(LayOne(1)))
GUEST = (welcome("Ann", guest=True, word="amber-otter"), lobby())


class SteadyScreen(ToyScreen):
    """The toy, with a pointer that stays where it is whatever the view."""

    def update_pointer(self, table: TableView, view: Counter, pointer: Pick) -> Pick:
        return pointer


STEADY = {"toy": SteadyScreen()}


def hellos(visit: Visit) -> int:
    return sum(isinstance(command, Hello) for command in visit.link.said)


async def is_lost(visit: Visit) -> None:
    await visit.hears(LOST)
    await visit.until(lambda: visit.status.startswith("Connection lost. Next try in "), "it says so")


async def is_back(visit: Visit, *answers: Answer) -> None:
    """There is a line again, and the server greets and answers."""
    await visit.hears(TRYING)
    assert visit.status.endswith("onnection lost. Reconnecting now; Ctrl-C to quit.")
    greeted = hellos(visit)
    await visit.hears(BACK)
    assert hellos(visit) == greeted + 1
    await visit.hears(*answers)


async def test_in_the_lobby_one_stays_there(visit: Visiting) -> None:
    async with visit(lobby(line("K7QP"), line("B4ZT"))) as v:
        await is_lost(v)
        await v.types("down")
        await is_back(v, welcome(), lobby(line("K7QP"), line("B4ZT")))
        assert "line" not in v.status
        assert v.link.sent == []
        await v.types("enter")
        await v.says(Join("B4ZT"))


async def test_a_seat_kept_elsewhere_does_not_take_one_there(visit: Visiting) -> None:
    async with visit() as v:
        await is_lost(v)
        await is_back(v, welcome(back="K7QP"), lobby())
        assert v.link.sent == []
        assert isinstance(v.app.screen, LobbyScreen)


async def test_the_seconds_go_by(visit: Visiting) -> None:
    now = [100.0]
    async with visit(toy_table(), now=lambda: now[0]) as v:
        await v.hears(LOST)
        assert v.status == "Connection lost. Next try in 4 s; Ctrl-C to quit."
        now[0] += 2.4
        await v.until(lambda: v.status == "Connection lost. Next try in 2 s; Ctrl-C to quit.", "it counts")
        await v.hears(ConnectionStatus("lost", 15.0, restarts=True))
        assert v.status == "Server restarting. Next try in 15 s; Ctrl-C to quit."


async def test_at_a_table_keys_go_on_and_moves_are_refused(visit: Visiting) -> None:
    async with visit(toy_table(), game_screens=STEADY) as v:
        await is_lost(v)
        await v.types("2")
        assert "picked 2" in v.text
        await v.types("enter")
        await v.until(lambda: v.status.startswith("Message not sent: connection lost"), "it says so")
        assert "picked 2" in v.text, "what was in hand is in hand"
        await v.types("question_mark")
        await v.until(lambda: "Help: Toy" in v.text)
        assert v.status.startswith("Connection lost")
        await v.types("escape")
        await is_back(v, welcome(back="K7QP"), lobby())
        await v.says(AGAIN)
        assert v.status == "Reconnected. Taking you back to where you were."
        await v.hears(toy_table())
        assert v.status == "Reconnected."
        assert "picked 2" in v.text
        await v.types("1", "enter")
        await v.says(AGAIN, LAY)


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
        await is_lost(v)
        await is_back(v, greeting, lobby())
        await v.says(way)
        await v.hears(greeting, before)
        await v.says(way)
        assert v.app.screen is screen, "nothing at home is lost"
        assert v.status.startswith("Reconnected.")


async def test_a_guest_is_the_same_guest_first(visit: Visiting) -> None:
    async with visit(toy_table(), greeting=GUEST) as v:
        await is_lost(v)
        await is_back(v, welcome("guest-7", guest=True), lobby())
        await v.says(Back("amber-otter"))
        await v.hears(welcome("Ann", guest=True, back="K7QP", word="blue-heron"))
        await v.says(Back("amber-otter"), AGAIN)
        await v.hears(toy_table())
        await is_lost(v)
        await is_back(v, welcome("guest-8", guest=True))
        await v.says(Back("amber-otter"), AGAIN, Back("blue-heron"))


@pytest.mark.parametrize(
    ("greeting", "refusal"),
    [
        ((welcome(), lobby()), Refusal("unknown-code", "K7QP", to="Watch")),
        (GUEST, Refusal("bad-word", to="Back")),
    ],
)
async def test_a_table_that_has_gone_meanwhile_leaves_one_in_the_lobby_with_a_sentence(
    visit: Visiting, greeting: tuple[Answer, ...], refusal: Refusal
) -> None:
    async with visit(toy_table(), chat(("Bo", "hello")), greeting=greeting) as v:
        await is_lost(v)
        await is_back(v, greeting[0], lobby(), refusal)
        assert isinstance(v.app.screen, LobbyScreen)
        assert v.status == refusal.sentence()
        await v.types("p")
        await v.until(lambda: len(v.link.sent) == 2, "keys are for the lobby now")


async def test_a_move_that_was_heard_is_followed_by_what_was_typed_behind_it(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("1", "enter", "e")
        await v.says(LAY)
        await is_lost(v)
        await v.types("3")
        assert "picked 3" in v.text, "keys of now don't wait"
        await is_back(v, welcome(back="K7QP"), lobby(), toy_table(number=2, laid=1))
        await v.until(lambda: len(v.link.sent) == 3, "the turn ends as typed")
        first, way, end = v.link.sent
        assert (first, way) == (LAY, AGAIN)
        assert isinstance(end, Act)
        assert end.number == 2
        assert UNSAID not in v.status


async def test_a_move_that_was_not_heard_is_in_hand_again_and_is_not_said_twice(visit: Visiting) -> None:
    async with visit(toy_table(), game_screens=STEADY) as v:
        await v.types("1", "enter", "2", "enter")
        await v.says(LAY)
        await is_lost(v)
        await is_back(v, welcome(back="K7QP"), lobby(), toy_table())
        assert v.status == UNSAID
        assert "picked 1" in v.text
        await v.says(LAY, AGAIN)
        await v.types("enter")
        await v.says(LAY, AGAIN, LAY)


async def test_talk_that_is_half_typed_stays_until_the_server_hears_it(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("t", *"good")
        await is_lost(v)
        await v.types(*"game", "enter")
        await v.until(lambda: v.status.startswith("Message not sent"), "it says so")
        assert "goodgame" in v.text
        await is_back(v, welcome(back="K7QP"), lobby(), toy_table())
        await v.types("enter")
        await v.until(lambda: len(v.link.sent) == 2, "it is said")
        assert v.link.sent[0] == AGAIN


async def test_a_line_cut_before_the_server_has_greeted(visit: Visiting) -> None:
    async with visit(greeting=(), intent=Join("K7QP")) as v:
        await v.hears(LOST)
        await v.until(lambda: v.status.startswith("Connection lost"), "though nothing was shown yet")
        await is_back(v, welcome(), lobby())
        await v.says(Join("K7QP"))
        await v.hears(toy_table())
        assert isinstance(v.app.screen, TableScreen)
        assert v.status == ""


async def test_a_line_cut_before_the_server_has_said_where_one_sits(visit: Visiting) -> None:
    async with visit(greeting=()) as v:
        await v.hears(LOST)
        await is_back(v, welcome(back="K7QP"), lobby())
        await v.says(Join("K7QP"))
        await v.hears(toy_table())
        assert v.status == "Welcome back."


async def test_a_line_cut_on_the_way_to_the_first_table(visit: Visiting) -> None:
    async with visit(intent=Join("K7QP")) as v:
        await v.says(Join("K7QP"))
        await v.types("1", "enter")
        await is_lost(v)
        await is_back(v, welcome(back="K7QP"), lobby())
        await v.says(Join("K7QP"), Join("K7QP"))
        await v.hears(toy_table())
        await v.says(Join("K7QP"), Join("K7QP"), LAY)


async def test_a_line_cut_once_more_on_the_way_back(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await is_lost(v)
        await is_back(v, welcome(back="K7QP"), lobby())
        await is_lost(v)
        await is_back(v, welcome(back="K7QP"), lobby(), toy_table())
        await v.says(AGAIN, AGAIN)
        assert v.status == "Reconnected."


async def test_what_is_picked_here_counts_more_than_what_the_server_kept(visit: Visiting) -> None:
    selection = SelectionSync().keep(1, bytes([2]))
    assert selection is not None
    for answers in (
        (toy_table(), SavedSelection(selection.selection)),
        (SavedSelection(selection.selection), toy_table()),
    ):
        async with visit(toy_table(), game_screens=STEADY) as v:
            await is_lost(v)
            await v.types("3")
            await is_back(v, welcome(back="K7QP"), lobby(), *answers)
            assert "picked 3" in v.text
            await v.until(lambda: v.link.kept == [[1, 3]], "the server keeps that from now on")


async def test_the_game_may_have_begun_meanwhile(visit: Visiting) -> None:
    async with visit(toy_table("Ann -", "open")) as v:
        assert isinstance(v.app.screen, WaitingScreen)
        await is_lost(v)
        await is_back(v, welcome(back="K7QP"), lobby(), toy_table())
        assert isinstance(v.app.screen, TableScreen)
        assert v.status == "Reconnected."


@pytest.mark.parametrize("keys", [("ctrl+c",), ("q", "y"), ("q", "y", "y")])
async def test_one_can_leave_while_there_is_no_line(visit: Visiting, keys: tuple[str, ...]) -> None:
    playing = len(keys) != 2
    async with visit(toy_table(you=0 if playing else None)) as v:
        await is_lost(v)
        await v.types(*keys)
        await v.until(lambda: v.app.return_code is not None)
    assert v.app.return_code == 0
    assert not any(isinstance(command, Leave) for command in v.link.said)


async def test_a_line_that_ends_for_good_ends_the_visit_with_its_sentence(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await is_lost(v)
        v.link.cut(LinkEnded(lazy_gettext("Another key was shown.")))
        await v.until(lambda: v.app.return_code is not None)
    assert (v.app.return_value, v.app.return_code) == ("Another key was shown.", FAILURE)


def test_the_newest_word_counts_and_none_of_another_time() -> None:
    returning = Reconnection()
    returning.handle_loss(ClientState(welcome(guest=True, word="amber-otter")))
    returning.handle_loss(ClientState(welcome(guest=True, word="blue-heron")))
    assert returning.next(welcome(guest=True)) == Back("blue-heron")
    returning.is_back()
    returning.handle_loss(ClientState(welcome()))
    assert returning.next(welcome()) is None
