"""The app and plain mode behave alike; arriving, coming back, and what is stored meanwhile."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Final

import msgspec
import pytest

from cartino_games.kit.levels import LEVELS
from cartino_protocol.accounts import Invited
from cartino_protocol.commands import (
    Act,
    Back,
    Command,
    Create,
    Hello,
    History,
    Join,
    Prefer,
    Say,
    Summary,
)
from cartino_protocol.deals import Today
from cartino_protocol.link import ConnectionStatus
from cartino_protocol.notices import Announced
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Answer, Bye, HistoryView, Left, Mine
from cartino_protocol.wire import encode_raw
from cartino_tui.app import CartinoApp
from cartino_tui.plain.conversation import Conversation
from cartino_tui.preferences import Preferences, Settings, decode_settings
from cartino_tui.visit.events import Event, QuitRequest, SaveSettings, Send, StartTimer, TimeUp
from cartino_tui.visit.routes import ShellCommands, StartRoute
from cartino_tui.visit.visit import SAVE_DELAY, Visit
from cartino_tui.widgets.app_screen import AppScreen
from tests.support.cartino import position, random_game
from tests.support.cartino_table import table_of
from tests.support.games import SCREENS, SPEECHES
from tests.support.visit import ScriptedLink, chat, line, lobby, welcome
from tests.support.visit import Visit as ScreenVisit
from tests.support.visit_script import visits

TABLE = position("KS QS", "9D", bag="7D 8D")


class Shell:
    """One of the two, driven alike. `text` is what the person can read now, or was told so far."""

    def __init__(self, link: ScriptedLink, visit: Visit) -> None:
        self.link, self.visit = link, visit

    async def hears(self, *said: Answer | ConnectionStatus) -> None:
        raise NotImplementedError

    async def sends(self, command: Command) -> None:
        """Send `command` as a menu or a key does; its answer is awaited."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        raise NotImplementedError

    @property
    def sent(self) -> list[Command]:
        """All that was sent but greetings, settings, and the question for the summary."""
        return [
            command for command in self.link.said if not isinstance(command, Hello | Prefer | Summary | Today)
        ]

    @property
    def saved(self) -> list[Settings]:
        return [decode_settings(bytes(said.settings)) for said in self.link.said if isinstance(said, Prefer)]


class OnScreen(Shell):
    def __init__(self, screen: ScreenVisit) -> None:
        super().__init__(screen.link, screen.app.visit)
        self._screen = screen

    async def hears(self, *said: Answer | ConnectionStatus) -> None:
        self.link.tell(*said)
        await self._screen.until(lambda: self.link.all_heard or not self._screen.app.is_running)
        if self._screen.app.is_running:
            await self._screen.pilot.pause()

    async def sends(self, command: Command) -> None:
        front = self._screen.app.screen
        assert isinstance(front, AppScreen)
        front.send(command)
        await self._screen.pilot.pause()

    @property
    def text(self) -> str:
        return " ".join(self._screen.text.split())


class InLines(Shell):
    def __init__(self, talk: Conversation, link: ScriptedLink) -> None:
        super().__init__(link, talk.context.visit)
        self._talk, self._told = talk, ""

    async def hears(self, *said: Answer | ConnectionStatus) -> None:
        for each in said:
            self._talk.handle(each)

    async def sends(self, command: Command) -> None:
        self._talk.context.send(command)

    @property
    def text(self) -> str:
        self._told = " ".join([self._told, *self._talk.take_lines()])
        return self._told


Opening = Callable[..., AbstractAsyncContextManager[Shell]]


@asynccontextmanager
async def _on_screen(start: StartRoute | None) -> AsyncIterator[Shell]:
    link = ScriptedLink()
    app = CartinoApp(
        link, start, depth="true", game_screens=dict(SCREENS), shell_commands=ShellCommands("ssh -t host")
    )
    async with app.run_test(size=(120, 40)) as pilot:
        yield OnScreen(ScreenVisit(app, pilot, link))


