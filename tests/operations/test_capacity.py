"""Who comes into a full server, whose place they get, and that neither the server nor a game is ever a stranger's."""

from typing import Any

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from cartino_server.lobby.moderation import SeatValue
from cartino_server.networks import wider_networks
from cartino_server.operations.capacity import (
    ABANDONED_AFTER,
    MAX_RESUMING_GUESTS,
    MIN_IDLE,
    RESUME_SECONDS,
    STARTUP_SECONDS,
    CapacityDecision,
    CapacityLimits,
    ConnectionSlot,
    Newcomer,
    decide_admission,
)

HOUR = 3600.0
STRANGER = Newcomer("SHA256:new", "203.0.113.99")


def place(connection: int, source: str = "", **facts: Any) -> ConnectionSlot:
    """Of a person of their own who came an hour ago, from where nobody else is."""
    return ConnectionSlot(
        connection, f"p{connection}", source or f"10.{connection}.0.1", **{"age": HOUR, **facts}
    )


def comes(
    comer: Newcomer, *places: ConnectionSlot, each: int = 0, more: int = 0, outside: int = 0
) -> CapacityDecision:
    """Into a server that has as many places as these, and some `more`."""
    return decide_admission(comer, places, outside, CapacityLimits(len(places) + more, each))


def player(connection: int, source: str = "", **facts: Any) -> ConnectionSlot:
    return place(connection, source, **{"seat": "game", "stands": True, **facts})


def test_while_there_are_places_all_come_in() -> None:
    assert comes(STRANGER, place(1), more=1) == CapacityDecision(True)
    assert comes(STRANGER, place(1), more=1, outside=1) == CapacityDecision(True, 1)
    assert decide_admission(STRANGER, [player(1)], 9, CapacityLimits(0)) == CapacityDecision(True)


SCHOOL = [place(n, "192.0.2.1", quiet=1.0) for n in range(20, 60)]


@pytest.mark.parametrize(
    ("places", "who"),
    [
        ([place(1, quiet=HOUR), place(2, runs=False)], 2),
        ([place(1, quiet=50.0), place(2, runs=False, age=STARTUP_SECONDS - 1, quiet=9.0)], 1),
        ([place(1, quiet=60.0), place(2, quiet=70.0)], 2),
        ([place(1, quiet=0.0), place(2, quiet=MIN_IDLE - 1)], 1),
        ([place(1, quiet=60.0), place(2, quiet=40.0, guest=True)], 2),
        ([place(1, quiet=60.0), place(2, quiet=200.0, seat="table")], 1),
        ([place(1, quiet=60.0), place(2, quiet=250.0, seat="table")], 2),
        ([place(1, quiet=60.0), place(2, quiet=ABANDONED_AFTER - 1, seat="alone", stands=True)], 1),
        ([place(1, quiet=60.0), place(2, quiet=ABANDONED_AFTER, seat="alone", stands=True)], 2),
        ([place(1, quiet=60.0), *SCHOOL], 20),
        ([place(1, quiet=150.0), *SCHOOL], 1),
        ([place(1, "", quiet=60.0), *(msgspec.structs.replace(each, source="") for each in SCHOOL)], 1),
        ([place(1, quiet=0.0, host=True), player(2, quiet=HOUR), place(3)], 3),
    ],
    ids=[
        "nothing runs",
        "it may be about to",
        "silence",
        "a moment of it is none, then the oldest",
        "guests",
        "seats",
        "seats that somebody has left",
        "alone, while they play",
        "alone and gone",
        "a crowd",
        "a crowd that plays and somebody who does nothing",
        "a crowd that isn't counted",
        "hosts and players",
    ],
)
def test_whoever_needs_the_place_least_gives_it_up(places: list[ConnectionSlot], who: int) -> None:
    assert comes(STRANGER, *places) == CapacityDecision(True, who)


@pytest.mark.parametrize("network", ["192.0.2.{}", "198.18.{}.1", "2001:db8:1:{:x}::1", "2001:db8:{:x}::1"])
def test_who_has_many_addresses_goes_before_a_household(network: str) -> None:
    """One stranger is counted once for each of them; a family has but one."""
    family = [place(1000 + n, "203.0.113.9", quiet=1.0) for n in range(4)]
    strangers = [place(n, network.format(n), quiet=1.0) for n in range(1, 41)]
    assert comes(STRANGER, *family, *strangers).instead_of in range(1, 41)
    assert comes(STRANGER, *family, *strangers[:2]).instead_of == 1, "two are none"


