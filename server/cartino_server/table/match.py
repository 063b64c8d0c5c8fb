"""One dealt game at a table: its state, record, clocks, votes and substitutes, as one immutable value.

No I/O. Exceptions of the game pass through. Times are seconds of the server's clock.
"""

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from cartino_protocol.base import DECODE_ERRORS, Audience, Seat
from cartino_protocol.notices import News
from cartino_protocol.records import (
    BOT,
    COMMON_LINES,
    FORMAT,
    EndLine,
    GameLine,
    NoteLine,
    RecordLine,
    write_lines,
)
from cartino_protocol.refusals import Refusal
from cartino_protocol.wire import encode
from cartino_server.engine.chance import SeedChance, commitment
from cartino_server.engine.port import AnyClaim, AnyGame, Result
from cartino_server.engine.replay import GameRecord, ReplayState, replay
from cartino_server.table.environment import Ports
from cartino_server.table.seating import Order, Seating, without_name
from cartino_server.table.time_control import ClaimWindow, TimeControl, TurnTiming, start_timing

FIRST_MOVE = ""
"""The substitute of last resort, which makes the first legal move; no bot has this name."""


class Match(msgspec.Struct, frozen=True):
    """A game that was dealt. Every change returns a new value.

    `number` is that of the state, `first` that of the first state, which differs for each game of a table; `made`
    counts the moves of people; `stand_ins` are the substitute bots, in order; `wants_pause` is who wants to pause or
    resume. The table announces `news`.
    """

    game: AnyGame
    seed: bytes
    first: int
    number: int
    state: Any
    lines: tuple[RecordLine, ...]
    result: Result | None
    patience: TimeControl
    stand_ins: tuple[str, ...]
    waiting: TurnTiming
    made: int = 0
    wants_pause: frozenset[str] = frozenset()
    window: ClaimWindow = ClaimWindow()
    news: tuple[News, ...] = ()

    def act(self, seating: Seating, ports: Ports, seat: Seat, number: int, raw: bytes) -> "Match | Refusal":
        """Apply the encoded move of `seat` to the state `number`. Whose turn it is, the game decides."""
        if self.result is not None:
            return Refusal("not-playing")
        if self.waiting.paused:
            return Refusal("paused")
        if number != self.number:
            return Refusal("stale")
        try:
            move = self.game.read_move(raw)
        except DECODE_ERRORS:
            return Refusal("malformed")
        step = self.game.apply(self.state, seat, move)
        if isinstance(step, Refusal):
            return step
        acted = replace(
            self,
            state=step.state,
            number=number + 1,
            made=self.made + (self.player(seating, seat) is None),
            lines=(*self.lines, *step.lines),
        )
        return acted.settle(ports.now).wait_for_turn(seating, ports.clock())

    def settle(self, wall_time: Callable[[], str]) -> "Match":
        """End the record if the game is over by its own rules."""
        result = self.game.result(self.state)
        return self if result is None else self._end(result, wall_time)

    def abandon(self, wall_time: Callable[[], str]) -> "Match":
        """End the record with the totals as they stand and no winner, unless it has ended."""
        if self.result is not None:
            return self
        return self._end(Result(self.game.totals(self.state), (), "abandoned"), wall_time)

    @property
    def turns(self) -> int:
        """How many turns are over."""
        return self.game.turns(self.state)

    def on_turn(self) -> tuple[Seat, ...]:
        """Return the seats that the game waits for."""
        return () if self.result is not None else self.game.on_turn(self.state)

    def may_act(self) -> tuple[Seat, ...]:
        """Return the seats that can act, on turn or not."""
        return () if self.result is not None else self.game.may_act(self.state)

    def claim(self) -> AnyClaim | None:
        """Return who may answer the last move; None where nobody may."""
        return None if self.result is not None else self.game.claim(self.state)

    def moments(self) -> Sequence[ReplayState]:
        """Return every state of the game, the deal first; the last one has `number`."""
        head = self.lines[0]
        assert isinstance(head, GameLine)
        return tuple(replay(GameRecord(self.game, head, self.lines), SeedChance(self.seed, head.cuts)))

    def export(self, audience: Audience = None) -> bytes:
        """Return the record as JSON Lines; while the game runs, without what is hidden from `audience`."""
        is_open = isinstance(self.lines[-1], EndLine)
        return write_lines(
            [
                line
                if is_open or isinstance(line, COMMON_LINES)
                else self.game.redact(line, self.state, audience)
                for line in self.lines
            ]
        )

    def note(self, text: str, seat: Seat | None = None) -> "Match":
        """Add a remark about `seat` to the record of a running game."""
        return self if self.result is not None else replace(self, lines=(*self.lines, NoteLine(text, seat)))

    def wait_for_turn(self, seating: Seating, now: float) -> "Match":
        """Start the clocks of the seats that are on turn now."""
        people = [seat for seat in self.on_turn() if seating.chairs[seat].person]
        waiting = self.waiting.follow(people, self.turns, self.patience, now)
        return replace(self, waiting=waiting)._follow_claim(now)

    def player(self, seating: Seating, seat: Seat) -> str | None:
        """Return the bot that plays for `seat`, FIRST_MOVE where none can; None where a person does."""
        if seating.chairs[seat].kind != "bot" and not self._has_substitute(seating, seat):
            return None
        return self._bot(seating, seat)

    def stand_in(self, seating: Seating, seat: Seat) -> str:
        """Return the bot that plays for a person on `seat`, or instead of the chosen bot; "" for none."""
        bot = self.player(seating, seat)
        if bot is None or bot == seating.chairs[seat].bot:
            return ""
        return bot or "the first legal move"

    def lets_act(self, seating: Seating, seat: Seat) -> bool:
        """Return whether the bot that plays for `seat` may move now.

        On turn it holds back while a person at the table may still answer the last move. A substitute never answers.
        """
        window = self.window
        seats = () if window.claim is None else window.claim.seats
        if seat not in self.on_turn() or (window.silence is not None and seat in seats):
            return not self._has_substitute(seating, seat)
        away = dict(self.waiting.stand_ins.away)
        return not window.is_waited_for or all(
            self.player(seating, each) is not None or each in away for each in seats
        )

    def silence(self, seating: Seating, now: float) -> tuple[Seat, bytes] | None:
        """Return a seat that hasn't answered in time, or has a substitute, and the move made for it; None for none."""
        claim = self.window.claim
        if claim is None or claim.silence is None:
            return None
        late = (*self.window.clock.overdue(now), *self.waiting.clock.overdue(now))
        silent = (seat for seat in claim.seats if seat in late or self._has_substitute(seating, seat))
        return next(((seat, encode(claim.silence)) for seat in silent), None)

    def replaced(self, seating: Seating, seat: Seat, bot: str) -> "Match":
        """Announce who plays for `seat` instead of `bot`; `seating` knows already that it failed."""
        other = self._bot(seating, seat)
        return self._tell(News("first-move" if other == FIRST_MOVE else "replaced", bot, other), seat)

    def vote(self, person: str, pause: bool) -> "Match":
        """Note that a player wants the game to pause or to go on; see `agree`."""
        if pause == self.waiting.paused:
            return replace(self, wants_pause=self.wants_pause - {person})
        return replace(self, wants_pause=self.wants_pause | {person})

    def take_back(self, person: str) -> "Match":
        """Drop the vote of somebody who left; by correspondence it stays."""
        if self.patience.by_correspondence:
            return self
        return replace(self, wants_pause=self.wants_pause - {person})

    def agree(self, seating: Seating, here: Sequence[str], now: float) -> "Match":
        """Pause or resume if all players `here` want it; by correspondence, if everybody with a seat does."""
        voters = seating.persons() if self.patience.by_correspondence else here
        wants = self.wants_pause & set(voters)
        if not (here and wants.issuperset(voters)):
            return replace(self, wants_pause=wants)
        on = not self.waiting.paused
        waiting = self.waiting.pause(on, self.patience, now)
        agreed = replace(self, wants_pause=frozenset(), waiting=waiting)._follow_claim(now)
        return agreed._tell(News("paused" if on else "goes-on"))

    def next_look(self, seating: Seating, now: float) -> float | None:
        """Return when `look` will find something; None for never."""
        if self.silence(seating, now) is not None:
            return now
        return _earliest(self.waiting.next_look(self.patience), self.window.clock.next_due())

    def look(self, seating: Seating, now: float) -> "Match":
        """Let substitutes play where time is up or somebody was away too long, and bots where nobody has answered."""
        waiting, found = self.waiting.look(self.patience, self.turns, now)
        match = replace(self, window=self.window.look(now), waiting=waiting)
        for each in found:
            name = seating.chairs[each.seat].name
            match = match._tell(News("time-up" if each.why == "time" else "away", name), each.seat)
        return match

    def look_round(self, seating: Seating, present: Container[str], now: float) -> "Match":
        """Note who of the players is at the table: people who are back play for themselves at once."""
        match = self
        for seat, chair in enumerate(seating.chairs):
            if chair.person in present and self.waiting.stand_ins.why(seat) == "away":
                match = match._tell(News("plays-again", chair.name), seat)
        someone = any(person in present for person in seating.persons())
        absent = [seat for seat in seating.absent(present) if seating.chairs[seat].person]
        return replace(match, waiting=self.waiting.seen(absent, someone, self.patience, now))._follow_claim(
            now
        )

    def left(self, seat: Seat, now: float) -> float | None:
        """Return the seconds that `seat` has for its turn or answer; None where no time runs for it."""
        answer = None if self.window.silence is None else self.window.clock.left(seat, now)
        return _earliest(self.waiting.clock.left(seat, now), answer)

    def erase(self, seating: Seating, seat: Seat, person: str, now: float) -> "Match":
        """Remove the player of `seat`, whose account was deleted, from the record; a substitute plays at once."""
        lines = tuple(without_name(line, (seat,)) for line in self.lines)
        match = replace(self, lines=lines, wants_pause=self.wants_pause - {person})
        if self.result is not None:
            return match
        return match._tell(News("away", seating.chairs[seat].name), seat).wait_for_turn(seating, now)

    def _end(self, result: Result, wall_time: Callable[[], str]) -> "Match":
        line = EndLine(result.totals, result.winners, result.reason, self.seed.hex(), wall_time())
        return replace(self, result=result, lines=(*self.lines, line))

    def _tell(self, news: News, seat: Seat | None = None) -> "Match":
        """Put `news` into the record, in English, and have the table announce it."""
        return replace(self.note(str(news.words()), seat), news=(*self.news, news))

    def _follow_claim(self, now: float) -> "Match":
        """Open, close or stop the claim window after a move, an arrival, a departure or a pause."""
        # By correspondence people who aren't there have the time of the table's clock.
        unhurried: Collection[Seat] = (
            dict(self.waiting.stand_ins.away) if self.patience.by_correspondence else ()
        )
        window = self.window.follow(self.claim(), self.number, self.turns, unhurried, now)
        return replace(self, window=window.run(self.waiting.runs(self.patience), now))

    def _has_substitute(self, seating: Seating, seat: Seat) -> bool:
        chair = seating.chairs[seat]
        if chair.kind == "human" and not chair.person:
            return self.waiting.runs(self.patience)
        return self.waiting.plays_for(seat, self.patience)

    def _bot(self, seating: Seating, seat: Seat) -> str:
        chair = seating.chairs[seat]
        bots = (*([chair.bot] if chair.bot else []), *self.stand_ins)
        return next((bot for bot in bots if bot not in chair.failed), FIRST_MOVE)


