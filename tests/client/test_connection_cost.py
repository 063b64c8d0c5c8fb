"""What a move costs on the wire, SSH's own bytes included, over a whole game between four."""

from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from random import Random

from cartino_games.cartino.bots.levels import CartinoGreedy
from cartino_protocol.commands import Act, Create, Join
from cartino_protocol.views import TableView
from cartino_protocol.wire import encode_raw
from cartino_server.server import Server
from tests.support.far_server import Meter, Talker, caller_of, far_server, greeted
from tests.support.game_server import QUICK, World
from tests.support.games import GAMES

MOST = 300
"""Bytes, each way."""
MOST_AT_THE_END = 500
NAMES = ("bartholomew", "léa", "maximiliane", "johann")


async def test_every_move_of_a_game_between_four_costs_less_than_promised(tmp_path: Path) -> None:
    server = Server(GAMES, {}, QUICK, World().ports())
    chance = Random(4)
    said: list[int] = []
    heard: list[int] = []
    async with far_server(server) as far, AsyncExitStack() as lines:
        meters = [await lines.enter_async_context(Meter(far.port).open()) for _ in NAMES]
        people = [
            await greeted(caller_of(far, tmp_path / name, name, port=meter.port))
            for name, meter in zip(NAMES, meters, strict=True)
        ]
        await sit_down(people)
        table = people[0].table
        while table is not None and table.state == "playing":
            before = [(meter.sent, meter.heard) for meter in meters]
            [seat] = table.turn
            mover = next(person for person in people if person.table and person.table.you == seat)
            assert mover.table is not None
            move = CartinoGreedy().choose(bytes(mover.table.game_view), chance)
            assert move is not None
            mover.say(Act(table.number, encode_raw(move)))
            for person in people:
                await person.wait(TableView, partial(is_after, table.number))
            said += [
                meter.sent - sent
                for meter, (sent, _) in zip(meters, before, strict=True)
                if meter.sent > sent
            ]
            heard += [meter.heard - there for meter, (_, there) in zip(meters, before, strict=True)]
            table = people[0].table
        for person in people:
            person.call.close()
    # The end brings every hand, two seeds' worth of hexadecimal digits and the last line of talk.
    end, heard = heard[-len(NAMES) :], heard[: -len(NAMES)]
    assert len(said) > 40
    assert max(said) < MOST
    assert sum(heard) / len(heard) < MOST / 2
    assert max(heard) < MOST
    assert max(end) < MOST_AT_THE_END


def is_after(number: int, view: TableView) -> bool:
    return view.number > number or view.state == "finished"


async def sit_down(people: list[Talker]) -> None:
    """The first opens a table for all, the others join, everybody sees the game begin."""
    people[0].say(Create("cartino", seats=len(people)))
    table = await people[0].wait(TableView)
    for person in people[1:]:
        person.say(Join(table.code))
        await person.wait(TableView)
    for person in people:
        if person.table is None or person.table.state != "playing":
            await person.wait(TableView, lambda view: view.state == "playing")
