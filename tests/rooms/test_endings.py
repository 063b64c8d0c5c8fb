"""Every record gets its end once and is handed on: also when the house closes, also when nobody takes it."""

from collections.abc import Callable, Sequence

import msgspec
from structlog.testing import capture_logs

from cartino_protocol.commands import Create, Join, Rematch
from cartino_protocol.records import EndLine, RecordLine
from cartino_protocol.views import Bye, RoomView
from cartino_server.rooms.house import House
from tests.support.house import QUICK, Guest, World, a_guest, a_house, race_bots
from tests.support.race import Add, Race

Houses = Callable[[House], House]


async def two_at_a_table(house: House, goal: str) -> tuple[Guest, Guest]:
    ann, bob = await a_guest(house, "ann"), await a_guest(house, "bob")
    room = await ann.ask(Create("race", {"goal": goal}), RoomView)
    await bob.ask(Join(room.code), RoomView)
    await ann.wait(RoomView, lambda view: view.state == "playing")
    return ann, bob


async def test_a_game_that_runs_as_the_house_closes_is_abandoned_and_kept(world: World, house: House) -> None:
    ann, bob = await two_at_a_table(house, "9")
    await ann.act(Add(2))
    await bob.wait(RoomView, lambda view: view.turn == (1,))
    await house.close()
    assert (await bob.end())[-1] == Bye("shutdown")
    ((code, record),) = world.kept
    assert code == "AAAA"
    ends = [line for line in record if isinstance(line, EndLine)]
    assert [(end.totals, end.winners, end.reason) for end in ends] == [((2, 0), (), "abandoned")]
    await house.close()
    assert len(world.kept) == 1


async def test_a_game_that_is_over_is_not_kept_again(world: World, house: House) -> None:
    ann, _ = await two_at_a_table(house, "3")
    await ann.act(Add(3))
    await ann.wait(RoomView, lambda view: view.state == "finished")
    await house.close()
    ((_, record),) = world.kept
    end = record[-1]
    assert isinstance(end, EndLine)
    assert end.reason == "points"


async def test_an_open_table_has_no_record(world: World, house: House) -> None:
    ann = await a_guest(house, "ann")
    await ann.ask(Create("race"), RoomView)
    await house.close()
    assert world.kept == []


async def test_a_table_goes_on_when_nobody_takes_its_record(world: World, houses: Houses) -> None:
    def full(code: str, record: Sequence[RecordLine]) -> None:
        raise OSError("the disk is full")

    ports = msgspec.structs.replace(world.ports(), keep=full)
    house = houses(House({"race": Race()}, race_bots(), QUICK, ports))
    ann, bob = await two_at_a_table(house, "3")
    with capture_logs() as logs:
        await ann.act(Add(3))
        for guest in (ann, bob):
            await guest.wait(RoomView, lambda view: view.state == "finished")
            guest.say(Rematch())
        await bob.wait(RoomView, lambda view: view.state == "playing")
    assert [(line["event"], line["code"], line["log_level"]) for line in logs] == [
        ("record_not_kept", "AAAA", "error")
    ]


async def test_the_house_closes_when_nobody_takes_its_records(world: World) -> None:
    def full(code: str, record: Sequence[RecordLine]) -> None:
        raise OSError("the disk is full")

    ports = msgspec.structs.replace(world.ports(), keep=full)
    house = a_house(world)
    house = House({"race": Race()}, race_bots(), QUICK, ports)
    await two_at_a_table(house, "9")
    with capture_logs() as logs:
        await house.close()
    assert [line["event"] for line in logs] == ["record_not_kept"]
