"""Admission control without a loop, as histories of events with the decision about each, and as random ones."""

import re
from collections.abc import Iterator
from typing import Any, cast, get_args

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from cartino_server.limits import AdmissionLimits
from cartino_server.networks import source_of
from cartino_server.ssh.admission import (
    MAX_WAITING_FOR_OTHERS,
    MAX_WAITING_PER_SOURCE,
    AdmissionControl,
    AdmissionRefused,
    Admitted,
    Held,
)
from cartino_server.ssh.eviction import Progress
from cartino_server.ssh.rate_limit import MAX_WAIT
from cartino_server.visitors import Ending

LIMITS = AdmissionLimits(unauthenticated=10)
"""Few places, so that they are full soon."""
PROGRESS = {
    **{"silent": Progress(0), "spoken": Progress(1), "begun": Progress(2)},
    **{"answered": Progress(3, 1000), "further": Progress(3, 2000)},
}
RANGE = re.compile(r"<(\d+)-(\d+)>")
NAMES = {"A": "192.0.2.1", "B": "198.51.100.1", "C": "203.0.113.1"}


class World:
    """Admission control with a clock, and its connections by address, oldest first."""

    def __init__(self, limits: AdmissionLimits = LIMITS) -> None:
        self.now = 1000.0
        self.banned: set[str] = set()
        self.counted: list[str] = []
        self.admission = AdmissionControl(
            limits, lambda: self.now, self.banned.__contains__, self.counted.append
        )
        self.outside: dict[int, str] = {}
        self.inside: dict[int, str] = {}
        self.held: dict[int, str] = {}
        self.progress: dict[str, Progress] = {}

    def come(self, address: str) -> int:
        """Admit a connection; return its number."""
        decision = self.admission.request(address)
        assert isinstance(decision, Admitted)
        return decision.connection

    def enter(self, address: str) -> int:
        """Admit a connection and log it in."""
        number = self.come(address)
        self.admission.logged_in(number)
        return number

    def play(self, history: str) -> None:
        """Do the events, which `;` separates: verb, addresses, details and how often, then `=` and the decision.

        `A`, `B` and `C` are unrelated addresses; `1.<0-9>.0.1` are ten, with that number for `#` in the decision. That
        is `in` if none is named; `for X` is in instead of the oldest of X, `any` is in instead of anybody. Other
        events than `come` concern the oldest connection of an address.
        """
        for event in filter(str.strip, history.split(";")):
            words, _, expected = event.partition("=")
            verb, pattern, *rest = words.split()
            times = int(rest.pop()) if rest and rest[-1].isdecimal() else 1
            for index, address in expanded(NAMES.get(pattern, pattern)):
                for _ in range(times):
                    self._do(verb, address, *rest, expected=expected.strip().replace("#", index) or "in")

    def _do(self, verb: str, address: str, detail: str = "", *, expected: str = "") -> None:
        match verb:
            case "wait":
                self.now += float(address)
            case "goes":
                self.progress[address] = PROGRESS[detail]
            case "ban" | "unban":
                (self.banned.add if verb == "ban" else self.banned.discard)(address)
            case "come" | "again" | "proxy" | "reveal":
                self._decided(self._decide(verb, address, detail), address, expected)
            case "enter" | "visit" | "fail":
                number = self._decided(self._decide("come", address, ""), address, expected)
                if verb != "fail":
                    self._log_in(number)
                if verb != "enter":
                    self._end(number, detail)
            case "login":
                self._log_in(oldest(self.outside, address))
            case "end":
                self._end(oldest(self.outside | self.inside | self.held, address), detail)
            case _:
                raise AssertionError(verb)

    def _decide(self, verb: str, address: str, detail: str) -> Admitted | Held | AdmissionRefused:
        match verb:
            case "again":
                number = oldest(self.held, address)
                del self.held[number]
                return self.admission.retry(number)
            case "proxy":
                return self.admission.admit_proxy()
            case "reveal":
                number = oldest(self.outside, "proxy")
                del self.outside[number]
                return self.admission.identify(number, address)
            case _:
                self.progress[address] = PROGRESS[detail or "silent"]
                return self.admission.request(address, lambda: self.progress[address])

    def _log_in(self, number: int) -> None:
        self.inside[number] = self.outside.pop(number)
        self.admission.logged_in(number)

    def _end(self, number: int, why: str) -> None:
        for those in (self.outside, self.inside, self.held):
            those.pop(number, None)
        self.admission.record_connection_end(number, cast(Ending, why))

    def _decided(self, decision: Admitted | Held | AdmissionRefused, address: str, expected: str) -> int:
        number = 0
        if isinstance(decision, AdmissionRefused):
            assert (decision.reason == "penalty") == (decision.seconds > 0)
            given: str = decision.reason
        elif isinstance(decision, Held):
            given = f"held {decision.seconds:g}" if expected.startswith("held ") else "held"
            self.held[decision.connection] = address
        else:
            number = decision.connection
            given = f"for {self.outside.pop(decision.instead_of)}" if decision.instead_of else "in"
            self.outside[number] = address
        for name, known in NAMES.items():
            expected = re.sub(rf"\b{name}\b", known, expected)
        assert given == expected or (expected == "any" and number), (address, self.now)
        return number


