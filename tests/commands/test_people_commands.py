"""`ssh HOST keys` and `account`: what they ask for."""

import pytest

from cartino_protocol.accounts import (
    Account,
    AccountView,
    AddKey,
    DeleteAccount,
    DropKey,
    KeyCode,
    Keys,
    KeysView,
)
from cartino_protocol.exit_status import MISUSE
from cartino_server.lobby.account import AccountData, KeyManager
from cartino_server.visitors import BecomeBot
from tests.support.ssh_words import answer


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("keys", Keys()),
        ("keys list", Keys()),
        ("keys code", KeyCode()),
        ("keys add K7QPM-3XW9T", AddKey("K7QPM-3XW9T")),
        ("keys add k7qpm 3xw9t", AddKey("k7qpm3xw9t")),
        ("keys drop dddddddd", DropKey("dddddddd")),
        ("account", Account()),
        ("account show", Account()),
        ("account delete --yes ann", DeleteAccount("ann")),
        ("account delete --yes mary ann", DeleteAccount("mary ann")),
        (f"account delete --yes {'x' * 100}", DeleteAccount("x" * 64)),
        ("account bot --yes ann", BecomeBot("ann")),
    ],
)
async def test_what_is_typed_is_asked(monkeypatch: pytest.MonkeyPatch, words: str, asked: object) -> None:
    queries: list[object] = []

    async def key_query(self: KeyManager, *given: object) -> KeysView:
        queries.append(given[-2])
        return KeysView(())

    async def account_query(self: AccountData, *given: object) -> AccountView:
        queries.append(given[-2])
        return AccountView("ann")

    monkeypatch.setattr(KeyManager, "answer_key_query", key_query)
    monkeypatch.setattr(AccountData, "answer_account_query", account_query)
    assert (await answer(f"{words} --json")).status == 0
    assert queries == [asked]


@pytest.mark.parametrize(
    "words",
    [
        *("keys add", "keys drop", "keys code x", "keys list x", "keys steal", "keys drop --force x"),
        f"keys add {'x' * 65}",
        *("account delete", "account --yes ann", "account show --yes ann", "account erase"),
        *("account delete ann", "account bot"),
    ],
)
async def test_nothing_is_changed_by_a_slip(words: str) -> None:
    assert (await answer(words)).status == MISUSE
