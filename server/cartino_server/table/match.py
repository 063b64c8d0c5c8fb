"""One dealt game at a table as one immutable value, and who plays for its seats: players, bots and substitutes.

No I/O. Exceptions of the game pass through. Times are seconds of the server's clock.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from cartino_engine.chance import SeedChance, commitment
from cartino_engine.port import AnyClaim, AnyGame, Result
from cartino_engine.replay import GameRecord, ReplayState, replay
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
from cartino_server.environment import Ports
from cartino_server.table.seating import Order, Seating, without_name
from cartino_server.table.time_control import GameTiming, start_timing

FIRST_MOVE = ""
"""The substitute of last resort, which makes the first legal move; no bot has this name."""


class Match(msgspec.Struct, frozen=True):
    """A game that was dealt. Every change returns a new value.

    `number` is that of the state, `first` that of the first state, which differs for each game of a table; `made`
    counts the moves of people; `substitutes` are the substitute bots, in order; `wants_pause` is who wants to pause or
    resume; for `substituted` a substitute made the last move. The table announces `news`.
    """

    game: AnyGame
    seed: bytes
    first: int
    number: int
    state: Any
    lines: tuple[RecordLine, ...]
    result: Result | None
    substitutes: tuple[str, ...]
    timing: GameTiming
    made: int = 0
    wants_pause: frozenset[str] = frozenset()
    substituted: frozenset[Seat] = frozenset()
    news: tuple[News, ...] = ()

    def act(self, seating: Seating, ports: Ports, seat: Seat, number: int, raw: bytes) -> "Match | Refusal":
        """Apply the encoded move of `seat` to the state `number`. Whose turn it is, the game decides."""
        if self.result is not None:
            return Refusal("not-playing")
        if self.timing.turn.paused:
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
        by_substitute = self.has_substitute(seating, seat)
        acted = replace(
            self,
            state=step.state,
            number=number + 1,
            made=self.made + (seating.chairs[seat].kind != "bot" and not by_substitute),
            substituted=self.substituted | {seat} if by_substitute else self.substituted - {seat},
            lines=(*self.lines, *step.lines),
        )
        return acted.settle(ports.now).wait_for_turn(seating, ports.clock())

    def settle(self, wall_time: Callable[[], str]) -> "Match":
        """End the record if the game is over by its own rules.

        Raises RuntimeError if it waits for nobody and yet isn't over: such a table would stand still.
        """
        result = self.game.result(self.state)
        if result is not None:
            return self._end(result, wall_time)
        if not self.game.on_turn(self.state):
            raise RuntimeError("no seat is on turn, but there is no result")
        return self

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

    def has_substitute(self, seating: Seating, seat: Seat) -> bool:
        """Return whether a bot plays for the person on `seat`, or for the one who gave it up."""
        chair = seating.chairs[seat]
        if chair.kind == "human" and not chair.person:
            return self.timing.runs
        return self.timing.plays_for(seat)

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

    def tell(self, news: News, seat: Seat | None = None) -> "Match":
        """Put `news` into the record, in English, and have the table announce it."""
        return replace(self.note(str(news.words()), seat), news=(*self.news, news))

    def wait_for_turn(self, seating: Seating, now: float) -> "Match":
        """Start the clocks of the seats that are on turn now."""
        people = [seat for seat in self.on_turn() if seating.chairs[seat].person]
        return self.timed(self.timing.wait_for_seats(people, self.turns, now), now)

    def timed(self, timing: GameTiming, now: float) -> "Match":
        """Return the match with `timing`, its claim window opened, closed or stopped as the game stands."""
        return replace(self, timing=timing.follow_claim(self.claim(), self.number, self.turns, now))

    def erase(self, seating: Seating, seat: Seat, person: str, now: float) -> "Match":
        """Remove the player of `seat`, whose account was deleted, from the record; a substitute plays at once."""
        lines = tuple(without_name(line, (seat,)) for line in self.lines)
        match = replace(self, lines=lines, wants_pause=self.wants_pause - {person})
        if self.result is not None:
            return match
        return match.tell(News("away", seating.chairs[seat].name), seat).wait_for_turn(seating, now)

    def _end(self, result: Result, wall_time: Callable[[], str]) -> "Match":
        line = EndLine(result.totals, result.winners, result.reason, self.seed.hex(), wall_time())
        return replace(self, result=result, lines=(*self.lines, line))


PLAYED_ON: Final = "played on from "
"""How the remark begins that marks a game as begun in the middle of another; it counts for nobody."""


class Continuation(msgspec.Struct, frozen=True):
    """The middle of the finished game `name`: its cuts, the record's lines up to there, and the state they lead to."""

    name: str
    cuts: tuple[str, ...]
    lines: tuple[RecordLine, ...]
    state: Any


def is_played_on(lines: Sequence[RecordLine]) -> bool:
    """Return whether a record begins in the middle of another game."""
    return any(isinstance(line, NoteLine) and line.text.startswith(PLAYED_ON) for line in lines)