def expanded(pattern: str) -> Iterator[tuple[str, str]]:
    """Yield each number of the pattern's range, "" without one, and the address with it."""
    found = RANGE.search(pattern)
    for each in ("",) if found is None else map(str, range(int(found[1]), int(found[2]) + 1)):
        yield each, RANGE.sub(each, pattern)


def oldest(those: dict[int, str], address: str) -> int:
    return min(number for number, known in those.items() if known == address)


LATE = "visit A done 41;"
"""A crowd of one source has logged in, so that others of it have to wait."""
HISTORIES: dict[str, str] = {
    "two of a source shake hands, eight wait for them": "come A 2; come A 8 = held;"
    + "login A 2; wait 0.25; again A 2;" * 4
    + "login A 2",
    "and not for ever": "come A 2; come A = held 0.25; wait 5; again A = logging-in; come A 8 = held",
    "one too many has done nothing wrong": "come A 2; come A 8 = held; come A 500 = logging-in; login A 2;"
    "again A 2",
    "twenty are of one source": "enter A 20; come A 500 = source; end A done; enter A; come A = source; come B",
    "an IPv6 source is a /64": "come 2001:db8::1; come 2001:db8::ffff; come 2001:db8::2 = held;"
    "come 2001:db8:0:1::1",
    "IPv4 in IPv6 is IPv4": "come A; come ::ffff:192.0.2.1; come A = held",
    "the oldest is evicted": "come 192.0.2.<0-9>; login 192.0.2.0; come B; come C = for 192.0.2.1",
    "the source with most goes first": "come 192.0.2.<0-3>; come B 2; come 192.0.2.<4-7>; come C = for B",
    "who lingers is out sooner": "come 198.51.100.<0-9>; wait 2; come 192.0.2.<0-9> = for 198.51.100.#;"
    "login 192.0.2.<0-9>;" * 2 + "come 198.51.100.<0-9> = penalty",
    "a monitor of the port": ("fail A lost 3; wait 5;" * 120 + "visit A done;") * 6,
    "ssh-keyscan": "come A 2; end A mismatch; end A lost; visit A done; wait 3;" * 20,
    "a line that flaps": "enter A 3;"
    + "enter A; end A lost; fail A lost; wait 20;" * 30
    + "visit A lost 30;",
    "a script that polls": "visit A done 4; wait 1;" * 3600,
    "a team behind a router": (
        "enter A 12; end A lost 12; fail A lost 3; enter A 12; end A done 12; wait 60;" * 3
    ),
    "who waits is spread out": LATE
    + "".join(f"come A = held {each / 4:g};" for each in range(1, 7))
    + "come A = pace; come B",
    "all wake at once": LATE + "come A 6 = held; wait 1.5; again A 2; again A 4 = held",
    "silent ones are waited for after the own turn, too": LATE
    + "come A = held; wait 1; come A 2; again A = held; wait 5; again A = logging-in",
    "36 wait in all": "visit 192.0.2.<0-6> done 41; come 192.0.2.<0-5> 6 = held; come 192.0.2.6 = pace;"
    "come 192.0.2.0 = pace; end 192.0.2.0 lost; come 192.0.2.6 = held; come B",
    "what was found meanwhile counts": LATE
    + "come A 2 = held; again A = held; ban A; again A = banned; unban A; wait 0.5; again A",
    "an end while waiting is no offence": LATE + "come A = held; end A crashed; come A = held",
    "a ban": "ban A; come ::ffff:192.0.2.1 = banned; unban A; come A",
}
LIMITED: list[tuple[AdmissionLimits, str]] = [
    (AdmissionLimits(0, 0, 0, 0, 0), "come A 1000; end A grace 1000; come A"),
    (
        AdmissionLimits(connections_each=0, unauthenticated=0, unauthenticated_each=0),
        f"come A 500; login A 500; come A = held {MAX_WAIT:g}; wait {MAX_WAIT}; again A",
    ),
    *(
        (AdmissionLimits(unauthenticated=10, arrivals_each=rate), "visit A done 400; come A")
        for rate in (0, 40)
    ),
    (
        AdmissionLimits(unauthenticated=10, exempt=("192.0.2.0/24",)),
        "visit A done 1000; fail A crashed 3; come A 10; come A = for A; ban A; come A = banned",
    ),
]
LIMITED += [
    (AdmissionLimits(unauthenticated=1, logging_in=1), f"{history} come B begun = for 192.0.2.{evicted}")
    for evicted, history in (
        # Where the places to log in are just taken, the one without progress for longest goes.
        (1, "come 192.0.2.1 answered; come 192.0.2.2 begun; wait 0.5;"),
        (2, "come 192.0.2.1 answered; come 192.0.2.2 begun; wait 0.5; goes 192.0.2.1 further;"),
    )
]
PROXIED = AdmissionLimits(unauthenticated=10, proxies=("10.0.0.0/8",))
LIMITED += [
    (PROXIED, text)
    for text in (
        "proxy proxy 5; reveal A 2; reveal A = held; ban B; reveal B = banned; end A crashed; come A = penalty",
        "proxy proxy 10; come A = for proxy",
        "proxy proxy; reveal 10.1.2.3; end 10.1.2.3 lost;" * 50,
        LATE + "proxy proxy; reveal A = held; come 198.51.100.<0-9>; wait 0.25; again A = for 198.51.100.0;"
        "login A; end A done",
    )
]


@pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES)
def test_a_history_has_these_decisions(history: str) -> None:
    World().play(history)


@pytest.mark.parametrize(("limits", "history"), LIMITED)
def test_so_has_one_with_other_limits(limits: AdmissionLimits, history: str) -> None:
    World(limits).play(history)


@pytest.mark.parametrize(
    ("why", "times"),
    [
        *(("done", 15), ("lost", 15), ("mismatch", 15), ("auth", 3)),
        *(("grace", 2), ("protocol", 2), ("attempts", 1), ("crashed", 1)),
    ],
)
def test_what_ends_badly_counts_against_its_source(why: Ending, times: int) -> None:
    World().play(f"fail A {why} {times}; come A = penalty; come B; wait 700; come A")


@pytest.mark.parametrize("why", get_args(Ending))
def test_connections_may_end_after_login_as_often_as_they_like(why: Ending) -> None:
    pause = 11 if why in {"protocol", "attempts", "crashed"} else 0.25
    World().play(f"visit A {why}; wait {pause};" * 60 + "come A")


def test_too_slow_logins_cost_nothing() -> None:
    World().play("come A answered 2; end A slow 2;" * 50 + "come A")


def test_a_ban_says_why_and_a_penalty_for_how_long() -> None:
    now = 1000.0
    admission = AdmissionControl(LIMITS, lambda: now, "192.0.2.9".__eq__, why_banned="Not {}.".format)
    assert admission.request("192.0.2.9") == AdmissionRefused("banned", words="Not 192.0.2.9.")
    for _ in range(2):
        decision = admission.request("192.0.2.1")
        assert isinstance(decision, Admitted)
        admission.record_connection_end(decision.connection, "grace")
    assert admission.request("192.0.2.1") == AdmissionRefused("penalty", 20.0)
    now += 5
    assert admission.request("192.0.2.1") == AdmissionRefused("penalty", 15.0)


def test_silent_sources_that_come_again_are_blocked_in_the_end() -> None:
    world, addresses = World(), [f"198.51.100.{each}" for each in range(200)]
    for _ in range(4):
        for address in addresses:
            world.come(address)
            assert world.admission.unauthenticated <= 10
    player = world.come("192.0.2.1")
    decisions = [world.admission.request(address) for address in addresses]
    assert sum(isinstance(each, AdmissionRefused) for each in decisions) >= 190
    world.admission.logged_in(player)


