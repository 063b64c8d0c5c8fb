"""Caro behind the `Game` port.

Decisions (ours): a caro laid again may be called like any other, always wrongly; nobody calls between a right call and
that lay, nor after having accepted; a kind of game is its referee and rounds.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar, get_args

import msgspec
from msgspec.structs import replace
from typing_extensions import override

from cartino_engine.chance import Chance, GivenOrder, Impossible
from cartino_engine.port import Claim, Game, Result, Step, winners_of
from cartino_games.caro import views
from cartino_games.caro.rules.lessons import LESSONS
from cartino_games.caro.rules.table import FULL, WIDTH, CaroState, Table, broken
from cartino_games.caro.views import (
    COLOURS,
    SPANS,
    Accept,
    Call,
    CaroLay,
    Line,
    Move,
    RoundLine,
    Rule,
    SkipLine,
    place_at,
    place_of,
)
from cartino_protocol.base import Audience, Seat
from cartino_protocol.records import GameLine, RecordLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_, lazy_gettext
from cartino_protocol.views import OptionInfo

_Value = TypeVar("_Value")
PENALTY, RECENT = 10, 24
HOLD_BACK, SILENCE = 5.0, 15.0
SHARED = ("supplies", "totals", "closing", "must", "broke", "recent", "told", "by_round")
"""Fields that a view copies from the state."""
_moves: msgspec.msgpack.Decoder[Move] = msgspec.msgpack.Decoder(Move)


class Caro(Game[CaroState, Move]):
    """The game. See Game for what each method is."""

    name = "caro"
    title = "Caro"
    seats = (2, 4)
    options = (
        OptionInfo(
            "referee", (N_("strict"), N_("honour")), "strict", N_("who checks the rules"), N_("Referee")
        ),
        OptionInfo("rounds", ("1", "2", "3", "4"), "1", N_("rounds per game"), N_("Rounds")),
        OptionInfo(
            "begins", (N_("lot"), N_("opener")), "lot", N_("who starts round one"), N_("First player")
        ),
    )
    endings = ("laid", "blocked")
    lines = get_args(Line)
    lessons = LESSONS

    @override
    def start(self, options: Mapping[str, str], seats: Sequence[str], chance: Chance) -> Step[CaroState]:
        count = len(seats)
        if count not in SPANS or self.read_options(options) != options:
            raise Impossible(lazy_gettext("Caro can't be played like this with {seats} players", seats=count))
        first = chance.order(count)[0] if options["begins"] == "lot" else 0
        honour, rounds = options["referee"] == "honour", int(options["rounds"])
        state = CaroState(honour, rounds, first, first, Table(SPANS[count]), (FULL,) * count, (0,) * count)
        return _step(state, RoundLine(0, first))

    @override
    def on_turn(self, state: CaroState) -> tuple[Seat, ...]:
        """Seats that owe an answer to the round's last lay are, too."""
        return state.callers() if state.closing else () if state.is_over else (state.seat,)

    @override
    def may_act(self, state: CaroState) -> tuple[Seat, ...]:
        return tuple(sorted({*self.on_turn(state), *state.callers()}))

    @override
    def claim(self, state: CaroState) -> Claim[Move] | None:
        if state.closing:
            return Claim(state.callers(), SILENCE, Accept())
        return Claim(state.callers(), HOLD_BACK) if state.callers() else None

    @override
    def legal(self, state: CaroState, seat: Seat) -> Iterator[Move]:
        """Lays by the rules only, though the referee `honour` takes others; Accept; Call."""
        if seat in self.on_turn(state) and not state.closing:
            yield from (state.table.lay(colour, cell) for colour, cell, _ in state.lays(seat))
        if seat in state.callers():
            yield from (Accept(), Call()) if state.closing else (Call(),)

    @override
    def apply(self, state: CaroState, seat: Seat, move: Move) -> Step[CaroState] | Refusal:
        if state.is_over:
            return Refusal("illegal", "over")
        if isinstance(move, CaroLay):
            if seat not in self.on_turn(state):
                return Refusal("not-your-turn")
            rule = _rule_against(state, move)
            return Refusal("illegal", rule) if rule else _lay(state, move)
        if state.last is None or seat not in state.callers() or (move == Accept() and not state.closing):
            return Refusal("illegal", "no-call")
        return _call(state, seat, state.last) if move == Call() else _answer(state, views.AcceptLine(seat))

    @override
    def view(self, state: CaroState, audience: Audience) -> views.CaroView:
        """Return a view, the same for all but for what is offered.

        Under `honour` it never shows which lays break a rule, except for a colour to be laid again: there the rules
        are enforced.
        """
        mine = audience == state.seat and not (state.closing or state.is_over)
        lays = state.lays(state.seat, lawful=not state.honour or bool(state.must)) if mine else ()
        return views.CaroView(
            **state.table.shown(),
            on_turn=self.on_turn(state),
            laid=place_at(state.last.x, state.last.y, state.table.span) if state.last else "",
            lays={colour + place_of(*divmod(cell, WIDTH)): points for colour, cell, points in lays},
            claim=audience in state.callers(),
            course=state.course if state.is_over else (),
            **{name: getattr(state, name) for name in SHARED},
        )

    @override
    def turns(self, state: CaroState) -> int:
        """Lays, right calls (to lay again is a turn) and ends of rounds."""
        return len(state.course)

    @override
    def totals(self, state: CaroState) -> tuple[int, ...]:
        return state.totals

    @override
    def result(self, state: CaroState) -> Result | None:
        reason = "blocked" if any(state.supplies) else "laid"
        return Result(state.totals, winners_of(state.totals), reason) if state.is_over else None

    @override
    def kind(self, options: Mapping[str, str]) -> dict[str, str]:
        return {name: options[name] for name in ("referee", "rounds")}

    @override
    def highlights(self, lines: Sequence[RecordLine]) -> dict[str, list[int]]:
        """Return the best `lay` that stood."""
        points: list[list[int]] = [[0] for _ in _seats_of(lines)]
        for line in lines:
            if isinstance(line, views.CaroLayLine):
                points[line.seat].append(line.points)
            elif isinstance(line, views.UndoLine):
                points[line.seat].pop()
        return {"lay": list(map(max, points))}

    @override
    def read_move(self, raw: bytes) -> Move:
        return _moves.decode(raw)

    @override
    def redact(self, line: RecordLine, state: CaroState, audience: Audience = None) -> RecordLine:
        """Return the line as it is: nothing is hidden."""
        return line

    @override
    def drawn(self, options: Mapping[str, str], lines: Sequence[RecordLine]) -> Chance:
        """Return the lot: the seat that moves first in the first round."""
        first = next((line.first for line in lines if isinstance(line, RoundLine)), 0)
        return GivenOrder(sorted(_seats_of(lines), key=lambda seat: seat != first))

    @override
    def move_of(self, line: RecordLine) -> tuple[Seat, Move] | None:
        if isinstance(line, views.CaroLayLine):
            return line.seat, CaroLay(line.colour, line.x, line.y)
        if isinstance(line, views.CallLine):
            return line.seat, Call()
        return (line.seat, Accept()) if isinstance(line, views.AcceptLine) else None