def test_who_is_in_a_game_keeps_one_place() -> None:
    by = [player(1, quiet=90.0), *(place(n, seat="game", quiet=n) for n in range(2, 6))]
    theirs = [msgspec.structs.replace(each, person="ann") for each in by]
    gone = []
    while (admission := comes(STRANGER, *theirs)).comes:
        gone.append(admission.instead_of)
        theirs = [each for each in theirs if each.connection != admission.instead_of]
    assert sorted(gone) == [2, 3, 4, 5]
    assert [each.connection for each in theirs] == [1], "the one by which they play"


def test_and_for_a_moment_the_one_by_which_they_have_just_come() -> None:
    """Their line has broken, which nobody knows yet, and they are on the way back to the table."""
    broken = player(1, quiet=60.0)
    back = ConnectionSlot(
        2, broken.person, seat="game", runs=False, age=STARTUP_SECONDS - 1, quiet=STARTUP_SECONDS - 1
    )
    assert not comes(STRANGER, broken, back).comes
    there = msgspec.structs.replace(back, stands=True, runs=True, age=STARTUP_SECONDS, quiet=1.0)
    assert comes(STRANGER, msgspec.structs.replace(broken, stands=False), there) == CapacityDecision(True, 1)


def known(person: str = "away", source: str = "203.0.113.99") -> Newcomer:
    return Newcomer(person, source, waited=True)


def test_who_is_waited_for_comes_back_to_a_server_of_players() -> None:
    server = [player(n) for n in range(1, 41)]
    assert not comes(STRANGER, *server).comes
    assert comes(known(), *server) == CapacityDecision(True)
    assert comes(known("p7"), *server) == CapacityDecision(True, 7), "in place of themselves"
    assert comes(known(), *server, place(50)) == CapacityDecision(True, 50)
    for n in range(41, 51):
        assert decide_admission(known(), server, 0, CapacityLimits(40)).comes
        server.append(player(n))
    assert decide_admission(known(), server, 0, CapacityLimits(40)) == CapacityDecision(False), (
        "the reserve has its end"
    )
    assert decide_admission(known("p7"), server, 0, CapacityLimits(40)) == CapacityDecision(True, 7)
    assert decide_admission(known(), [*server, player(99, host=True)][1:], 0, CapacityLimits(40)).comes, (
        "hosts are not of it"
    )


def word(source: str = "203.0.113.99") -> Newcomer:
    """A guest who may be one that is missed."""
    return Newcomer("guest:new", source, guest=True, waited=True)


def test_guests_may_come_to_say_their_word_few_at_a_time_and_not_for_ever() -> None:
    server = [player(n) for n in range(1, 41)]
    assert decide_admission(word(), server, 0, CapacityLimits(40)) == CapacityDecision(True, 0, claims=True)
    for n in range(MAX_RESUMING_GUESTS):
        server.append(place(50 + n, f"203.0.113.{n}", guest=True, claims=True, age=0.0))
    assert decide_admission(STRANGER, server, 0, CapacityLimits(40)) == CapacityDecision(False), (
        "they are left in peace"
    )
    assert decide_admission(word(), server, 0, CapacityLimits(40)) == CapacityDecision(False), (
        "enough of one neighbourhood"
    )
    assert decide_admission(word(""), server, 0, CapacityLimits(40)).comes
    assert decide_admission(word("198.51.100.1"), server, 0, CapacityLimits(40)) == CapacityDecision(
        True, 0, claims=True
    )
    server.append(
        place(60, "198.51.100.1", guest=True, claims=True, age=RESUME_SECONDS - 1, quiet=RESUME_SECONDS - 1)
    )
    assert decide_admission(word("198.51.101.1"), server, 0, CapacityLimits(40)) == CapacityDecision(False), (
        "half of the reserve"
    )
    assert decide_admission(known(), server, 0, CapacityLimits(40)) == CapacityDecision(True, 60), (
        "who is known needs no word"
    )
    server[-1] = msgspec.structs.replace(server[-1], age=RESUME_SECONDS)
    assert decide_admission(STRANGER, server, 0, CapacityLimits(40)) == CapacityDecision(True, 60)
    assert decide_admission(word("198.51.101.1"), server, 0, CapacityLimits(40)) == CapacityDecision(
        True, 60, claims=True
    )


def test_nobody_has_the_server_by_games_of_their_own() -> None:
    family = [player(n, "203.0.113.9", quiet=HOUR) for n in range(1, 9)]
    theirs = [player(100 + n, f"2001:db8:1:{n:x}::1", quiet=30.0 - n) for n in range(21)]
    others = [player(200 + n) for n in range(71)]
    server = [*family, *theirs, *others]
    assert comes(STRANGER, *server, each=20) == CapacityDecision(True, 100), "one of 21, the quietest"
    assert not comes(STRANGER, *server, each=21).comes, "the host has a source have as many"
    assert not comes(STRANGER, *server, each=0).comes
    assert not comes(STRANGER, *(each for each in server if each != theirs[0]), each=20).comes
    neighbour = Newcomer("SHA256:x", "2001:db8:1:ffff::1")
    assert not comes(neighbour, *server, each=20).comes, "not for more of them"
    assert not comes(msgspec.structs.replace(neighbour, waited=True), *server, each=20).comes
    assert (
        comes(Newcomer(theirs[0].person, neighbour.source, waited=True), *server, each=20).instead_of == 100
    )
    fresh = place(300, age=RESUME_SECONDS - 1)
    assert not comes(neighbour, *server, fresh, each=20).comes, "a newcomer has the time to sit down"
    assert comes(STRANGER, *server, fresh, each=20).instead_of == 300