def test_a_crowd_that_comes_at_once_may_try_again() -> None:
    """As after a restart: being evicted in the handshake blocks nobody within a few tries."""
    world, crowd = World(), [f"198.51.100.{each}" for each in range(100)]
    for wait in (1, 5, 9):
        numbers = [(address, world.come(address)) for address in crowd]
        for address, number in numbers[-10:]:
            world.admission.logged_in(number)
            crowd.remove(address)
        world.now += wait


@pytest.mark.parametrize("each_takes", [0.11, 0.02])
def test_a_loop_waits_for_its_turn_and_is_never_refused(each_takes: float) -> None:
    """Each connection begins when the one before has ended, as those of `while ssh HOST games; do :; done`."""
    world = World()
    began, waits = world.now, list[float]()
    for _ in range(1000):
        decision, came = world.admission.request("192.0.2.1"), world.now
        while isinstance(decision, Held):
            world.now += decision.seconds
            decision = world.admission.retry(decision.connection)
        assert isinstance(decision, Admitted)
        waits.append(world.now - came)
        world.admission.logged_in(decision.connection)
        world.now += each_takes
        world.admission.record_connection_end(decision.connection, "done")
    assert (world.counted, world.admission.waiting) == ([], 0)
    assert waits[:40] == [0.0] * 40
    assert max(waits) < 0.3
    assert 1000 / (world.now - began) == pytest.approx(4, rel=0.1)


@pytest.mark.parametrize(("each_second", "within"), [(20, 8.0), (100, 1.5), (1000, 0.5)])
def test_a_flood_past_those_who_wait_is_blocked_within_seconds(each_second: int, within: float) -> None:
    world, held, came_in = World(), dict[int, float](), 0
    began = world.now

    def decided(decision: Admitted | Held | AdmissionRefused) -> None:
        nonlocal came_in
        if isinstance(decision, Held):
            held[decision.connection] = world.now + decision.seconds
        elif isinstance(decision, Admitted):
            came_in += 1
            world.admission.logged_in(decision.connection)
            world.admission.record_connection_end(decision.connection, "done")

    while "penalty" not in world.counted:
        for number in [number for number, until in held.items() if until <= world.now]:
            del held[number]
            decided(world.admission.retry(number))
        decided(world.admission.request("192.0.2.1"))
        assert world.admission.waiting == len(held) <= MAX_WAITING_PER_SOURCE
        world.now += 1 / each_second
    assert world.now - began <= within
    assert came_in <= 40 + 4 * within + MAX_WAITING_PER_SOURCE
    world.enter("192.0.2.2")


def test_other_limits_apply_at_once_to_newcomers_alone() -> None:
    world = World()
    world.play("come A 2; come A = held")
    world.admission.configure(AdmissionLimits(unauthenticated_each=3))
    world.play("come A")
    world.admission.configure(AdmissionLimits(unauthenticated_each=1))
    world.play("come A = held")
    assert world.admission.connections == 3
    with pytest.raises(ValueError, match="does not appear"):
        world.admission.configure(AdmissionLimits(unauthenticated_each=9, exempt=("nowhere",)))
    world.play("come A = held")
    world.admission.configure(AdmissionLimits(unauthenticated_each=9, penalties=0))
    world.play("fail B crashed 5; come B")
    world.admission.configure(LIMITS)
    world.play("fail B crashed; come B = penalty")


def test_a_number_that_has_ended_is_ignored() -> None:
    world = World(PROXIED)
    world.play("proxy proxy 10; come A = for proxy")
    assert world.admission.has_ended(1)
    assert world.admission.identify(1, "192.0.2.2") == AdmissionRefused("unauthenticated")
    world.admission.logged_in(1)
    world.admission.record_connection_end(1, "crashed")
    assert (world.admission.unauthenticated, world.admission.connections) == (10, 10)
    assert [world.admission.is_proxy(each) for each in ("10.1.2.3", "192.0.2.1")] == [True, False]


ADDRESSES = st.one_of(
    st.integers(0, 30).map(lambda each: f"192.0.2.{each}"),
    st.integers(0, 5).map(lambda each: f"2001:db8:0:{each}::1"),
    st.just("10.0.0.1"),
)


