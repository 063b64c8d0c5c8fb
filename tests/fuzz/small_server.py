"""A server in which ann and bob play and eve looks on, for those who throw things at it."""

import asyncio
from typing import Any

from structlog.testing import capture_logs

from cartino_protocol.commands import Create, Watch
from cartino_protocol.views import TableView
from tests.support.cartino import GAME
from tests.support.game_server import Guest, World, a_guest, at_a_table, new_server


class SmallServer:
    """It stands on the loop of `runner`, and ends with `close`."""

    def __init__(self, runner: asyncio.Runner) -> None:
        """Open it, with a game that runs."""
        self._runner = runner
        self._logs = capture_logs()
        self._logged = self._logs.__enter__()
        self._world = World()
        self.server: Any = None
        self.guests: list[Guest] = []
        runner.run(self._open())

    def looks_well(self) -> None:
        """Nothing of it broke; a second passes there, so that nobody is too fast. Raises AssertionError."""
        self._world.time += 1
        wrong = [entry for entry in self._logged if entry["log_level"] not in {"debug", "info"}]
        assert not wrong, wrong
        self._logged.clear()

    def close(self) -> None:
        """End it."""
        self._runner.run(self.server.close())
        self._logs.__exit__(None, None, None)

    async def _open(self) -> None:
        self.server = new_server(self._world, games={GAME.name: GAME}, bots={})
        self.guests = await at_a_table(self.server, "ann", "bob", create=Create(GAME.name))
        eve = await a_guest(self.server, "eve")
        assert self.guests[0].table is not None
        await eve.ask(Watch(self.guests[0].table.code), TableView)
        self.guests.append(eve)
