"""How a turn closes, who comes next, and how the game ends (sheet, Jeu 5; Décompte 4; Fin du jeu)."""

from collections.abc import Iterator

import msgspec

from cartino_engine.port import Step
from cartino_games.cartino.lines import DrawLine, PassLine, SettleLine, TurnLine
from cartino_games.cartino.rules.laying import can_lay
from cartino_games.cartino.rules.setup import HAND
from cartino_games.cartino.rules.state import RECENT, CartinoState, Settlement
from cartino_games.cartino.turn_log import logged
from cartino_games.cartino.views import CartinoEvent
from cartino_protocol.records import RecordLine

FIVE_BONUS = 10
OUT_BONUS = 10


def close_turn(state: CartinoState) -> Step[CartinoState]:
    """End the turn: the bonus for five, the draw, then the next seat that can play, or the end of the game."""
    seat = state.seat
    bonus = FIVE_BONUS if state.laid == HAND else 0
    totals = _plus(state.totals, seat, bonus)
    fives = (*state.fives, len(state.course)) if bonus else state.fives
    log = state.log + logged(state.tables.board.edition, _open_turn(state))
    state = _replace(state, totals=totals, course=(*state.course, state.gained + bonus), fives=fives, log=log)
    lines: list[RecordLine] = [TurnLine(seat, state.laid, bonus, totals[seat])]
    events = [CartinoEvent("five", seat, points=bonus)] if bonus else []
    events.append(CartinoEvent("turn", seat, points=state.gained + bonus))
    hand = state.hands[seat]
    if not hand and not state.bag.count:
        return _settle(state, lines, events, out=True)
    stones, bag = state.bag.draw(seat, max(HAND - len(hand), 0))
    if stones:
        names = state.tables.board.stone_names
        lines.append(DrawLine(seat, tuple(names[stone] for stone in stones)))
    hands = (*state.hands[:seat], tuple(sorted(hand + stones)), *state.hands[seat + 1 :])
    state = _replace(state, hands=hands, bag=bag, suit=-1, laid=0, gained=0, barred=0, fresh=0)
    return _pass_on(state, lines, events)


def _pass_on(state: CartinoState, lines: list[RecordLine], events: list[CartinoEvent]) -> Step[CartinoState]:
    """Clockwise to the first seat that can lay; who can't passes, and when nobody can the game is blocked (ours)."""
    seats = len(state.hands)
    for _ in range(seats):
        state = _replace(state, seat=(state.seat + 1) % seats)
        if can_lay(state):
            return Step(_with_events(state, events), tuple(lines))
        passed = state.log + logged(state.tables.board.edition, ())
        state = _replace(state, course=(*state.course, 0), log=passed)
        lines.append(PassLine(state.seat))
        events.append(CartinoEvent("pass", state.seat))
    return _settle(state, lines, events, out=False)


def _open_turn(state: CartinoState) -> Iterator[CartinoEvent]:
    """Yield the lays of the turn that is being played."""
    before = (number for number, event in enumerate(state.recent, 1) if event.kind not in ("lay", "swap"))
    yield from state.recent[max(before, default=0) :]


def _settle(
    state: CartinoState, lines: list[RecordLine], events: list[CartinoEvent], *, out: bool
) -> Step[CartinoState]:
    """Return the 10 for going out, and off for every stone still held (Fin du jeu 1-2)."""
    seats = range(len(state.hands))
    bonus = tuple(OUT_BONUS if out and seat == state.seat else 0 for seat in seats)
    penalty = tuple(sum(state.tables.cost[stone] for stone in state.hands[seat]) for seat in seats)
    totals = tuple(state.totals[seat] + bonus[seat] - penalty[seat] for seat in seats)
    if out:
        events = [*events, CartinoEvent("out", state.seat, points=OUT_BONUS)]
    over = _replace(state, totals=totals, settlement=Settlement(bonus, penalty, out))
    return Step(_with_events(over, events), (*lines, SettleLine(bonus, penalty)))


def _plus(totals: tuple[int, ...], seat: int, points: int) -> tuple[int, ...]:
    return (*totals[:seat], totals[seat] + points, *totals[seat + 1 :]) if points else totals


def _with_events(state: CartinoState, events: list[CartinoEvent]) -> CartinoState:
    return _replace(state, recent=(*state.recent, *events)[-RECENT:])


_replace = msgspec.structs.replace
