"""A turn's lays (sheet, Jeu 2-4; Décompte 1-5): what may be laid where, and what it scores."""

from cartino_games.cartino.lines import LayLine
from cartino_games.cartino.moves import Rule
from cartino_games.cartino.rules.state import RECENT, CartinoState
from cartino_games.cartino.views import CartinoEvent


def forbidden(state: CartinoState, stone: int, spot: int) -> Rule | None:
    """Return the rule that forbids the seat on turn to lay `stone` on `spot` now, or None where it is legal."""
    tables = state.tables
    hand = state.hands[state.seat]
    if stone not in hand:
        return "not-in-hand"
    suit = tables.suit[spot // 2]
    bit = tables.bit[spot]
    if stone == tables.joker:
        if hand.count(stone) <= state.barred:
            return "joker-barred"
        if state.suit not in (-1, suit):
            return "one-suit"
        return "taken" if state.taken & bit else None
    if spot // 2 != stone:
        return "own-cell"
    if state.suit not in (-1, suit):
        return "one-suit"
    if state.fresh & bit:
        return "joker-fresh"
    return "taken" if state.taken & bit and not state.jokers & bit else None


def legal_lays(state: CartinoState) -> list[tuple[int, int, int]]:
    """Return every legal lay of the seat on turn as (stone, spot, points), by stone and spot; each stone once."""
    tables = state.tables
    hand = state.hands[state.seat]
    lays = []
    for stone in sorted(set(hand)):
        if stone != tables.joker:
            if state.suit in (-1, tables.suit[stone]):
                lays += [(stone, spot) for spot in (2 * stone, 2 * stone + 1)]
        elif hand.count(stone) > state.barred:
            free = _joker_spots(state)
            lays += [(stone, spot) for spot, bit in enumerate(tables.bit) if free & bit]
    closed = _closed(state)
    return [
        (stone, spot, tables.points(spot, state.taken))
        for stone, spot in lays
        if not closed & tables.bit[spot]
    ]


def _closed(state: CartinoState) -> int:
    """Return the spots that take no stone now."""
    return state.taken & ~state.jokers | state.fresh


def _joker_spots(state: CartinoState) -> int:
    suited = state.tables.all_spots if state.suit == -1 else state.tables.suit_spots[state.suit]
    return suited & ~state.taken


def can_lay(state: CartinoState) -> bool:
    """Return whether the seat on turn can lay anything now."""
    hand = state.hands[state.seat]
    suit = state.tables.suit
    joker = state.tables.joker
    closed = _closed(state)
    for stone in hand:
        if stone != joker and state.suit in (-1, suit[stone]) and ~closed >> 2 * stone & 0b11:
            return True
    return hand.count(joker) > state.barred and _joker_spots(state) != 0


def lay(state: CartinoState, stone: int, spot: int) -> tuple[CartinoState, LayLine]:
    """Return the state after a lay that `forbidden` has allowed, and its line; the turn is not closed here.

    The stone scores what it touches at this moment, stones of this turn included (Décompte 1-3). On a joker's
    spot it takes the joker out: permanently (1974), or into the hand, barred for this turn (1969, Punktwertung 5).
    """
    tables = state.tables
    seat = state.seat
    bit = tables.bit[spot]
    points = tables.points(spot, state.taken)
    swapped = bool(state.jokers & bit)
    comes_in = swapped and tables.joker_comes_in
    hand = state.hands[seat]
    at = hand.index(stone)
    hand = hand[:at] + hand[at + 1 :]
    if comes_in:
        hand += (tables.joker,)
    is_joker = stone == tables.joker
    name = tables.board.stone_names[stone]
    place = tables.board.spots[spot]
    line = LayLine(seat, name, place, points, swapped)
    event = CartinoEvent("swap" if swapped else "lay", seat, name, place, points)
    after = CartinoState(
        tables,
        (*state.hands[:seat], hand, *state.hands[seat + 1 :]),
        state.bag,
        (*state.totals[:seat], state.totals[seat] + points, *state.totals[seat + 1 :]),
        seat,
        state.taken | bit,
        state.jokers | bit if is_joker else state.jokers & ~bit,
        state.gone + (swapped and not comes_in),
        tables.suit[spot // 2],
        state.laid + 1,
        state.gained + points,
        state.barred + comes_in,
        state.fresh | bit if is_joker and state.swap_later else state.fresh,
        (*state.recent[1 - RECENT :], event),
        None,
        state.first,
        state.course,
        state.fives,
        state.swap_later,
        state.log,
    )
    return after, line
