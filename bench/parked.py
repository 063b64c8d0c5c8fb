"""Measure a start with parked attempts at a daily, beside a start of an empty server.

`python -m bench.parked 30000 [DIRECTORY]` makes the data, measures, and keeps the data in DIRECTORY if named.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

import apsw
import msgspec

from bench.figures import Figure, Section, table
from bench.scale import Scale
from bench.server import BenchError, serving
from cartino_games.registry import installed
from cartino_protocol.base import CODE_ALPHABET, PRIVATE_CODE_LENGTH
from cartino_protocol.commands import Act, Hello
from cartino_protocol.deals import PlayDaily
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import TableView
from cartino_protocol.wire import VERSION, encode_raw
from cartino_server.deals.store import Attempt, begin_attempt, open_deals
from cartino_server.environment import Ports
from cartino_server.server import Server
from cartino_server.store.journal import DiskJournal, open_journal
from cartino_server.store.people import PeopleDatabase, open_people
from cartino_server.store.port import GameState, NewEntry, StoredGame
from cartino_server.table.link import Person, ServerLink
from cartino_server.table.saving import FORMAT

GAME: Final = "cartino"
PLAYER: Final = "SHA256:" + "A" * 43
"""The person who plays the attempt of which the others are copies."""
TURNS: Final = 3
AT_ONCE: Final = 500


async def measure(scale: Scale) -> Section:
    """Start an empty server, and one with `scale.parked` parked attempts."""
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        await park(Path(folder, "data"), scale.parked)
        return await measure_starts(Path(folder, "data"), scale.parked)


async def measure_starts(data: Path, parked: int) -> Section:
    """Start an empty server, and one on `data` with the parked attempts."""
    await _start(None)
    empty, first, again = await _start(None), await _start(data), await _start(data)
    return Section(
        "A start with parked games",
        f"{parked:,} attempts at a daily of {TURNS} turns each; the server in its own processes, until it listens",
        (
            Figure("start of an empty server", empty.seconds, "s"),
            Figure("first start", first.seconds, "s", 3),
            Figure("second start", again.seconds, "s", 3),
            Figure(
                "CPU of the first start beyond that of an empty server", first.cpu - empty.cpu, "ms", 1_000
            ),
            Figure("CPU of the second start beyond that", again.cpu - empty.cpu, "ms", 500),
            Figure("memory beyond that of an empty server", again.memory - empty.memory, "MB", 20),
        ),
    )


class _Started(msgspec.Struct, frozen=True):
    """The seconds until a server listened, its CPU milliseconds until then, and its memory in MB."""

    seconds: float
    cpu: float
    memory: float


async def _start(data: Path | None) -> _Started:
    """Start a server on `data` (None: new data), and end it."""
    began = time.perf_counter()
    async with serving((), data=data) as server:
        return _Started(time.perf_counter() - began, server.cpu, server.memory)


async def park(data: Path, count: int, state: GameState = "parked", now: str = "") -> None:
    """Make a data directory with `count` attempts at today's daily, one open and the others in `state`.

    `now`: the time of day, "" for that of the machine. Raises BenchError.
    """
    data.mkdir(mode=0o700, exist_ok=True)
    opened = open_journal(data, print, entries=FORMAT)
    journal, people = opened.journal, open_people(data)
    ports = Ports(now=lambda: now) if now else Ports()
    server = Server(installed().rules, installed().bots, ports=ports, journal=journal, people_db=people)
    await server.services.deals.load()
    try:
        await _play(server.open_link(Person(PLAYER, "ann")))
        task = next(iter(server.services.registry))
        code, number = task.table.code, task.game
        await server.close()
        game = await journal.load_game(number)
        if not isinstance(game, StoredGame):
            raise BenchError("the attempt was not saved")
        for start in range(1, count, AT_ONCE):
            await _copy(journal, people, game, code, range(start, min(start + AT_ONCE, count)), state)
    finally:
        await journal.close()
        await people.close()


async def _play(link: ServerLink) -> None:
    """Begin the daily and play some turns. Raises BenchError."""
    link.send(Hello(VERSION))
    link.send(PlayDaily(GAME))
    bot, chance, number = installed().bots[GAME, "random"], Random(1), 0
    for _ in range(TURNS):
        view = await _own_turn(link, number)
        number = view.number
        move = bot.choose(bytes(view.game_view), chance)
        assert move is not None
        link.send(Act(number, encode_raw(move)))
    await _own_turn(link, number)


async def _own_turn(link: ServerLink, after: int) -> TableView:
    while True:
        answer = await link.receive()
        if isinstance(answer, Refusal):
            raise BenchError(f"a command of the bench was refused: {answer.sentence()}")
        if isinstance(answer, TableView) and answer.number > after and answer.you in answer.turn:
            return answer


async def _copy(
    journal: DiskJournal, people: PeopleDatabase, game: StoredGame, code: str, ids: range, state: GameState
) -> None:
    """Store copies of an attempt, one for each person of `ids`."""
    writes, attempts = [], []
    (deal,) = await people.do(partial(open_deals, now=0))
    for each in ids:
        person, own = f"SHA256:{each:043}", _code(each)
        number = journal.number(own)
        for at, body in enumerate(game.bodies, 1):
            copied = body.replace(code.encode(), own.encode()).replace(PLAYER.encode(), person.encode())
            last = at == len(game.bodies)
            writes.append(NewEntry(number, copied, state if last else "open"))
        attempts.append(Attempt(deal.name, person, "ann", own, number, 1, ranked=False))

    def begin(connection: apsw.Connection) -> None:
        for attempt in attempts:
            begin_attempt(connection, deal, attempt)

    await people.do(begin)
    await journal.write(writes, 1.0)


def _code(number: int) -> str:
    letters = ""
    for _ in range(PRIVATE_CODE_LENGTH):
        number, letter = divmod(number, len(CODE_ALPHABET))
        letters = CODE_ALPHABET[letter] + letters
    return letters


async def _main(count: int, data: Path | None) -> Section:
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        place = data or Path(folder, "data")
        await park(place, count)
        return await measure_starts(place, count)


def main() -> int:
    """Measure and print."""
    words = argparse.ArgumentParser(
        prog="python -m bench.parked", description="Measure starts with parked games."
    )
    words.add_argument("count", type=int, help="how many parked attempts")
    words.add_argument("data", type=Path, nargs="?", help="where to keep the data")
    arguments = words.parse_args()
    print(table([asyncio.run(_main(arguments.count, arguments.data))]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
