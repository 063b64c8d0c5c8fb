"""Challenges from the shell alone: most are scripts in `challenges.txt`."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cartino_protocol.commands import Create
from cartino_protocol.exit_status import REFUSED
from cartino_protocol.views import TableView
from cartino_server.app.command_handler import LocalBackend
from cartino_server.server import Server
from cartino_server.store.figures.missed import missed_games
from cartino_server.store.people import open_people
from cartino_server.visitors import Reply, Visitor
from tests.support.doorway import doorway
from tests.support.game_server import QUICK, World
from tests.support.games import BOTS, GAMES
from tests.support.journal import MemoryJournal
from tests.support.lasting import killed
from tests.support.script import ScriptServer, run_script, scripts_in

ANN, BOB = (Visitor(name, f"id-{name}", name, False) for name in ("ann", "bob"))


def a_server(journal: MemoryJournal) -> Server:
    return Server(GAMES, BOTS, QUICK, World().ports(), journal)


async def say(server: Server, who: Visitor, words: str) -> Reply:
    reply = await LocalBackend(server).run_command(who, words.split())
    assert reply.status == 0, reply
    return reply


@pytest.mark.parametrize("script", scripts_in(Path(__file__).with_name("challenges.txt")))
async def test_script(tmp_path: Path, script: Sequence[str]) -> None:
    server = ScriptServer(tmp_path)
    await run_script(script, server)
    await server.close()


async def test_of_two_who_take_it_at_once_one_gets_it(tmp_path: Path) -> None:
    server = ScriptServer(tmp_path)
    await server.shell("ann", "challenge --game caro")
    replies = await asyncio.gather(*(server.shell(name, "take AAAA") for name in ("bob", "eve")))
    assert sorted(reply.status for reply in replies) == [0, REFUSED]
    [sentence] = [reply.stderr for reply in replies if reply.status]
    assert sentence == "Every seat at that table is taken. You can watch instead.\n"
    await server.close()


async def test_it_survives_a_restart_and_its_result_is_told_once() -> None:
    first_journal = MemoryJournal()
    first = a_server(first_journal)
    await say(first, ANN, "challenge --game caro")
    journal = killed(first_journal)
    await first.close()
    server = a_server(journal)
    server.recover(journal.unfinished())
    await say(server, BOB, "take AAAA")
    seen: dict[str, Any] = {"state": "playing"}
    mover, answer = ANN, Reply()
    while seen["state"] == "playing":
        for who in (ANN, BOB):
            seen = json.loads((await say(server, who, "show AAAA --json")).stdout)
            if seen["you"] in seen["turn"]:
                mover = who
                answer = await say(server, who, f"move AAAA {seen['moves'][0]['move']}")
    assert "over" in answer.stdout
    other = BOB if mover is ANN else ANN
    while not (told := (await say(server, other, "games --mine")).stdout):
        await asyncio.sleep(0)
    assert told in {f"Ended: AAAA-1 ({how}).\n" for how in ("won", "lost", "nobody won")}
    assert (await say(server, other, "games --mine")).stdout == ""
    assert (await say(server, mover, "games --mine --json")).stdout
    await journal.until(lambda it: not missed_games(it.connection, mover.person, 1))
    assert (await say(server, mover, "games --mine")).stdout == "", "their own move's answer told it"
    await server.close()


async def test_hundreds_of_keys_of_one_network_have_few_and_slow_nobody_elsewhere() -> None:
    people = open_people(None)
    async with doorway(people) as door:
        registry, many = door.server.services.registry, 600
        visitors = [await door.visitor(f"eve{n}", "192.0.2.1", f"SHA256:{n}") for n in range(many)]
        asked = await asyncio.gather(*(door.run(each, "challenge --game caro") for each in visitors))
        assert [reply.status for reply in asked].count(0) == registry.config.challenges_a_source
        assert {reply.status for reply in asked} == {0, REFUSED}
        assert len(tuple(registry)) == registry.config.challenges_a_source
        # Who plays there still has a table, and other networks have all of theirs.
        near = await door.come("ann", "192.0.2.1", "SHA256:ann")
        assert (await near.ask(Create("caro", bots=("random",)), TableView)).state == "playing"
        far = await door.visitor("bob", "203.0.113.1", "SHA256:bob")
        for _ in range(registry.config.challenges_each):
            assert (await door.run(far, "challenge --game caro")).status == 0
        for visitor in visitors:
            door.leave(visitor.connection)
    await people.close()
