"""The game that runs at a table: who makes the moves of which seat, what time they have, and whether it is paused.

Pure like the room, which tells it who is at the table; times are the house's, in seconds.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from types import MappingProxyType

import msgspec

from cartino_protocol.ids import Seat
from cartino_protocol.notices import News, NoticeWord
from cartino_protocol.refusals import Refusal
from cartino_protocol.wire import encode
from cartino_server.rooms.claims import Window
from cartino_server.rooms.play import Play, PlayMark
from cartino_server.rooms.seating import Seating
from cartino_server.rooms.standins import Why
from cartino_server.rooms.waiting import Patience, TakenOver, Waiting, begin

FIRST_MOVE = ""
"""The stand-in of last resort, which makes the first legal move; no bot is called so."""

_TAKEN_OVER: Mapping[Why, NoticeWord] = MappingProxyType({"time": "time-up", "away": "away"})


class MatchMark(msgspec.Struct, frozen=True):
    """Where a match stood (see `Match.mark`)."""

    play: PlayMark
    waiting: Waiting
    wants_pause: frozenset[str]
    window: Window


class Match:
    """A game that was dealt, until it is over; what happens to it is told to `announce`, and noted in the record."""

    def __init__(
        self,
        play: Play,
        seating: Seating,
        patience: Patience,
        stand_ins: Sequence[str],
        clock: Callable[[], float],
        announce: Callable[[News], None],
    ) -> None:
        """The match of `play` between those on `seating`, which is the table's own.

        `stand_ins` are the bots that may play for people, the first choice first.
        """
        self.play = play
        self.waiting = begin(patience)
        self.wants_pause: frozenset[str] = frozenset()
        """Who wants a game that runs to stop, or one that is paused to go on."""
        self.window = Window()
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
        return "" if bot is None or bot == chair.bot else _called(bot)

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

    def _taken_over(self, taken: TakenOver) -> None:
        name = self._seating.chairs[taken.seat].name
        self._note(News(_TAKEN_OVER[taken.why], name), taken.seat)

    def _note(self, news: News, seat: Seat | None = None) -> None:
        """Something that stands in the record, in English, and that people at the table see."""
        self.play.note(str(news.words()), seat)
        self._announce(news)


def _called(bot: str) -> str:
    return bot or "the first legal move"
