"""Between gate and doorkeeper: who has logged in is judged, and whoever was judged leaves once, afterwards."""

import asyncio

import pytest

from cartino_protocol.marking import Sentence
from cartino_server.ssh.entrance import Entrance
from cartino_server.ssh.gate import CAME_AND_WENT, REFUSED, Admitted, Gate, GateLimits, Refused
from cartino_server.ssh.ports import Newcomer, Verdict


class Keeper:
    """Judges when it is let, and refuses eve and mallory, who is banned."""

    def __init__(self) -> None:
        self.may_judge = asyncio.Event()
        self.gone: list[int] = []

    async def judge(self, newcomer: Newcomer) -> Verdict:
        await self.may_judge.wait()
        if newcomer.user == "bob":
            raise RuntimeError("boom")
        if newcomer.user in {"eve", "mallory"}:
            return Verdict(refused=Sentence("Not you."), is_offence=newcomer.user == "mallory")
        return Verdict("SHA256:ann")

    def left(self, connection: int) -> None:
        self.gone.append(connection)


class World:
    def __init__(self) -> None:
        self.keeper = Keeper()
        self.gate = Gate(GateLimits(), lambda: 0.0)
        self.entrance = Entrance(self.keeper, self.gate)

    def comes(self, user: str) -> Newcomer:
        knocked = self.gate.knock("192.0.2.1")
        assert isinstance(knocked, Admitted)
        return Newcomer(knocked.connection, "192.0.2.1", "", user)


@pytest.fixture
async def world() -> World:
    return World()


async def test_who_has_logged_in_needs_no_place_while_they_are_judged(world: World) -> None:
    judging = asyncio.create_task(world.entrance.judge(world.comes("ann")))
    await asyncio.sleep(0)
    assert (world.gate.connections, world.gate.unauthenticated) == (1, 0)
    world.keeper.may_judge.set()
    assert await judging == Verdict("SHA256:ann")
    for _ in range(2):
        world.entrance.left(1, "done")
    assert (world.keeper.gone, world.gate.connections) == ([1], 0)


async def test_who_leaves_while_they_are_judged_has_left_afterwards(world: World) -> None:
    judging = asyncio.create_task(world.entrance.judge(world.comes("ann")))
    await asyncio.sleep(0)
    world.entrance.left(1, "lost")
    assert world.keeper.gone == []
    world.keeper.may_judge.set()
    await judging
    world.entrance.left(1, "lost")
    assert world.keeper.gone == [1]


async def test_who_was_never_judged_does_not_leave(world: World) -> None:
    world.entrance.left(world.comes("ann").connection, "grace")
    assert world.keeper.gone == []


async def test_a_keeper_that_breaks_hears_of_it_all_the_same(world: World) -> None:
    world.keeper.may_judge.set()
    newcomer = world.comes("bob")
    with pytest.raises(RuntimeError):
        await world.entrance.judge(newcomer)
    world.entrance.left(newcomer.connection, "done")
    assert world.keeper.gone == [newcomer.connection]


@pytest.mark.parametrize(
    ("user", "knocked"),
    [("mallory", Refused("penalty", 3 * (REFUSED + CAME_AND_WENT))), ("eve", Admitted(21))],
)
async def test_who_offends_again_and_again_is_kept_out_and_nobody_else(
    world: World, user: str, knocked: Admitted | Refused
) -> None:
    """What is the house's own trouble, or its limit, is no offence: the whole household would be kept out for it."""
    world.keeper.may_judge.set()
    for _ in range(3 if user == "mallory" else 20):
        newcomer = world.comes(user)
        assert (await world.entrance.judge(newcomer)).refused == Sentence("Not you.")
        world.entrance.left(newcomer.connection, "done")
    assert world.gate.knock("192.0.2.1") == knocked


async def test_who_is_gone_already_is_judged_no_more(world: World) -> None:
    newcomer = world.comes("ann")
    world.entrance.left(newcomer.connection, "lost")
    world.keeper.may_judge.set()
    verdict = await world.entrance.judge(newcomer)
    assert verdict.refused.text
    assert not verdict.person
    assert world.keeper.gone == []
