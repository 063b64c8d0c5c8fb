"""Caro behind the `Game` port.

Decisions (ours): a caro laid again may be called like any other, always wrongly; nobody calls between a right call and
that lay, nor after having accepted; a round's first caro lies on 0, 0; a kind of game is its referee and rounds.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar, get_args

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from cartino_games.caro import views
from cartino_games.caro.rules.table import Table, broken, cell_of, place_of
from cartino_games.caro.views import COLOURS, EMPTY, SPANS, Accept, Call, Colour, Lay, Line, Move, Rule
from cartino_protocol.ids import Audience, Seat
from cartino_protocol.marking import N_, later
from cartino_protocol.records import GameLine, RecordLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import OptionInfo
from cartino_server.engine.chance import Chance, GivenOrder
from cartino_server.engine.impossible import Impossible
from cartino_server.engine.port import Claim, Game, Result, Step, winners_of

PENALTY, RECENT = 10, 12
HOLD_BACK, SILENCE = 5.0, 15.0
FULL = "".join(colour * 3 for colour in COLOURS)
SHARED = ("supplies", "totals", "round", "rounds", "first", "closing", "answered", "must", "by_round")
"""Fields that a view copies from the state."""
T = TypeVar("T")
_moves = msgspec.msgpack.Decoder(Move)


class State(msgspec.Struct, frozen=True):
    """One moment of a game.

    `seat` lays next; while `closing` it laid the round's last caro, which the others answer. `last` is the last lay
    unless it was called back, `answered` who called or accepted it, `must` the colour to be laid again.
    """

    honour: bool
    rounds: int
    first: Seat
    seat: Seat
    table: Table
    supplies: tuple[str, ...]
    totals: tuple[int, ...]
    last: views.LayLine | None = None
    answered: tuple[Seat, ...] = ()
    closing: bool = False
    must: str = ""
    turns: int = 0
    by_round: tuple[tuple[int, ...], ...] = ()
    recent: tuple[Line, ...] = ()

    def lays(self, seat: Seat, *, lawful: bool = True) -> Iterator[tuple[Colour, int]]:
        """Yield each colour and cell that `seat` could lay: by the rules, or all that touch."""
        places = self.table.places()
        for colour in COLOURS:
            if colour in self.supplies[seat] and self.must in ("", colour):
                for cell in places:
                    if not lawful or broken(self.table.cells, cell, colour) is None:
                        yield colour, cell

    def callers(self) -> tuple[Seat, ...]:
        """Return the seats that may call the last lay, or accept it while the round is closing."""
        if not self.honour or self.last is None or self.over:
            return ()
        return tuple(s for s in range(len(self.totals)) if s not in (self.last.seat, *self.answered))

    @property
    def round(self) -> int:
        """The round in play, from 0; after the game the last one."""
        return min(len(self.by_round), self.rounds - 1)

    @property
    def over(self) -> bool:
        """Whether the last round has ended."""
        return len(self.by_round) == self.rounds


class Caro(Game[State, Move]):
    """The game. See Game for what each method is."""

    name = "caro"
    title = "Caro"
    seats = (2, 4)
    options = (
        OptionInfo(
            "referee",
            ("strict", "honour"),
            "strict",
            N_("strict refuses illegal lays, honour leaves it to the players to call them"),
            N_("Referee"),
        ),
        OptionInfo("rounds", ("1", "2", "3", "4"), "1", N_("rounds in one game"), N_("Rounds")),
        OptionInfo("begins", ("lot", "opener"), "lot", N_("who lays first in round one"), N_("Lays first")),
    )
    lines = get_args(Line)

    def start(self, options: Mapping[str, str], seats: Sequence[str], chance: Chance) -> Step[State]:
        """See Game.start."""
        count = len(seats)
        if count not in SPANS or self.read_options(options) != options:
            raise Impossible(later("Caro has no such game for {seats} players", seats=count))
        first = chance.order(count)[0] if options["begins"] == "lot" else 0
        honour, rounds = options["referee"] == "honour", int(options["rounds"])
        state = State(honour, rounds, first, first, Table(SPANS[count]), (FULL,) * count, (0,) * count)
        return _step(state, views.RoundLine(0, first))

    def on_turn(self, state: State) -> tuple[Seat, ...]:
        """See Game.on_turn: seats that owe an answer to the round's last lay are, too."""
        if state.closing:
            return state.callers()
        return () if state.over else (state.seat,)

    def may_act(self, state: State) -> tuple[Seat, ...]:
        """See Game.may_act."""
        return tuple(sorted({*self.on_turn(state), *state.callers()}))

    def claim(self, state: State) -> Claim[Move] | None:
        """See Game.claim."""
        if state.closing:
            return Claim(state.callers(), SILENCE, Accept())
        return Claim(state.callers(), HOLD_BACK) if state.callers() else None

    def legal(self, state: State, seat: Seat) -> Iterator[Move]:
        """See Game.legal: lays by the rules only, though the referee `honour` takes others; Accept; Call."""
        if seat in self.on_turn(state) and not state.closing:
            yield from (Lay(colour, *place_of(cell)) for colour, cell in state.lays(seat))
        if seat in state.callers():
            yield from (Accept(), Call()) if state.closing else (Call(),)

    def apply(self, state: State, seat: Seat, move: Move) -> Step[State] | Refusal:
        """See Game.apply."""
        if state.over:
            return Refusal("illegal", "over")
        if isinstance(move, Lay):
            if seat not in self.on_turn(state):
                return Refusal("not-your-turn")
            rule = _lay_rule(state, move)
            return Refusal("illegal", rule) if rule else _lay(state, move.colour, cell_of(move.x, move.y))
        rule, last = _answer_rule(state, seat, move), state.last
        if rule or last is None:
            return Refusal("illegal", rule or "no-caro")
        return _call(state, seat, last) if isinstance(move, Call) else _answer(state, views.AcceptLine(seat))

    def view(self, state: State, audience: Audience) -> views.CaroView:
        """See Game.view: the same for all but what is offered; never which lays under `honour` break a rule."""
        xs, ys = state.table.window()
        cells = [cell_of(x, y) for y in ys for x in xs]
        lays = audience == state.seat and not (state.closing or state.over)
        return views.CaroView(
            referee="honour" if state.honour else "strict",
            span=state.table.span,
            left=xs[0],
            top=ys[0],
            width=len(xs),
            board="".join(state.table.cells.get(cell, EMPTY) for cell in cells),
            on_turn=self.on_turn(state),
            laid=(state.last.seat, state.last.x, state.last.y) if state.last else None,
            reach=_reach(state, cells) if lays else (),
            claim=audience in state.callers(),
            recent=tuple(map(_event, state.recent)),
            **{name: getattr(state, name) for name in SHARED},
        )

    def turns(self, state: State) -> int:
        """See Game.turns: lays, right calls (to lay again is a turn) and ends of rounds."""
        return state.turns

    def totals(self, state: State) -> tuple[int, ...]:
        """See Game.totals."""
        return state.totals

    def result(self, state: State) -> Result | None:
        """See Game.result."""
        reason = "blocked" if any(state.supplies) else "laid"
        return Result(state.totals, winners_of(state.totals), reason) if state.over else None

    def kind(self, options: Mapping[str, str]) -> dict[str, str]:
        """See Game.kind."""
        return {name: options[name] for name in ("referee", "rounds")}

    def bests(self, lines: Sequence[RecordLine]) -> dict[str, list[int]]:
        """See Game.bests: the best `lay` that stood."""
        points: list[list[int]] = [[0] for _ in _seats(lines)]
        for line in lines:
            if isinstance(line, views.LayLine):
                points[line.seat].append(line.points)
            elif isinstance(line, views.UndoLine):
                points[line.seat].pop()
        return {"lay": list(map(max, points))}

    def read_move(self, raw: bytes) -> Move:
        """See Game.read_move."""
        move: Move = _moves.decode(raw)
        return move

    def move_of(self, line: RecordLine) -> tuple[Seat, Move] | None:
        """See Game.move_of."""
        if isinstance(line, views.LayLine):
            return line.seat, Lay(line.colour, line.x, line.y)
        if isinstance(line, views.CallLine):
            return line.seat, Call()
        return (line.seat, Accept()) if isinstance(line, views.AcceptLine) else None

    def drawn(self, options: Mapping[str, str], lines: Sequence[RecordLine]) -> Chance:
        """See Game.drawn: the lot is the seat that lays first in the first round."""
        first = next((line.first for line in lines if isinstance(line, views.RoundLine)), 0)
        return GivenOrder(sorted(_seats(lines), key=lambda seat: seat != first))

    def redact(self, line: RecordLine, state: State, audience: Audience = None) -> RecordLine:
        """See Game.redact: nothing is hidden."""
        return line


