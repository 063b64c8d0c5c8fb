"""What an audience may see of a game: the one place where that is decided (rules, What is secret)."""

from cartino_games.cartino.board import SUITS
from cartino_games.cartino.rules.laying import legal_lays
from cartino_games.cartino.rules.state import CartinoState
from cartino_games.cartino.rules.tables import Tables
from cartino_games.cartino.turn_log import opened
from cartino_games.cartino.views import (
    FREE,
    STONE,
    TAKEN_BY_JOKER,
    CartinoView,
    Reach,
    Score,
    reach,
)
from cartino_protocol.base import Audience


def view(state: CartinoState, audience: Audience) -> CartinoView:
    """Return the table for `audience`; until the end other hands and the bag are counts."""
    tables = state.tables
    over = state.settlement is not None
    mine = audience is not None and 0 <= audience < len(state.hands)
    on_turn = mine and audience == state.seat and not over
    return CartinoView(
        edition=tables.board.edition,
        swap_later=state.swap_later,
        board=_board(state),
        scores=tuple(
            _score(tables, total, len(hand)) for total, hand in zip(state.totals, state.hands, strict=True)
        ),
        bag=state.bag.count,
        on_turn=None if over else state.seat,
        suit="" if state.suit == -1 else SUITS[state.suit],
        laid=state.laid,
        gone=state.gone,
        hand=_names(tables, state.hands[audience]) if mine and audience is not None else (),
        reach=_reach(state) if on_turn else (),
        can_end=on_turn and state.laid > 0,
        barred=state.barred if on_turn else 0,
        recent=state.recent,
        hands=tuple(_names(tables, hand) for hand in state.hands) if over else (),
        bonus=state.settlement.bonus if state.settlement else (),
        penalty=state.settlement.penalty if state.settlement else (),
        first=state.first if over else 0,
        course=state.course if over else (),
        fives=state.fives if over else (),
        log=opened(state.first) + state.log if state.log else b"",
    )


def _score(tables: Tables, total: int, stones: int) -> Score:
    return Score(total, tables.chips(total), tables.field(total), stones)


def _names(tables: Tables, hand: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(tables.board.stone_names[stone] for stone in hand)


def _board(state: CartinoState) -> str:
    return "".join(
        (TAKEN_BY_JOKER if state.jokers & bit else STONE) if state.taken & bit else FREE
        for bit in state.tables.bit
    )


def _reach(state: CartinoState) -> tuple[Reach, ...]:
    board = state.tables.board
    points: dict[int, dict[int, int]] = {}
    for stone, spot, brings in legal_lays(state):
        points.setdefault(stone, {})[spot] = brings
    return tuple(reach(board.stone_names[stone], of, len(board.spots)) for stone, of in points.items())