def _seats_of(lines: Sequence[RecordLine]) -> range:
    """Return the seats of a whole record."""
    head = lines[0]
    return range(len(head.seats) if isinstance(head, GameLine) else 0)


def _at_seat(values: tuple[_Value, ...], seat: Seat, value: _Value) -> tuple[_Value, ...]:
    """Return `values`, one a seat, with another one at `seat`."""
    return (*values[:seat], value, *values[seat + 1 :])


def _rule_against(state: CaroState, lay: CaroLay) -> Rule | None:
    cell = state.table.cell(lay.x, lay.y)
    if state.closing:
        return "answer-first"
    if lay.colour not in state.supplies[state.seat] or state.must not in ("", lay.colour):
        return "colour"
    if cell not in state.table.places():
        return "place"
    return broken(state.table.cells, cell, lay.colour) if state.must or not state.honour else None


def _lay(state: CaroState, lay: CaroLay) -> Step[CaroState]:
    seat, supply, colour = state.seat, state.supplies[state.seat], lay.colour
    cell, doubled = state.table.cell(lay.x, lay.y), supply.count(colour) == 1
    penalty = PENALTY if state.must else msgspec.UNSET
    points = state.table.score(cell, colour, supply)
    total = state.totals[seat] + points - (penalty or 0)
    line = views.CaroLayLine(seat, colour, lay.x, lay.y, points, doubled, total, penalty)
    after = _changed(state, seat, total, supply.replace(colour, "", 1), state.table.with_caro(cell, colour))
    return _pass_on(replace(after, last=line), line)


