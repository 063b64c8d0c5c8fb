"""A server that says what can be read and makes no sense: the visit goes on, or ends with one sentence and code 1."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from random import Random

import msgspec
import pytest

from cartino_protocol import wire
from cartino_protocol.commands import Command
from cartino_protocol.exit_status import FAILURE
from cartino_protocol.link import LinkClosed
from cartino_protocol.views import Answer, TableView
from cartino_server.cli.terminal import print_crash, print_result
from cartino_tui.app import CartinoApp
from cartino_tui.i18n import translator_for
from cartino_tui.plain.conversation import Conversation
from cartino_tui.plain.line_handler import PlainHandler
from cartino_tui.preferences import Preferences
from cartino_tui.visit.farewell import UNREADABLE
from tests.fuzz.decoders.wire import ANSWERS, WORDS
from tests.fuzz.mutating import Mutator
from tests.support.games import SCREENS, SPEECHES
from tests.support.plain import Paper

VISITS, EACH = 8, 12
HONEST = [wire.decode_answer(frame) for frame in ANSWERS]
_MUTATOR = Mutator(ANSWERS, "msgpack", WORDS, 1 << 16)


def nonsense(seed: int) -> list[Answer]:
    """Answers that can be read, behind those by which one comes to a table."""
    chance, found = Random(seed), HONEST[:3]
    while len(found) < 3 + EACH:
        try:
            found.append(wire.decode_answer(_MUTATOR.make(chance)))
        except wire.WireError:
            continue
    return found


class Saying:
    """A link to a server that says all it has to say, and hangs up."""

    def __init__(self, answers: list[Answer]) -> None:
        self._answers = iter(answers)

    def send(self, command: Command) -> None:
        pass

    async def receive(self) -> Answer:
        await asyncio.sleep(0)
        try:
            return next(self._answers)
        except StopIteration:
            raise LinkClosed from None

    def close(self) -> None:
        pass


async def at_a_screen(answers: list[Answer]) -> Callable[[], int]:
    app: CartinoApp = CartinoApp(Saying(answers), game_screens=SCREENS, depth="true", language="en")
    async with asyncio.timeout(60):
        await app.run_async(headless=True, size=(80, 24))
    return lambda: print_result(app, far=True)


async def in_lines(answers: list[Answer]) -> Callable[[], int]:
    face = PlainHandler(
        Paper(),
        lambda: Saying(answers),
        lambda send: Conversation(send, Preferences(), SPEECHES),
    )
    async with asyncio.timeout(60):
        code = await face.run()
    return lambda: code if face.crash is None else print_crash(face.crash, far=True)


@pytest.mark.parametrize("visit", [at_a_screen, in_lines])
async def test_nobody_is_shown_a_traceback_for_what_a_server_says(
    visit: Callable[[list[Answer]], Awaitable[Callable[[], int]]], capsys: pytest.CaptureFixture[str]
) -> None:
    for seed in range(VISITS):
        last_word = await visit(nonsense(seed))
        code, told = last_word(), capsys.readouterr()
        assert "Traceback" not in told.err + told.out, seed
        assert "\x1b" not in told.err, seed
        if told.err:
            assert (code, told.err.count("\n")) == (FAILURE, 1), seed
            assert re.search(r"\(\w+ [\w.-]+:\d+\)\.", told.err), told.err


async def test_a_seat_that_is_none_ends_the_visit_with_one_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = HONEST[2]
    assert isinstance(table, TableView)
    last_word = await at_a_screen(
        [*HONEST[:3], msgspec.structs.replace(table, you=99, number=table.number + 1)]
    )
    assert last_word() == FAILURE
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("Disconnected: this program doesn't understand the server's data")
    assert re.search(r"\(IndexError \w+\.py:\d+\)\.", told.err)
    assert told.err.count("\n") == 1


async def test_a_table_of_bytes_that_are_no_text_is_one_that_can_not_be_drawn(
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = HONEST[2]
    assert isinstance(table, TableView)
    game_table = msgspec.Raw(bytes(table.game_view).replace(b".", b"\xff", 1))
    last_word = await at_a_screen([*HONEST[:2], msgspec.structs.replace(table, game_view=game_table)])
    assert last_word() == FAILURE
    # What was chosen, as the server has it, is French.
    assert " ".join(capsys.readouterr().out.split()) == translator_for("fr").render(UNREADABLE.sentence)


def test_what_broke_is_said_in_short_and_in_no_word_of_the_server(
    capsys: pytest.CaptureFixture[str],
) -> None:
    crash = (
        'Traceback (most recent call last):\n  File "/x/app.py", line 7, in hear\n    know()\n'
        '  File "/x/known.py", line 88, in learn\n    a[b]\nIndexError: \x1b[2J\nOwned: come in\n'
        "\nThe above exception was the direct cause of the following exception:\n\n"
        'Traceback (most recent call last):\n  File "/x/worker.py", line 9, in run\nWorkerFailed: no\n'
    )
    assert print_crash(crash, far=True) == FAILURE
    told = capsys.readouterr().err
    assert "known.py:88" in told
    assert "\x1b" not in told
    assert "come in" not in told
    assert print_crash("", far=True) == FAILURE
