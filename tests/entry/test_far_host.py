"""A house in another process, for the door's reception."""

import asyncio

from cartino_protocol.link import BROKEN_OFF
from cartino_protocol.marking import NOTHING, Sentence
from cartino_server.entry.far_host import NO_HOUSE, FarHost
from cartino_server.ssh.authentication import LoginRequest, LoginResult
from cartino_server.ssh.ports import Reply, Visitor
from cartino_server.ssh.session import UNKNOWN_OUTCOME
from cartino_server.workers.far import FarHouse
from cartino_server.workers.messages import (
    Answered,
    Asked,
    Caller,
    DoorWords,
    Entering,
    Judged,
    Opened,
    Told,
)
from tests.support.noted_line import NotedLine

ANN = Visitor("s1", "SHA256:ann", "ann", guest=False)
CALLER = Caller("s1", "SHA256:ann", "ann", guest=False)


async def test_visitors_are_passed_on_as_they_are() -> None:
    line = NotedLine()
    house = FarHouse(line)
    host = FarHost(house)
    host.open_link(ANN)
    asking = asyncio.create_task(host.answer(ANN, ["games", "--json"]))
    await asyncio.sleep(0)
    assert line.said == [Opened(1, CALLER), Asked(2, CALLER, ("games", "--json"))]
    house.hear(Answered(2, Told("out", "err", 2)))
    assert await asking == Reply("out", "err", 2)
    house.hear(DoorWords("ssh there"))
    assert host.door == "ssh there"


async def test_without_a_house_there_is_a_sentence() -> None:
    house = FarHouse(NotedLine())
    house.lose()
    assert await FarHost(house).answer(ANN, ["games"]) == Reply(
        stderr=f"{UNKNOWN_OUTCOME}\n", status=BROKEN_OFF
    )


NEWCOMER = LoginRequest(7, "192.0.2.1", "SHA256:ann", "ann", "OpenSSH")


async def test_who_has_logged_in_is_judged_there() -> None:
    line = NotedLine()
    house = FarHouse(line)
    host = FarHost(house)
    judging = asyncio.create_task(host.judge(NEWCOMER))
    await asyncio.sleep(0)
    assert line.said == [Entering(7, "192.0.2.1", "SHA256:ann", "ann", "OpenSSH")]
    house.hear(Judged(8, "SHA256:bob", NOTHING))
    house.hear(Judged(7, "SHA256:first", NOTHING))
    house.hear(Judged(7, "SHA256:again", NOTHING))
    assert await judging == LoginResult("SHA256:first")


async def test_without_a_house_nobody_is_let_in() -> None:
    house = FarHouse(NotedLine())
    judging = asyncio.create_task(FarHost(house).judge(NEWCOMER))
    await asyncio.sleep(0)
    house.lose()
    assert await judging == await FarHost(house).judge(NEWCOMER) == LoginResult(refused=Sentence(NO_HOUSE))
