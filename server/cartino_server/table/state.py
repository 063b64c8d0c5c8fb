"""The state of one table: people, seats, chat and the games played; no event loop, no I/O.

People are ids, never links: a person is present once, however many links they have. Each command returns None, or a
Refusal with nothing changed. Exceptions of the engine pass through; the task that runs the table closes it. `mark` and
`back_to` undo a command that could not be saved.
"""

from collections.abc import Sequence

import msgspec

from cartino_protocol.base import RoomState, Seat
from cartino_protocol.commands import Channel
from cartino_protocol.notices import News, NoticeKind
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView
from cartino_server.table.chat import LONGEST, Chat, ChatMark, clean_text, is_too_long
from cartino_server.table.environment import Ports
from cartino_server.table.match import Rounds, RoundsMark
from cartino_server.table.play import Play
from cartino_server.table.seating import Chair, Order, Seating

LONGEST_CUT = 100
SEAT_KEPT = 60.0
"""Seconds that a seat at an open table waits for somebody who was cut off."""


class TableMark(msgspec.Struct, frozen=True):
    """Where a room stood (see `Room.mark`)."""

    chairs: tuple[tuple[Chair, ...], str]
    present: dict[str, str]
    guests: frozenset[str]
    cut_off: dict[str, float]
    wants_again: frozenset[str]
    rounds: RoundsMark
    said: ChatMark
    versions: tuple[int, int, int]


