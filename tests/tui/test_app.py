"""A visit from its greeting to its end: intents, versions, farewells, sizes."""

from collections.abc import Mapping

import msgspec
import pytest

from cartino_protocol import __version__
from cartino_protocol.base import TableStatus
from cartino_protocol.commands import Command, Create, Hello, Join, Watch
from cartino_protocol.exit_status import BROKEN_OFF, REFUSED
from cartino_protocol.notices import expulsion_message
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import lazy_gettext
from cartino_protocol.views import Answer, Bye, Left
from cartino_protocol.wire import VERSION
from cartino_tui.i18n import Translator
from cartino_tui.screens.lobby import LobbyScreen
from cartino_tui.screens.table import TableScreen
from cartino_tui.screens.waiting import WaitingScreen
from cartino_tui.visit import farewell
from cartino_tui.visit.farewell import Farewell
from cartino_tui.visit.routes import StartRoute
from tests.support.visit import TOYS, ToyScreen, chat, line, lobby, toy_table, welcome
from tests.tui.conftest import Visiting


async def test_the_greeting_names_version_and_client(visit: Visiting) -> None:
    async with visit() as v:
        assert v.link.said[0] == Hello(VERSION, f"cartino-tui {__version__}")
        assert isinstance(v.app.screen, LobbyScreen)


@pytest.mark.parametrize(
    ("intent", "said"),
    [
        (Join("K7QP"), Join("K7QP")),
        (Watch("K7QP"), Watch("K7QP")),
        (
            Create("toy", {"size": "big"}, 3, ("greedy",), open=False),
            Create("toy", {"size": "big"}, 3, ("greedy",), False),
        ),
    ],
)
async def test_an_intent_goes_straight_to_the_table_once(
    visit: Visiting, intent: StartRoute, said: Command
) -> None:
    async with visit(intent=intent) as v:
        await v.says(said)
        await v.hears(toy_table(), welcome("Ann2"))
        assert isinstance(v.app.screen, TableScreen)
        await v.says(said)


@pytest.mark.parametrize("state", ["playing", "open"])
@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_whoever_goes_straight_to_a_table_is_told_there_of_the_name_they_missed(
    visit: Visiting, state: TableStatus, size: tuple[int, int]
) -> None:
    named = msgspec.structs.replace(welcome("Ann3"), missed="Ann", missed_for="name-taken")
    there = toy_table("Ann3 Bo" if state == "playing" else "Ann3 -", state)
    async with visit(there, intent=Join("K7QP"), size=size, greeting=(named, lobby())) as v:
        told = '"Ann" is taken (or too similar), so you\'re Ann3.'
        assert told in " ".join(v.text.split())
        await v.types("?", "escape")
        await v.hears(Left("left", "K7QP"), toy_table("Ann3 Bo"))
        assert "too similar" not in v.text, "once is enough"


async def test_who_is_refused_a_table_is_told_at_the_next_of_the_name_they_missed(visit: Visiting) -> None:
    named = msgspec.structs.replace(welcome("Ann3"), missed="Ann", missed_for="name-taken")
    refused = Refusal("unknown-code", "K7QP", to="Join")
    async with visit(refused, intent=Join("K7QP"), greeting=(named, lobby())) as v:
        assert v.status == refused.sentence()
        await v.hears(toy_table("Ann3 -", "open"))
        assert v.status.startswith('"Ann" is taken')


async def test_keys_typed_before_the_greeting_wait_for_games_and_tables(visit: Visiting) -> None:
    async with visit(greeting=()) as v:
        await v.types("down", "enter")
        await v.hears(welcome())
        assert "no tables" not in v.text
        await v.hears(lobby(line("K7QP", "Bo -"), line("B4ZT", "Cy -")))
        assert v.link.sent[-1] == Join("B4ZT")
    async with visit(greeting=()) as v:
        await v.types("n")
        await v.hears(welcome(), lobby())
        assert "hasn't loaded" not in v.text
        assert "New table" in v.text


async def test_the_lobby_is_an_intent_that_says_nothing(visit: Visiting) -> None:
    async with visit(intent=None) as v:
        assert v.link.sent == []


async def test_an_intent_that_is_refused_ends_in_the_lobby_with_the_sentence(visit: Visiting) -> None:
    async with visit(intent=Join("K7QP")) as v:
        await v.hears(Refusal("unknown-code", "K7QP"))
        assert v.status == Refusal("unknown-code", "K7QP").sentence()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (welcome(version=VERSION + 1), farewell.VERSION_MISMATCH),
        (Refusal("version"), farewell.VERSION_MISMATCH),
        (Bye("version"), farewell.VERSION_MISMATCH),
        (
            Bye("shutdown"),
            Farewell(
                lazy_gettext("The server will be back in a moment. Connect again the same way."), BROKEN_OFF
            ),
        ),
        (Bye("kicked"), Farewell(expulsion_message("kicked"), REFUSED)),
        (toy_table(game="chess"), farewell.UNREADABLE),
    ],
)
async def test_the_server_ends_a_visit_with_one_sentence_and_a_code(
    visit: Visiting, answer: Answer, words: Farewell
) -> None:
    async with visit() as v:
        v.link.tell(answer)
        await v.until(lambda: v.app.return_code is not None)
    # Broken for its 80 columns, where it is longer.
    lines = (v.app.return_value or "").split("\n")
    assert (" ".join(lines), v.app.return_code) == (str(words.sentence), words.code)
    assert max(map(len, lines)) <= 80
    assert str(words.sentence).endswith(".")
    assert words.code != 0
    assert v.link.closed


