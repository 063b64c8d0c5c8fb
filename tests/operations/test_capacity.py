"""Who is admitted to a full server, and whose place they get: `capacity.txt`, and any order of events."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from cartino_server.lobby.moderation import SeatValue
from cartino_server.networks import wider_networks
from cartino_server.operations.capacity import (
    RESUME_SECONDS,
    STARTUP_SECONDS,
    CapacityDecision,
    CapacityLimits,
    ConnectionSlot,
    Newcomer,
    decide_admission,
)
from tests.support.script import scripts_in

COMERS = {
    "stranger": Newcomer("SHA256:new", "203.0.113.99"),
    "known": Newcomer("away", "203.0.113.99", waited=True),
    "word": Newcomer("guest:new", "203.0.113.99", guest=True, waited=True),
}


def fields(words: str) -> dict[str, str]:
    return dict(word.split("=") for word in words.replace("play", "seat=game stands=true").split())


class History:
    """A server whose connections and limits the lines of a script in `capacity.txt` change."""

    def __init__(self) -> None:
        self.places: dict[int, ConnectionSlot] = {}
        self.limits: dict[str, str] = {}

    def follow(self, line: str) -> None:
        """Do what a line says; a decision must be the one that it names."""
        name, _, rest = line.partition(" ")
        if "=>" in line:
            asked, decision = rest.split("=> ") if rest.startswith("=>") else rest.split(" => ")
            given = {"source" if key == "from" else key: value for key, value in fields(asked).items()}
            assert self.decide(msgspec.structs.replace(COMERS[name], **given)) == decision, line
        elif name.startswith("-"):
            del self.places[int(name[1:])]
        elif "=" in name:
            self.limits = fields(line)
        else:
            first, _, last = name.partition("-")
            for number in range(int(first), int(last or first) + 1):
                self.places[number] = self.place(number, rest.format(n=number, x=f"{number:x}"))

    def place(self, number: int, words: str) -> ConnectionSlot:
        given = {
            "person": f"p{number}",
            "from": f"10.{number % 256}.{number // 256}.1",
            "age": "3600",
        } | fields(words)
        given["source"] = given.pop("from")
        return msgspec.convert({"connection": number, **given}, ConnectionSlot, strict=False)

    def decide(self, comer: Newcomer) -> str:
        most, each = int(self.limits.get("limit", len(self.places))), int(self.limits.get("each", 0))
        outside = int(self.limits.get("outside", 0))
        told = decide_admission(comer, tuple(self.places.values()), outside, CapacityLimits(most, each))
        if not told.comes:
            return "no"
        claims = "claims" if told.claims else ""
        return f"{told.instead_of or ''} {claims}".strip() or "in"


@pytest.mark.parametrize("script", scripts_in(Path(__file__).with_name("capacity.txt")))
def test_history(script: Sequence[str]) -> None:
    history = History()
    for line in filter(None, script):
        history.follow(line)


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
    def logs_in(self, person: int, source: str, outside: int) -> None:
        self._log_in(person, source, outside)

    @rule(first=st.integers(0, 60), many=st.integers(2, 20), source=SOURCE, seat=st.sampled_from(SEATS))
    def many_come(self, first: int, many: int, source: str, seat: SeatValue) -> None:
        for person in range(first, first + many):
            number = self._log_in(person % 60, source, 0)
            if number in self.here:
                self._sits(number, seat)

    def _log_in(self, person: int, source: str, outside: int) -> int:
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