def _call(state: CaroState, seat: Seat, last: views.CaroLayLine) -> Step[CaroState]:
    sinner, cell, colour = last.seat, state.table.cell(last.x, last.y), last.colour
    table = state.table.without_caro(cell)
    rule = broken(table.cells, cell, colour)
    if rule is None:
        total = state.totals[seat] - PENALTY
        wrong = views.CallLine(seat, sinner, False, PENALTY, total)
        return _answer(replace(state, totals=_at_seat(state.totals, seat, total)), wrong)
    total = state.totals[sinner] - last.points
    lines = views.CallLine(seat, sinner, True), views.UndoLine(sinner, last.x, last.y, last.points, total)
    supply = "".join(sorted(state.supplies[sinner] + colour, key=COLOURS.index))
    after = replace(_changed(state, sinner, total, supply, table), seat=sinner, must=colour, broke=rule)
    if after.can_lay(sinner):
        return _step(after, *lines)
    lost = views.ForfeitLine(sinner, colour, PENALTY, total - PENALTY)
    return _pass_on(replace(after, totals=_at_seat(after.totals, sinner, lost.total), must=""), *lines, lost)


def _changed(state: CaroState, seat: Seat, total: int, supply: str, table: Table) -> CaroState:
    """Return the state after a caro of `seat` was laid or taken back, with no answers yet."""
    totals, supplies = _at_seat(state.totals, seat, total), _at_seat(state.supplies, seat, supply)
    fresh = replace(state, last=None, answered=(), closing=False, must="", broke="")
    return replace(fresh, totals=totals, supplies=supplies, table=table, course=(*state.course, totals))


def _answer(state: CaroState, line: views.CallLine | views.AcceptLine) -> Step[CaroState]:
    after = replace(state, answered=(*state.answered, line.seat))
    return _close(after, line) if after.closing and not after.callers() else _step(after, line)


def _pass_on(state: CaroState, *lines: Line) -> Step[CaroState]:
    """Pass the turn to the next seat that can lay; if none can, the round closes or waits for answers."""
    skips: list[Line] = []
    for step in range(1, len(state.totals) + 1):
        seat = (state.seat + step) % len(state.totals)
        if state.can_lay(seat):
            return _step(replace(state, seat=seat), *lines, *skips)
        if state.supplies[seat]:
            skips.append(SkipLine(seat))
    return _step(replace(state, closing=True), *lines) if state.callers() else _close(state, *lines)


def _close(state: CaroState, *lines: Line) -> Step[CaroState]:
    seats = range(len(state.totals))
    points = tuple(state.totals[seat] - sum(each[seat] for each in state.by_round) for seat in seats)
    by_round, course = (*state.by_round, points), (*state.course, state.totals)
    state = replace(state, by_round=by_round, course=course, answered=(), closing=False)
    if state.is_over:
        return _step(state, *lines)
    first = min(seats, key=lambda seat: (points[seat], (seat - state.first - 1) % len(seats)))
    fresh = replace(state, first=first, seat=first, last=None, table=Table(state.table.span))
    return _step(replace(fresh, supplies=(FULL,) * len(seats)), *lines, RoundLine(len(by_round), first))


def _step(state: CaroState, *lines: Line) -> Step[CaroState]:
    recent = (*state.recent, *lines)[-RECENT:]
    return Step(replace(state, recent=recent, told=state.told + len(lines)), lines)