def deal(
    order: Order,
    options: Mapping[str, str],
    seating: Seating,
    seed: bytes,
    number: int,
    wall_time: Callable[[], str],
    substitutes: tuple[str, ...],
    continued: Continuation | None = None,
) -> Match:
    """Deal to all chairs from `seed` and the players' cuts; the first state gets `number`.

    Instead, `continued` is what another game came to that was dealt from `seed`.
    """
    game, names = order.game, tuple(chair.record_name for chair in seating.chairs)
    lines: tuple[RecordLine, ...]
    if continued is None:
        cuts = tuple(chair.cut for chair in seating.chairs)
        step = game.start(options, names, SeedChance(seed, cuts))
        state, lines = step.state, tuple(step.lines)
    else:
        cuts, state = continued.cuts, continued.state
        lines = (*continued.lines, NoteLine(f"{PLAYED_ON}{continued.name}", None))
    opening = GameLine(FORMAT, game.name, dict(options), names, commitment(seed), cuts, wall_time())
    match = Match(
        game=game,
        seed=seed,
        first=number,
        number=number,
        state=state,
        lines=(opening, *lines),
        result=None,
        substitutes=substitutes,
        timing=start_timing(order.time_control),
    )
    return match.settle(wall_time)


def made_by_people(game: AnyGame, head: GameLine, lines: Sequence[RecordLine]) -> int:
    """Return how many moves in the record `lines` below `head` people made, those of their substitutes included."""
    people = [not seat.startswith(BOT) for seat in head.seats]
    moves = (game.move_of(line) for line in lines if not isinstance(line, COMMON_LINES))
    return sum(people[move[0]] for move in moves if move is not None)


def bot_for(match: Match, seating: Seating, seat: Seat) -> str | None:
    """Return the bot that plays for `seat`, FIRST_MOVE where none can; None where a person does."""
    if seating.chairs[seat].kind != "bot" and not match.has_substitute(seating, seat):
        return None
    return _next_bot(match, seating, seat)


def substitute_for(match: Match, seating: Seating, seat: Seat) -> str:
    """Return the bot that plays for a person on `seat`, or instead of the chosen bot; "" for none."""
    bot = bot_for(match, seating, seat)
    if bot is None or bot == seating.chairs[seat].bot:
        return ""
    return bot or "the first legal move"


def _next_bot(match: Match, seating: Seating, seat: Seat) -> str:
    chair = seating.chairs[seat]
    bots = (*([chair.bot] if chair.bot else []), *match.substitutes)
    return next((bot for bot in bots if bot not in chair.failed), FIRST_MOVE)


def announce_other_bot(match: Match, seating: Seating, seat: Seat, bot: str) -> Match:
    """Announce who plays for `seat` instead of `bot`; `seating` knows already that it failed."""
    other = _next_bot(match, seating, seat)
    return match.tell(News("first-move" if other == FIRST_MOVE else "replaced", bot, other), seat)


def bot_may_act(match: Match, seating: Seating, seat: Seat) -> bool:
    """Return whether the bot that plays for `seat` may move now.

    On turn it holds back while a person at the table may still answer the last move. A substitute never answers.
    """
    window = match.timing.window
    seats = () if window.claim is None else window.claim.seats
    if seat not in match.on_turn() or (window.silence is not None and seat in seats):
        return not match.has_substitute(seating, seat)
    away = dict(match.timing.turn.substitutes.away)
    return not window.is_waited_for or all(
        bot_for(match, seating, each) is not None or each in away for each in seats
    )


def silent_move(match: Match, seating: Seating, now: float) -> tuple[Seat, bytes] | None:
    """Return a seat that hasn't answered in time, or has a substitute, and the move made for it; None for none."""
    claim = match.timing.window.claim
    if claim is None or claim.silence is None:
        return None
    late = match.timing.late(now)
    silent = (seat for seat in claim.seats if seat in late or match.has_substitute(seating, seat))
    return next(((seat, encode(claim.silence)) for seat in silent), None)


def next_takeover(match: Match, seating: Seating, now: float) -> float | None:
    """Return when a seat loses its turn or its answer; None for never."""
    return match.timing.next_due() if silent_move(match, seating, now) is None else now


def announce_takeovers(match: Match, seating: Seating, now: float) -> Match:
    """Let substitutes play where time is up or somebody was away too long, and bots where nobody has answered."""
    timing, found = match.timing.look(match.turns, now)
    match = replace(match, timing=timing)
    for seat, why in found.items():
        match = match.tell(News("time-up" if why == "time" else "away", seating.chairs[seat].name), seat)
    return match


def note_present(match: Match, seating: Seating, present: Container[str], now: float) -> Match:
    """Note who of the players is at the table: people who are back play for themselves at once."""
    for seat, chair in enumerate(seating.chairs):
        if chair.person in present and match.timing.turn.substitutes.why(seat) == "away":
            match = match.tell(News("plays-again", chair.name), seat)
    someone = any(person in present for person in seating.persons())
    absent = [seat for seat in seating.absent(present) if seating.chairs[seat].person]
    return match.timed(match.timing.record_absences(absent, someone, now), now)
