"""A server in which ann and bob play and eve watches, for those who throw things at it."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from structlog.testing import capture_logs

from cartino_protocol.commands import Create, Watch
from cartino_protocol.views import TableView
from cartino_server.server import Server
from tests.support.cartino import GAME
from tests.support.game_server import Guest, World, a_guest, at_a_table, new_server
from tests.support.hasty import HastyLoop

Runs = Callable[[Coroutine[Any, Any, bool]], bool]


@contextmanager
def hasty_loop() -> Iterator[Runs]:
    """What runs each input, on a loop whose clock jumps; nothing may raise there."""
    with asyncio.Runner(loop_factory=HastyLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, HastyLoop)

        def run(input_: Coroutine[Any, Any, bool]) -> bool:
            loop.skip(1)
            taken = runner.run(input_)
            assert not loop.faults, loop.faults
            return taken

        yield run


@contextmanager
def small_server() -> Iterator[tuple[Server, list[Guest], Runs]]:
    """The server, those at its table, and what runs each input: nothing may break, and nobody is ever too fast."""
    world, guests = World(), list[Guest]()
    with hasty_loop() as run_on_loop, capture_logs() as logged:
        server = new_server(world, games={GAME.name: GAME}, bots={})

        async def open_table() -> bool:
            guests.extend(await at_a_table(server, "ann", "bob", create=Create(GAME.name)))
            eve = await a_guest(server, "eve")
            assert guests[0].table is not None
            await eve.ask(Watch(guests[0].table.code), TableView)
            guests.append(eve)
            return True

        async def close() -> bool:
            await server.close()
            return True

        def run(input_: Coroutine[Any, Any, bool]) -> bool:
            taken = run_on_loop(input_)
            world.time += 1
            wrong = [entry for entry in logged if entry["log_level"] not in {"debug", "info"}]
            assert not wrong, wrong
            logged.clear()
            return taken

        run_on_loop(open_table())
        yield server, guests, run
        run_on_loop(close())
