"""Correspondence from the shell alone: open a challenge, take it, play it; and what is refused."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from cartino_protocol.commands import Create, Join, Watch
from cartino_protocol.exit_status import MISUSE, NOT_FOUND, REFUSED
from cartino_protocol.views import TableView
from cartino_server.app.command_handler import LocalBackend
from cartino_server.limits import ServerConfig
from cartino_server.server import Server
from cartino_server.store.people import open_people
from cartino_server.visitors import Reply, Visitor
from tests.support.doorway import doorway
from tests.support.game_server import QUICK, World, a_guest
from tests.support.games import BOTS, GAMES
from tests.support.journal import MemoryJournal
from tests.support.lasting import killed


def visitor(name: str, *, guest: bool = False) -> Visitor:
    return Visitor(id=name, person=f"id-{name}", name=name, guest=guest)


ANN, BOB, EVE = map(visitor, ("ann", "bob", "eve"))


def a_server(journal: MemoryJournal, config: ServerConfig = QUICK) -> Server:
    return Server(GAMES, BOTS, config, World().ports(), journal)


@pytest.fixture
def journal() -> MemoryJournal:
    return MemoryJournal()


@pytest.fixture
async def server(journal: MemoryJournal) -> AsyncIterator[Server]:
    server = a_server(journal)
    yield server
    await server.close()


async def say(server: Server, who: Visitor, words: str, status: int = 0) -> Reply:
    reply = await LocalBackend(server).run_command(who, words.split())
    assert reply.status == status, reply
    return reply


async def opened(server: Server, who: Visitor = ANN, words: str = "challenge --game caro") -> str:
    code: str = json.loads((await say(server, who, f"{words} --json")).stdout)["code"]
    return code


async def test_a_game_from_the_challenge_to_the_first_moves(server: Server) -> None:
    code = await opened(server)
    assert "ann (away), (free), one day per turn" in (await say(server, BOB, "games")).stdout
    listed = json.loads((await say(server, BOB, "games --json")).stdout)
    assert [(line["code"], line["clock"], line["away"]) for line in listed] == [(code, "day", [0])]
    assert (await say(server, ANN, "games --mine")).stdout == f"Not started: {code}.\n"
    taken = (await say(server, BOB, f"take {code}")).stdout
    assert taken.startswith(f"You have a seat at {code}.\nTable {code}, Caro")
    assert (await say(server, ANN, "games --mine")).stdout == f"Your turn: {code}.\n"
    for who in (ANN, BOB):
        seen = json.loads((await say(server, who, f"show {code} --json")).stdout)
        assert [seat["name"] for seat in seen["seats"]] == ["ann", "bob"]
        if seen["turn"] == [seen["you"]]:
            await say(server, who, f"move {code} {seen['moves'][0]['move']}")


async def test_the_reply_says_what_to_do_next(server: Server) -> None:
    said = (await say(server, ANN, "challenge")).stdout
    assert said == (
        "AAAA: your challenge is open for 14 days, whether or not you're connected. `ssh HOST games --mine` "
        "says when the game begins, `ssh HOST withdraw AAAA` takes it back.\n"
    )


async def test_of_two_who_take_it_at_once_one_gets_it(server: Server) -> None:
    code = await opened(server)
    backend = LocalBackend(server)
    replies = await asyncio.gather(*(backend.run_command(who, ["take", code]) for who in (BOB, EVE)))
    assert sorted(reply.status for reply in replies) == [0, REFUSED]
    [sentence] = [reply.stderr for reply in replies if reply.status]
    assert sentence == "Every seat at that table is taken. You can watch instead.\n"


async def test_it_survives_a_restart() -> None:
    journal = MemoryJournal()
    first = a_server(journal)
    code = await opened(first)
    disk = killed(journal)
    await first.close()
    second = a_server(disk)
    second.recover(disk.unfinished())
    assert (await say(second, BOB, f"take {code} --json")).stdout
    await second.close()


async def test_it_is_withdrawn_by_its_player_alone(server: Server) -> None:
    code = await opened(server)
    assert (await say(server, BOB, f"withdraw {code}", NOT_FOUND)).stderr == "You have no seat there.\n"
    assert (await say(server, ANN, f"withdraw {code}")).stdout == f"You've given up your seat at {code}.\n"
    while server.services.registry.get(code) is not None:
        await asyncio.sleep(0)
    await say(server, BOB, f"take {code}", NOT_FOUND)


async def test_a_game_that_has_begun_is_not_withdrawn(server: Server) -> None:
    code = await opened(server)
    await say(server, BOB, f"take {code}")
    await say(server, ANN, f"withdraw {code}", REFUSED)


async def test_nobody_plays_against_themselves(server: Server) -> None:
    code = await opened(server)
    assert (await say(server, ANN, f"take {code}", REFUSED)).stderr == "You already have a seat here.\n"


async def test_one_has_three(server: Server) -> None:
    for _ in range(3):
        await opened(server)
    refused = await say(server, ANN, "challenge", REFUSED)
    assert refused.stderr == "You have 3 open challenges already. Withdraw one first.\n"
    assert len(tuple(server.services.registry)) == 3


async def test_guests_need_a_key(server: Server) -> None:
    code = await opened(server)
    eve = visitor("eve", guest=True)
    for words in ("challenge", f"take {code}"):
        assert "needs an SSH key" in (await say(server, eve, words, REFUSED)).stderr


async def test_a_table_with_another_clock_needs_its_players(server: Server) -> None:
    ann = await a_guest(server, "ann")
    table = await ann.ask(Create("caro"), TableView)
    refused = await say(server, BOB, f"take {table.code}", REFUSED)
    assert (
        refused.stderr == f"{table.code} isn't a challenge. Join it with `ssh -t HOST join {table.code}`.\n"
    )


async def test_a_challenge_leaves_a_seat_free(server: Server) -> None:
    refused = await say(server, ANN, "challenge --bots 1", MISUSE)
    assert refused.stderr.startswith("challenge: ")


@pytest.mark.parametrize("words", ["--bots 2", "--seats 9", "--seats two", "--edition 1970"])
async def test_each_command_refuses_its_words_under_its_own_name(server: Server, words: str) -> None:
    refused = await say(server, ANN, f"challenge --game cartino {words}", MISUSE)
    assert refused.stderr.startswith("challenge: ")


async def test_names_of_people_who_are_not_here_stay_apart(server: Server) -> None:
    await opened(server)
    other = Visitor(id="2", person="id-other", name="ann", guest=False)
    await opened(server, other)
    names = [line["seats"][0]["name"] for line in json.loads((await say(server, BOB, "games --json")).stdout)]
    assert names[0] == "ann"
    assert names[1] != "ann"


async def test_a_private_one_is_taken_by_its_code(server: Server) -> None:
    code = await opened(server, words="challenge --private --game caro")
    assert (await say(server, BOB, "games --json")).stdout == "[]\n"
    await say(server, BOB, f"take {code}")


async def test_a_server_that_ends_begins_none(server: Server) -> None:
    server.services.moderation.set_draining(True)
    assert (await say(server, ANN, "challenge", REFUSED)).stderr.startswith("The server stops soon")
    ann = await a_guest(server, "eve")
    assert (await ann.refused(Join("AAAA"))).reason == "unknown-code"


async def test_who_watches_takes_a_seat_and_is_still_there(server: Server) -> None:
    code = await opened(server, words="challenge --game caro --seats 3")
    bob = await a_guest(server, "bob")
    await bob.ask(Watch(code), TableView)
    await say(server, BOB, f"take {code}")
    table = await bob.wait(TableView, lambda view: view.you == 1)
    assert [seat.here for seat in table.seats][:2] == [False, True]


async def test_a_result_is_told_once_among_ones_own_tables(server: Server, journal: MemoryJournal) -> None:
    code = await opened(server)
    await say(server, BOB, f"take {code}")
    seen: dict[str, Any] = {"state": "playing"}
    mover, answer = ANN, Reply()
    while seen["state"] == "playing":
        for who in (ANN, BOB):
            seen = json.loads((await say(server, who, f"show {code} --json")).stdout)
            if seen["you"] in seen["turn"]:
                mover = who
                answer = await say(server, who, f"move {code} {seen['moves'][0]['move']}")
    assert "over" in answer.stdout
    other = BOB if mover is ANN else ANN
    ended = f"Ended: {code}-1"
    while not (told := (await say(server, other, "games --mine")).stdout):
        await asyncio.sleep(0)
    assert told in {f"{ended} (won).\n", f"{ended} (lost).\n", f"{ended} (nobody won).\n"}
    assert (await say(server, other, "games --mine")).stdout == ""
    assert (await say(server, mover, "games --mine --json")).stdout
    await journal.until(lambda it: not it.sums.missed(mover.person, 1))
    assert (await say(server, mover, "games --mine")).stdout == "", "their own move's answer told it"


async def test_thousands_of_keys_of_one_network_have_few_and_slow_nobody_elsewhere() -> None:
    people = open_people(None)
    async with doorway(people) as door:
        registry, many = door.server.services.registry, 3000
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
