"""A connection that is lost in each phase of a visit: what goes on at home, what is refused, and the way back."""

from typing import Final

import pytest

from cartino_protocol.commands import Act, Back, Command, Join, Leave, QuickPlay, Say, Watch
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
from tests.support.visit import Counter, End, LayOne, Pick, ToyScreen, chat, line, lobby, toy_table, welcome
from tests.support.visit_steps import Ends, Hides, Script, Sees, Shows, Status, Step, follow
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


OFFLINE = (LOST, Status("Connection lost. Next try in "))


def back(*answers: Answer) -> tuple[Step, ...]:
    """There is a connection again, and the server greets and answers."""
    trying = Status("Connection lost. Reconnecting now; Ctrl-C to quit.")
    return TRYING, trying, BACK, *answers


def back_at(table: Answer = toy_table()) -> tuple[Step, ...]:  # noqa: B008 - a constant
    return back(welcome(back="K7QP"), lobby(), table)


TWO = lobby(line("K7QP"), line("B4ZT"))
GONE = Refusal("unknown-code", "K7QP", to="Watch")
SCRIPTS: Final = {
    "the lobby stays, and its cursor; a seat elsewhere is not taken": Script(
        (TWO,), (*OFFLINE, "down", *back(welcome(back="QQ2M"), TWO), Status(""), "enter", Join("B4ZT"))
    ),
    "at a table keys go on and moves are refused": Script(
        (toy_table(),),
        (
            *(*OFFLINE, "2", Sees("picked 2"), "enter", Status("Message not sent: connection lost")),
            *(Sees("picked 2"), "question_mark", Sees("Help: Toy"), Status("Connection lost"), "escape"),
            *(TRYING, BACK, welcome(back="K7QP"), lobby(), AGAIN),
            Status("Reconnected. Taking you back to where you were."),
            *(toy_table(), Status("Reconnected."), Sees("picked 2"), "1 enter", LAY),
        ),
        {"game_screens": STEADY},
    ),
    "a guest is the same guest first": Script(
        (toy_table(),),
        (
            *(*OFFLINE, *back(welcome("guest-7", guest=True), lobby()), Back("amber-otter")),
            *(welcome("Ann", guest=True, back="K7QP", word="blue-heron"), AGAIN, toy_table()),
            *(*OFFLINE, *back(welcome("guest-8", guest=True)), Back("blue-heron")),
        ),
        {"greeting": GUEST},
    ),
    "a table that has gone leaves one in the lobby": Script(
        (toy_table(), chat(("Bo", "hello"))),
        (
            *(*OFFLINE, *back(welcome(), lobby()), LOOK_AGAIN, GONE, Shows(LobbyScreen)),
            *(Status(GONE.sentence()), "p", QuickPlay("toy")),
        ),
    ),
    "so does a resume code that is no good": Script(
        (toy_table(),),
        (
            *(*OFFLINE, *back(GUEST[0], lobby()), Back("amber-otter"), Refusal("bad-word", to="Back")),
            *(Shows(LobbyScreen), Status(Refusal("bad-word").sentence())),
        ),
        {"greeting": GUEST},
    ),
    "a move that was not heard is in hand again and is not sent twice": Script(
        (toy_table(),),
        (
            *("1 enter 2 enter", LAY, *OFFLINE, *back_at(), AGAIN, Status(UNSAID), Sees("picked 1")),
            *("enter", LAY),
        ),
        {"game_screens": STEADY},
    ),
    "a message that is half typed stays until the server hears it": Script(
        (toy_table(),),
        (
            *("t 'good", *OFFLINE, "'game enter", Status("Message not sent"), Sees("goodgame")),
            *(TRYING, BACK, welcome(back="K7QP"), lobby(), toy_table(), AGAIN, "enter", Say("goodgame")),
        ),
    ),
    "a move that was heard is followed by what was typed behind it": Script(
        (toy_table(),),
        (
            *("1 enter e", LAY, *OFFLINE, "3", Sees("picked 3"), *back_at(toy_table(number=2, laid=1))),
            *(AGAIN, Act(2, encode_raw(End())), Hides(UNSAID)),
        ),
    ),
    "before the server has greeted": Script(
        (),
        (
            *(LOST, Status("Connection lost"), *back(welcome(), lobby()), Join("K7QP"), toy_table()),
            *(Shows(TableScreen), Status("")),
        ),
        {"greeting": (), "intent": Join("K7QP")},
    ),
    "before the server has said where one sits": Script(
        (),
        (LOST, *back(welcome(back="K7QP"), lobby()), Join("K7QP"), toy_table(), Status("Welcome back.")),
        {"greeting": ()},
    ),
    "on the way to the first table": Script(
        (),
        (
            *(Join("K7QP"), "1 enter", *OFFLINE, *back(welcome(back="K7QP"), lobby()), Join("K7QP")),
            *(toy_table(), LAY),
        ),
        {"intent": Join("K7QP")},
    ),
    "once more on the way back": Script(
        (toy_table(),),
        (
            *(*OFFLINE, *back(welcome(back="K7QP"), lobby()), AGAIN, *OFFLINE, *back_at(), AGAIN),
            Status("Reconnected."),
        ),
    ),
    "the game may have begun meanwhile": Script(
        (toy_table("Ann -", "open"),),
        (Shows(WaitingScreen), *OFFLINE, *back_at(), AGAIN, Shows(TableScreen), Status("Reconnected.")),
    ),
    "Ctrl-C leaves": Script(
        (toy_table(),), (*OFFLINE, "ctrl+c", Ends(0, "Your seat is kept: connect again the same way."))
    ),
    "so does q, without a seat": Script((toy_table(you=None),), (*OFFLINE, "q y", Ends(0, ""))),
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
async def test_a_connection_is_lost(visit: Visiting, script: Script) -> None:
    async with visit(*script.answers, **script.settings) as v:
        await follow(v, script.steps)
        assert Leave not in map(type, v.link.said)


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
        await follow(v, (*OFFLINE, *back(greeting, lobby()), way, greeting, before))
        assert v.app.screen is screen, "nothing at home is lost"
        assert v.status.startswith("Reconnected.")


async def test_what_is_picked_here_counts_more_than_what_the_server_kept(visit: Visiting) -> None:
    selection = SelectionSync().keep(1, bytes([2]))
    assert selection is not None
    for answers in (
        (toy_table(), SavedSelection(selection.selection)),
        (SavedSelection(selection.selection), toy_table()),
    ):
        async with visit(toy_table(), game_screens=STEADY) as v:
            await follow(
                v, (*OFFLINE, "3", *back(welcome(back="K7QP"), lobby(), *answers), AGAIN, Sees("picked 3"))
            )
            await v.until(lambda: v.link.kept == [[1, 3]], "the server keeps that from now on")


async def test_a_line_that_ends_for_good_ends_the_visit_with_its_sentence(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await follow(v, OFFLINE)
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
