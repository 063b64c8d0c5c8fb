"""A house in another process, for the door's reception."""

import asyncio

from cartino_server.entry.far_host import NO_HOUSE, FarHost
from cartino_server.ssh.ports import Reply, Visitor
from cartino_server.workers.far import FarHouse
from cartino_server.workers.messages import Answered, Asked, Caller, DoorWords, Opened, Told
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
    assert await FarHost(house).answer(ANN, ["games"]) == Reply(stderr=f"{NO_HOUSE}\n", status=1)