@asynccontextmanager
async def _in_lines(start: StartRoute | None) -> AsyncIterator[Shell]:
    link, words = ScriptedLink(), ShellCommands("ssh -t host")
    talk = Conversation(link.send, Preferences(), dict(SPEECHES), start, words, words)
    talk.begin()
    yield InLines(talk, link)


@pytest.fixture(params=[_on_screen, _in_lines], ids=["screen", "plain"])
def shell(request: pytest.FixtureRequest) -> Opening:
    """`async with shell(*answers, start=…) as s`: a visit that has heard `answers`."""
    opening = request.param

    @asynccontextmanager
    async def opened(*answers: Answer, start: StartRoute | None = None) -> AsyncIterator[Shell]:
        async with opening(start) as here:
            await here.hears(*answers)
            yield here

    return opened


LOBBY = (welcome(), lobby(line("K7QP", game="cartino")), Mine(()))


AT_TABLE = (*LOBBY, table_of(TABLE, 0), chat())
LOST, BACK = ConnectionStatus("lost", 2), ConnectionStatus("back")
NO_PAGE = HistoryView("all", "", (), more=False)
MISSED = msgspec.structs.replace(welcome(), missed="Bob", missed_for="name-taken")
ALIKE: Final[Mapping[str, tuple[Sequence[object], StartRoute | None]]] = {
    "a refusal ends the wait": (
        (*LOBBY, Join("AAAA"), True, Refusal("unknown-code", to="Join"), False),
        None,
    ),
    "a late page answers no move": (
        (
            *(*AT_TABLE, Act(1, msgspec.Raw(b"\xa2KS")), NO_PAGE, True),
            *(msgspec.structs.replace(table_of(TABLE, 0), number=99), False),
        ),
        None,
    ),
    "a page answers the question for it": ((*LOBBY, History("all"), True, NO_PAGE, False), None),
    "a command lost with the connection is reported": (
        (*LOBBY, Join("K7QP"), LOST, BACK, welcome(), False, str(Refusal("no-line").words())),
        None,
    ),
    "a seat taken by the other terminal": (
        (*AT_TABLE, Left("moved", "K7QP"), lobby(line("K7QP", game="cartino")), Mine(()), "other terminal"),
        None,
    ),
    "a seat that is at the other terminal": (
        (*LOBBY, Refusal("elsewhere", "K7QP", to="Join"), *LOBBY[1:], "other terminal"),
        None,
    ),
    "an invitation that was sent": ((*AT_TABLE, Invited("Bo", here=True), "Invitation sent to Bo."), None),
    "a new name": ((*LOBBY, welcome("Eve"), "You're now called Eve."), None),
    "a name that was not available": ((MISSED, lobby(), Mine(()), '"Bob" is taken'), None),
    "the same on the way to a table": (
        (MISSED, lobby(), Mine(()), table_of(TABLE, None), '"Bob" is taken'),
        Join("K7QP"),
    ),
    "no table any more": (
        (
            *(*LOBBY, Back("quiet-otter"), welcome(word="quiet-otter", guest=True), lobby(), Mine(())),
            *(False, "Your table has closed"),
        ),
        None,
    ),
}
"""Answers are heard, commands sent, texts read; True and False say whether what is typed has to wait."""


@pytest.mark.parametrize(("steps", "start"), ALIKE.values(), ids=ALIKE)
async def test_both_behave_alike(shell: Opening, steps: Sequence[object], start: StartRoute | None) -> None:
    async with shell(start=start) as s:
        for step in steps:
            if isinstance(step, bool):
                assert s.visit.waiting is step
            elif isinstance(step, str):
                assert step in s.text
            elif isinstance(step, Command):
                await s.sends(step)
            else:
                assert isinstance(step, Answer | ConnectionStatus)
                await s.hears(step)


async def test_a_new_guest_after_a_reconnect_keeps_the_settings(shell: Opening) -> None:
    async with shell(
        msgspec.structs.replace(welcome(guest=True), settings=encode_raw(Settings(theme="light")))
    ) as s:
        await s.hears(lobby(), Mine(()), ConnectionStatus("lost", 2), ConnectionStatus("back"))
        await s.hears(msgspec.structs.replace(welcome(guest=True), settings=msgspec.Raw(b"")))
        assert s.saved == [Settings(theme="light")]


