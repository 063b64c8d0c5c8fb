"""The games of one table, one after the other: seed commitment, deal, moves, pauses, substitutes, rematch.

No I/O; the table says who is present. Times are seconds of the server's clock.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from types import MappingProxyType

import msgspec

from cartino_protocol.base import RoomState, Seat
from cartino_protocol.notices import News, NoticeKind
from cartino_protocol.refusals import Refusal
from cartino_protocol.wire import encode
from cartino_server.engine.chance import SEED_BYTES, commitment
from cartino_server.table.environment import Ports
from cartino_server.table.play import Play, PlayMark, deal
from cartino_server.table.seating import Order, Seating
from cartino_server.table.time_control import (
    ClaimWindow,
    SubstituteReason,
    Takeover,
    TimeControl,
    TurnTiming,
    start_timing,
)

FIRST_MOVE = ""
"""The stand-in of last resort, which makes the first legal move; no bot is called so."""

_TAKEN_OVER: Mapping[SubstituteReason, NoticeKind] = MappingProxyType({"time": "time-up", "away": "away"})


class MatchMark(msgspec.Struct, frozen=True):
    """Where a match stood (see `Match.mark`)."""

    play: PlayMark
    waiting: TurnTiming
    wants_pause: frozenset[str]
    window: ClaimWindow


class Match:
    """A game that was dealt, until it is over; what happens to it is told to `announce`, and noted in the record."""

    def __init__(
        self,
        play: Play,
        seating: Seating,
        patience: TimeControl,
        stand_ins: Sequence[str],
        clock: Callable[[], float],
        announce: Callable[[News], None],
    ) -> None:
        """The match of `play` between those on `seating`, which is the table's own.

        `stand_ins` are the bots that may play for people, the first choice first.
        """
        self.play = play
        self.waiting = start_timing(patience)
        self.wants_pause: frozenset[str] = frozenset()
        """Who wants a game that runs to stop, or one that is paused to go on."""
        self.window = ClaimWindow()
        """The time in which the last move may be answered."""
        self._seating = seating
        self._patience = patience
        self._stand_ins = tuple(stand_ins)
        self._clock = clock
        self._announce = announce

    def act(self, seat: Seat, number: int, move: bytes) -> Refusal | None:
        """The move of whoever plays for `seat`. Whether it is their turn is for the game to say."""
        if self.waiting.paused:
            return Refusal("paused")
        refusal = self.play.act(seat, number, move, by_person=self.player(seat) is None)
        if refusal is None:
            self.wait_for_turn()
        return refusal

    def lost_turn(self, seat: Seat) -> bool:
        """Whether the time of `seat` was up, and its turn is not over yet."""
        return self.waiting.stand_ins.why(seat) == "time"

    def wait_for_turn(self) -> None:
        """Somebody may be on turn who was not."""
        people = [seat for seat in self.play.on_turn() if self._seating.chairs[seat].person]
        self.waiting = self.waiting.follow(people, self.play.turns, self._patience, self._clock())
        self._follow_claim()

    def first_legal(self, seat: Seat) -> bytes | None:
        """The first of the game's legal moves for `seat`, encoded; None where there is none."""
        return next((encode(move) for move in self.play.game.legal(self.play.state, seat)), None)

    def player(self, seat: Seat) -> str | None:
        """The bot that makes the moves of `seat` just now, FIRST_MOVE where none can; None where a person does."""
        if self._seating.chairs[seat].kind != "bot" and not self._has_substitute(seat):
            return None
        return self._bot(seat)

    def lets_act(self, seat: Seat) -> bool:
        """Whether the bot that plays for `seat` may move now.

        On turn it holds back while a person at the table may still answer the last move. A substitute never answers.
        """
        window = self.window
        seats = () if window.claim is None else window.claim.seats
        if seat not in self.play.on_turn() or (window.silence is not None and seat in seats):
            return not self._has_substitute(seat)
        return not (window.is_waited_for and any(map(self._is_here, seats)))

    def silence(self) -> tuple[Seat, bytes] | None:
        """A seat that hasn't answered in time, or has a substitute, and the move made for it; None for no such seat."""
        claim, now = self.window.claim, self._clock()
        if claim is None or claim.silence is None:
            return None
        late = (*self.window.clock.overdue(now), *self.waiting.clock.overdue(now))
        silent = (seat for seat in claim.seats if seat in late or self._has_substitute(seat))
        return next(((seat, encode(claim.silence)) for seat in silent), None)

    def replace(self, seat: Seat, bot: str) -> None:
        """The `bot` that made the moves of `seat` can't go on: the next one does."""
        if bot != FIRST_MOVE and bot not in self._seating.chairs[seat].failed:
            self._seating.failed(seat, bot)
            other = self._bot(seat)
            self._note(News("first-move" if other == FIRST_MOVE else "replaced", bot, other), seat)

    def vote(self, person: str, pause: bool) -> None:
        """A player wants the game paused, or to go on; `agree` says what becomes of it."""
        if pause == self.waiting.paused:
            self.wants_pause -= {person}
        else:
            self.wants_pause |= {person}

    def take_back(self, person: str) -> None:
        """The person has gone, and their vote with them, but by correspondence."""
        if not self._patience.by_correspondence:
            self.wants_pause -= {person}

    def agree(self, here: Sequence[str]) -> None:
        """The players `here` decide: once all want it, the game stops, or goes on.

        By correspondence nobody is here for long, so everybody with a seat has to want it, whenever they come.
        """
        voters = self._seating.persons() if self._patience.by_correspondence else here
        self.wants_pause &= set(voters)
        if here and self.wants_pause.issuperset(voters):
            on = not self.waiting.paused
            self.wants_pause = frozenset()
            self.waiting = self.waiting.pause(on, self._patience, self._clock())
            self._follow_claim()
            self._note(News("paused" if on else "goes-on"))

    def next_look(self) -> float | None:
        """The moment at which `look` will find something; None for never."""
        if self.silence() is not None:
            return self._clock()
        moments = (self.waiting.next_look(self._patience), self.window.clock.next_due())
        return min((when for when in moments if when is not None), default=None)

    def look(self) -> None:
        """Let stand-ins begin where time is up or somebody was away too long, and bots where nobody has answered."""
        self.window = self.window.look(self._clock())
        self.waiting, found = self.waiting.look(self._patience, self.play.turns, self._clock())
        for each in found:
            self._taken_over(each)

    def look_round(self, present: Container[str]) -> None:
        """The persons `present` are at the table now: who is back plays for themselves again, at once."""
        chairs = self._seating.chairs
        for seat, chair in enumerate(chairs):
            if chair.person in present and self.waiting.stand_ins.why(seat) == "away":
                self._note(News("plays-again", chair.name), seat)
        someone = any(person in present for person in self._seating.persons())
        absent = [seat for seat in self._seating.absent(present) if self._seating.chairs[seat].person]
        self.waiting = self.waiting.seen(absent, someone, self._patience, self._clock())
        self._follow_claim()

    def left(self, seat: Seat) -> float | None:
        """The seconds that `seat` still has for its turn or answer; None where no time runs for it."""
        clocks = (
            [self.waiting.clock] if self.window.silence is None else [self.waiting.clock, self.window.clock]
        )
        lefts = [clock.left(seat, self._clock()) for clock in clocks]
        return min((left for left in lefts if left is not None), default=None)

    def left_to_answer(self) -> float | None:
        """The seconds for which the last move may be answered before play goes on; None where no time runs."""
        return self.window.left(self._clock())

    def stand_in(self, seat: Seat) -> str:
        """The bot that plays for a person on `seat`, or instead of the bot that was chosen; "" for none."""
        chair, bot = self._seating.chairs[seat], self.player(seat)
        return "" if bot is None or bot == chair.bot else _bot_title(bot)

    def erase(self, seat: Seat, person: str) -> None:
        """The player of `seat` has deleted their account, and sits there no more: a substitute bot plays at once."""
        self.play.erase(seat)
        self.wants_pause -= {person}
        if self.play.result is None:
            self._note(News("away", self._seating.chairs[seat].name), seat)
            self.wait_for_turn()

    def mark(self) -> MatchMark:
        """Where the match stands, to come back to."""
        return MatchMark(self.play.mark(), self.waiting, self.wants_pause, self.window)

    def back_to(self, mark: MatchMark) -> None:
        """Nothing of what came after `mark` has happened."""
        self.play.back_to(mark.play)
        self.waiting, self.wants_pause, self.window = mark.waiting, mark.wants_pause, mark.window

    def _follow_claim(self) -> None:
        """The last move, who is there, or a pause may have changed who can answer and whether time runs."""
        play, now = self.play, self._clock()
        # By correspondence people who aren't there have the time of the table's clock.
        unhurried = dict(self.waiting.stand_ins.away) if self._patience.by_correspondence else ()
        window = self.window.follow(play.claim(), play.number, play.turns, unhurried, now)
        self.window = window.run(self.waiting.runs(self._patience), now)

    def _has_substitute(self, seat: Seat) -> bool:
        chair = self._seating.chairs[seat]
        if chair.kind == "human" and not chair.person:
            return self.waiting.runs(self._patience)
        return self.waiting.plays_for(seat, self._patience)

    def _is_here(self, seat: Seat) -> bool:
        """Whether a person who is at the table plays `seat` themselves."""
        return self.player(seat) is None and seat not in dict(self.waiting.stand_ins.away)

    def _bot(self, seat: Seat) -> str:
        chair = self._seating.chairs[seat]
        bots = (*([chair.bot] if chair.bot else []), *self._stand_ins)
        return next((bot for bot in bots if bot not in chair.failed), FIRST_MOVE)

    def _taken_over(self, taken: Takeover) -> None:
        name = self._seating.chairs[taken.seat].name
        self._note(News(_TAKEN_OVER[taken.why], name), taken.seat)

    def _note(self, news: News, seat: Seat | None = None) -> None:
        """Something that stands in the record, in English, and that people at the table see."""
        self.play.note(str(news.words()), seat)
        self._announce(news)


