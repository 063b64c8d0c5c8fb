"""One table as one immutable value: people, seats, chat and the game; no event loop, no I/O.

People are ids, never links: a person is present once, however many links they have. What people do returns the new
value (`participants`), and so does what happens to the game (`rounds`).
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from cartino_engine.chance import SEED_BYTES, commitment
from cartino_protocol.base import Seat, TableStatus
from cartino_protocol.commands import Channel
from cartino_protocol.notices import News
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView, MissedTurn, RatingChange
from cartino_server.environment import Ports, unix_time
from cartino_server.table.chat import Chat
from cartino_server.table.match import Continuation, Match
from cartino_server.table.seating import Order, Seating, SharedDeal, seats_with_bots

ValueT = TypeVar("ValueT")

SEAT_KEPT = 60.0
"""Seconds for which a seat at an open table is kept after a lost connection."""
CHALLENGE_KEPT = 14 * 86_400.0
"""Seconds for which a challenge keeps the seats of absent people with keys."""


def seal_of(deal: SharedDeal) -> Refusal:
    """Return the refusal for those who ask about an attempt at `deal` before it closes."""
    return Refusal("daily-open") if deal.daily else Refusal("deal-open", minute_of(deal.closes))


def minute_of(seconds: int) -> str:
    """Return a Unix time for people, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


class SeatReview(msgspec.Struct, frozen=True):
    """What a player learns some time after the end of a game, as in `ResultView`; not saved."""

    rating: RatingChange | None = None
    missed: MissedTurn | None = None
    lost: float | None = None
    place: int = 0


class Attendance(msgspec.Struct, frozen=True):
    """Who is at a table: the names of those `present` by id, in the order they came, and which are `guests`.

    `away_since` is when players of an open table were cut off.
    """

    present: Mapping[str, str] = {}
    guests: frozenset[str] = frozenset()
    away_since: Mapping[str, float] = {}

    def come(self, person: str, name: str, guest: bool) -> "Attendance":
        """Note that the person is here, as `name`."""
        guests = self.guests | {person} if guest else self.guests
        return Attendance({**self.present, person: name}, guests, _less(self.away_since, person))

    def go(self, person: str) -> "Attendance":
        """Note that the person has left."""
        return replace(self, present=_less(self.present, person), guests=self.guests - {person})

    def miss(self, persons: Sequence[str], now: float) -> "Attendance":
        """Keep the seats of the persons for a while, from `now` on."""
        return replace(self, away_since={**self.away_since, **dict.fromkeys(persons, now)})

    def forget(self, person: str) -> "Attendance":
        """Keep no seat for the person any longer."""
        return replace(self, away_since=_less(self.away_since, person))


def _less(people: Mapping[str, ValueT], person: str) -> Mapping[str, ValueT]:
    return {who: value for who, value in people.items() if who != person}