async def test_a_line_that_breaks_ends_the_visit_the_same_way(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        v.link.cut()
        await v.until(lambda: v.app.return_code is not None)
    assert v.app.return_value == ("Connection lost. Your seat is kept: connect again the same way.")
    assert v.app.return_code == BROKEN_OFF


async def test_a_guest_is_not_told_of_a_seat_that_nobody_can_come_back_to(visit: Visiting) -> None:
    async with visit(toy_table(), greeting=(welcome(guest=True), lobby())) as v:
        await v.types("q")
        assert v.status == "Leave the table? Your seat is kept while you stay connected. (y/n)"
        v.link.cut()
        await v.until(lambda: v.app.return_code is not None)
    assert v.app.return_value == "Connection lost. Connect again the same way."


async def test_the_first_farewell_counts(visit: Visiting) -> None:
    async with visit() as v:
        v.link.tell(Bye("shutdown"))
        v.link.cut()
        await v.until(lambda: v.app.return_code is not None)
    assert v.app.return_value == "The server will be back in a moment. Connect again the same way."


@pytest.mark.parametrize("key", ["ctrl+c", "ctrl+q"])
async def test_the_habits_of_the_terminal_leave_at_once(visit: Visiting, key: str) -> None:
    async with visit(toy_table()) as v:
        await v.types("1", "enter", key)
        await v.until(lambda: v.app.return_code is not None)
    assert v.app.return_code == 0
    assert v.app.return_value == "Your seat is kept: connect again the same way."
    assert v.link.closed


async def test_the_screen_follows_the_table_from_waiting_through_play_to_the_next(visit: Visiting) -> None:
    async with visit(toy_table("Ann -", "open")) as v:
        assert isinstance(v.app.screen, WaitingScreen)
        await v.hears(toy_table())
        assert isinstance(v.app.screen, TableScreen)
        await v.hears(toy_table(state="finished"))
        assert isinstance(v.app.screen, TableScreen)
        await v.hears(toy_table("Bo -", "open", you=None))
        assert isinstance(v.app.screen, WaitingScreen)
        await v.hears(Left("closed", "K7QP"), lobby())
        assert isinstance(v.app.screen, LobbyScreen)
        assert v.status == "The table was closed."
        assert len(v.app.screen_stack) == 1


async def test_another_table_leaves_nothing_of_the_one_before(visit: Visiting) -> None:
    async with visit(toy_table(), chat(("Bo", "hello"))) as v:
        await v.types("3")
        await v.hears(toy_table(code="B4ZT"))
        assert "B4ZT" in v.text
        assert "hello" not in v.text
        assert "picked 0" in v.text


async def test_the_table_of_another_game_is_drawn_by_its_own_screen(
    visit: Visiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    class OddScreen(ToyScreen):
        name = "odd"
        title = "Odd"

        def title_of(self, options: Mapping[str, str], translator: Translator) -> str:
            return "Odd small"

    monkeypatch.setitem(TOYS, "odd", OddScreen())
    async with visit(toy_table()) as v:
        assert v.text.startswith("Toy small")
        await v.hears(toy_table(code="B4ZT", game="odd"))
        assert v.text.startswith("Odd small")
        assert len(v.app.screen_stack) == 2


async def test_a_small_terminal_gets_a_card_and_the_table_back_when_it_grows(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await v.types("2")
        await v.pilot.resize_terminal(59, 24)
        await v.until(lambda: "59 x 24 is too small." in v.text)
        assert "60 x 20" in v.text
        await v.types("3", "q")
        await v.pilot.resize_terminal(120, 40)
        await v.until(lambda: "picked 2" in v.text, "blind keys mean nothing")
        assert (v.frame.width, v.frame.height) == (120, 40)
        assert v.link.sent == []


@pytest.mark.parametrize("size", [(1, 1), (10, 3), (59, 20), (60, 19), (60, 20), (300, 120)])
async def test_no_size_breaks_a_screen(visit: Visiting, size: tuple[int, int]) -> None:
    async with visit(lobby(line("K7QP")), size=size) as v:
        assert (v.frame.width, v.frame.height) == size
        await v.hears(toy_table("Ann -", "open"))
        await v.hears(toy_table())


async def test_a_repaint_sends_what_is_there_already(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        before = v.text
        await v.types("ctrl+l", "2")
        await v.until(lambda: "picked 2" in v.text)
        assert before.splitlines()[0] == v.text.splitlines()[0]
