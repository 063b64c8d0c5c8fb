"""Logins reach admission control and the authenticator; the end of each judged connection is reported once."""

import asyncio

import pytest

from cartino_protocol.text import LazyMessage
from cartino_server.limits import AdmissionLimits
from cartino_server.ssh.admission import AdmissionControl, Admitted, Held
from cartino_server.ssh.authentication import LoginTracker
from cartino_server.visitors import LoginRequest, LoginResult


class Keeper:
    """Judges when it is let, and refuses eve."""

    def __init__(self) -> None:
        self.may_judge = asyncio.Event()
        self.gone: list[int] = []

    async def judge(self, newcomer: LoginRequest) -> LoginResult:
        await self.may_judge.wait()
        if newcomer.user == "bob":
            raise RuntimeError("boom")
        if newcomer.user == "eve":
            return LoginResult(refused=LazyMessage("Not you."))
        return LoginResult("SHA256:ann")

    def forget_connection(self, connection: int) -> None:
        self.gone.append(connection)


class World:
    def __init__(self) -> None:
        self.keeper = Keeper()
        self.admission = AdmissionControl(AdmissionLimits(), lambda: 0.0)
        self.entrance = LoginTracker(self.keeper, self.admission)

    def comes(self, user: str) -> LoginRequest:
        knocked = self.admission.request("192.0.2.1")
        assert isinstance(knocked, Admitted)
        return LoginRequest(knocked.connection, "192.0.2.1", "", user)


@pytest.fixture
async def world() -> World:
    return World()


async def test_who_has_logged_in_needs_no_place_while_they_are_judged(world: World) -> None:
    judging = asyncio.create_task(world.entrance.judge(world.comes("ann")))
    await asyncio.sleep(0)
    assert (world.admission.connections, world.admission.unauthenticated) == (1, 0)
    world.keeper.may_judge.set()
    assert await judging == LoginResult("SHA256:ann")
    for _ in range(2):
        world.entrance.record_connection_end(1, "done")
    assert (world.keeper.gone, world.admission.connections) == ([1], 0)


async def test_who_leaves_while_they_are_judged_has_left_afterwards(world: World) -> None:
    judging = asyncio.create_task(world.entrance.judge(world.comes("ann")))
    await asyncio.sleep(0)
    world.entrance.record_connection_end(1, "lost")
    assert world.keeper.gone == []
    world.keeper.may_judge.set()
    await judging
    world.entrance.record_connection_end(1, "lost")
    assert world.keeper.gone == [1]


async def test_who_was_never_judged_does_not_leave(world: World) -> None:
    world.entrance.record_connection_end(world.comes("ann").connection, "grace")
    assert world.keeper.gone == []


async def test_a_keeper_that_breaks_hears_of_it_all_the_same(world: World) -> None:
    world.keeper.may_judge.set()
    newcomer = world.comes("bob")
    with pytest.raises(RuntimeError):
        await world.entrance.judge(newcomer)
    world.entrance.record_connection_end(newcomer.connection, "done")
    assert world.keeper.gone == [newcomer.connection]


async def test_who_is_refused_again_and_again_keeps_nobody_out_at_home(world: World) -> None:
    """Be they banned, or the server full: who lives with them comes in, and waits at most as behind any loop."""
    world.keeper.may_judge.set()
    for _ in range(40):
        newcomer = world.comes("eve")
        assert (await world.entrance.judge(newcomer)).refused == LazyMessage("Not you.")
        world.entrance.record_connection_end(newcomer.connection, "done")
    assert await world.entrance.judge(world.comes("ann")) == LoginResult("SHA256:ann")
    assert world.admission.request("192.0.2.1") == Held(42, 0.25)


async def test_who_is_gone_already_is_judged_no_more(world: World) -> None:
    newcomer = world.comes("ann")
    world.entrance.record_connection_end(newcomer.connection, "lost")
    world.keeper.may_judge.set()
    verdict = await world.entrance.judge(newcomer)
    assert verdict.refused.text
    assert not verdict.person
    assert world.keeper.gone == []