def _lay_rule(state: State, lay: Lay) -> Rule | None:
    cell = cell_of(lay.x, lay.y)
    if state.closing:
        return "answer-first"
    if state.must not in ("", lay.colour):
        return "other-colour"
    if lay.colour not in state.supplies[state.seat]:
        return "none-left"
    judged = state.must or not state.honour
    return state.table.closed(cell) or (broken(state.table.cells, cell, lay.colour) if judged else None)


def _answer_rule(state: State, seat: Seat, move: Call | Accept) -> Rule | None:
    if seat not in range(len(state.totals)):
        return "watching"
    if not state.honour:
        return "no-calls"
    if isinstance(move, Accept) and not state.closing:
        return "nothing-to-accept"
    if state.last and seat == state.last.seat:
        return "own-caro"
    return "answered" if seat in state.answered else None


def _lay(state: State, colour: Colour, cell: int) -> Step[State]:
    seat, supply = state.seat, state.supplies[state.seat]
    doubled, penalty = supply.count(colour) == 1, PENALTY if state.must else UNSET
    points = state.table.score(cell, colour) * (1 + doubled)
    total = state.totals[seat] + points - (penalty or 0)
    line = views.LayLine(seat, colour, *place_of(cell), points, doubled, total, penalty)
    after = _become(state, seat, total, supply.replace(colour, "", 1), state.table.with_caro(cell, colour))
    return _pass_on(replace(after, last=line), line)


