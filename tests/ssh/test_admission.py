"""Admission control without a loop: who is admitted, who is evicted, and which penalty each end brings."""

from typing import get_args

import asyncssh
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from cartino_server.limits import AdmissionLimits
from cartino_server.networks import source_of
from cartino_server.ssh.admission import (
    ENDINGS,
    MAX_LOGIN_WAIT,
    MAX_WAITING,
    MAX_WAITING_FOR_OTHERS,
    MAX_WAITING_PER_SOURCE,
    AdmissionControl,
    AdmissionRefused,
    Admitted,
    Ending,
    Held,
)
from cartino_server.ssh.authentication import ending_of
from cartino_server.ssh.rate_limit import MAX_WAIT

LIMITS = AdmissionLimits(unauthenticated=10)
"""Few places, so that they are full soon."""


class World:
    """A gate with a clock, and what it counts."""

    def __init__(self, limits: AdmissionLimits = LIMITS) -> None:
        self.now = 1000.0
        self.banned: set[str] = set()
        self.counted: list[str] = []
        self.admission = AdmissionControl(
            limits, lambda: self.now, self.banned.__contains__, self.counted.append
        )

    def come(self, address: str) -> int:
        """Somebody who is admitted; their number."""
        knocked = self.admission.request(address)
        assert isinstance(knocked, Admitted)
        return knocked.connection

    def enter(self, address: str) -> int:
        """Somebody who logs in."""
        number = self.come(address)
        self.admission.logged_in(number)
        return number

    def is_kept_out(self, address: str) -> bool:
        """Whether they are turned away for how connections from there behaved; it is told for how long."""
        knocked = self.admission.request(address)
        return isinstance(knocked, AdmissionRefused) and knocked.reason == "penalty" and knocked.seconds > 0

    def fails(self, address: str, why: Ending) -> None:
        """Somebody whose connection ends so before they have logged in."""
        self.admission.record_connection_end(self.come(address), why)


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody may wait until others of their source have logged in."""
    monkeypatch.setattr("cartino_server.ssh.admission.MAX_WAITING_FOR_OTHERS", 0)


def test_ten_who_come_at_once_from_one_source_all_get_in(world: World) -> None:
    waiting = [world.admission.request("192.0.2.1") for _ in range(10)]
    assert [type(each) for each in waiting] == [Admitted] * 2 + [Held] * 8
    logging_in = [each.connection for each in waiting if isinstance(each, Admitted)]
    held = [each for each in waiting if isinstance(each, Held)]
    while held or logging_in:
        for number in logging_in:
            world.admission.logged_in(number)
        world.now += 0.25
        again = [world.admission.retry(each.connection) for each in held]
        logging_in = [each.connection for each in again if isinstance(each, Admitted)]
        held = [each for each in again if isinstance(each, Held)]
    assert world.counted == []
    assert world.admission.connections == 10


def test_who_waits_for_silent_ones_waits_a_while(world: World) -> None:
    for _ in range(2):
        world.come("192.0.2.1")
    began, knocked = world.now, world.admission.request("192.0.2.1")
    while isinstance(knocked, Held):
        world.now += knocked.seconds
        knocked = world.admission.retry(knocked.connection)
    assert knocked == AdmissionRefused("logging-in")
    assert world.now - began == MAX_LOGIN_WAIT
    assert not world.is_kept_out("192.0.2.1")


@pytest.mark.usefixtures("impatient")
def test_of_one_source_two_may_shake_hands_at_once(world: World) -> None:
    first = world.come("192.0.2.1")
    world.come("192.0.2.1")
    assert world.admission.request("192.0.2.1") == AdmissionRefused("logging-in")
    assert world.counted == ["logging-in"]
    world.come("192.0.2.2")
    world.admission.logged_in(first)
    world.come("192.0.2.1")


@pytest.mark.usefixtures("impatient")
def test_who_is_one_too_many_has_done_nothing_wrong(world: World) -> None:
    """As many people behind one address are, who all come at once, and come again in a moment."""
    first = [world.come("192.0.2.1") for _ in range(2)]
    assert [world.admission.request("192.0.2.1") for _ in range(500)] == [
        AdmissionRefused("logging-in")
    ] * 500
    for number in first:
        world.admission.logged_in(number)
    for _ in range(18):
        world.enter("192.0.2.1")
    assert [world.admission.request("192.0.2.1") for _ in range(500)] == [AdmissionRefused("source")] * 500
    world.admission.record_connection_end(first[0], "done")
    world.come("192.0.2.1")


def test_a_ban_says_why_and_a_penalty_for_how_long() -> None:
    now = 1000.0
    admission = AdmissionControl(LIMITS, lambda: now, "192.0.2.9".__eq__, why_banned="Not {}.".format)
    assert admission.request("192.0.2.9") == AdmissionRefused("banned", words="Not 192.0.2.9.")
    for _ in range(2):
        knocked = admission.request("192.0.2.1")
        assert isinstance(knocked, Admitted)
        admission.record_connection_end(knocked.connection, "grace")
    assert admission.request("192.0.2.1") == AdmissionRefused("penalty", 20.0)
    now += 5
    assert admission.request("192.0.2.1") == AdmissionRefused("penalty", 15.0)


@pytest.mark.usefixtures("impatient")
def test_a_network_of_64_bits_is_one_source_and_an_address_in_clothes_is_itself(world: World) -> None:
    world.come("2001:db8::1")
    world.come("2001:db8::ffff")
    assert world.admission.request("2001:db8::2") == AdmissionRefused("logging-in")
    world.come("2001:db8:0:1::1")
    world.come("192.0.2.1")
    world.come("::ffff:192.0.2.1")
    assert world.admission.request("192.0.2.1") == AdmissionRefused("logging-in")


def test_of_one_source_so_many_are_there_and_no_more(world: World) -> None:
    numbers = [world.enter("192.0.2.1") for _ in range(20)]
    assert world.admission.request("192.0.2.1") == AdmissionRefused("source")
    world.admission.record_connection_end(numbers[3], "done")
    world.enter("192.0.2.1")
    assert world.admission.request("192.0.2.1") == AdmissionRefused("source")
    assert world.admission.connections == 20


def test_when_all_places_are_taken_the_oldest_goes(world: World) -> None:
    numbers = [world.come(f"192.0.2.{each}") for each in range(10)]
    world.admission.logged_in(numbers[0])
    assert world.admission.request("198.51.100.1") == Admitted(11)
    assert world.admission.request("198.51.100.2") == Admitted(12, instead_of=numbers[1])
    assert world.admission.unauthenticated == 10
    assert world.counted == ["unauthenticated"]
    # It ends a little later, and is known no more.
    world.admission.record_connection_end(numbers[1], "lost")
    world.admission.logged_in(numbers[1])
    assert world.admission.unauthenticated == 10


def test_it_goes_from_the_source_that_holds_most(world: World) -> None:
    for each in range(4):
        world.come(f"192.0.2.{each}")
    greedy = [world.come("198.51.100.1"), world.come("198.51.100.1")]
    for each in range(4, 8):
        world.come(f"192.0.2.{each}")
    assert world.admission.request("203.0.113.1") == Admitted(11, instead_of=greedy[0])


def test_who_holds_a_place_that_others_need_is_kept_out_at_last(world: World) -> None:
    """200 sources that all fall silent, and come again: each gets in a few times, and then no more."""
    addresses = [f"198.51.100.{each}" for each in range(200)]
    for _ in range(4):
        for address in addresses:
            world.come(address)
            assert world.admission.unauthenticated <= 10
    player = world.come("192.0.2.1")
    refused = [
        address for address in addresses if isinstance(world.admission.request(address), AdmissionRefused)
    ]
    assert len(refused) >= 190
    world.admission.logged_in(player)


def test_a_crowd_that_comes_at_once_may_try_again(world: World) -> None:
    """As after a restart: whoever is put out while they shake hands is kept out by none of a few tries."""
    crowd = [f"198.51.100.{each}" for each in range(100)]
    for wait in (1, 5, 9):
        there = [(address, world.admission.request(address)) for address in crowd]
        assert [address for address, knocked in there if isinstance(knocked, AdmissionRefused)] == []
        for address, knocked in there[-10:]:
            assert isinstance(knocked, Admitted)
            world.admission.logged_in(knocked.connection)
            crowd.remove(address)
        world.now += wait


def test_who_lingers_where_others_wait_is_kept_out_sooner(world: World) -> None:
    for _ in range(2):
        for each in range(10):
            world.come(f"198.51.100.{each}")
        world.now += 2
        players = [world.come(f"192.0.2.{each}") for each in range(10)]
        for number in players:
            world.admission.logged_in(number)
    assert all(world.is_kept_out(f"198.51.100.{each}") for each in range(10))


def test_a_place_that_is_no_limit(world: World) -> None:
    world = World(AdmissionLimits(0, 0, 0, 0, 0))
    numbers = [world.come("192.0.2.1") for _ in range(1000)]
    for number in numbers:
        world.admission.record_connection_end(number, "grace")
    world.come("192.0.2.1")
    assert world.counted == []


@pytest.mark.parametrize(
    ("why", "times"),
    [
        ("done", 15),
        ("lost", 15),
        ("mismatch", 15),
        ("auth", 3),
        ("grace", 2),
        ("protocol", 2),
        ("attempts", 1),
        ("crashed", 1),
    ],
)
def test_what_ends_badly_is_held_against_its_source(world: World, why: Ending, times: int) -> None:
    for _ in range(times):
        world.fails("192.0.2.1", why)
    assert world.is_kept_out("192.0.2.1")
    world.come("192.0.2.2")
    world.now += 700
    world.come("192.0.2.1")


@pytest.mark.parametrize("why", get_args(Ending))
def test_who_was_in_may_leave_as_often_as_they_like(world: World, why: Ending) -> None:
    for _ in range(40):
        world.admission.record_connection_end(world.enter("192.0.2.1"), why)
        world.now += 0 if why in {"done", "lost", "mismatch", "auth", "grace"} else 11
    world.come("192.0.2.1")


# Those who do nothing wrong, though they come and go: nobody behind their address is to suffer for it.

HOUR = 3600


@pytest.mark.parametrize("monitors", [1, 3])
def test_whatever_looks_whether_the_port_is_open_keeps_no_player_out(monitors: int) -> None:
    """A load balancer or a monitor connects and closes at once, every five seconds, all day."""
    world = World()
    for second in range(0, HOUR, 5):
        for _ in range(monitors):
            world.fails("192.0.2.1", "lost")
        world.now += 5
        if not second % 600:
            world.admission.record_connection_end(world.enter("192.0.2.1"), "done")
    assert world.counted == []


def test_who_collects_host_keys_keeps_no_player_out(world: World) -> None:
    """`ssh-keyscan` comes with five connections, of which two get in, and asks for kinds of keys that nobody has."""
    for _ in range(20):
        knocked = [world.admission.request("192.0.2.1") for _ in range(5)]
        for each, why in zip(knocked[:2], ("mismatch", "lost"), strict=True):
            assert isinstance(each, Admitted)
            world.admission.record_connection_end(each.connection, why)  # type: ignore[arg-type]
        world.admission.record_connection_end(world.enter("192.0.2.1"), "done")
        world.now += 3
    assert "penalty" not in world.counted


def test_a_line_that_flaps_is_nobodys_fault(world: World) -> None:
    """Thirty times in ten minutes: some break while they shake hands, and what broke is noticed a while later."""
    here: list[int] = []
    for number in range(30):
        if number % 3 == 2:
            world.fails("192.0.2.1", "lost")
        here.append(world.enter("192.0.2.1"))
        if len(here) > 3:
            world.admission.record_connection_end(here.pop(0), "lost")
        world.now += 20
    assert world.counted == []
    # Nor where it all comes together, as while a telephone looks for its mast.
    for _ in range(30):
        world.admission.record_connection_end(world.enter("192.0.2.1"), "lost")
    world.enter("192.0.2.1")
    assert world.counted == []


@pytest.mark.parametrize("why", ["done", "lost"])
@pytest.mark.parametrize("each_takes", [0.11, 0.02])
def test_a_loop_waits_for_its_turn_and_is_never_kept_out(
    world: World, why: Ending, each_takes: float
) -> None:
    """Each connection begins when the one before has ended, as those of `while ssh HOST games; do :; done`."""
    began, waits = world.now, list[float]()
    for _ in range(2000):
        knocked, came = world.admission.request("192.0.2.1"), world.now
        while isinstance(knocked, Held):
            assert world.admission.waiting == 1
            world.now += knocked.seconds
            knocked = world.admission.retry(knocked.connection)
        assert isinstance(knocked, Admitted)
        waits.append(world.now - came)
        world.admission.logged_in(knocked.connection)
        world.now += each_takes
        world.admission.record_connection_end(knocked.connection, why)
    assert world.counted == []
    assert world.admission.waiting == 0
    assert waits[:40] == [0.0] * 40, "nobody who does so now and then feels it"
    assert max(waits) < 0.3
    assert 2000 / (world.now - began) == pytest.approx(4, rel=0.05)
    assert isinstance(world.admission.request("192.0.2.2"), Admitted)
    world.now += 11
    assert isinstance(world.admission.request("192.0.2.1"), Admitted)


class Pushers:
    """People of one source who all come again and again, each as soon as they were let go or turned away."""

    def __init__(self, world: World, each_second: int) -> None:
        self.world, self.each_second = world, each_second
        self.got_in = 0
        self._held = dict[int, float]()

    def push(self) -> float:
        """Until they are kept out, after so many seconds."""
        world, came = self.world, self.world.now
        while "penalty" not in world.counted:
            for number, until in tuple(self._held.items()):
                if until <= world.now:
                    del self._held[number]
                    self._becomes(world.admission.retry(number))
            self._becomes(world.admission.request("192.0.2.1"))
            assert world.admission.waiting == len(self._held) <= MAX_WAITING_PER_SOURCE
            world.now += 1 / self.each_second
        return world.now - came

    def _becomes(self, knocked: Admitted | Held | AdmissionRefused) -> None:
        if isinstance(knocked, Held):
            self._held[knocked.connection] = self.world.now + knocked.seconds
        elif isinstance(knocked, Admitted):
            self.got_in += 1
            self.world.admission.logged_in(knocked.connection)
            self.world.admission.record_connection_end(knocked.connection, "done")


@pytest.mark.parametrize(("each_second", "within"), [(20, 8.0), (100, 1.5), (1000, 0.5)])
def test_who_pushes_past_those_who_wait_is_kept_out_within_seconds(
    world: World, each_second: int, within: float
) -> None:
    pushers = Pushers(world, each_second)
    assert pushers.push() <= within
    assert pushers.got_in <= 40 + 4 * within + MAX_WAITING_PER_SOURCE, "which costs no more than that"
    world.enter("192.0.2.2")


def test_who_comes_in_all_at_once_waits_no_longer_than_programs_do() -> None:
    world = World(AdmissionLimits(connections_each=0, unauthenticated=0, unauthenticated_each=0))
    for number in [world.come("192.0.2.1") for _ in range(500)]:
        world.admission.logged_in(number)
    held = world.admission.request("192.0.2.1")
    assert held == Held(501, MAX_WAIT)
    world.now += MAX_WAIT
    assert world.admission.retry(501) == Admitted(501)


def test_all_who_wait_are_bounded_and_who_is_let_go_leaves_their_place(world: World) -> None:
    sources = [f"192.0.2.{each}" for each in range(MAX_WAITING // MAX_WAITING_PER_SOURCE + 1)]
    for source in sources:
        for _ in range(41):
            world.admission.record_connection_end(world.enter(source), "done")
    held = [world.admission.request(source) for source in sources[:-1] for _ in range(MAX_WAITING_PER_SOURCE)]
    assert all(isinstance(each, Held) for each in held)
    assert world.admission.waiting == MAX_WAITING
    assert (
        world.admission.request(sources[-1])
        == world.admission.request(sources[0])
        == AdmissionRefused("pace")
    )
    world.admission.record_connection_end(held[0].connection, "lost")  # type: ignore[union-attr]
    assert isinstance(world.admission.request(sources[-1]), Held)
    world.come("198.51.100.1")


def test_what_was_found_meanwhile_speaks_against_who_waits(world: World) -> None:
    for _ in range(41):
        world.admission.record_connection_end(world.enter("192.0.2.1"), "done")
    first, second = (world.admission.request("192.0.2.1") for _ in range(2))
    assert isinstance(first, Held)
    assert isinstance(second, Held)
    # Not yet: whoever asks too soon waits on.
    assert isinstance(world.admission.retry(first.connection), Held)
    world.banned.add("192.0.2.1")
    assert world.admission.retry(first.connection) == AdmissionRefused("banned")
    world.banned.clear()
    world.now += second.seconds
    assert world.admission.retry(second.connection) == Admitted(second.connection)
    assert world.admission.waiting == 0


def crowd_waits(world: World) -> list[Held]:
    """As many of one source as may wait do so, after a crowd of it has come in."""
    for _ in range(41):
        world.admission.record_connection_end(world.enter("192.0.2.1"), "done")
    held = [world.admission.request("192.0.2.1") for _ in range(MAX_WAITING_PER_SOURCE)]
    waiting = [each for each in held if isinstance(each, Held)]
    assert len(waiting) == MAX_WAITING_PER_SOURCE
    return waiting


def come_in(world: World, waiting: list[Held], logs_in_after: float) -> list[int]:
    """Those of them who come in; each logs in so many seconds later."""
    due = {each.connection: world.now + each.seconds for each in waiting}
    came = list[int]()
    logging_in = dict[int, float]()
    while due:
        world.now = min([*due.values(), *logging_in.values()])
        for number in [each for each, until in logging_in.items() if until <= world.now]:
            del logging_in[number]
            world.admission.logged_in(number)
            world.admission.record_connection_end(number, "done")
        for number in [each for each, until in due.items() if until <= world.now]:
            del due[number]
            knocked = world.admission.retry(number)
            assert not isinstance(knocked, AdmissionRefused), "they have waited"
            if isinstance(knocked, Held):
                due[number] = world.now + knocked.seconds
            else:
                came.append(number)
                logging_in[number] = world.now + logs_in_after
    return came


@pytest.mark.parametrize("logs_in_after", [0.01, 0.3, 1.0, 2.0])
def test_who_has_waited_comes_in_however_long_the_others_take(world: World, logs_in_after: float) -> None:
    waiting = crowd_waits(world)
    assert [each.seconds for each in waiting] == pytest.approx([0.25, 0.5, 0.75, 1.0, 1.25, 1.5]), (
        "one after the other"
    )
    began = world.now
    came = come_in(world, waiting, logs_in_after)
    assert sorted(came) == [each.connection for each in waiting]
    assert world.now - began <= 2 + 3 * logs_in_after
    assert world.counted == []
    assert world.admission.waiting == 0


def test_those_who_all_wake_in_the_same_breath_come_in_too(world: World) -> None:
    waiting = crowd_waits(world)
    world.now += max(each.seconds for each in waiting)
    again = [world.admission.retry(each.connection) for each in waiting]
    assert [type(each) for each in again] == [Admitted] * 2 + [Held] * 4
    assert world.counted == []


def test_who_has_waited_waits_for_others_to_log_in_but_not_for_ever(world: World) -> None:
    """Two of the source are silent, and have all the places that it has for those who log in."""
    first, *others = crowd_waits(world)
    for each in others:
        world.admission.record_connection_end(each.connection, "lost")
    world.now += 1
    for _ in range(2):
        world.come("192.0.2.1")
    began, knocked = world.now, world.admission.retry(first.connection)
    while isinstance(knocked, Held):
        world.now += knocked.seconds
        knocked = world.admission.retry(first.connection)
    assert knocked == AdmissionRefused("logging-in")
    assert world.now - began == MAX_LOGIN_WAIT
    assert world.admission.waiting == 0


def test_whom_a_proxy_brings_waits_for_their_turn_too() -> None:
    world = World(PROXIED)
    for _ in range(41):
        world.admission.record_connection_end(world.enter("192.0.2.1"), "done")
    number = world.admission.admit_proxy().connection
    held = world.admission.identify(number, "192.0.2.1")
    assert isinstance(held, Held)
    assert (held.connection, world.admission.unauthenticated) == (number, 0)
    for each in range(10):
        world.come(f"198.51.100.{each}")
    world.now += held.seconds
    assert world.admission.retry(number) == Admitted(number, instead_of=number + 1)
    world.admission.logged_in(number)
    assert not world.admission.has_ended(number)


@pytest.mark.parametrize("rate", [0, 40])
def test_how_many_may_come_for_ever_is_a_setting(rate: int) -> None:
    world = World(AdmissionLimits(unauthenticated=10, arrivals_each=rate))
    for _ in range(400):
        world.admission.record_connection_end(world.enter("192.0.2.1"), "done")
    assert isinstance(world.admission.request("192.0.2.1"), Admitted)
    assert world.admission.waiting == 0


def test_who_comes_every_second_may_do_so_for_ever(world: World) -> None:
    """A script that polls, and three more behind the same address."""
    for _ in range(HOUR):
        for _ in range(4):
            world.admission.record_connection_end(world.enter("192.0.2.1"), "done")
        world.now += 1
    assert world.counted == []


def test_a_team_behind_one_address_may_come_again_at_once(world: World) -> None:
    """After a restart of their router: twelve people, each twice, and some of them give up their first try."""
    for _ in range(3):
        here = [world.enter("192.0.2.1") for _ in range(12)]
        for number in here:
            world.admission.record_connection_end(number, "lost")
        for _ in range(3):
            world.fails("192.0.2.1", "lost")
        for number in [world.enter("192.0.2.1") for _ in range(12)]:
            world.admission.record_connection_end(number, "done")
        world.now += 60
    assert world.counted == []


def test_who_is_exempt_may_come_and_go_as_they_like() -> None:
    world = World(AdmissionLimits(unauthenticated=10, exempt=("192.0.2.0/24",)))
    for _ in range(1000):
        world.admission.record_connection_end(world.enter("192.0.2.1"), "done")
    assert world.counted == []


def test_exempt_sources_count_overall_and_not_by_themselves() -> None:
    world = World(AdmissionLimits(unauthenticated=10, exempt=("192.0.2.0/24",)))
    for _ in range(3):
        world.fails("192.0.2.1", "crashed")
    numbers = [world.come("192.0.2.1") for _ in range(10)]
    assert world.admission.request("192.0.2.1") == Admitted(14, instead_of=numbers[0])
    for _ in range(40):
        world.enter("192.0.2.1")
    world.banned.add("192.0.2.1")
    assert world.admission.request("192.0.2.1") == AdmissionRefused("banned")


def test_who_is_banned_does_not_come_in(world: World) -> None:
    world.banned.add("192.0.2.1")
    assert world.admission.request("::ffff:192.0.2.1") == AdmissionRefused("banned")
    world.banned.clear()
    world.come("192.0.2.1")
    assert world.counted == ["banned"]


PROXIED = AdmissionLimits(unauthenticated=10, proxies=("10.0.0.0/8",))


@pytest.mark.usefixtures("impatient")
def test_whom_a_proxy_brings_counts_by_themselves() -> None:
    world = World(PROXIED)
    admission = world.admission
    assert admission.is_proxy("10.1.2.3")
    assert not admission.is_proxy("192.0.2.1")
    brought = [admission.admit_proxy().connection for _ in range(4)]
    assert admission.identify(brought[0], "192.0.2.1") == Admitted(brought[0])
    assert admission.identify(brought[1], "192.0.2.1") == Admitted(brought[1])
    assert admission.identify(brought[2], "192.0.2.1") == AdmissionRefused("logging-in")
    world.banned.add("192.0.2.9")
    assert admission.identify(brought[3], "192.0.2.9") == AdmissionRefused("banned")
    assert (admission.connections, admission.unauthenticated) == (2, 2)
    # It counts for whoever was brought, and never for the proxy.
    admission.record_connection_end(brought[0], "crashed")
    assert world.is_kept_out("192.0.2.1")
    for _ in range(20):
        admission.record_connection_end(admission.admit_proxy().connection, "protocol")
    assert isinstance(admission.admit_proxy(), Admitted)


def test_a_proxy_that_says_nothing_holds_no_place_for_ever() -> None:
    world = World(PROXIED)
    waiting = [world.admission.admit_proxy().connection for _ in range(10)]
    assert world.admission.request("192.0.2.1") == Admitted(11, instead_of=waiting[0])
    assert world.admission.identify(waiting[0], "192.0.2.2") == AdmissionRefused("unauthenticated")
    assert world.admission.unauthenticated == 10


def test_what_a_proxy_does_by_itself_is_not_a_strangers() -> None:
    world = World(PROXIED)
    for _ in range(50):
        number = world.admission.admit_proxy().connection
        assert world.admission.identify(number, "10.1.2.3") == Admitted(number)
        world.admission.record_connection_end(number, "lost")


@pytest.mark.usefixtures("impatient")
def test_other_limits_hold_at_once_and_nobody_is_thrown_out(world: World) -> None:
    for _ in range(2):
        world.come("192.0.2.1")
    world.admission.configure(AdmissionLimits(unauthenticated_each=3))
    world.come("192.0.2.1")
    world.admission.configure(AdmissionLimits(unauthenticated_each=1))
    assert world.admission.request("192.0.2.1") == AdmissionRefused("logging-in")
    assert world.admission.connections == 3
    with pytest.raises(ValueError, match="does not appear"):
        world.admission.configure(AdmissionLimits(unauthenticated_each=9, exempt=("nowhere",)))
    assert world.admission.request("192.0.2.1") == AdmissionRefused("logging-in")


def test_penalties_can_be_switched_off_and_on(world: World) -> None:
    world.fails("192.0.2.1", "crashed")
    world.admission.configure(AdmissionLimits(penalties=0))
    for _ in range(5):
        world.fails("192.0.2.1", "crashed")
    world.admission.configure(LIMITS)
    world.fails("192.0.2.1", "crashed")
    assert world.is_kept_out("192.0.2.1")


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (None, "done"),
        (asyncssh.ConnectionLost("gone"), "lost"),
        (OSError(), "lost"),
        (asyncssh.ProtocolError("noise"), "protocol"),
        (asyncssh.DisconnectError(11, "goodbye"), "done"),
        (asyncssh.DisconnectError(13, "cancelled"), "done"),
        (asyncssh.HostKeyNotVerifiable("who are you"), "done"),
        (asyncssh.DisconnectError(2, "noise"), "protocol"),
        (asyncssh.KeyExchangeFailed("nothing in common"), "mismatch"),
        (UnicodeDecodeError("ascii", b"\xe9", 0, 1, "no text"), "protocol"),
        (RuntimeError("boom"), "crashed"),
    ],
)
def test_how_a_connection_ended(error: Exception | None, why: Ending) -> None:
    assert ending_of(error) == why
    assert ENDINGS[why] == why


ADDRESSES = st.one_of(
    st.integers(0, 30).map(lambda each: f"192.0.2.{each}"),
    st.integers(0, 5).map(lambda each: f"2001:db8:0:{each}::1"),
    st.just("10.0.0.1"),
)


class Doors(RuleBasedStateMachine):
    """Anything may happen in any order: the counts are those of who is there, and never over the limits."""

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

    @rule(address=ADDRESSES)
    def knock(self, address: str) -> None:
        self._becomes(self.world.admission.request(address), address)

    def _becomes(self, knocked: Admitted | Held | AdmissionRefused, address: str, number: int = 0) -> None:
        if isinstance(knocked, Admitted):
            self._note(knocked, address)
        elif isinstance(knocked, Held):
            self.waiting[knocked.connection] = address
        elif number:
            self.over.append(number)

    @rule(pick=st.integers(0, 100), patiently=st.booleans())
    def knock_again(self, pick: int, patiently: bool) -> None:
        if self.waiting:
            number = [*self.waiting][pick % len(self.waiting)]
            address = self.waiting.pop(number)
            if patiently:
                self.world.now += MAX_WAIT
            self._becomes(self.world.admission.retry(number), address, number)

    @rule()
    def expect(self) -> None:
        self._note(self.world.admission.admit_proxy(), "")

    def _note(self, admitted: Admitted, address: str) -> None:
        assert admitted.connection not in {*self.outside, *self.inside, *self.waiting, *self.over}
        if admitted.instead_of:
            del self.outside[admitted.instead_of]
            self.over.append(admitted.instead_of)
        self.outside[admitted.connection] = address

    @rule(pick=st.integers(0, 100), address=ADDRESSES)
    def reveal(self, pick: int, address: str) -> None:
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
            self.outside.pop(number, None)
            self.inside.pop(number, None)
            self.waiting.pop(number, None)
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
        admission = self.world.admission
        assert admission.unauthenticated == len(self.outside) <= self.limits.unauthenticated
        assert admission.connections == len(self.outside) + len(self.inside)
        assert admission.waiting == len(self.waiting)
        assert all(
            list(self.waiting.values()).count(each) <= MAX_WAITING_FOR_OTHERS
            for each in self.waiting.values()
        )
        for held, there in (
            (self.limits.unauthenticated_each, [*self.outside.values()]),
            (self.limits.connections_each, [*self.outside.values(), *self.inside.values()]),
        ):
            networks = [source_of(address).network for address in there if address not in {"", "10.0.0.1"}]
            assert all(networks.count(network) <= held for network in networks)


TestDoors = Doors.TestCase
TestDoors.settings = settings(max_examples=60, stateful_step_count=60, deadline=None)
