"""One's ssh keys in lines: told, added by a code, dropped; and why one isn't called what one asked to be."""

import msgspec
import pytest

from cartino_protocol.accounts import (
    Account,
    AccountView,
    AddKey,
    DeleteAccount,
    DropKey,
    KeyCode,
    KeyLine,
    Keys,
    KeysView,
)
from cartino_protocol.commands import Command, Hello
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Answer, Bye, Mine, NameChangeReason
from cartino_tui.plain.conversation import Conversation
from cartino_tui.preferences import Preferences
from cartino_tui.visit.messages import name_change_message
from cartino_tui.visit.routes import ShellCommands
from tests.support.games import SPEECHES
from tests.support.visit import lobby, welcome

MODERATION = "SHA256:" + "d" * 43


class Talk:
    """A conversation with the test as the server."""

    def __init__(self) -> None:
        self.said: list[Command] = []
        self.conversation = Conversation(
            self.said.append, Preferences(), SPEECHES, None, ShellCommands(), ShellCommands()
        )
        self.handle(welcome(), lobby(), Mine(()))

    def types(self, text: str) -> Command:
        """Type a line; what it leads to."""
        self.conversation.enter(text)
        return next(said for said in reversed(self.said) if not isinstance(said, Hello))

    def handle(self, *answers: Answer) -> list[str]:
        """What is told of `answers`."""
        self.conversation.take_lines()
        for answer in answers:
            self.conversation.handle(answer)
        return self.conversation.take_lines()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("keys", Keys()),
        ("keys code", KeyCode()),
        ("keys add k7qpm 3xw9t", AddKey("k7qpm 3xw9t")),
        ("keys drop dddddddd", DropKey("dddddddd")),
        ("keys what", Keys()),
        ("account", Account()),
        ("account what", Account()),
        ("account delete ann", DeleteAccount("ann")),
        ("account delete --yes ann", DeleteAccount("ann")),
        ("keys add " + "x" * 200, AddKey("x" * 64)),
    ],
)
def test_what_is_typed_is_asked(typed: str, said: Command) -> None:
    assert Talk().types(typed) == said


def test_an_account_is_told_line_by_line() -> None:
    talk = Talk()
    talk.types("account")
    told = talk.handle(AccountView("ann", keys=(MODERATION,), games=2))
    assert told[:2] == ["Name: ann, kept for a year after your last visit", f"Keys: {MODERATION}"]
    assert told[-1].startswith("account delete, followed by your name")
    assert "except your resume code" in talk.handle(AccountView("~gus", guest=True))[0]


def test_the_answers_are_told() -> None:
    talk = Talk()
    talk.types("keys")
    told = talk.handle(KeysView((KeyLine(MODERATION, here=True),)))
    assert told[0] == f"{MODERATION}, in use here"
    assert "keys code makes a code" in told[1]
    talk.types("keys code")
    told = talk.handle(KeysView((KeyLine(MODERATION, here=True),), "code", "K7QPM-3XW9T", 10))
    assert told[0] == "Within 10 minutes, connect with the other key and type this once:"
    assert told[1] == "ssh HOST keys add K7QPM-3XW9T"
    talk.types("keys add x")
    assert "Invalid or expired code" in talk.handle(Refusal("bad-code", to="AddKey"))[0]
    assert "The key you connected with was removed from your account." in talk.handle(Bye("key"))[-1]


def test_who_is_called_otherwise_hears_why() -> None:
    talk = Talk()
    talk.conversation = Conversation(
        talk.said.append, Preferences(), SPEECHES, None, ShellCommands(), ShellCommands()
    )
    missed = msgspec.structs.replace(welcome("ann2"), missed="ann")
    told = talk.handle(missed)
    assert told == ['"ann" is taken (or too similar), so you\'re ann2.']
    assert talk.handle(missed) == []


@pytest.mark.parametrize(
    ("why", "words"),
    [
        (
            "bad-name",
            "\"root\" isn't a valid name, so you're player. "
            "Use 2 to 16 letters or digits (wide ones count twice), with - _ . ' between.",
        ),
        ("mixed-name", '"root" mixes alphabets, so you\'re player.'),
        ("house-name", '"root" is reserved, so you\'re playing as player.'),
    ],
)
def test_who_asks_for_what_is_no_name_hears_why(why: NameChangeReason, words: str) -> None:
    missed = msgspec.structs.replace(welcome("player"), missed="root", missed_for=why)
    assert str(name_change_message(missed)) == words
