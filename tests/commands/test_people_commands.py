"""Commands about people: scripts in `people_commands.txt`, and what `keys` and `account` ask for."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
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
from cartino_protocol.exit_status import MISUSE, TOO_MANY
from cartino_server.lobby.account import AccountData, KeyManager
from cartino_server.store.people import open_people
from cartino_server.visitors import BecomeBot
from tests.support.doorway import doorway
from tests.support.game_server import QUICK
from tests.support.script import ScriptServer, run_script, scripts_in
from tests.support.ssh_words import answer


@pytest.mark.parametrize("script", scripts_in(Path(__file__).with_name("people_commands.txt")))
async def test_script(tmp_path: Path, script: Sequence[str]) -> None:
    server = ScriptServer(tmp_path)
    await run_script(script, server)
    await server.close()


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


async def test_changes_of_keys_count_as_much_in_the_shell() -> None:
    people = open_people(None)
    async with doorway(people, config=msgspec.structs.replace(QUICK, seats_burst=2)) as door:
        visitor = await door.visitor("ann", key="SHA256:ann", source="192.0.2.1")
        replies = [await door.run(visitor, "keys code") for _ in range(3)]
        assert [reply.status for reply in replies] == [0, 0, TOO_MANY]
        # By whatever connection they come.
        other = await door.visitor("ann", key="SHA256:ann", source="192.0.2.1")
        assert (await door.run(other, "account delete --yes ann")).status == TOO_MANY
    await people.close()