def _bot_title(bot: str) -> str:
    return bot or "the first legal move"


class RoundsMark(msgspec.Struct, frozen=True):
    """Where the rounds stood (see `Rounds.mark`)."""

    state: RoomState
    count: int
    options: dict[str, str]
    seeds: tuple[bytes, bytes]
    match: Match | None
    played: MatchMark | None


class Rounds:
    """The rounds of a table as `order` has it, played by those on `seating`, which is the table's own."""

    def __init__(
        self,
        order: Order,
        seating: Seating,
        seed: bytes,
        ports: Ports,
        stand_ins: Sequence[str],
        announce: Callable[[News], None],
    ) -> None:
        """Nothing is dealt yet; the first deal will be from `seed`, further ones from the ports' entropy.

        `stand_ins` are the bots that may play for people; what happens to a game is told to `announce`.
        """
        self.state: RoomState = "open"
        self.count = 0
        """Which round it is, counted from the agreement on it."""
        self.options = dict(order.options)
        self.seeds = (seed, seed)
        """That of the shown game, and the next one's."""
        self.match: Match | None = None
        """The game that runs or ran last; kept while the table is open again, for its record."""
        self.first_number = 0
        """What the numbers of states begin after."""
        self._order = order
        self._seating = seating
        self._ports = ports
        self._stand_ins = stand_ins
        self._announce = announce
        self.now = ports.now
        """The time of day, for records."""

    @property
    def play(self) -> Play | None:
        """The game that runs or ran last."""
        return None if self.match is None else self.match.play

    @property
    def running(self) -> Match | None:
        """The match, while it runs."""
        return self.match if self.state == "playing" else None

    @property
    def match_is_paused(self) -> bool:
        """Whether a game runs, and stands still."""
        return self.running is not None and self.running.waiting.paused

    @property
    def number(self) -> int:
        """The number of the state that a move has to answer. It never falls, not even for the next game."""
        return self.first_number if self.match is None else self.match.play.number

    @property
    def commitment(self) -> str:
        """The promise of the seed that the shown game was or the next one will be dealt from."""
        return commitment(self.seeds[0])

    @property
    def seed(self) -> str:
        """The seed in hex once its game is over, else ""."""
        return self.seeds[0].hex() if self.state == "finished" else ""

    @property
    def next_commitment(self) -> str:
        """The promise for the rematch, which is dealt as soon as everybody wants it; "" before a game is over."""
        return commitment(self.seeds[1]) if self.state == "finished" else ""

    def deal(self, present: dict[str, str]) -> None:
        """Deal to all seats, of whose people those in `present` are here."""
        chairs = self._seating.chairs
        names = [chair.record_name for chair in chairs]
        cuts = [chair.cut for chair in chairs]
        game, number = self._order.game, self.number + 1
        match = self.match_of(deal(game, self.options, names, cuts, self.seeds[0], number, self.now))
        self._seating.dealt()
        self.match, self.state = match, "playing"
        match.look_round(present)
        match.wait_for_turn()

    def match_of(self, play: Play) -> Match:
        """`play` as a match at this table, with nobody there yet."""
        clock = self._ports.clock
        return Match(play, self._seating, self._order.patience, self._stand_ins, clock, self._announce)

    def settle(self) -> bool:
        """Whether the running game is over; then the next one's seed is drawn."""
        if self.running is None or self.running.play.result is None:
            return False
        self.state = "finished"
        self.seeds = (self.seeds[0], self._ports.entropy(SEED_BYTES))
        return True

    def again(self, present: dict[str, str]) -> None:
        """Another round: the seats turn, and it is dealt at once if nobody on them is missing in `present`."""
        self._seating.turn(present)
        self.seeds = (self.seeds[1], self.seeds[1])
        self.count += 1
        self.state = "open"
        self.options = dict(self._order.options)
        if self._seating.first_free() is not None:
            return
        self.deal(present)

    def mark(self) -> RoundsMark:
        """Where everything stands, to come back to."""
        match = self.match
        played = None if match is None else match.mark()
        return RoundsMark(self.state, self.count, self.options, self.seeds, match, played)

    def back_to(self, mark: RoundsMark) -> None:
        """Nothing of what came after `mark` has happened."""
        self.state, self.count, self.options, self.seeds = mark.state, mark.count, mark.options, mark.seeds
        self.match = mark.match
        if mark.match is not None and mark.played is not None:
            mark.match.back_to(mark.played)
