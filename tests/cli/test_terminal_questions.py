"""Questions before anything is drawn: only a yes is one, no input is a no, and Ctrl-C always ends them."""

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from cartino_server.cli import terminal
from cartino_server.client.connection import UnknownHostKey

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
