"""One table from a shell, mostly in the scripts of `table_commands.txt`; and never another's hand."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cartino_protocol.commands import Create, Join
from cartino_protocol.exit_status import FAILURE, TOO_MANY
from cartino_protocol.views import TableView
from cartino_server.app.command_handler import LocalBackend
from cartino_server.server import Server
from cartino_server.visitors import Reply, Visitor
from tests.support.game_server import QUICK, World, at_a_table
from tests.support.games import GAMES
from tests.support.race import HOLD, Add, Race
from tests.support.script import ScriptServer, run_script, scripts_in

NAMES = ("ann", "bob")
NUMBERED = "move AAAA --number 1 7Hu end"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[ScriptServer]:
    opened = ScriptServer(tmp_path)
    yield opened
    await opened.close()


async def begin(server: ScriptServer, game: str) -> None:
    """Ann and Bob play at the table AAAA, each move within a day; Bob is the first in Cartino."""
    ann, bob = await server.come("ann"), await server.come("bob")
    await ann.ask(Create(game, clock="day"), TableView)
    await bob.ask(Join("AAAA"), TableView, lambda table: table.state == "playing")


async def table(server: ScriptServer, name: str) -> dict[str, Any]:
    reply = await server.shell(name, "show AAAA --json")
    assert (reply.stderr, reply.status) == ("", 0)
    found: dict[str, Any] = json.loads(reply.stdout)
    return found


@pytest.mark.parametrize("script", scripts_in(Path(__file__).with_name("table_commands.txt")))
async def test_script(server: ScriptServer, script: Sequence[str]) -> None:
    await run_script(script, server)


async def test_a_whole_game_is_played_and_no_hand_is_shown_to_others(server: ScriptServer) -> None:
    await begin(server, "cartino")
    turns = 0
    while True:
        seen = {name: await table(server, name) for name in (*NAMES, "eve")}
        if seen["eve"]["state"] == "finished":
            break
        assert seen["eve"]["table"]["hand"] == []
        for name, other in (NAMES, NAMES[::-1]):
            (held,) = re.findall("You hold: (.*)", (await server.shell(name, "show AAAA")).stdout)
            assert [word.split()[0] for word in held.split(", ")] == seen[name]["table"]["hand"]
            assert seen[name]["moves"] == [] or seen[other]["moves"] == []
        first = NAMES[seen["eve"]["turn"][0]]
        reply = await server.shell(first, f"move AAAA {seen[first]['moves'][0]['move']} end --json")
        assert reply.status == 0, reply
        assert json.loads(reply.stdout)["refused"] is None
        turns += 1
    assert turns > 20
    assert seen["eve"]["table"]["hands"]
    assert "The game is over. " in (await server.shell("eve", "show AAAA")).stdout


@pytest.mark.parametrize(("language", "black", "white"), [("fr", "N", "B"), ("de", "S", "W")])
async def test_moves_have_the_letters_of_the_language_and_as_json_english_ones(
    server: ScriptServer, language: str, black: str, white: str
) -> None:
    await begin(server, "caro")
    for name in NAMES:
        server.visitors[name] = msgspec.structs.replace(
            server.visitors[name], env={"LANG": f"{language}.UTF-8"}
        )

    async def board(name: str, move: str) -> str:
        reply = await server.shell(name, f"move AAAA {move}")
        assert reply.status == 0, reply
        found: str = (await table(server, "eve"))["table"]["board"]
        return found

    assert "B" in await board("ann", f"{black}f6")
    text = (await server.shell("bob", "show AAAA")).stdout
    assert f" {black} " in text
    assert f"{white}f7" in text
    assert "W" in await board("bob", f"{white}f7")
    assert "G" in await board("ann", "Gg6 --json")
    assert (await board("bob", "Bh6 --json")).count("B") == 2, "black, as `show --json` says"
    assert (await board("ann", "Wh5")).count("W") == 2, "an English letter that means nothing else"


async def test_as_json_it_says_who_may_answer_the_last_move_and_for_how_long() -> None:
    world = World()
    server = Server({"race": Race()}, {}, QUICK, world.ports())
    ann, *_ = await at_a_table(server, *NAMES, "joe", create=Create("race", {"turns": "claim"}, seats=3))
    eve, backend = Visitor("1", "id-eve", "eve", False), LocalBackend(server)
    assert '"claim": null' in (await backend.run_command(eve, ["show", "AAAA", "--json"])).stdout
    await ann.act(Add(1))
    await ann.wait(TableView, lambda table: table.number == 2)
    world.time += 2
    shown = (await backend.run_command(eve, ["show", "AAAA", "--json"])).stdout
    assert json.loads(shown)["claim"] == {"seats": [1, 2], "left": HOLD - 2, "stops": False}
    await server.close()


@pytest.mark.parametrize("words", ["show AAAA", "show AAAA --json", "move AAAA end", "chat AAAA hello"])
async def test_a_table_that_has_no_time_is_not_gone(server: ScriptServer, words: str) -> None:
    await begin(server, "cartino")
    server.server.configure(msgspec.structs.replace(QUICK, queue=0))
    busy = "Too many commands at once. Wait a second, then repeat the last one.\n"
    assert await server.shell("ann", words) == Reply("", busy, TOO_MANY)


async def test_the_same_numbered_command_may_run_twice_at_once(server: ScriptServer) -> None:
    await begin(server, "cartino")
    both = await asyncio.gather(*(server.shell("bob", NUMBERED) for _ in range(2)))
    assert [(reply.status, reply.stderr) for reply in both] == [(0, "")] * 2
    assert (await table(server, "bob"))["number"] == 3


async def test_rules_that_fail_in_a_move_close_the_table_and_say_so(
    server: ScriptServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def choke(*_: object) -> None:
        raise ZeroDivisionError("AH")

    await begin(server, "cartino")
    monkeypatch.setattr(type(GAMES["cartino"]), "apply", choke)
    broke = "Sorry, that table broke and was closed. Other tables aren't affected.\n"
    assert await server.shell("bob", "move AAAA 7Hu") == Reply("", broke, FAILURE)
    assert (await server.shell("bob", "show AAAA")).stderr.startswith("There is no table ")