SOURCES = [
    *("192.0.2.1", "192.0.2.2", "192.0.9.1", "198.51.100.7"),
    *("2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:2:1::1", "2001:db9:1:1::1"),
]
SOURCE = st.sampled_from(SOURCES)
PICK = st.integers(0, 1000)
SEATS: list[SeatValue] = ["none", "table", "alone", "game", "game"]
FAMILY, HOME = ("key 90", "key 91", "key 92", "key 93"), "203.0.113.9"


class Servers(RuleBasedStateMachine):
    """Anything may happen in any order. Maybe a family behind one address plays on a larger server."""

    @initialize(most=st.integers(1, 20), each=st.integers(0, 5), family=st.booleans())
    def begin(self, most: int, each: int, family: bool) -> None:
        self.bound = CapacityLimits(most + 40, max(1, each)) if family else CapacityLimits(most, each)
        self.family = FAMILY if family else ()
        self.now = 0.0
        self.next = 1
        self.here: dict[int, ConnectionSlot] = {}
        self.came: dict[int, float] = {}
        self.said: dict[int, float] = {}
        self.seats: dict[str, SeatValue] = {}
        self.stands: dict[str, int] = {}
        for person in self.family:
            self._is_in(person)

    def _is_in(self, person: str) -> None:
        self.here[self.next] = ConnectionSlot(self.next, person, HOME)
        self.came[self.next] = self.said[self.next] = self.now
        self.seats[person], self.stands[person] = "game", self.next
        self.next += 1

    def places(self) -> list[ConnectionSlot]:
        return [
            msgspec.structs.replace(
                each,
                seat=self.seats.get(each.person, "none"),
                stands=self.stands.get(each.person) == number,
                age=self.now - self.came[number],
                quiet=self.now - self.said[number],
            )
            for number, each in self.here.items()
        ]

    def plays(self, each: ConnectionSlot) -> bool:
        """Whether that is the connection by which somebody is in a game with others."""
        return self.seats.get(each.person) == "game" and self.stands.get(each.person) == each.connection

    def in_games(self, near: str) -> int:
        people = {
            each.person
            for each in self.here.values()
            if near in wider_networks(each.source) and not each.host
        }
        # Of those who have just come by another connection both count for a while.
        connections = [each for each in self.here.values() if each.person in people]
        return sum(self.seats.get(each.person) in ("game", "alone") for each in connections)

    def goes(self, number: int) -> None:
        gone = self.here.pop(number)
        if self.stands.get(gone.person) == number:
            del self.stands[gone.person]

    @rule(person=st.integers(0, 60), source=SOURCE, outside=st.integers(0, 3))
    def knocks(self, person: int, source: str, outside: int) -> None:
        self._knocks(person, source, outside)

    @rule(first=st.integers(0, 60), many=st.integers(2, 20), source=SOURCE, seat=st.sampled_from(SEATS))
    def many_come(self, first: int, many: int, source: str, seat: SeatValue) -> None:
        for person in range(first, first + many):
            number = self._knocks(person % 60, source, 0)
            if number in self.here:
                self._sits(number, seat)

    def _knocks(self, person: int, source: str, outside: int) -> int:
        # Guests are somebody new each time.
        guest = person > 45
        who = f"guest:{self.next}" if guest else f"key {person}"
        missed = any(
            name.startswith("guest:") and seat == "game" and name not in self.stands
            for name, seat in self.seats.items()
        )
        waited = missed if guest else self.seats.get(who) in ("game", "alone")
        comer = Newcomer(who, source, guest, waited)
        places = self.places()
        told = decide_admission(comer, places, outside, self.bound)
        self.check(comer, places, outside, told)
        if told.comes:
            if told.instead_of:
                self.goes(told.instead_of)
            self.here[self.next] = ConnectionSlot(
                self.next, who, source, guest, claims=told.claims, runs=False
            )
            self.came[self.next] = self.said[self.next] = self.now
        self.next += 1
        return self.next - 1

    def check(
        self, comer: Newcomer, places: list[ConnectionSlot], outside: int, told: CapacityDecision
    ) -> None:
        most, others = self.bound.most, [each for each in places if not each.host]
        if len(places) + outside < most:
            assert told == CapacityDecision(True)
            return
        own = [each for each in others if each.person == comer.person]
        is_known = comer.waited and not comer.guest
        if not told.comes:
            assert not told.instead_of
            assert not (is_known and own), "who is in a game is always let in where they are in already"
            assert len(others) >= most + self.bound.reserve or not (is_known and self.bound.each == 0)
            near = wider_networks(comer.source)
            if not any(map(self.in_games, near)):
                # From where nobody plays all come in while anything else is here.
                assert all(self.seats.get(each.person) in ("game", "alone") or each.claims for each in others)
                assert not is_known or len(others) >= most + self.bound.reserve
        elif not told.instead_of:
            assert comer.waited
            assert is_known or told.claims
            assert len(others) < most + (self.bound.reserve if is_known else self.bound.reserve // 2)
        else:
            gone = next(each for each in others if each.connection == told.instead_of)
            if self.plays(gone) and gone.person != comer.person:
                wider = zip(wider_networks(gone.source), self.bound.shares, strict=True)
                beyond = [near for near, share in wider if self.in_games(near) > share]
                assert beyond, "nobody is put out of a game"
                assert not set(beyond) <= set(wider_networks(comer.source)), "nor for more of the same"
            if not gone.runs and gone.age >= STARTUP_SECONDS:
                return
            idle = [each for each in others if not each.runs and each.age >= RESUME_SECONDS]
            assert all(self.seats.get(each.person) in ("game", "alone") or each.claims for each in idle)

    @rule(source=SOURCE)
    def a_host_comes(self, source: str) -> None:
        self.here[self.next] = ConnectionSlot(self.next, "host", source, host=True)
        self.came[self.next] = self.said[self.next] = self.now
        self.next += 1

    @rule(pick=PICK, seat=st.sampled_from(SEATS))
    def sits(self, pick: int, seat: SeatValue) -> None:
        strangers = self._strangers()
        if strangers:
            self._sits(strangers[pick % len(strangers)], seat)

    def _sits(self, number: int, seat: SeatValue) -> None:
        person = self.here[number].person
        self.here[number] = msgspec.structs.replace(self.here[number], runs=True)
        self.seats[person], self.said[number] = seat, self.now
        if seat == "none":
            self.stands.pop(person, None)
        else:
            self.stands[person] = number

    def _strangers(self) -> list[int]:
        """The connections of which anything may happen."""
        return [number for number, each in sorted(self.here.items()) if each.person not in self.family]

    @rule(pick=PICK)
    def says(self, pick: int) -> None:
        if strangers := self._strangers():
            number = strangers[pick % len(strangers)]
            self.here[number] = msgspec.structs.replace(self.here[number], runs=True)
            self.said[number] = self.now

    @rule(pick=PICK)
    def leaves(self, pick: int) -> None:
        strangers = self._strangers()
        if strangers:
            self.goes(strangers[pick % len(strangers)])

    @rule(pick=PICK)
    def says_their_word(self, pick: int) -> None:
        """They are the guest now who is missed."""
        missed = [name for name in self.seats if name.startswith("guest:") and name not in self.stands]
        claims = [each for each in self.here.values() if each.claims]
        if missed and claims:
            claim = claims[pick % len(claims)]
            person = missed[pick % len(missed)]
            self.here[claim.connection] = msgspec.structs.replace(claim, person=person, claims=False)
            self.stands[person] = claim.connection

    @rule(seconds=st.sampled_from([0.5, 5.0, 15.0, 70.0, 700.0]))
    def waits(self, seconds: float) -> None:
        self.now += seconds

    @invariant()
    def is_bounded(self) -> None:
        strangers = [each for each in self.here.values() if not each.host]
        assert len(strangers) <= self.bound.most + self.bound.reserve

    @rule(person=st.sampled_from(FAMILY))
    def a_line_breaks(self, person: str) -> None:
        if person in self.family and person in self.stands:
            self.goes(self.stands[person])

    @rule(person=st.sampled_from(FAMILY), outside=st.integers(0, 10))
    def one_comes_back(self, person: str, outside: int) -> None:
        """Maybe by another line than one that has broken, and of which nobody knows that."""
        if person not in self.family:
            return
        told = decide_admission(Newcomer(person, HOME, waited=True), self.places(), outside, self.bound)
        assert told.comes
        was = self.stands.get(person, 0)
        if told.instead_of:
            assert self.here[told.instead_of].person not in self.family or told.instead_of == was
            self.goes(told.instead_of)
        self._is_in(person)
        if was in self.here:
            self.goes(was)

    @invariant()
    def the_family_plays(self) -> None:
        assert all(self.stands[person] in self.here for person in self.family if person in self.stands)


TestServers = Servers.TestCase
TestServers.settings = settings(stateful_step_count=60, deadline=None)
