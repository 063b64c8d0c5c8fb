"""One table as one immutable value: people, seats, chat and the game; no event loop, no I/O.

People are ids, never links: a person is present once, however many links they have. A command returns the new table or
a Refusal. Exceptions of the game pass through.
"""

import sys
from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from cartino_protocol.base import RoomState, Seat
from cartino_protocol.commands import Act, Channel, Cut, Pause, Rematch, Say, Sit, Stand, Start
from cartino_protocol.notices import News, NoticeKind
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView
from cartino_server.engine.chance import SEED_BYTES, commitment
from cartino_server.table.chat import LONGEST, Chat, clean_text
from cartino_server.table.environment import Ports
from cartino_server.table.match import FIRST_MOVE, Match, deal
from cartino_server.table.seating import Order, Seating, seats_with_bots

ValueT = TypeVar("ValueT")

LONGEST_CUT = 100
SEAT_KEPT = 60.0
"""Seconds for which a seat at an open table is kept after a lost connection."""


class TableState(msgspec.Struct, frozen=True):
    """A table and the game at it, if any. `ports` give time and entropy, and are no state.

    `stand_ins` are the substitute bots, in order; `seeds` those of the shown game and of the next; `match` is the game
    that runs or ran last, also while the table is open again; states are numbered from `first_number` on. `present` are
    the names of people at the table by id, in the order they came; `away_since` is when players of an open table were
    cut off. `version` rises with all that a RoomView shows, `chat_version` with the chat, `quiet` with changes of
    spectators.
    """

    code: str
    order: Order
    ports: Ports
    stand_ins: tuple[str, ...]
    opener: str
    seating: Seating
    options: Mapping[str, str]
    seeds: tuple[bytes, bytes]
    state: RoomState = "open"
    round: int = 0
    match: Match | None = None
    first_number: int = 0
    chat: Chat = Chat()
    present: Mapping[str, str] = {}
    guests: frozenset[str] = frozenset()
    away_since: Mapping[str, float] = {}
    wants_again: frozenset[str] = frozenset()
    version: int = 0
    chat_version: int = 0
    quiet: int = 0

    @property
    def running(self) -> Match | None:
        """The game while it runs."""
        return self.match if self.state == "playing" else None

    @property
    def number(self) -> int:
        """The number of the state that a move answers. It never falls, not even for the next game."""
        return self.first_number if self.match is None else self.match.number

    @property
    def is_paused(self) -> bool:
        """Whether a game runs and is paused."""
        return self.running is not None and self.running.waiting.paused

    @property
    def is_timed(self) -> bool:
        """Whether a turn clock runs."""
        return self.running is not None and self.running.waiting.clock.next_due() is not None

    @property
    def commitment(self) -> str:
        """The hash of the seed of the shown game, or of the first one."""
        return commitment(self.seeds[0])

    @property
    def seed(self) -> str:
        """The seed in hex once its game is over, else ""."""
        return self.seeds[0].hex() if self.state == "finished" else ""

    @property
    def next_commitment(self) -> str:
        """The hash of the rematch's seed; "" before a game is over."""
        return commitment(self.seeds[1]) if self.state == "finished" else ""

    @property
    def news(self) -> int:
        """Rises with every change, except of spectators."""
        return self.version + self.chat_version - self.quiet

    @property
    def spectators(self) -> tuple[str, ...]:
        """Names of people here without a seat, in the order they came."""
        return tuple(name for person, name in self.present.items() if self.seating.seat_of(person) is None)

    def join(self, person: str, name: str, guest: bool = False) -> "TableState | Refusal":
        """Come to the table and to a seat: one's own, else the first free one."""
        if self.seating.seat_of(person) is not None:
            return self.watch(person, name, guest)
        free = self.seating.first_free()
        if self.state != "open" or free is None:
            return Refusal("full")
        return self._come(person, name, guest)._seat(free, person)

    def watch(self, person: str, name: str, guest: bool = False) -> "TableState":
        """Come to the table to watch, or back to one's seat; nobody is refused."""
        new = person not in self.present
        table = self._come(person, name, guest)
        if table.seating.seat_of(person) is not None:
            seating = table.seating.rename(person, name)
            table = replace(table, seating=seating)._changed(News("back", name) if new else None)
        else:
            table = table._murmur(News("watches", name) if new else None)
        return table._look_round()

    def leave(self, person: str) -> "TableState":
        """Go. A seat at an open table becomes free; in a dealt game it stays the player's."""
        seat, table = self.seating.seat_of(person), self
        if person in self.present and seat is not None and self.state == "open":
            table = replace(self, seating=self.seating.free(seat))
        return table._go(person, "left", seated=seat is not None)

    def cut_off(self, person: str) -> "TableState":
        """Go because the connection broke: the seat stays theirs, at an open table for SEAT_KEPT seconds."""
        seated, table = self.seating.seat_of(person) is not None, self
        if person in self.present and seated and self.state == "open":
            table = replace(self, away_since={**self.away_since, person: self.ports.clock()})
        return table._go(person, "cut-off" if seated else "left", seated=seated)

    def rename(self, person: str, name: str) -> "TableState":
        """Show the new name of somebody who is here or has a seat."""
        old = self.present.get(person)
        present = self.present if old is None else {**self.present, person: name}
        table = replace(self, seating=self.seating.rename(person, name), present=present)
        return table._changed(None if old is None or old == name else News("renamed", old, name))

    def sit(self, person: str, seat: Seat) -> "TableState | Refusal":
        """Take the free `seat`."""
        if self.state != "open":
            return Refusal("not-open")
        if self.seating.seat_of(person) is not None:
            return Refusal("seated")
        if not self.seating.is_free(seat):
            return Refusal("seat-taken")
        return self._seat(seat, person)

    def stand(self, person: str) -> "TableState | Refusal":
        """Give the seat back and watch, while no game runs."""
        seat = self.seating.seat_of(person)
        if seat is None:
            return Refusal("not-seated")
        if self.state == "playing":
            return Refusal("not-open")
        seating = self.seating.free(seat) if self.state == "open" else self.seating.give_up(seat)
        table = replace(self, seating=seating, wants_again=self.wants_again - {person})
        return table._changed(News("stands", self.present[person])).agree()

    def start(self, person: str) -> "TableState | Refusal":
        """Start with the seats that are taken; only the owner may."""
        if self.state != "open":
            return Refusal("not-open")
        seat = self.seating.seat_of(person)
        if seat is None or seat != self.seating.owner:
            return Refusal("not-owner")
        least = max(2, self.order.game.seats[0])
        if self.seating.taken() < least:
            return Refusal("too-few", str(least))
        return replace(self, seating=self.seating.compact())._deal()._changed()

    def cut(self, person: str, text: str) -> "TableState | Refusal":
        """Note a player's cut for the next deal, which may be the rematch's; the last one counts."""
        seat = self.seating.seat_of(person)
        if seat is None:
            return Refusal("not-seated")
        if self.state == "playing":
            return Refusal("not-open")
        cleaned = clean_text(text, LONGEST_CUT)
        if cleaned is None:
            return Refusal("bad-text")
        return replace(self, seating=self.seating.cut(seat, cleaned))._changed()

    def act_for(self, seat: Seat, number: int, move: bytes) -> "TableState | Refusal":
        """Make the move of a bot or substitute on `seat`; see `apply` for those of people."""
        if self.running is None:
            return Refusal("not-playing")
        return self.played(self.running.act(self.seating, self.ports, seat, number, move))

    def played(self, match: Match | Refusal) -> "TableState | Refusal":
        """Return the table after the move that led to `match`."""
        return match if isinstance(match, Refusal) else self.with_match(match)._settle()._changed()

    def replace_bot(self, seat: Seat, bot: str) -> "TableState":
        """Let the next bot play for `seat`, because `bot` can't go on there."""
        match = self.running
        if match is None or bot == FIRST_MOVE or bot in self.seating.chairs[seat].failed:
            return self
        table = replace(self, seating=self.seating.failed(seat, bot))
        return table.with_match(match.replaced(table.seating, seat, bot))

    def vote(self, person: str, pause: bool) -> "TableState | Refusal":
        """Vote to pause the running game or to resume it; see `agree`."""
        if self.running is None:
            return Refusal("not-playing")
        if self.seating.seat_of(person) is None:
            return Refusal("not-seated")
        return self.with_match(self.running.vote(person, pause))._changed().agree()

    def rematch(self, person: str) -> "TableState | Refusal":
        """Vote for another game; see `agree`."""
        if self.seating.seat_of(person) is None:
            return Refusal("not-seated")
        if self.state != "finished":
            return Refusal("not-finished")
        return replace(self, wants_again=self.wants_again | {person})._changed().agree()

    def agree(self) -> "TableState":
        """Pause, resume or deal again if all players who are here want it."""
        here = [person for person in self.seating.persons() if person in self.present]
        if self.running is not None:
            return self.with_match(self.running.agree(self.seating, here, self.ports.clock()))
        if self.state == "finished" and here and self.wants_again.issuperset(here):
            return self._again()
        return self

    def abandon(self) -> "TableState":
        """End the record of a running game, because the table closes."""
        if self.running is None:
            return self
        return self.with_match(self.running.abandon(self.ports.now))._settle()._changed()

    def say(self, person: str, text: str, longest: int = LONGEST, origin: str = "") -> "TableState | Refusal":
        """Add a line of chat of at most `longest` characters from the network `origin`."""
        seat, cleaned = self.seating.seat_of(person), clean_text(text, longest)
        if cleaned is None:
            is_too_long = clean_text(text, sys.maxsize) is not None
            return Refusal("long-text", str(longest)) if is_too_long else Refusal("bad-text")
        if person not in self.present and seat is None:
            return Refusal("not-in-room")
        name = self.present[person] if seat is None else self.seating.chairs[seat].name
        who = self.ports.authors.mark(person)
        chat = self.chat.say(name, cleaned, self._channel(seat is None), who, origin)
        return replace(self, chat=chat, chat_version=self.chat_version + 1)

    def announce(self, news: News) -> "TableState":
        """Add a notice for everybody at the table."""
        return replace(self, chat=self.chat.notice(news), chat_version=self.chat_version + 1)

    def chat_view(self, spectator: bool) -> ChatView:
        """Return the chat as players or spectators may read it."""
        return self.chat.view(spectator, self._channel(spectator))

    def next_look(self) -> float | None:
        """Return when (server clock) `look` will find something; None for never."""
        if self.state == "open":
            return min((since + SEAT_KEPT for since in self.away_since.values()), default=None)
        return None if self.running is None else self.running.next_look(self.seating, self.ports.clock())

    def look(self) -> "TableState":
        """Do what only time brings about: seats become free, silence is an answer, substitutes begin.

        Raises RuntimeError where the game refuses its own silence.
        """
        table, now = self, self.ports.clock()
        while (match := table.running) is not None and (silence := match.silence(table.seating, now)):
            new = table.act_for(silence[0], table.number, silence[1])
            if isinstance(new, Refusal):
                raise RuntimeError(f"the game refuses the silence of seat {silence[0]}")
            table = new
        if table.running is not None:
            table = table.with_match(table.running.look(table.seating, now))
        for person, since in self.away_since.items():
            seat = table.seating.seat_of(person)
            if seat is not None and table.state == "open" and since + SEAT_KEPT <= now:
                name = table.seating.chairs[seat].name
                away = _less(table.away_since, person)
                table = replace(table, away_since=away, seating=table.seating.free(seat))
                table = table._changed(News("not-back", name))
        return table

    def return_from_downtime(self) -> "TableState":
        """Return the table after a restart: nobody is here, and everybody with a seat was cut off now."""
        now, table = self.ports.clock(), self
        if self.state == "open":
            table = replace(table, away_since=dict.fromkeys(self.seating.persons(), now))
        if self.match is not None:
            table = table.with_match(replace(self.match, waiting=self.match.waiting.again(now)))
        return table._look_round()

    def erase(self, person: str) -> "TableState":
        """Remove somebody who deleted their account; the moves of a dealt game stay."""
        seat = self.seating.seat_of(person)
        names = {self.present.get(person, ""), "" if seat is None else self.seating.chairs[seat].name}
        table = replace(
            self,
            opener="" if self.opener == person else self.opener,
            chat=self.chat.erase(self.ports.authors.mark(person), names - {""}),
            chat_version=self.chat_version + 1,
            away_since=_less(self.away_since, person),
        )._forget(person)
        if seat is not None and self.state == "open":
            table = replace(table, seating=table.seating.free(seat))
        elif seat is not None:
            table = replace(table, seating=table.seating.erase(seat))
            if self.match is not None:
                table = table.with_match(self.match.erase(table.seating, seat, person, self.ports.clock()))
        return table._changed()._look_round().agree()

    def with_match(self, match: Match) -> "TableState":
        """Return the table with `match`, whose news are announced."""
        table = replace(self, match=replace(match, news=()) if match.news else match)
        for news in match.news:
            table = table._changed(news)
        return table

    def _come(self, person: str, name: str, guest: bool) -> "TableState":
        away, guests = _less(self.away_since, person), self.guests | {person} if guest else self.guests
        return replace(self, present={**self.present, person: name}, away_since=away, guests=guests)

    def _go(self, person: str, how: NoticeKind, *, seated: bool) -> "TableState":
        name = self.present.get(person)
        if name is None:
            return self
        table = self._forget(person)
        if table.running is not None:
            table = table.with_match(table.running.take_back(person))
        news = News(how, name)
        return (table._changed(news) if seated else table._murmur(news))._look_round()

    def _forget(self, person: str) -> "TableState":
        """Return the table without the person among those present."""
        present, wants = _less(self.present, person), self.wants_again - {person}
        return replace(self, present=present, guests=self.guests - {person}, wants_again=wants)

    def _seat(self, seat: Seat, person: str) -> "TableState":
        name = self.present[person]
        seating = self.seating.sit(seat, person, name, person in self.guests)
        table = replace(self, seating=seating)._changed(News("sits", name))
        return table._deal() if seating.first_free() is None else table

    def _deal(self) -> "TableState":
        seats, now, number, wall_time = self.seating, self.ports.clock(), self.number + 1, self.ports.now
        match = deal(self.order, self.options, seats, self.seeds[0], number, wall_time, self.stand_ins)
        seats = seats.dealt()
        table = replace(
            self,
            seating=seats,
            state="playing",
            away_since={},
            # Spectators write to another channel from now on, which their chat view has to say.
            chat_version=self.chat_version + 1,
        )
        match = match.look_round(seats, self.present, now).wait_for_turn(seats, now)
        return table.with_match(match)._settle()

    def _settle(self) -> "TableState":
        """Reveal the seed and the spectators' chat if the running game is over."""
        if self.running is None or self.running.result is None:
            return self
        return replace(
            self,
            state="finished",
            seeds=(self.seeds[0], self.ports.entropy(SEED_BYTES)),
            chat=self.chat.reveal(),
            chat_version=self.chat_version + 1,
        )

    def _look_round(self) -> "TableState":
        """Note for the running game who is here."""
        match = self.running
        if match is None:
            return self
        return self.with_match(match.look_round(self.seating, self.present, self.ports.clock()))

    def _again(self) -> "TableState":
        """Turn the seats for another round, and deal it if no player is missing."""
        table = replace(
            self,
            wants_again=frozenset(),
            seating=self.seating.turn(self.present),
            seeds=(self.seeds[1], self.seeds[1]),
            round=self.round + 1,
            state="open",
            options=self.order.options,
        )
        return (table if table.seating.first_free() is not None else table._deal())._changed()

    def _channel(self, spectator: bool) -> Channel:
        return "watchers" if spectator and self.state == "playing" else "table"

    def _murmur(self, news: News | None) -> "TableState":
        """Note a change that is only about who watches."""
        table = self._changed(news)
        return replace(table, quiet=table.quiet + table.news - self.news)

    def _changed(self, news: News | None = None) -> "TableState":
        table = replace(self, version=self.version + 1)
        return table if news is None else table.announce(news)


