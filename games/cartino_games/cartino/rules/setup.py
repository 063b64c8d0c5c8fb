"""Set-up (sheet, Préparatifs 1; Jeu 1): the bag, five stones a seat, and who begins."""

from cartino_engine.chance import Chance
from cartino_engine.port import Step
from cartino_games.cartino.lines import DrawLine
from cartino_games.cartino.rules.bag import fill
from cartino_games.cartino.rules.state import CartinoState
from cartino_games.cartino.rules.tables import Tables

HAND = 5


def deal(tables: Tables, seats: int, chance: Chance, *, swap_later: bool, apart: bool) -> Step[CartinoState]:
    """Shuffle, give five stones to each of `seats` in seat order, and find who begins."""
    bag = fill(tables, seats, chance, apart=apart)
    dealt = []
    for seat in range(seats):
        stones, bag = bag.draw(seat, HAND)
        dealt.append(stones)
    hands = tuple(tuple(sorted(stones)) for stones in dealt)
    names = tables.board.stone_names
    lines = tuple(
        DrawLine(seat, tuple(names[stone] for stone in stones)) for seat, stones in enumerate(dealt)
    )
    first = beginner(hands, tables.joker)
    state = CartinoState(
        tables=tables,
        hands=hands,
        bag=bag,
        totals=(0,) * seats,
        seat=first,
        first=first,
        swap_later=swap_later,
    )
    return Step(state, lines)


def beginner(hands: tuple[tuple[int, ...], ...], joker: int) -> int:
    """Return the seat with the lowest stone of the weakest suit; jokers don't count.

    Stones are numbered suit by suit, ranks rising, so sorted hands compare as the sheet wants it. A tie goes to
    the lower next stone, then on; a hand with no further stone counts as high; a
    full tie goes to the lower seat (ours).
    """
    real = [[stone if stone != joker else joker + 1 for stone in hand] for hand in hands]
    return min(range(len(hands)), key=lambda seat: (real[seat], seat))
