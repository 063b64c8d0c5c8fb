"""Sessions that type, on a loop whose time passes as it must, and a clock that counts what they are said to cost."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import Final
from weakref import ref

import pytest

from cartino_tui.terminal.scheduling import (
    DEFERRED_COST,
    DEFERRED_PERIOD,
    FORGIVEN_SHARE,
    INPUT_BURST,
    INPUT_SHARE,
    LIGHT_SECONDS,
    MAX_REMEMBERED,
    MIN_FLOOD_SHARE,
    SOURCE_FORGIVEN_SHARE,
    SOURCE_LIGHT_SECONDS,
    Bucket,
    InputScheduler,
    InputSlot,
)
from tests.support.hasty import HastyLoop

KEY: Final = 0.002
"""Seconds that one key takes."""
SLOW_PIECE: Final = 0.00165
"""Seconds that half a key takes on a slow machine: one is parsed, and then drawn."""
FLOOD: Final = 6_000
"""Keys of all floods together: more than are done while a person types beside them."""
AT_ONE_GO: Final = 6
"""Keys that all sessions together may have done before the loop goes on: 15 ms of work, and one too many."""


class Typist:
    """A session with keys to do."""

    def __init__(self, world: "World", *, cost: float = KEY, done: bool = True, source: str = "") -> None:
        self.world = world
        self.left = 0
        self.done = 0
        self.calls = 0
        self._cost = cost
        self._at_once = done
        self.turn = InputSlot(world.turns, self.go, source)

    def type(self, keys: int) -> None:
        self.left += keys
        if not self.turn.waits:
            self.go()

    def go(self) -> None:
        self.calls += 1
        while self.left and self.turn.may():
            self.turn.do(self._key)

    def _key(self) -> bool:
        self.left -= 1
        self.done += 1
        self.world.worked += self._cost
        self.world.by_moment[self.world.turns.now] += 1
        return self._at_once


class World:
    def __init__(self) -> None:
        self.worked = 0.0
        self.by_moment: Counter[float] = Counter()
        self.turns = InputScheduler(lambda: self.worked)


@pytest.fixture(autouse=True)
async def loop() -> AsyncIterator[HastyLoop]:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, HastyLoop)
    yield loop
    assert [str(fault["exception"]) for fault in loop.faults] in ([], ["boom"])


async def test_a_person_is_never_made_to_wait() -> None:
    person = Typist(World())
    for _ in range(100):
        person.type(1)
        assert not person.left
        await asyncio.sleep(KEY / FORGIVEN_SHARE)


@pytest.mark.parametrize("many", [1, 40, *(pytest.param(many, marks=pytest.mark.soak) for many in (3, 8))])
async def test_floods_do_not_add_up_and_a_key_goes_before_them(many: int) -> None:
    world = World()
    floods = [Typist(world) for _ in range(many)]
    for each in floods:
        each.type(FLOOD // many)
    assert 0 < sum(each.done for each in floods) <= AT_ONE_GO
    await asyncio.sleep(5)
    began = sum(each.done for each in floods)
    person = Typist(world)
    for second in range(10):
        await asyncio.sleep(1)
        person.type(1)
        assert person.done == second + 1
    done = sum(each.done for each in floods) - began
    assert 0 < done * KEY <= (INPUT_SHARE + 0.01) * 10
    assert max(world.by_moment.values()) <= AT_ONE_GO
    assert all(each.done for each in floods)
    assert any(each.left for each in floods)
    while any(each.left for each in floods):
        await asyncio.sleep(1)


async def test_whoever_comes_with_forty_floods_is_done_when_they_had_some_two_keys_each() -> None:
    world = World()
    floods = [Typist(world) for _ in range(40)]
    for each in floods:
        each.type(200)
    person = Typist(world)
    person.type(1)
    while not person.done:
        await asyncio.sleep(0.001)
    assert sum(each.done for each in floods) < 100


async def _press(crowd: list[Typist], person: Typist, presses: int, each: float) -> list[int]:
    """How many pieces of the crowd's were done while each key of the person's waited, of two pieces each.

    Everybody in the crowd presses sixty keys a second, and the person one in `each` seconds.
    """
    overtaken = []
    for _ in range(presses):
        before = sum(other.done for other in crowd)
        person.type(2)
        until = person.world.turns.now + each
        while person.left:
            await asyncio.sleep(0.001)
        overtaken.append(sum(other.done for other in crowd) - before)
        while (left := until - person.world.turns.now) > 0:
            for other in crowd:
                other.type(2)
            await asyncio.sleep(min(1 / 60, left))
    return overtaken


@pytest.mark.parametrize("networks", [1, 3])
async def test_eighteen_who_always_type_come_behind_every_key_of_one_who_types_fast(networks: int) -> None:
    world = World()
    crowd = [Typist(world, cost=SLOW_PIECE, source=f"198.51.100.{number % networks}") for number in range(18)]
    person = Typist(world, cost=SLOW_PIECE, source="203.0.113.1")
    overtaken = await _press(crowd, person, 300, 0.04)
    # One piece of theirs is under way at most, and of the short time in which they count as people some more.
    assert max(overtaken) <= AT_ONE_GO
    assert sum(overtaken) <= 300
    assert all(other.done > 10 for other in crowd)


async def test_a_source_with_many_sessions_has_as_much_of_what_is_left_as_one_with_one() -> None:
    world = World()
    crowd = [Typist(world, source="198.51.100.1") for _ in range(18)]
    other = Typist(world, source="203.0.113.1")
    for each in (*crowd, other):
        each.type(10_000)
    await asyncio.sleep(5)
    befores, others = [each.done for each in crowd], other.done
    await asyncio.sleep(20)
    assert sum(each.done for each in crowd) - sum(befores) == pytest.approx(other.done - others, rel=0.1)
    dones = [each.done - before for each, before in zip(crowd, befores, strict=True)]
    assert max(dones) - min(dones) <= 2


@pytest.mark.parametrize("many", [6, 18])
async def test_many_who_keep_below_what_one_may_count_as_the_one_source_that_they_are(many: int) -> None:
    world = World()
    crowd = [Typist(world, source="198.51.100.1") for _ in range(many)]
    for _ in range(500):
        for each in crowd:
            each.type(1)
        await asyncio.sleep(KEY / FORGIVEN_SHARE)
    # What is done before floods, and as one.
    most = max(INPUT_SHARE, SOURCE_FORGIVEN_SHARE + MIN_FLOOD_SHARE) + 0.01
    assert sum(each.done for each in crowd) * KEY <= SOURCE_LIGHT_SECONDS + most * 500 * KEY / FORGIVEN_SHARE
    person = Typist(world, source="203.0.113.1")
    person.type(1)
    assert not person.left


async def test_floods_have_a_share_beside_many_persons_and_are_forgiven_once_they_are_over() -> None:
    world = World()
    persons = [Typist(world, source=f"198.51.100.{number}") for number in range(8)]
    floods = [Typist(world, source=f"203.0.113.{number}") for number in range(2)]
    for flood in floods:
        flood.type(10**7)
    for _ in range(400):
        for person in persons:
            person.type(1)
        # Together a little more than `INPUT_SHARE`, each of them less than a flood.
        await asyncio.sleep(len(persons) * KEY / (INPUT_SHARE + 0.04))
    seconds = 400 * len(persons) * KEY / (INPUT_SHARE + 0.04)
    assert sum(flood.done for flood in floods) * KEY >= 0.9 * MIN_FLOOD_SHARE * seconds
    floods[0].left = 0
    await asyncio.sleep((MAX_REMEMBERED + LIGHT_SECONDS) / FORGIVEN_SHARE)
    floods[0].type(1)
    assert not floods[0].left


@pytest.mark.parametrize(
    ("before", "floods"), [(20, 15), *(pytest.param(each, 90, marks=pytest.mark.soak) for each in (60, 600))]
)
@pytest.mark.parametrize("one_source", [True, False])
async def test_whoever_was_first_is_not_put_off_by_floods_that_come_anew_all_the_time(
    one_source: bool, before: int, floods: int
) -> None:
    world = World()
    first = Typist(world, source="203.0.113.1")
    first.type(10_000_000)
    await asyncio.sleep(before)
    for number in range(floods):
        done = first.done
        fresh = Typist(world, source=f"198.51.100.{0 if one_source else number}")
        fresh.type(100_000)
        await asyncio.sleep(2)
        # Half, but for the little that whoever is new may have before it.
        assert (first.done - done) * KEY == pytest.approx(INPUT_SHARE, rel=0.1)
        assert fresh.done * KEY > INPUT_SHARE / 2
        fresh.left = 0
        fresh.turn.leave()


async def test_one_who_typed_much_and_never_waited_owes_nothing_to_a_flood() -> None:
    world = World()
    first = Typist(world, source="203.0.113.1")
    for _ in range(3000):
        first.type(1)
        assert not first.left
        await asyncio.sleep(0.01)
    done, flood = first.done, Typist(world, source="198.51.100.1")
    flood.turn.source.bucket.spend(1)
    flood.type(100_000)
    first.type(100_000)
    await asyncio.sleep(2)
    assert (first.done - done) * KEY == pytest.approx(INPUT_SHARE, rel=0.1)


async def test_somebody_new_in_every_turn_of_the_loop_puts_off_nobody() -> None:
    """As when many come at once, each turn of the loop takes a while, and has somebody else who must wait."""
    world = World()
    loop = asyncio.get_running_loop()
    assert isinstance(loop, HastyLoop)
    newcomers: list[Typist] = []

    def another() -> None:
        loop.skip(0.01)
        newcomers.append(Typist(world, cost=0.008))
        newcomers[-1].type(1)
        if len(newcomers) < 100:
            loop.call_soon(another)

    for _ in range(3):
        Typist(world, cost=0.008).type(1)
    person = Typist(world)
    person.type(1)
    assert person.left, "the lane is full"
    loop.call_soon(another)
    while not person.done:
        await asyncio.sleep(0)
    assert len(newcomers) < 10


async def test_sessions_that_come_anew_do_not_put_off_another_of_their_source() -> None:
    world = World()
    first, other = (Typist(world, source="203.0.113.1") for _ in range(2))
    first.type(10_000_000)
    other.type(10_000_000)
    await asyncio.sleep(60)
    done = first.done
    for _ in range(30):
        fresh = Typist(world, source="203.0.113.1")
        fresh.type(100_000)
        await asyncio.sleep(2)
        fresh.left = 0
        fresh.turn.leave()
    assert (first.done - done) * KEY > INPUT_SHARE * 60 / 4


async def test_who_had_to_wait_behind_others_of_their_source_is_no_flood_for_that() -> None:
    world = World()
    crowd = [Typist(world, source="198.51.100.1") for _ in range(40)]
    floods = [Typist(world, source="198.51.100.1") for _ in range(2)]
    for each in floods:
        each.type(100_000)
    await asyncio.sleep(10)
    # So many that all of the source count as one, and wait beside the floods.
    for _ in range(20):
        for each in crowd:
            each.type(1)
        await asyncio.sleep(0.05)
    assert all(not each.turn._is_light for each in crowd)
    while any(each.left for each in crowd):
        await asyncio.sleep(0.01)
    # What each has used itself is little and soon forgiven, floods or not.
    assert all(each.left for each in floods)
    await asyncio.sleep(20 * KEY / FORGIVEN_SHARE)
    person = crowd[-1]
    person.type(1)
    assert not person.left


async def test_what_nobody_else_wants_is_for_whoever_wants_much() -> None:
    world = World()
    crowd = [Typist(world, cost=0.0035, source="198.51.100.1") for _ in range(30)]
    late = 0
    for _ in range(100):
        for each in crowd:
            late += each.left > 1
            each.type(1)
            await asyncio.sleep(0.2 / len(crowd))
    assert late == 0


async def test_who_has_left_is_forgotten() -> None:
    turns = InputScheduler()
    turn = InputSlot(turns, lambda: None, "198.51.100.1")
    assert turn.source is turns.source("198.51.100.1")
    assert turn.source is not turns.source("198.51.100.2")
    assert turns.source("") is not turns.source("")
    gone = ref(turn.source)
    del turn
    assert gone() is None


async def test_what_is_only_left_to_be_done_is_not_free() -> None:
    clicks = Typist(World(), cost=0, done=False)
    clicks.type(1000)
    assert clicks.done <= LIGHT_SECONDS / DEFERRED_COST + 2
    await asyncio.sleep(1)
    assert clicks.done <= (LIGHT_SECONDS + INPUT_SHARE + FORGIVEN_SHARE + 0.01) / DEFERRED_COST + 2


@pytest.mark.parametrize("many", [1, 18])
async def test_what_was_left_to_be_done_costs_what_it_takes_then(many: int) -> None:
    """Such as help, which opens and closes in tasks of Textual's."""
    cost = 0.01

    world = World()
    loop = asyncio.get_running_loop()

    class Opener(Typist):
        def _key(self) -> bool:
            loop.call_soon(self.turn.charge_deferred, cost)
            return super()._key()

    openers = [Opener(world, cost=0, done=False, source="198.51.100.1") for _ in range(many)]
    for each in openers:
        each.type(1000)
    await asyncio.sleep(1)
    before = sum(each.done for each in openers)
    await asyncio.sleep(10)
    assert (sum(each.done for each in openers) - before) * cost <= 10 * INPUT_SHARE + 2 * cost


