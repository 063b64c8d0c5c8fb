"""Many are woken in portions, so that others have their turn between."""

import asyncio

from cartino_server.workers.waking import PORTION, Waking


class Sleeper:
    def __init__(self, woken: list["Sleeper"]) -> None:
        self._woken = woken

    def wake(self) -> None:
        self._woken.append(self)


async def test_a_crowd_wakes_in_portions_in_its_order() -> None:
    woken: list[Sleeper] = []
    crowd = [Sleeper(woken) for _ in range(2 * PORTION + 1)]
    waking = Waking()
    waking.wake(crowd[:PORTION])
    waking.wake(crowd)
    assert woken == []
    for portion in (PORTION, 2 * PORTION, len(crowd), len(crowd)):
        await asyncio.sleep(0)
        assert woken == crowd[:portion]


async def test_who_slept_again_is_woken_again() -> None:
    woken: list[Sleeper] = []
    one = Sleeper(woken)
    waking = Waking()
    for _ in range(2):
        waking.wake([one])
        await asyncio.sleep(0)
    assert woken == [one, one]
