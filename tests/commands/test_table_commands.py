"""One table from a shell: what is printed and what the status says, and never another's hand."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from cartino_protocol.commands import Create, Join, Leave
from cartino_protocol.exit_status import FAILURE, NOT_FOUND, TOO_MANY
from cartino_protocol.views import Left, TableView
from cartino_server.app.command_handler import LocalBackend
from cartino_server.server import Server
from cartino_server.visitors import Reply, Visitor
from tests.support.game_server import QUICK, World, a_guest, at_a_table
from tests.support.games import BOTS, GAMES
from tests.support.race import HOLD, Add, Race

NAMES = ("ann", "bob")


class Shell:
    """A game of ann and bob, who both have left the table, and what anybody types about it."""

    def __init__(self, server: Server, code: str) -> None:
        self.server = server
        self.host = LocalBackend(server)
        self.code = code

    async def types(self, name: str, verb: str, rest: str = "", env: dict[str, str] | None = None) -> Reply:
        visitor = Visitor("1", f"id-{name}", name, False, env or {})
        return await self.host.run_command(visitor, [verb, self.code, *rest.split()])

    async def table(self, name: str) -> dict[str, Any]:
        reply = await self.types(name, "show", "--json")
        assert (reply.stderr, reply.status) == ("", 0)
        told: dict[str, Any] = json.loads(reply.stdout)
        return told

    async def on_turn(self) -> tuple[str, str]:
        """Who is on turn, and who is not."""
        table = await self.table("eve")
        turn = table["turn"][0]
        return table["seats"][turn]["name"], table["seats"][1 - turn]["name"]


@pytest.fixture
async def shell() -> AsyncIterator[Shell]:
    """A shell at a server whose shuffles are always the same."""
    server = Server(GAMES, BOTS, QUICK, World().ports())
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    table = await ann.ask(Create("cartino", {"edition": "1974"}, clock="day"), TableView)
    bob.say(Join(table.code))
    for each in (ann, bob):
        await each.wait(TableView, lambda table: table.state == "playing")
        await each.ask(Leave(), Left)
    yield Shell(server, table.code)
    await server.close()


async def test_a_whole_game_is_played_and_no_hand_is_shown_to_others(shell: Shell) -> None:
    turns = 0
    while True:
        seen = {name: await shell.table(name) for name in (*NAMES, "eve")}
        if seen["eve"]["state"] == "finished":
            break
        hands = {name: seen[name]["table"]["hand"] for name in NAMES}
        assert seen["eve"]["table"]["hand"] == []
        for name, other in (NAMES, NAMES[::-1]):
            text = (await shell.types(name, "show")).stdout
            (held,) = re.findall("You hold: (.*)", text)
            assert [word.split()[0] for word in held.split(", ")] == hands[name]
            assert seen[name]["moves"] == [] or seen[other]["moves"] == []
        first, _ = await shell.on_turn()
        reply = await shell.types(first, "move", f"{seen[first]['moves'][0]['move']} end --json")
        assert reply.status == 0, reply
        assert json.loads(reply.stdout)["refused"] is None
        turns += 1
    assert turns > 20
    assert seen["eve"]["table"]["hands"]
    assert "The game is over. " in (await shell.types("eve", "show")).stdout


async def test_the_table_as_text(shell: Shell) -> None:
    first, second = await shell.on_turn()
    lines = (await shell.types(first, "show")).stdout.splitlines()
    assert lines[0] == f"Table {shell.code}, Cartino 1974."
    assert "It's your turn." in lines
    assert any(line.startswith("Moves you can make, with their points: ") for line in lines)
    watched = (await shell.types("eve", "show")).stdout
    assert f"It's {first}'s turn.\n" in watched
    assert "You" not in watched
    assert await shell.types(second, "chat", "good luck") == Reply()
    assert (await shell.types("eve", "show")).stdout.endswith(f"{second}: good luck\n")


async def test_moves_are_made_in_order_up_to_the_first_that_is_refused(shell: Shell) -> None:
    first, second = await shell.on_turn()
    lay = (await shell.table(first))["moves"][0]["move"]
    wrong = await shell.types(first, "move", f"{lay} nonsense")
    assert (wrong.stdout, wrong.status) == ("", 2)
    assert "nothing was done" in wrong.stderr
    assert await shell.types(second, "move", lay) == Reply("", "It isn't your turn.\n", 3)
    assert (await shell.types("eve", "move", lay)).status == 4
    early = await shell.types(first, "move", "end")
    assert early == Reply("", "end: Lay at least one stone before you end your turn.\n", 3)
    twice = await shell.types(first, "move", f"{lay} {lay} end")
    assert twice.stdout.startswith("You laid ")
    assert twice.status == 3
    assert twice.stderr.startswith(f"{lay}: "), "which of the three"
    assert twice.stderr.count("\n") == 1
    assert (await shell.types(first, "move", "end")).status == 0


@pytest.mark.parametrize(("language", "black", "white"), [("fr", "N", "B"), ("de", "S", "W")])
async def test_moves_have_the_letters_of_the_language_and_as_json_english_ones(
    language: str, black: str, white: str
) -> None:
    env = {"LANG": f"{language}_FR.UTF-8"}
    server = Server(GAMES, BOTS, QUICK, World().ports())
    ann, _ = await at_a_table(server, *NAMES, create=Create("caro", {"begins": "opener"}, clock="day"))
    assert ann.table is not None
    shell = Shell(server, ann.table.code)

    async def board(name: str, move: str) -> str:
        reply = await shell.types(name, "move", move, env)
        assert reply.status == 0, reply
        told: str = (await shell.table("eve"))["table"]["board"]
        return told

    assert "B" in await board("ann", f"{black}f6")
    text = (await shell.types("bob", "show", env=env)).stdout
    assert f" {black} " in text
    assert f"{white}f7" in text
    assert "W" in await board("bob", f"{white}f7")
    assert "G" in await board("ann", "Gg6 --json")
    assert (await board("bob", "Bh6 --json")).count("B") == 2, "black, as `show --json` says"
    assert (await board("ann", "Wh5")).count("W") == 2, "an English letter that means nothing else"
    await server.close()


async def test_one_line_says_what_waits(shell: Shell) -> None:
    first, second = await shell.on_turn()
    for name, line in (
        (first, f"Your turn: {shell.code}.\n"),
        (second, f"Not your turn: {shell.code}.\n"),
        ("eve", ""),
    ):
        visitor = Visitor("1", f"id-{name}", name, False)
        assert await shell.host.run_command(visitor, ["games", "--mine"]) == Reply(stdout=line)
        told = json.loads((await shell.host.run_command(visitor, ["games", "--mine", "--json"])).stdout)
        assert [each["waits"] for each in told] == ([] if name == "eve" else [name == first])


async def test_as_json_it_says_who_may_answer_the_last_move_and_for_how_long() -> None:
    world = World()
    server = Server({"race": Race()}, {}, QUICK, world.ports())
    order = Create("race", {"turns": "claim"}, seats=3)
    ann, *_ = await at_a_table(server, *NAMES, "joe", create=order)
    assert ann.table is not None
    shell = Shell(server, ann.table.code)
    assert (await shell.table("eve"))["claim"] is None
    await ann.act(Add(1))
    await ann.wait(TableView, lambda table: table.number == 2)
    world.time += 2
    assert (await shell.table("eve"))["claim"] == {"seats": [1, 2], "left": HOLD - 2, "stops": False}
    await server.close()


@pytest.mark.parametrize(
    "words",
    [
        "show ZZZZ",
        "move ZZZZ end",
        "chat ZZZZ hello",
        "show ZZZZ --json",
        "take ZZZZ",
        "withdraw ZZZZ",
    ],
)
async def test_no_table_is_status_4(shell: Shell, words: str) -> None:
    reply = await shell.host.run_command(Visitor("1", "id-ann", "ann", False), words.split())
    assert reply == Reply("", "There is no table ZZZZ. `ssh HOST games` lists the tables.\n", NOT_FOUND)


@pytest.mark.parametrize(
    "words",
    [
        "export ZZZZ",
        "export ZZZZ-1",
        "review ZZZZ",
        "review ZZZZ-1",
        "duplicate ZZZZ",
        "league nowhere",
        "profile nobody",
    ],
)
async def test_so_is_every_other_name_that_is_not_known(shell: Shell, words: str) -> None:
    reply = await shell.host.run_command(Visitor("1", "id-ann", "ann", False), words.split())
    assert (reply.stdout, reply.status) == ("", NOT_FOUND)
    assert reply.stderr.count("\n") == 1


@pytest.mark.parametrize("words", ["show K", "show K --json", "move K end", "chat K hello"])
async def test_a_table_that_has_no_time_is_not_gone(shell: Shell, words: str) -> None:
    shell.server.configure(msgspec.structs.replace(QUICK, queue=0))
    said = words.replace("K", shell.code).split()
    reply = await shell.host.run_command(Visitor("1", "id-ann", "ann", False), said)
    assert reply == Reply(
        "", "Too many commands at once. Wait a second, then repeat the last one.\n", TOO_MANY
    )


async def test_who_has_no_seat_says_nothing_there(shell: Shell) -> None:
    reply = await shell.types("eve", "chat", "hello --json")
    refused = json.loads(reply.stdout)["refused"]
    assert (reply.status, refused["reason"]) == (4, "not-in-room")
    sentence = (
        f"You have no seat at {shell.code}. If one is free, take it with `ssh -t HOST join {shell.code}`."
    )
    assert refused["sentence"] == sentence
    for verb, rest in (("chat", "hello"), ("move", "KSu")):
        assert await shell.types("eve", verb, rest) == Reply("", f"{sentence}\n", 4)


async def test_a_numbered_move_may_be_sent_again_and_is_made_once(shell: Shell) -> None:
    first, second = await shell.on_turn()
    seen = await shell.table(first)
    number, lay, other = seen["number"], seen["moves"][0]["move"], seen["moves"][1]["move"]
    assert f"\nState {number}.\n" in (await shell.types(first, "show")).stdout
    numbered = f"--number {number} {lay} end"
    made = await shell.types(first, "move", numbered)
    assert made.status == 0
    assert made.stdout.endswith(f"\nState {number + 2}.\n")
    after = (await shell.table(first))["table"]
    for _ in range(2):
        again = await shell.types(first, "move", f"{numbered} --json")
        told = json.loads(again.stdout)
        assert (again.status, told["done"], told["refused"]) == (0, [lay, "end"], None)
        assert (told["table"]["number"], told["table"]["table"]) == (number + 2, after)
    wrong = await shell.types(first, "move", f"--number {number} {other}")
    sentence = f"A different move was made in that state; see `ssh HOST show {shell.code}`.\n"
    assert wrong == Reply("", sentence, 3)
    ahead = await shell.types(first, "move", f"--number {number + 9} {lay}")
    sentence = f"The game hasn't reached that state yet; see `ssh HOST show {shell.code}`.\n"
    assert ahead == Reply("", sentence, 3)
    assert (await shell.types(second, "move", numbered)).status == 3, "nobody else's move is theirs"
    assert (await shell.types("eve", "move", numbered)).status == 4
    assert (await shell.table("eve"))["number"] == number + 2


async def test_what_was_begun_is_finished_when_it_is_sent_again(shell: Shell) -> None:
    first, second = await shell.on_turn()
    seen = await shell.table(first)
    number, lay = seen["number"], seen["moves"][0]["move"]
    assert (await shell.types(first, "move", f"--number {number} {lay}")).status == 0
    assert (await shell.types(first, "move", f"--number {number} {lay} end")).status == 0
    # Meanwhile the other has moved too.
    theirs = (await shell.table(second))["moves"][0]["move"]
    assert (await shell.types(second, "move", f"{theirs} end")).status == 0
    assert (await shell.types(first, "move", f"--number {number} {lay} end")).status == 0
    longer = await shell.types(first, "move", f"--number {number} {lay} end {lay}")
    assert (longer.status, longer.stderr) == (3, f"{lay}: It isn't your turn.\n")


async def test_the_same_numbered_command_may_run_twice_at_once(shell: Shell) -> None:
    first, _ = await shell.on_turn()
    seen = await shell.table(first)
    number, lay = seen["number"], seen["moves"][0]["move"]
    numbered = f"--number {number} {lay} end"
    both = await asyncio.gather(*(shell.types(first, "move", numbered) for _ in range(2)))
    assert [(reply.status, reply.stderr) for reply in both] == [(0, "")] * 2
    assert (await shell.table(first))["number"] == number + 2


@pytest.mark.parametrize("number", ["0", "-1", "x", "9999999999999999999"])
async def test_a_number_of_no_state_is_one_sentence(shell: Shell, number: str) -> None:
    first, _ = await shell.on_turn()
    reply = await shell.types(first, "move", f"--number={number} end")
    assert reply.stdout == ""
    assert reply.status in {2, 3}
    assert reply.stderr.count("\n") == 1


async def test_rules_that_fail_in_a_move_close_the_table_and_say_so(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def choke(*_: object) -> None:
        raise ZeroDivisionError("AH")

    first, _ = await shell.on_turn()
    word = (await shell.table(first))["moves"][0]["move"]
    monkeypatch.setattr(type(GAMES["cartino"]), "apply", choke)
    reply = await shell.types(first, "move", word)
    broke = "Sorry, that table broke and was closed. Other tables aren't affected.\n"
    assert reply == Reply("", broke, FAILURE)
    assert (await shell.types(first, "show")).stderr.startswith("There is no table ")