async def test_what_a_session_draws_long_after_its_keys_is_nobody_s_flood() -> None:
    world = World()
    person = Typist(world, done=False)
    person.type(1)
    world.worked += DEFERRED_PERIOD + 0.01
    person.turn.charge_deferred(10.0)
    person.type(1)
    assert not person.left


async def test_who_raises_or_leaves_holds_up_nobody() -> None:
    world = World()
    raising, leaving, staying = (Typist(world) for _ in range(3))
    world.worked = 0
    for each in (raising, leaving, staying):
        each.type(100)
    assert leaving.turn.waits
    calls = leaving.calls
    leaving.turn.leave()

    def boom() -> bool:
        raising.left = 0
        raise RuntimeError("boom")

    raising._key = boom  # type: ignore[method-assign]
    await asyncio.sleep(10)
    assert not staying.left
    assert leaving.calls == calls


async def test_a_bucket_has_a_burst_and_then_the_rate() -> None:
    units = Bucket(INPUT_BURST, 60, now=100)
    units.spend(INPUT_BURST)
    assert units.wait(100, 1) == pytest.approx(1 / 60)
    assert units.fill(100 + 1 / 60 - 1e-6) < 1 < units.fill(100 + 1 / 60 + 1e-6)
    assert units.fill(1e6) == INPUT_BURST, "a long pause saves up no more"
    units.spend(INPUT_BURST + 119)
    assert units.wait(1e6, 1) == 2
