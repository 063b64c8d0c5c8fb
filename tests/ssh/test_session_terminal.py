"""Keys are measured up to the frame that they cause; and every terminal shows what its screen has, cell by cell."""

import asyncio
from collections.abc import Iterator
from itertools import count
from random import Random

import msgspec
import pytest

from cartino_games.cartino.board import Edition
from cartino_games.cartino.rules.state import CartinoState
from cartino_protocol.views import TableView
from cartino_server.metrics.definitions import REGISTRY
from cartino_server.ssh import session_terminal
from cartino_server.ssh.session_terminal import MAX_TURNS, SessionMetrics
from cartino_tui.terminal import input_queue
from tests.support.cartino import random_game
from tests.support.cartino_table import table_of
from tests.support.metered import metered, told
from tests.support.terminal_people import Person
from tests.support.visit import chat

FRAMES = "cartino_key_to_frame_seconds"


@pytest.fixture(autouse=True)
def watched() -> Iterator[None]:
    with metered():
        yield


async def turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


def at_a_screen() -> SessionMetrics:
    watch = SessionMetrics()
    watch.begin("screen")
    return watch


async def test_the_frame_that_a_key_draws_is_timed_once() -> None:
    watch = at_a_screen()
    watch.typed(1)
    await turns(MAX_TURNS - 2)
    watch.sent(300)
    watch.sent(20)
    assert told(FRAMES) == {(): 1}
    assert told("cartino_received_bytes_total") == {(): 1}
    assert told("cartino_sent_bytes_total") == {(): 320}


async def test_what_comes_later_was_drawn_for_something_else() -> None:
    watch = at_a_screen()
    watch.typed(1)
    await turns(MAX_TURNS + 1)
    watch.sent(300)
    assert told(FRAMES) == {}


async def test_keys_that_wait_together_are_timed_from_the_first() -> None:
    watch = at_a_screen()
    watch.typed(1)
    watch.typed(1)
    await turns(1)
    watch.sent(300)
    assert told(FRAMES) == {(): 1}
    watch.typed(1)
    watch.sent(300)
    assert told(FRAMES) == {(): 2}


async def test_a_key_after_one_that_drew_nothing_is_timed_from_itself() -> None:
    watch = at_a_screen()
    watch.typed(1)
    await turns(MAX_TURNS + 1)
    watch.typed(1)
    watch.sent(300)
    assert told(FRAMES) == {(): 1}


@pytest.mark.parametrize("kind", ["lines", "native", "answer"])
async def test_only_screens_have_frames(kind: str) -> None:
    watch = SessionMetrics()
    watch.begin(kind)  # type: ignore[arg-type]
    watch.typed(1)
    watch.sent(300)
    assert told(FRAMES) == {}
    assert told("cartino_received_bytes_total") == {(): 1}


async def test_sessions_are_there_until_they_end() -> None:
    watch, other = at_a_screen(), SessionMetrics()
    assert told("cartino_sessions") == {("server", "screen"): 1}
    # One that never got so far as to begin ends too.
    other.end()
    watch.end()
    watch.end()
    assert told("cartino_sessions") == {("server", "screen"): 0}
    assert told("cartino_sessions_begun_total") == {("screen",): 1}


async def test_nothing_waits_while_nobody_watches() -> None:
    REGISTRY.end()
    watch = at_a_screen()
    watch.typed(1)
    watch.sent(300)
    REGISTRY.on = True
    assert REGISTRY.read() == ()


AT_TABLE = (
    *(b"1", b"2", b"3", b"4", b"5", b"1", b"2", b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\x1b[B"),
    *(b"\r", b"e", b"?", b"tgood luck\r", b"t", b"\x1b[<0;9;9M\x1b[<0;9;9m", b"\x7f", b"y", b"n", b"\x0c"),
)
IN_LOBBY = (b"\x1b[A", b"\x1b[B", b"?", b"\x0c")
SIZES = ((80, 24), (80, 24), (100, 30), (120, 40), (132, 43), (60, 20))
TALK = ("good luck", "that was a fine king", "ça ira", "♠ or ♣?")


class Audience:
    """A player and two who look on at one table, at which whatever comes to hand is done."""

    def __init__(self, seed: int, term: str) -> None:
        self._chance = Random(seed)
        self._term = term
        self._numbers = count(1)
        self._states: Iterator[CartinoState] = iter(())
        self._talk: list[tuple[str, str]] = []
        self._tables: dict[int | None, TableView] = {}
        self.people = [Person(term, you) for you in (0, None, None)]

    async def begin(self) -> None:
        for person in self.people:
            await self._settle(person)
        self._move()
        for person in self.people:
            await self._settle(person)

    async def step(self) -> None:
        """Do one thing, and see that a terminal shows what it should."""
        person, what = self._chance.choice(self.people), self._chance.random()
        if what < 0.62:
            keys = AT_TABLE if person.at_table else IN_LOBBY
            person.type(b"".join(self._chance.choice(keys) for _ in range(self._chance.choice((1, 1, 1, 3)))))
        elif what < 0.82:
            self._move()
        elif what < 0.90:
            self._say("Léa", self._chance.choice(TALK))
        elif what < 0.96:
            person.resize(
                *self._chance.choice((self._sizes(1), self._sizes(2), (*self._sizes(1), person.size)))
            )
        else:
            person.stop_or_go_on()
        person.answer(self._tables[person.you], chat(*self._talk))
        await self._settle(person)
        if person.is_gone:
            await self._another_for(person)
        else:
            assert person.holds() or not person.takes, f"{person.size}"

    async def _another_for(self, person: Person) -> None:
        """Who typed what quits, yes included, is followed by somebody like them."""
        await person.leave()
        other = Person(self._term, person.you)
        self.people[self.people.index(person)] = other
        await self._settle(other)
        other.link.tell(self._tables[other.you])
        await self._settle(other)

    def _sizes(self, number: int) -> tuple[tuple[int, int], ...]:
        return tuple(self._chance.choice(SIZES) for _ in range(number))

    def _move(self) -> None:
        state = next(self._states, None)
        if state is None:
            edition: Edition = self._chance.choice(("1974", "1969"))
            self._states = iter(
                [state for state, _ in random_game(self._chance.randrange(10**6), edition, 2)]
            )
            state = next(self._states)
        number = next(self._numbers)
        for you in (0, None):
            self._tables[you] = msgspec.structs.replace(table_of(state, you), number=number)
        for person in self.people:
            person.link.tell(self._tables[person.you])

    def _say(self, name: str, text: str) -> None:
        self._talk = [*self._talk[-9:], (name, text)]
        for person in self.people:
            if person.at_table:
                person.link.tell(chat(*self._talk))

    async def _settle(self, person: Person) -> None:
        turns = 0
        async with asyncio.timeout(30):
            while turns < 3 and not person.is_gone:
                await asyncio.sleep(0)
                turns = turns + 1 if person.is_still else 0


@pytest.mark.parametrize("term", ["xterm-256color", pytest.param("vt100", marks=pytest.mark.soak)])
@pytest.mark.parametrize(
    "steps", [150, pytest.param(5000, marks=[pytest.mark.soak, pytest.mark.timeout(900)])]
)
async def test_after_any_steps_every_terminal_shows_what_its_screen_has(
    term: str, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_terminal, "RESIZE_DELAY", 0.01)
    monkeypatch.setattr(input_queue, "INPUT_RATE", 2000.0)  # nobody here is a flood, only quick
    audience = Audience(1, term)
    await audience.begin()
    for _ in range(steps):
        await audience.step()
    for person in audience.people:
        await person.leave()