async def test_settings_the_server_had_no_time_for_are_sent_again(shell: Opening) -> None:
    async with AsyncExitStack() as stack:
        s = await stack.enter_async_context(shell(*LOBBY, table_of(TABLE, 0)))
        assert s.saved == [Settings(game="cartino", hints=True)]
        await s.hears(Refusal("busy", to="Prefer"), Bye("shutdown"))
        assert s.saved == [Settings(game="cartino", hints=True)] * 2


async def test_nothing_is_sent_into_a_lost_connection(shell: Opening) -> None:
    async with shell(*LOBBY) as s:
        await s.hears(ConnectionStatus("lost", 2))
        await s.sends(Join("K7QP"))
        assert s.sent == []
        assert not s.visit.waiting
        assert "Not sent: the connection was down." in s.text


async def test_the_same_command_for_a_new_table_goes_back_to_the_first(shell: Opening) -> None:
    async with shell(welcome(back="K7QP"), start=Create("cartino")) as s:
        assert s.sent == [Join("K7QP")]
        await s.hears(table_of(TABLE, 0))
        assert "You're back at your table" in s.text


async def test_who_comes_for_a_new_table_is_on_the_way_until_it_is_there(shell: Opening) -> None:
    """A guest is greeted again in between, with the word to come back by; the lobby isn't shown for that moment."""
    async with shell(welcome(), lobby(), Mine(()), start=Create("cartino")) as s:
        await s.hears(welcome(back="K7QP"))
        assert s.visit.is_arriving
        await s.hears(table_of(TABLE, 0))
        assert not s.visit.is_arriving


async def test_a_table_has_no_list_and_the_lobby_waits_for_a_new_one(shell: Opening) -> None:
    async with shell(*LOBBY, table_of(TABLE, 0)) as s:
        assert s.visit.state.lobby is None
        await s.hears(Left("closed", "K7QP"))
        fresh = [s.visit.has_fresh_lobby]
        await s.hears(lobby(), Mine(()))
        assert [*fresh, s.visit.has_fresh_lobby] == [False, True]
        assert "The table was closed." in s.text


@pytest.mark.parametrize(
    ("beaten", "told"),
    [
        ({}, "Two wins against learner! Next in quick play: beginner."),
        ({"cartino beginner": 2}, "Two wins against learner! Next in quick play: casual."),
        (
            {f"cartino {bot}": 2 for bot in LEVELS if bot != "learner"},
            "Two wins against learner! You've beaten every level of this game.",
        ),
    ],
)
async def test_two_wins_against_a_bot_are_told(shell: Opening, beaten: dict[str, int], told: str) -> None:
    over = [state for state, _ in random_game(3, "1974", 2)][-1]
    async with shell(*LOBBY) as s:
        s.visit.preferences.choose(wins=beaten)
        for game in ("first", "second"):
            assert "Two wins" not in s.text
            for state in (TABLE, over):
                table = table_of(state, 0)
                seats = (table.seats[0], msgspec.structs.replace(table.seats[1], name="learner", kind="bot"))
                table = msgspec.structs.replace(table, seats=seats, commitment=game)
                if table.result is not None:
                    table = msgspec.structs.replace(
                        table, result=msgspec.structs.replace(table.result, winners=(0,))
                    )
                await s.hears(table)
        assert told in s.text


async def test_what_the_host_says_is_told_and_kept(shell: Opening) -> None:
    async with shell(*LOBBY) as s:
        await s.hears(*(Announced("says", f"number {n}") for n in range(7)))
        assert "number 6" in s.text
        assert len(s.visit.notices.format_last_notices("", s.visit.preferences.translator)) == 5


