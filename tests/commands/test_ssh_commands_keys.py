"""`ssh HOST keys` as it is read and printed."""

import json

import pytest

from cartino_protocol.accounts import AddKey, DropKey, KeyCode, KeyLine, Keys, KeysView
from cartino_protocol.exit_status import MISUSE
from cartino_server.lobby.account import KeyManager
from cartino_tui.pages.account import KEYS_PAGE
from cartino_tui.pages.page import Reader, page_json, page_text
from cartino_tui.visit.routes import ShellCommands
from tests.support.ssh_words import answer

MODERATION = "SHA256:" + "d" * 43


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (["keys"], Keys()),
        (["keys", "list"], Keys()),
        (["keys", "code"], KeyCode()),
        (["keys", "add", "K7QPM-3XW9T"], AddKey("K7QPM-3XW9T")),
        (["keys", "add", "k7qpm", "3xw9t"], AddKey("k7qpm3xw9t")),
        (["keys", "drop", "dddddddd"], DropKey("dddddddd")),
    ],
)
async def test_what_is_said_is_read(monkeypatch: pytest.MonkeyPatch, words: list[str], asked: object) -> None:
    queries: list[object] = []

    async def answered(self: KeyManager, *given: object) -> KeysView:
        queries.append(given[-2])
        return KeysView(())

    monkeypatch.setattr(KeyManager, "answer_key_query", answered)
    assert (await answer(" ".join([*words, "--json"]))).status == 0
    assert queries == [asked]


@pytest.mark.parametrize(
    "words",
    [["add"], ["drop"], ["code", "x"], ["list", "x"], ["steal"], ["add", "x" * 65], ["drop", "--force", "x"]],
)
async def test_anything_else_is_misuse(words: list[str]) -> None:
    assert (await answer(" ".join(["keys", *words]))).status == MISUSE


def test_the_list_is_printed_for_people_and_programs() -> None:
    view = KeysView((KeyLine(MODERATION, here=True),), "code", "K7QPM-3XW9T", 10)
    reader = Reader(commands=ShellCommands("ssh -t -p 2222 house"))
    assert page_text(KEYS_PAGE, view, reader).splitlines() == [
        "Within 10 minutes, connect with the other key and type this once:",
        "ssh -p 2222 house keys add K7QPM-3XW9T",
        f"{MODERATION}, in use here",
    ]
    assert json.loads(page_json(KEYS_PAGE, view, reader)) == {
        "keys": [{"fingerprint": MODERATION, "added": None, "used": None, "here": True}],
        "done": "code",
        "code": "K7QPM-3XW9T",
        "minutes": 10,
    }