def _earliest(*moments: float | None) -> float | None:
    return min((when for when in moments if when is not None), default=None)


def deal(
    order: Order,
    options: Mapping[str, str],
    seating: Seating,
    seed: bytes,
    number: int,
    wall_time: Callable[[], str],
    stand_ins: tuple[str, ...],
) -> Match:
    """Deal to all chairs from `seed` and the players' cuts; the first state gets `number`."""
    game, patience = order.game, order.patience
    names = tuple(chair.record_name for chair in seating.chairs)
    cuts = tuple(chair.cut for chair in seating.chairs)
    step = game.start(options, names, SeedChance(seed, cuts))
    opening = GameLine(FORMAT, game.name, dict(options), names, commitment(seed), cuts, wall_time())
    match = Match(
        game=game,
        seed=seed,
        first=number,
        number=number,
        state=step.state,
        lines=(opening, *step.lines),
        result=None,
        patience=patience,
        stand_ins=stand_ins,
        waiting=start_timing(patience),
    )
    return match.settle(wall_time)


def made_by_people(game: AnyGame, head: GameLine, lines: Sequence[RecordLine]) -> int:
    """Return how many moves in the record `lines` below `head` people made, those of their substitutes included."""
    people = [not seat.startswith(BOT) for seat in head.seats]
    moves = (game.move_of(line) for line in lines if not isinstance(line, COMMON_LINES))
    return sum(people[move[0]] for move in moves if move is not None)