async def test_a_turn_elsewhere_is_noticed_once_at_a_table_too(shell: Opening) -> None:
    async with shell(*LOBBY, table_of(TABLE, None)) as s:
        own = Mine((line("ZZZZ", "Ann Bo", "playing", turn=(0,), game="cartino"),))
        await s.hears(own, own)
        # On a screen it is the bell, the title and the desktop (see test_context.py).
        assert s.text.count("It's your turn at table ZZZZ.") == isinstance(s, InLines)


@pytest.mark.parametrize("said", [Bye("shutdown"), Refusal("version")])
async def test_nothing_is_done_after_the_end(shell: Opening, said: Bye | Refusal) -> None:
    async with shell(*LOBBY) as s:
        await s.hears(said)
        assert s.visit.ended is not None
        assert s.visit.handle(table_of(TABLE, 0)) == []


async def test_whoever_comes_back_hears_nothing_of_the_name_they_had_meanwhile(shell: Opening) -> None:
    async with shell(MISSED, lobby(), Mine(()), start=Back("quiet-otter")) as s:
        await s.hears(welcome(word="calm-heron", guest=True, back="K7QP"), table_of(TABLE, 0))
        assert "is taken" not in s.text


async def test_a_way_back_that_is_refused_ends_in_the_lobby(shell: Opening) -> None:
    async with shell(*LOBBY, table_of(TABLE, 0)) as s:
        await s.hears(ConnectionStatus("lost", 2), ConnectionStatus("back"), welcome(back="K7QP"))
        await s.hears(Refusal("unknown-code", to="Join"), lobby(), Mine(()))
        assert s.visit.state.table is None
        assert not s.visit.connection.is_down
        await s.sends(Say("x"))
        assert s.sent[-1] == Say("x")


test_visits = visits(__file__)


class World:
    """A person's settings, and what the server is told of them."""

    def __init__(self) -> None:
        self.visit = Visit(None, Preferences(), ShellCommands(), "test")
        self.timers: list[StartTimer] = []
        self.said: list[Settings] = []
        self.hears(welcome())

    def hears(self, event: Event) -> None:
        for effect in self.visit.handle(event):
            match effect:
                case Send(Prefer(settings)):
                    self.said.append(decode_settings(bytes(settings)))
                case StartTimer("save-settings"):
                    self.timers.append(effect)

    def choose(self, **choices: object) -> None:
        self.visit.preferences.choose(**choices)
        self.hears(SaveSettings())


def test_many_changes_are_said_once_a_moment_after_the_last() -> None:
    world = World()
    world.choose(theme="light")
    world.choose(theme="own")
    assert world.said == []
    assert world.timers == [StartTimer("save-settings", SAVE_DELAY)] * 2, "the second starts it again"
    world.hears(TimeUp("save-settings"))
    assert world.said == [Settings(theme="own")]
    world.hears(SaveSettings(now=True))
    assert len(world.said) == 1, "it is known"


def test_at_the_end_it_is_said_at_once() -> None:
    world = World()
    world.hears(SaveSettings(now=True))
    assert world.said == []
    world.visit.preferences.choose(bell=False)
    world.hears(QuitRequest())
    assert world.said == [Settings(bell=False)]


def test_without_a_line_it_stays_news() -> None:
    world = World()
    world.choose(bell=False)
    world.hears(ConnectionStatus("lost", 3))
    world.hears(TimeUp("save-settings"))
    assert world.said == []
    world.hears(ConnectionStatus("back"))
    world.hears(welcome())
    assert world.said == [Settings(bell=False)]


def test_what_the_server_had_no_time_for_is_said_again_at_the_end_and_not_before() -> None:
    world = World()
    world.choose(bell=False)
    world.hears(TimeUp("save-settings"))
    world.hears(Refusal("busy", to="Sit"))
    world.hears(Refusal("not-saved", to="Prefer"))
    world.hears(SaveSettings(now=True))
    assert len(world.said) == 1, "it was heard"
    world.hears(Refusal("busy", to="Prefer"))
    assert len(world.said) == 1
    world.hears(QuitRequest())
    assert world.said == [Settings(bell=False)] * 2