def _less(people: Mapping[str, ValueT], person: str) -> Mapping[str, ValueT]:
    return {who: value for who, value in people.items() if who != person}


def open_table(
    code: str, order: Order, seed: bytes, ports: Ports, stand_ins: Sequence[str] = (), opener: str = ""
) -> TableState:
    """Return an empty table as `order` has it, with its bots on the last seats.

    The first deal is from `seed`, whose hash its opener was shown; further ones from the ports' entropy.
    """
    seating = seats_with_bots(order.seats, order.bots)
    return TableState(code, order, ports, tuple(stand_ins), opener, seating, order.options, (seed, seed))


TableCommand = Act | Say | Cut | Sit | Stand | Start | Rematch | Pause
"""A player's or spectator's command that concerns the table's value alone."""


def apply(
    table: TableState, person: str, command: TableCommand, longest: int = LONGEST, origin: str = ""
) -> TableState | Refusal:
    """Return `table` after the command of `person`, who is at it; `longest` and `origin` are those of `say`."""
    match command:
        case Act(number=number, move=move):
            running, seat = table.running, table.seating.seat_of(person)
            if running is None:
                return Refusal("not-playing")
            if seat is None:
                return Refusal("not-seated")
            if running.waiting.stand_ins.why(seat) == "time":
                return Refusal("timed-out")
            return table.played(running.act(table.seating, table.ports, seat, number, bytes(move)))
        case Say(text=text):
            return table.say(person, text, longest, origin)
        case Cut(text=text):
            return table.cut(person, text)
        case Sit(seat=seat):
            return table.sit(person, seat)
        case Stand():
            return table.stand(person)
        case Start():
            return table.start(person)
        case Rematch():
            return table.rematch(person)
        case Pause(on=on):
            return table.vote(person, on)