class TableState(msgspec.Struct, frozen=True):
    """A table and the game at it, if any. `ports` give time and entropy, and are no state.

    `substitutes` are bots, in order; `seeds` those of the shown game and of the next; `match` is the game that
    runs or ran last, also while the table is open again; `continues` is what its first game begins with;
    `opened` is when this round's seats could first be taken (server's clock); states are numbered from
    `first_number` on. `version` rises with all that a TableView shows, `chat_version` with the chat, `quiet` with
    changes of spectators. `led` is the person who leads the review of the last game, and the step that they show.
    """

    code: str
    order: Order
    ports: Ports
    substitutes: tuple[str, ...]
    opener: str
    seating: Seating
    options: Mapping[str, str]
    seeds: tuple[bytes, bytes]
    opened: float = 0.0
    state: TableStatus = "open"
    round: int = 0
    match: Match | None = None
    first_number: int = 0
    chat: Chat = Chat()
    attendance: Attendance = Attendance()
    wants_again: frozenset[str] = frozenset()
    led: tuple[str, int] | None = None
    reviews: Mapping[Seat, SeatReview] = {}
    continues: Continuation | None = None
    version: int = 0
    chat_version: int = 0
    quiet: int = 0

    @property
    def running(self) -> Match | None:
        """The game while it runs."""
        return self.match if self.state == "playing" else None

    @property
    def is_challenge(self) -> bool:
        """Whether the table waits for players of a correspondence game, who needn't be here."""
        return self.state == "open" and self.order.time_control.by_correspondence

    @property
    def is_kept_challenge(self) -> bool:
        """Whether it is the challenge of somebody with a key, which stays open while nobody is here."""
        return self.is_challenge and any(chair.person and not chair.guest for chair in self.seating.chairs)

    @property
    def is_overdue(self) -> bool:
        """Whether it is a challenge that has waited for players as long as challenges do."""
        return self.is_challenge and self.ports.clock() >= self.opened + CHALLENGE_KEPT

    def keeps_seat(self, person: str) -> bool:
        """Return whether the person may leave this open table and keep their seat."""
        seat = self.seating.seat_of(person)
        return self.is_challenge and seat is not None and not self.seating.chairs[seat].guest

    def seat_kept_until(self, person: str) -> float:
        """Return when (server's clock) the seat of a person who is away from this open table becomes free."""
        kept = self.attendance.away_since[person] + SEAT_KEPT
        return max(kept, self.opened + CHALLENGE_KEPT) if self.keeps_seat(person) else kept

    @property
    def number(self) -> int:
        """The number of the state that a move answers. It never falls, not even for the next game."""
        return self.first_number if self.match is None else self.match.number

    @property
    def is_paused(self) -> bool:
        """Whether a game runs and is paused."""
        return self.running is not None and self.running.timing.turn.paused

    @property
    def is_timed(self) -> bool:
        """Whether a turn clock runs."""
        return self.running is not None and self.running.timing.turn.clock.next_due() is not None

    @property
    def commitment(self) -> str:
        """The hash of the seed of the shown game, or of the first one."""
        return commitment(self.seeds[0])

    @property
    def is_sealed(self) -> bool:
        """Whether others have still to play this deal, so that nobody may learn more of it than its player."""
        deal = self.order.deal
        return deal is not None and unix_time(self.ports.now()) < deal.closes

    @property
    def seal(self) -> Refusal | None:
        """Why nobody may read this game's record, hidden cards or shuffle now; None where they may."""
        return seal_of(self.order.deal) if self.order.deal is not None and self.is_sealed else None

    def sealed_for(self, person: str) -> Refusal | None:
        """Return why the person may not see this table now; its player always may."""
        return None if self.seating.seat_of(person) is not None or self.state == "open" else self.seal

    @property
    def seed(self) -> str:
        """The seed in hex once its game is over and its deal closed, else ""."""
        return self.seeds[0].hex() if self.state == "finished" and not self.is_sealed else ""

    @property
    def next_commitment(self) -> str:
        """The hash of the rematch's seed; "" before a game is over, and where there is no rematch."""
        return commitment(self.seeds[1]) if self.state == "finished" and self.order.deal is None else ""

    @property
    def change_number(self) -> int:
        """Rises with every change, except of spectators."""
        return self.version + self.chat_version - self.quiet

    @property
    def spectators(self) -> tuple[str, ...]:
        """Names of people here without a seat, in the order they came."""
        present = self.attendance.present.items()
        return tuple(name for person, name in present if self.seating.seat_of(person) is None)

    def channel(self, spectator: bool) -> Channel:
        """Return the channel that spectators or players write to."""
        return "watchers" if spectator and self.state == "playing" else "table"

    def chat_view(self, spectator: bool) -> ChatView:
        """Return the chat as players or spectators may read it."""
        return self.chat.view(spectator, self.channel(spectator))

    def announce(self, news: News) -> "TableState":
        """Add a notice for everybody at the table."""
        return replace(self, chat=self.chat.notice(news), chat_version=self.chat_version + 1)

    def announce_deal(self) -> "TableState":
        """Add a notice about how long the game counts for a shared deal, if it is one, or that it no longer does."""
        deal, playing = self.order.deal, self.state == "playing"
        if deal is None or self.state == "open":
            return self
        if not self.is_sealed:
            return self.announce(News("deal-closed" if playing else "deal-opened"))
        if not playing:
            return self if deal.daily else self.announce(News("duplicate-played", deal.name))
        if deal.daily:
            return self.announce(News("practice" if deal.practice else "daily"))
        return self.announce(News("duplicate", deal.name, minute_of(deal.closes)))

    def with_change(self, news: News | None = None) -> "TableState":
        """Note that the table looks different, and announce `news`."""
        table = replace(self, version=self.version + 1)
        return table if news is None else table.announce(news)

    def changed_quietly(self, news: News | None) -> "TableState":
        """Note a change that is only about who watches."""
        table = self.with_change(news)
        return replace(table, quiet=table.quiet + table.change_number - self.change_number)

    def with_match(self, match: Match) -> "TableState":
        """Return the table with `match`, whose news are announced.

        If the running game is over with it, the seed and the spectators' chat are revealed.
        """
        table = replace(self, match=replace(match, news=()) if match.news else match)
        for news in match.news:
            table = table.with_change(news)
        if self.state != "playing" or match.result is None:
            return table
        return replace(
            table,
            state="finished",
            seeds=(self.seeds[0], self.ports.entropy(SEED_BYTES)),
            chat=table.chat.reveal(),
            chat_version=table.chat_version + 1,
        ).announce_deal()


def open_table(
    code: str, order: Order, seed: bytes, ports: Ports, substitutes: Sequence[str] = (), opener: str = ""
) -> TableState:
    """Return an empty table as `order` has it, with its bots on the last seats.

    The first deal is from `seed`, whose hash its opener was shown; further ones from the ports' entropy.
    """
    seating = seats_with_bots(order.seats, order.bots)
    seeds = seed, seed
    return TableState(
        code, order, ports, tuple(substitutes), opener, seating, order.options, seeds, ports.clock()
    )
