"""A table told as it goes on: until the game is over, in sentences or objects, and without a hand of anybody else."""

import asyncio
import json

import msgspec

from cartino_games.cartino.moves import EndTurn, Lay
from cartino_games.cartino.views import CartinoView
from cartino_protocol.commands import Act, Create, Join
from cartino_protocol.exit_status import NOT_FOUND, REFUSED
from cartino_protocol.views import TableView
from cartino_protocol.wire import encode_raw
from cartino_server.server import Server
from cartino_server.table.link import Person
from cartino_tui.pages.page import pretty_json
from cartino_tui.plain.line_handler import PlainHandler
from cartino_tui.plain.shell import TableFollower, table_json
from cartino_tui.preferences import Preferences
from tests.support.game_server import Guest, a_guest
from tests.support.games import SPEECHES
from tests.support.plain import TIME_LIMIT, Paper
from tests.tui.plain.test_table import MISSED, RATING, reviewed


class Listener:
    """Somebody who follows a table."""

    def __init__(self, server: Server, name: str, code: str, *, json: bool = False) -> None:
        self.paper = Paper()
        face = PlainHandler(
            self.paper,
            lambda: server.open_link(Person(f"id-{name}", name)),
            lambda send: TableFollower(send, Preferences(), SPEECHES, code, json=json),
        )
        self.running = asyncio.create_task(face.run())

    async def ends(self) -> int:
        return await asyncio.wait_for(self.running, TIME_LIMIT)

    async def reads(self, text: str) -> None:
        async with asyncio.timeout(TIME_LIMIT):
            while text not in self.paper.text:
                await asyncio.sleep(0.001)


async def play_to_the_end(players: list[Guest]) -> None:
    """The first lay that is offered and the end of the turn, until the game is over."""
    while True:
        for player in players:
            assert player.table is not None
            table = player.table
            if table.state == "finished":
                return
            view = msgspec.msgpack.decode(table.game_view, type=CartinoView)
            if table.you in table.turn:
                move = EndTurn() if view.can_end else Lay(view.lays[0].stone, view.lays[0].spot)
                player.say(Act(table.number, encode_raw(move)))
                number = table.number
                for each in players:
                    await each.wait(TableView, lambda table, number=number: table.number > number)  # type: ignore[misc]


async def two(server: Server) -> list[Guest]:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    table = await ann.ask(Create("cartino", {"edition": "1974"}), TableView)
    bob.say(Join(table.code))
    for each in (ann, bob):
        await each.wait(TableView, lambda table: table.state == "playing")
    return [ann, bob]


async def test_a_game_is_told_to_its_end_in_both_ways(server: Server) -> None:
    players = await two(server)
    eve, joe = Listener(server, "eve", "AAAA"), Listener(server, "joe", "AAAA", json=True)
    await eve.reads("It's ")
    await joe.reads("}\n")
    await play_to_the_end(players)
    assert [await eve.ends(), await joe.ends()] == [0, 0]
    assert "You hold" not in eve.paper.text
    assert "The game is over. " in eve.paper.text
    told = [json.loads(line) for line in joe.paper.text.splitlines()]
    assert told[-1]["state"] == "finished"
    assert told[-1]["table"]["hands"]
    assert all(not each["table"]["hand"] and not each["moves"] for each in told)
    assert all(not each["table"]["hands"] for each in told[:-1])


async def test_what_can_t_be_followed_is_said_with_its_status(server: Server) -> None:
    await two(server)
    lost, elsewhere = Listener(server, "eve", "ZZZZ"), Listener(server, "ann", "AAAA", json=True)
    assert await lost.ends() == NOT_FOUND
    assert lost.paper.text == "There is no table ZZZZ. `ssh HOST games` lists the tables.\n"
    assert await elsewhere.ends() == REFUSED
    assert "your other terminal" in json.loads(elsewhere.paper.text)["error"]


def test_programs_read_the_missed_turn_with_its_moves() -> None:
    told = msgspec.json.decode(pretty_json(table_json(reviewed(RATING, MISSED), SPEECHES["cartino"])))
    assert told["result"]["missed"] == {
        "turn": 9,
        "made": 5,
        "best": 19,
        "moves": [
            {"t": "Lay", "stone": "KS", "spot": "KSu"},
            {"t": "Lay", "stone": "*", "spot": "QSl"},
            {"t": "EndTurn"},
        ],
        "lost": 0,
    }