class TableState:
    """One table and the game at it, if any.

    `version` rises with whatever a RoomView shows, `chat_version` with the chat.
    """

    def __init__(
        self, code: str, order: Order, seed: bytes, ports: Ports, stand_ins: Sequence[str] = ()
    ) -> None:
        """An empty table as `order` has it, with its bots on the last of the seats.

        The first deal is from `seed`, which whoever opens the table was promised; further ones from the ports'
        entropy. `stand_ins` are the bots that may play for people, the first choice first.
        """
        self.code = code
        self.order = order
        self.seating = Seating(order.seats, order.bots)
        self.rounds = Rounds(order, self.seating, seed, ports, stand_ins, self._changed)
        self.present: dict[str, str] = {}
        """Names of the persons at the table, by id, in the order they came."""
        self.wants_again: frozenset[str] = frozenset()
        self.talk = Chat()
        self.version = 0
        self.chat_version = 0
        self._murmurs = 0
        self._guests: frozenset[str] = frozenset()
        self._cut_off: dict[str, float] = {}
        self._clock, self._mark_of = ports.clock, ports.authors.mark

    @property
    def state(self) -> RoomState:
        """Whether seats are being taken, a game runs, or one is over."""
        return self.rounds.state

    @property
    def play(self) -> Play | None:
        """The game that runs or ran last."""
        return self.rounds.play

    @property
    def number(self) -> int:
        """The number of the state that a move has to answer."""
        return self.rounds.number

    @property
    def is_timed(self) -> bool:
        """Whether somebody's time runs."""
        return self.rounds.running is not None and self.rounds.running.waiting.clock.next_due() is not None

    @property
    def news(self) -> int:
        """Rises with every change, but for those that are only about who watches."""
        return self.version + self.chat_version - self._murmurs

    @property
    def spectators(self) -> tuple[str, ...]:
        """Names of those who are here without a seat, in the order they came."""
        return tuple(name for person, name in self.present.items() if self.seating.seat_of(person) is None)

    def join(self, person: str, name: str, guest: bool = False) -> Refusal | None:
        """Come to the table and to a seat: one's own, else the first that is free."""
        seat = self.seating.seat_of(person)
        if seat is None:
            free = self.seating.first_free()
            if self.state != "open" or free is None:
                return Refusal("full")
            self._come(person, name, guest)
            self._seat(free, person)
        else:
            self.watch(person, name, guest)
        return None

    def watch(self, person: str, name: str, guest: bool = False) -> Refusal | None:
        """Come to the table to watch, which nobody is refused; who has a seat here comes back to it."""
        new = person not in self.present
        self._come(person, name, guest)
        self.seating.rename(person, name)
        if self.seating.seat_of(person) is not None:
            self._changed(News("back", name) if new else None)
        else:
            self._murmur(News("watches", name) if new else None)
        self._look_round()
        return None

    def leave(self, person: str) -> None:
        """Go. A seat at an open table becomes free; in a game that was dealt it stays the player's."""
        seat = self.seating.seat_of(person)
        if person in self.present and seat is not None and self.state == "open":
            self.seating.free(seat)
        self._go(person, "left", seated=seat is not None)

    def cut_off(self, person: str) -> None:
        """The person's line has gone: a seat stays theirs, at an open table for SEAT_KEPT seconds."""
        seated = self.seating.seat_of(person) is not None
        if person in self.present and seated and self.state == "open":
            self._cut_off[person] = self._clock()
        self._go(person, "cut-off" if seated else "left", seated=seated)

    def rename(self, person: str, name: str) -> None:
        """Somebody who is here, or whose seat is, is called `name` now."""
        old = self.present.get(person)
        self.seating.rename(person, name)
        if old is not None:
            self.present[person] = name
        self._changed(None if old is None or old == name else News("renamed", old, name))

    def sit(self, person: str, seat: Seat) -> Refusal | None:
        """Take the free `seat`."""
        if self.state != "open":
            return Refusal("not-open")
        if self.seating.seat_of(person) is not None:
            return Refusal("seated")
        if not self.seating.is_free(seat):
            return Refusal("seat-taken")
        self._seat(seat, person)
        return None

    def stand(self, person: str) -> Refusal | None:
        """Give the seat back and watch, while no game runs."""
        seat = self.seating.seat_of(person)
        if seat is None:
            return Refusal("not-seated")
        if self.state == "playing":
            return Refusal("not-open")
        if self.state == "open":
            self.seating.free(seat)
        else:
            self.seating.give_up(seat)
        self.wants_again -= {person}
        self._changed(News("stands", self.present[person]))
        self.agree()
        return None

    def start(self, person: str) -> Refusal | None:
        """The owner starts with the seats that are taken."""
        if self.state != "open":
            return Refusal("not-open")
        seat = self.seating.seat_of(person)
        if seat is None or seat != self.seating.owner:
            return Refusal("not-owner")
        least = max(2, self.order.game.seats[0])
        if self.seating.taken() < least:
            return Refusal("too-few", str(least))
        self.seating.compact()
        self._deal()
        self._changed()
        return None

    def cut(self, person: str, text: str) -> Refusal | None:
        """Note a player's cut for the next deal, the rematch's too; the last one before it counts."""
        seat = self.seating.seat_of(person)
        if seat is None:
            return Refusal("not-seated")
        if self.state == "playing":
            return Refusal("not-open")
        cleaned = clean_text(text, LONGEST_CUT)
        if cleaned is None:
            return Refusal("bad-text")
        self.seating.cut(seat, cleaned)
        self._changed()
        return None

    def act(self, person: str, number: int, move: bytes) -> Refusal | None:
        """A person's move, as an answer to the state `number`."""
        match, seat = self.rounds.running, self.seating.seat_of(person)
        if match is None:
            return Refusal("not-playing")
        if seat is None:
            return Refusal("not-seated")
        return Refusal("timed-out") if match.lost_turn(seat) else self.act_for(seat, number, move)

    def act_for(self, seat: Seat, number: int, move: bytes) -> Refusal | None:
        """The move of whoever plays for `seat`."""
        match = self.rounds.running
        if match is None:
            return Refusal("not-playing")
        refusal = match.act(seat, number, move)
        if refusal is None:
            self._settle()
            self._changed()
        return refusal

    def vote(self, person: str, pause: bool) -> Refusal | None:
        """A player wants the running game paused, or to go on; it is once all players who are here want it."""
        match = self.rounds.running
        if match is None:
            return Refusal("not-playing")
        if self.seating.seat_of(person) is None:
            return Refusal("not-seated")
        match.vote(person, pause)
        self._changed()
        self.agree()
        return None

    def rematch(self, person: str) -> Refusal | None:
        """A player wants another game; it comes once every player who is here wants it."""
        if self.seating.seat_of(person) is None:
            return Refusal("not-seated")
        if self.state != "finished":
            return Refusal("not-finished")
        self.wants_again |= {person}
        self._changed()
        self.agree()
        return None

    def agree(self) -> None:
        """Do what all players who are here want, if they do: who left may have been the last who did not."""
        here = [person for person in self.seating.persons() if person in self.present]
        if self.rounds.running is not None:
            self.rounds.running.agree(here)
        elif self.state == "finished" and here and self.wants_again.issuperset(here):
            self._again()

    def abandon(self) -> None:
        """The table is closed; the record of a game that runs gets its end."""
        match = self.rounds.running
        if match is not None:
            match.play.abandon()
            self._settle()
            self._changed()

    def say(self, person: str, text: str, longest: int = LONGEST, origin: str = "") -> Refusal | None:
        """A line of chat of at most `longest` characters, by who is here or has a seat, and came from `origin`."""
        seat, cleaned = self.seating.seat_of(person), clean_text(text, longest)
        if cleaned is None:
            too_long = is_too_long(text, longest)
            return Refusal("long-text", str(longest)) if too_long else Refusal("bad-text")
        if person not in self.present and seat is None:
            return Refusal("not-in-room")
        name = self.present[person] if seat is None else self.seating.chairs[seat].name
        self.talk.say(name, cleaned, self._channel(seat is None), self._mark_of(person), origin)
        self.chat_version += 1
        return None

    def announce(self, news: News) -> None:
        """Tell everybody at the table something."""
        self.talk.notice(news)
        self.chat_version += 1

    def chat(self, spectator: bool) -> ChatView:
        """The chat as players or spectators may read it."""
        return self.talk.view(spectator, self._channel(spectator))

    def next_look(self) -> float | None:
        """The moment (house time) at which `look` will find something; None for never."""
        if self.state == "open":
            return min((since + SEAT_KEPT for since in self._cut_off.values()), default=None)
        return None if self.rounds.running is None else self.rounds.running.next_look()

    def look(self) -> None:
        """Do what only time brings about: seats become free, silence is an answer, stand-ins begin.

        Raises RuntimeError where the game refuses its own silence.
        """
        while (match := self.rounds.running) is not None and (silence := match.silence()) is not None:
            if self.act_for(silence[0], self.number, silence[1]) is not None:
                raise RuntimeError(f"the game refuses the silence of seat {silence[0]}")
        if self.rounds.running is not None:
            self.rounds.running.look()
        now = self._clock()
        for person, since in tuple(self._cut_off.items()):
            seat = self.seating.seat_of(person)
            if seat is not None and self.state == "open" and since + SEAT_KEPT <= now:
                name = self.seating.chairs[seat].name
                del self._cut_off[person]
                self.seating.free(seat)
                self._changed(News("not-back", name))

    def return_from_downtime(self) -> None:
        """The house was down: nobody is here yet, and whoever has a seat was cut off just now."""
        now = self._clock()
        if self.state == "open":
            self._cut_off = dict.fromkeys(self.seating.persons(), now)
        if self.rounds.match is not None:
            self.rounds.match.waiting = self.rounds.match.waiting.again(now)
        self._look_round()

    def erase(self, person: str) -> None:
        """The person has deleted their account: they never were here, but for the moves of a game that was dealt."""
        seat = self.seating.seat_of(person)
        names = {self.present.pop(person, "")}
        if seat is not None:
            names.add(self.seating.chairs[seat].name)
        self.talk.erase(self._mark_of(person), names - {""})
        self._guests -= {person}
        self._cut_off.pop(person, None)
        self.wants_again -= {person}
        if seat is not None and self.state == "open":
            self.seating.free(seat)
        elif seat is not None:
            self.seating.erase(seat)
            if self.rounds.match is not None:
                self.rounds.match.erase(seat, person)
        self.chat_version += 1
        self._changed()
        self._look_round()
        self.agree()

    def mark(self) -> TableMark:
        """Where everything stands, to come back to."""
        return TableMark(
            chairs=self.seating.mark(),
            present=dict(self.present),
            guests=self._guests,
            cut_off=dict(self._cut_off),
            wants_again=self.wants_again,
            rounds=self.rounds.mark(),
            said=self.talk.mark(),
            versions=(self.version, self.chat_version, self._murmurs),
        )

    def back_to(self, mark: TableMark) -> None:
        """Nothing of what was done after `mark` has happened."""
        self.seating.back_to(mark.chairs)
        self.rounds.back_to(mark.rounds)
        self.talk.back_to(mark.said)
        self.present, self._guests, self._cut_off = dict(mark.present), mark.guests, dict(mark.cut_off)
        self.wants_again = mark.wants_again
        self.version, self.chat_version, self._murmurs = mark.versions

    def _come(self, person: str, name: str, guest: bool) -> None:
        self.present[person] = name
        self._cut_off.pop(person, None)
        if guest:
            self._guests |= {person}

    def _go(self, person: str, how: NoticeKind, *, seated: bool) -> None:
        name = self.present.pop(person, None)
        if name is None:
            return
        self._guests -= {person}
        self.wants_again -= {person}
        if self.rounds.running is not None:
            self.rounds.running.take_back(person)
        (self._changed if seated else self._murmur)(News(how, name))
        self._look_round()

    def _seat(self, seat: Seat, person: str) -> None:
        name = self.present[person]
        self.seating.sit(seat, person, name, person in self._guests)
        self._changed(News("sits", name))
        if self.seating.first_free() is None:
            self._deal()

    def _deal(self) -> None:
        self.rounds.deal(self.present)
        self._dealt()

    def _dealt(self) -> None:
        # The spectators' words go elsewhere from now on, which their chat view has to say.
        self.chat_version += 1
        self._cut_off.clear()
        self._settle()

    def _settle(self) -> None:
        if self.rounds.settle():
            self.talk.reveal()
            self.chat_version += 1

    def _look_round(self) -> None:
        """Somebody came or went: who is there, who is missed?"""
        if self.rounds.running is not None:
            self.rounds.running.look_round(self.present)

    def _again(self) -> None:
        self.wants_again = frozenset()
        self.rounds.again(self.present)
        if self.rounds.running is not None:
            self._dealt()
        self._changed()

    def _channel(self, spectator: bool) -> Channel:
        return "watchers" if spectator and self.state == "playing" else "table"

    def _murmur(self, news: News | None) -> None:
        """Something is different that is only about who watches."""
        before = self.news
        self._changed(news)
        self._murmurs += self.news - before

    def _changed(self, news: News | None = None) -> None:
        self.version += 1
        if news is not None:
            self.announce(news)
