"""The process's own terminal: whether it can draw, questions before drawing, and how a visit ends."""

import asyncio
import re
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from types import SimpleNamespace

import msgspec
import pytest

from cartino_protocol import wire
from cartino_protocol.commands import Command
from cartino_protocol.exit_status import FAILURE, MISUSE
from cartino_protocol.link import LinkClosed
from cartino_protocol.text import LazyMessage
from cartino_protocol.views import Answer, TableView
from cartino_server.cli import terminal
from cartino_server.cli.terminal import check_terminal, print_crash, print_result
from cartino_server.client.connection import UnknownHostKey
from cartino_server.commands.console import CommandError
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


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """This process seems to have a terminal, of which nothing is known yet."""
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    for name in ("LC_ALL", "LC_CTYPE", "LANG", "TERM"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.mark.parametrize(
    ("term", "lang", "simple"),
    [
        ("xterm-256color", "de_DE.UTF-8", False),
        ("xterm-256color", "de_DE.ISO-8859-1", True),
        ("vt100", "de_DE.UTF-8", True),
    ],
)
def test_the_characters_follow_the_terminal(
    drawn: pytest.MonkeyPatch, term: str, lang: str, simple: bool
) -> None:
    drawn.setenv("TERM", term)
    drawn.setenv("LANG", lang)
    assert check_terminal(LazyMessage("no terminal")) == simple


@pytest.mark.parametrize("term", [None, "dumb"])
def test_a_terminal_that_can_not_draw_is_a_sentence(drawn: pytest.MonkeyPatch, term: str | None) -> None:
    if term is not None:
        drawn.setenv("TERM", term)
    with pytest.raises(CommandError, match="can't show a table") as caught:
        check_terminal(LazyMessage("no terminal"))
    assert caught.value.code == MISUSE


def test_without_a_terminal_the_callers_sentence_is_said() -> None:
    with pytest.raises(CommandError, match="no terminal") as caught:
        check_terminal(LazyMessage("no terminal"))
    assert caught.value.code == MISUSE


UNKNOWN = UnknownHostKey("[games.example.org]:2222", "ED25519", "SHA256:abc")
QUESTIONS: list[Callable[[], object]] = [
    lambda: terminal.confirm_host_key(UNKNOWN),
    lambda: terminal.ask_passphrase(Path("id_rsa")),
]


class Person:
    """At the terminal: is asked, and answers with what `answer` gives."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[str] = []
        self.answer: Callable[[], str] = str
        monkeypatch.setattr("builtins.input", self._hear)
        monkeypatch.setattr("getpass.getpass", self._hear)

    def _hear(self, question: str) -> str:
        self.asked.append(question)
        return self.answer()


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> Person:
    return Person(monkeypatch)


@pytest.mark.parametrize(
    ("typed", "confirmed"), [("yes", True), (" Y ", True), ("", False), ("no", False), ("yeah", False)]
)
def test_only_a_yes_is_one(person: Person, typed: str, confirmed: bool) -> None:
    person.answer = lambda: typed
    before = signal.getsignal(signal.SIGINT)
    assert terminal.confirm_host_key(UNKNOWN) is confirmed
    assert signal.getsignal(signal.SIGINT) is before
    assert "[games.example.org]:2222" in person.asked[0]
    assert "ED25519" in person.asked[0]
    assert "\nSHA256:abc\n" in person.asked[0]


def test_a_passphrase_is_what_was_typed_and_the_question_names_the_key(person: Person) -> None:
    person.answer = lambda: " two words "
    assert terminal.ask_passphrase(Path("/keys/ann")) == " two words "
    assert "/keys/ann" in person.asked[0]


def test_the_end_of_input_is_a_no_and_no_passphrase(
    person: Person, capsys: pytest.CaptureFixture[str]
) -> None:
    def end() -> str:
        raise EOFError

    person.answer = end
    assert not terminal.confirm_host_key(UNKNOWN)
    assert terminal.ask_passphrase(Path("id_rsa")) == ""
    assert capsys.readouterr().out == "\n\n", "what comes next stands on a line of its own"


@pytest.mark.parametrize("ask", QUESTIONS)
def test_ctrl_c_ends_the_program_and_whoever_had_the_signal_has_it_again(
    person: Person, ask: Callable[[], object]
) -> None:
    def ctrl_c() -> str:
        signal.raise_signal(signal.SIGINT)
        return "yes"

    def of_a_loop(number: int, frame: object) -> None:
        raise AssertionError("the loop would wait for the answer, and the answer for the loop")

    person.answer = ctrl_c
    before = signal.signal(signal.SIGINT, of_a_loop)
    try:
        with pytest.raises(KeyboardInterrupt):
            ask()
        assert signal.getsignal(signal.SIGINT) is of_a_loop
    finally:
        signal.signal(signal.SIGINT, before)


def ended(sentence: str | None = None, code: int | None = None, crash: str | None = None) -> SimpleNamespace:
    return SimpleNamespace(return_value=sentence, return_code=code, crash=crash)


@pytest.mark.parametrize("code", [0, 3])
def test_the_last_sentence_is_said_and_the_code_is_the_apps(
    code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert print_result(ended("Your seat is kept.", code)) == code
    assert capsys.readouterr() == ("Your seat is kept.\n", "")


@pytest.mark.parametrize("app", [ended(), ended("", 0)])
def test_nothing_to_say_leaves_nothing(app: SimpleNamespace, capsys: pytest.CaptureFixture[str]) -> None:
    assert print_result(app) == 0
    assert capsys.readouterr() == ("", "")


def test_a_crash_is_a_failure_and_is_told_on_stderr_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_result(ended("never shown", 0, "ValueError at table.py:7")) == FAILURE
    told = capsys.readouterr()
    assert told.out == ""
    assert "Sorry, the table crashed." in told.err
    assert told.err.endswith("ValueError at table.py:7\n")


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
