"""Everybody who was judged has left once, in whatever order the two are heard of."""

import asyncio

from cartino_server.ssh.entrance import Entrance
from cartino_server.ssh.gate import Admitted, Gate, GateLimits
from cartino_server.ssh.ports import Newcomer, Verdict


class Keeper:
    """Lets everybody in, as soon as it is told to, and knows who is there."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.here: list[int] = []

    async def judge(self, newcomer: Newcomer) -> Verdict:
        await self.open.wait()
        self.here.append(newcomer.connection)
        return Verdict("somebody")

    def left(self, connection: int) -> None:
        self.here.remove(connection)


def knock(gate: Gate) -> Newcomer:
    admitted = gate.knock("192.0.2.1")
    assert isinstance(admitted, Admitted)
    return Newcomer(admitted.connection, "192.0.2.1", "", "ann")


async def test_who_is_gone_before_anybody_looks_is_never_there() -> None:
    keeper, gate = Keeper(), Gate(GateLimits(), lambda: 0.0)
    keeper.open.set()
    entrance, newcomer = Entrance(keeper, gate), knock(gate)
    judging = asyncio.create_task(entrance.judge(newcomer))
    entrance.left(newcomer.connection, "lost")
    assert await judging == Verdict()
    assert keeper.here == []


async def test_who_goes_while_they_are_judged_has_left_afterwards() -> None:
    keeper, gate = Keeper(), Gate(GateLimits(), lambda: 0.0)
    entrance, newcomer = Entrance(keeper, gate), knock(gate)
    judging = asyncio.create_task(entrance.judge(newcomer))
    await asyncio.sleep(0)
    entrance.left(newcomer.connection, "lost")
    keeper.open.set()
    await judging
    assert keeper.here == []


async def test_who_stays_is_there_until_they_leave() -> None:
    keeper, gate = Keeper(), Gate(GateLimits(), lambda: 0.0)
    keeper.open.set()
    entrance, newcomer = Entrance(keeper, gate), knock(gate)
    await entrance.judge(newcomer)
    assert keeper.here == [newcomer.connection]
    for _ in range(2):
        entrance.left(newcomer.connection, "done")
    assert keeper.here == []