def _call(state: State, seat: Seat, last: views.LayLine) -> Step[State]:
    sinner, cell = last.seat, cell_of(last.x, last.y)
    table = state.table.without(cell)
    if not broken(table.cells, cell, last.colour):
        total = state.totals[seat] - PENALTY
        wrong = views.CallLine(seat, sinner, False, PENALTY, total)
        return _answer(replace(state, totals=_at(state.totals, seat, total)), wrong)
    total = state.totals[sinner] - last.points
    supply = "".join(sorted(state.supplies[sinner] + last.colour, key=COLOURS.index))
    after = replace(_become(state, sinner, total, supply, table), seat=sinner, must=last.colour)
    lines = views.CallLine(seat, sinner, True), views.UndoLine(sinner, last.x, last.y, last.points, total)
    if any(after.lays(sinner)):
        return _step(after, *lines)
    lost = views.ForfeitLine(sinner, last.colour, PENALTY, total - PENALTY)
    return _pass_on(replace(after, totals=_at(after.totals, sinner, lost.total), must=""), *lines, lost)


def _become(state: State, seat: Seat, total: int, supply: str, table: Table) -> State:
    """Return the state after a caro of `seat` was laid or taken back, with no answers yet."""
    totals, supplies = _at(state.totals, seat, total), _at(state.supplies, seat, supply)
    fresh = replace(state, last=None, answered=(), closing=False, must="", turns=state.turns + 1)
    return replace(fresh, totals=totals, supplies=supplies, table=table)


def _answer(state: State, line: views.CallLine | views.AcceptLine) -> Step[State]:
    after = replace(state, answered=(*state.answered, line.seat))
    return _close(after, line) if after.closing and not after.callers() else _step(after, line)


def _pass_on(state: State, *lines: Line) -> Step[State]:
    """Pass the turn to the next seat that can lay; if none can, the round closes or waits for answers."""
    skips: list[Line] = []
    for step in range(1, len(state.totals) + 1):
        seat = (state.seat + step) % len(state.totals)
        if any(state.lays(seat)):
            return _step(replace(state, seat=seat), *lines, *skips)
        if state.supplies[seat]:
            skips.append(views.SkipLine(seat))
    return _step(replace(state, closing=True), *lines) if state.callers() else _close(state, *lines)


def _close(state: State, *lines: Line) -> Step[State]:
    seats = range(len(state.totals))
    points = tuple(state.totals[seat] - sum(each[seat] for each in state.by_round) for seat in seats)
    by_round = (*state.by_round, points)
    state = replace(state, by_round=by_round, answered=(), closing=False, turns=state.turns + 1)
    if state.over:
        return _step(state, *lines)
    first = min(seats, key=lambda seat: (points[seat], (seat - state.first - 1) % len(seats)))
    fresh = replace(state, first=first, seat=first, supplies=(FULL,) * len(seats), last=None)
    fresh = replace(fresh, table=Table(state.table.span))
    return _step(fresh, *lines, views.RoundLine(fresh.round, first))


def _step(state: State, *lines: Line) -> Step[State]:
    return Step(replace(state, recent=(*state.recent, *lines)[-RECENT:]), lines)


def _reach(state: State, cells: list[int]) -> tuple[views.Reach, ...]:
    marks: dict[Colour, dict[int, str]] = {}
    for colour, cell in state.lays(state.seat, lawful=not state.honour):
        marks.setdefault(colour, {})[cell] = views.POINTS[state.table.score(cell, colour)]
    supply = state.supplies[state.seat]
    return tuple(
        views.Reach(colour, supply.count(colour) == 1, "".join(offered.get(cell, EMPTY) for cell in cells))
        for colour, offered in marks.items()
    )


def _event(line: Line) -> views.Event:
    told = msgspec.structs.asdict(line)
    if isinstance(line, views.RoundLine):
        told = {"seat": line.first, "points": line.round}
    told = {name: told[name] for name in views.Event.__struct_fields__ if told.get(name, UNSET) is not UNSET}
    return views.Event(str(line.__struct_config__.tag), **told)


def _seats(lines: Sequence[RecordLine]) -> range:
    head = lines[0]
    return range(len(head.seats) if isinstance(head, GameLine) else 0)


def _at(values: tuple[T, ...], at: int, value: T) -> tuple[T, ...]:
    return (*values[:at], value, *values[at + 1 :])
