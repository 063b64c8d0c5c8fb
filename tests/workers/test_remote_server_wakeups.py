"""Many are woken in portions, so that others have their turn between."""

import asyncio

from cartino_server.workers.remote_server import WAKE_BATCH, BatchedWakeups


class Sleeper:
    def __init__(self, woken: list["Sleeper"]) -> None:
        self._woken = woken

    def wake(self) -> None:
        self._woken.append(self)


async def test_a_crowd_wakes_in_portions_in_its_order() -> None:
    woken: list[Sleeper] = []
    crowd = [Sleeper(woken) for _ in range(2 * WAKE_BATCH + 1)]
    waking = BatchedWakeups()
    waking.wake(sleeper.wake for sleeper in crowd[:WAKE_BATCH])
    waking.wake(sleeper.wake for sleeper in crowd)
    assert woken == []
    for portion in (WAKE_BATCH, 2 * WAKE_BATCH, len(crowd), len(crowd)):
        await asyncio.sleep(0)
        assert woken == crowd[:portion]


async def test_who_slept_again_is_woken_again() -> None:
    woken: list[Sleeper] = []
    one = Sleeper(woken)
    waking = BatchedWakeups()
    for _ in range(2):
        waking.wake([one.wake])
        await asyncio.sleep(0)
    assert woken == [one, one]