class Doors(RuleBasedStateMachine):
    """Anything may happen in any order: the counts are right, and never over the limits."""

    @initialize(
        unauthenticated=st.integers(1, 12),
        each=st.integers(1, 4),
        most=st.integers(1, 6),
        pace=st.integers(0, 3),
        size=st.floats(0, 100),
    )
    def begin(self, unauthenticated: int, each: int, most: int, pace: int, size: float) -> None:
        self.limits = AdmissionLimits(unauthenticated, each, most, pace, size, ("10.0.0.0/8",))
        self.world = World(self.limits)
        self.outside: dict[int, str] = {}
        self.inside: dict[int, str] = {}
        self.waiting: dict[int, str] = {}
        self.over: list[int] = []

    def _becomes(self, decision: Any, address: str, number: int = 0) -> None:
        if isinstance(decision, Admitted):
            known = {*self.outside, *self.inside, *self.waiting, *self.over}
            assert decision.connection not in known
            if decision.instead_of:
                del self.outside[decision.instead_of]
                self.over.append(decision.instead_of)
            self.outside[decision.connection] = address
        elif isinstance(decision, Held):
            self.waiting[decision.connection] = address
        elif number:
            self.over.append(number)

    @rule(address=ADDRESSES)
    def request(self, address: str) -> None:
        self._becomes(self.world.admission.request(address), address)

    @rule(pick=st.integers(0, 100), patiently=st.booleans())
    def retry(self, pick: int, patiently: bool) -> None:
        if self.waiting:
            number = [*self.waiting][pick % len(self.waiting)]
            address = self.waiting.pop(number)
            self.world.now += MAX_WAIT * patiently
            self._becomes(self.world.admission.retry(number), address, number)

    @rule()
    def admit_proxy(self) -> None:
        self._becomes(self.world.admission.admit_proxy(), "")

    @rule(pick=st.integers(0, 100), address=ADDRESSES)
    def identify(self, pick: int, address: str) -> None:
        waiting = [number for number, known in self.outside.items() if not known]
        if waiting:
            number = waiting[pick % len(waiting)]
            del self.outside[number]
            self._becomes(self.world.admission.identify(number, address), address, number)

    @rule(pick=st.integers(0, 100))
    def log_in(self, pick: int) -> None:
        known = [number for number, address in self.outside.items() if address]
        if known:
            number = known[pick % len(known)]
            self.inside[number] = self.outside.pop(number)
            self.world.admission.logged_in(number)

    @rule(pick=st.integers(0, 100), why=st.sampled_from(get_args(Ending)))
    def end(self, pick: int, why: Ending) -> None:
        there = [*self.outside, *self.inside, *self.waiting]
        if there:
            number = there[pick % len(there)]
            for those in (self.outside, self.inside, self.waiting):
                those.pop(number, None)
            self.over.append(number)
            self.world.admission.record_connection_end(number, why)

    @rule(pick=st.integers(0, 100), why=st.sampled_from(get_args(Ending)))
    def end_again(self, pick: int, why: Ending) -> None:
        if self.over:
            number = self.over[pick % len(self.over)]
            self.world.admission.record_connection_end(number, why)
            self.world.admission.logged_in(number)

    @rule(seconds=st.floats(0, 200))
    def wait(self, seconds: float) -> None:
        self.world.now += seconds

    @invariant()
    def holds(self) -> None:
        admission, waiting = self.world.admission, list(self.waiting.values())
        assert admission.unauthenticated == len(self.outside) <= self.limits.unauthenticated
        assert admission.connections == len(self.outside) + len(self.inside)
        assert admission.waiting == len(waiting)
        assert all(waiting.count(each) <= MAX_WAITING_FOR_OTHERS for each in waiting)
        for held, there in (
            (self.limits.unauthenticated_each, [*self.outside.values()]),
            (self.limits.connections_each, [*self.outside.values(), *self.inside.values()]),
        ):
            networks = [source_of(address).network for address in there if address not in {"", "10.0.0.1"}]
            assert all(networks.count(network) <= held for network in networks)


TestDoors = Doors.TestCase
TestDoors.settings = settings(max_examples=60, stateful_step_count=60, deadline=None)
