"""The board as sentences, by suit, by row and card by card, and as a small picture in ASCII."""

from cartino_games.cartino.board import BOARDS, SUITS, Board
from cartino_games.cartino.named import half_name
from cartino_games.cartino.narration import touched
from cartino_games.cartino.views import FREE, STONE, CartinoView
from cartino_games.kit.spoken import card_name, listed, points, rank_name, suit_name
from cartino_tui.tongue import Tongue

_SHOWN_SUITS = SUITS[::-1]
"""The strongest first, as everybody names them."""


def suits(view: CartinoView, tongue: Tongue) -> tuple[str, ...]:
    """Where stones lie, a sentence a suit."""
    if set(view.board) == {FREE}:
        return (tongue.say("Nothing lies on the board yet."),)
    return tuple(suit(view, each, tongue) for each in _SHOWN_SUITS)


def suit(view: CartinoView, suit: str, tongue: Tongue) -> str:
    """What lies on the cards of a suit: "Spades: ace, upper half; king, both halves."; of free cards nothing."""
    board = BOARDS[view.edition]
    cards = [card for card in board.cards if card[-1] == suit and _marks(board, view, card) != FREE * 2]
    said = listed([_taken(board, view, card, tongue) for card in cards], tongue)
    name = suit_name(suit, tongue)
    if not said:
        return tongue.say("{suit}: nothing lies there.", suit=name)
    return tongue.say("{suit}: {stones}.", suit=name, stones=said)


def row(view: CartinoView, number: int, tongue: Tongue) -> str:
    """The cards of a row of the board (from 1, the uppermost), from the left, with what lies on them."""
    board = BOARDS[view.edition]
    if not 1 <= number <= board.rows:
        return tongue.count("The board has {n} row.", "The board has {n} rows.", board.rows)
    cards = _row(board, number - 1)
    return tongue.say(
        "Row {number}, from the left: {cards}.",
        number=number,
        cards=listed([_card(board, view, card, tongue) for card in cards], tongue),
    )


def place(view: CartinoView, card: str, tongue: Tongue) -> tuple[str, ...]:
    """One card: its value, what lies on its halves, what a stone on a free one would touch, what is beside it."""
    board = BOARDS[view.edition]
    value = points(board.values[board.card_number[card]], tongue)
    row_number, column = board.cells[board.card_number[card]]
    where = tongue.say(
        "{card}: worth {points}, row {row}, place {column} from the left.",
        card=card_name(card, tongue),
        points=value,
        row=row_number + 1,
        column=1
        + [board.cells[board.card_number[each]][1] for each in _row(board, row_number)].index(column),
    )
    return (where, *(_half(board, view, card + half, tongue) for half in "ul"), *_beside(board, card, tongue))


def picture(view: CartinoView) -> tuple[str, ...]:
    """The board in ASCII: each card with what lies on its upper and its lower half, `#`, `*` for a joker, or a dot."""
    board = BOARDS[view.edition]
    rows = [_row(board, number) for number in range(board.rows)]
    at = {board.cells[board.card_number[card]]: card for row in rows for card in row}
    widths = [
        max(len(at.get((number, column), "")) for number in range(board.rows))
        for column in range(board.columns)
    ]
    lines = []
    for number in range(board.rows):
        cells = []
        for column, width in enumerate(widths):
            card = at.get((number, column))
            cells.append(" " * (width + 2) if card is None else card.rjust(width) + _marks(board, view, card))
        lines.append(" ".join(cells).rstrip())
    return tuple(lines)


def _row(board: Board, number: int) -> list[str]:
    cards = [card for card, cell in zip(board.cards, board.cells, strict=True) if cell[0] == number]
    return sorted(cards, key=lambda card: board.cells[board.card_number[card]][1])


def _marks(board: Board, view: CartinoView, card: str) -> str:
    number = 2 * board.card_number[card]
    return view.board[number : number + 2]


def _taken(board: Board, view: CartinoView, card: str, tongue: Tongue) -> str:
    """A card of its suit with what lies on it: "king, both halves", "ten, joker on the upper half"."""
    return _with_marks(rank_name(card[:-1], tongue), _marks(board, view, card), tongue)


def _card(board: Board, view: CartinoView, card: str, tongue: Tongue) -> str:
    marks = _marks(board, view, card)
    name = card_name(card, tongue)
    return tongue.say("{card}, free", card=name) if marks == FREE * 2 else _with_marks(name, marks, tongue)


def _with_marks(name: str, marks: str, tongue: Tongue) -> str:
    if marks == STONE * 2:
        return tongue.say("{card}, both halves", card=name)
    halves = []
    for mark, half in zip(marks, "ul", strict=True):
        if mark == STONE:
            halves.append(half_name(half, tongue))
        elif mark != FREE:
            halves.append(tongue.say("joker on the {half}", half=half_name(half, tongue)))
    return tongue.say("{card}, {half}", card=name, half=", ".join(halves))


def _half(board: Board, view: CartinoView, spot: str, tongue: Tongue) -> str:
    mark, half = view.board[board.spot_number[spot]], half_name(spot[-1], tongue)
    if mark == STONE:
        return tongue.say("On its {half} lies a stone.", half=half)
    if mark != FREE:
        return tongue.say("On its {half} lies a joker, which the real stone may take out.", half=half)
    near = touched(view, spot, tongue)
    if not near:
        return tongue.say("Its {half} is free; a stone there would touch nothing.", half=half)
    return tongue.say("Its {half} is free; a stone there would touch {stones}.", half=half, stones=near)


def _beside(board: Board, card: str, tongue: Tongue) -> tuple[str, ...]:
    row, column = board.cells[board.card_number[card]]
    at = {cell: each for each, cell in zip(board.cards, board.cells, strict=True)}
    above, right, below, left = (
        "" if near is None else card_name(near, tongue)
        for near in (
            at.get((row - 1, column)),
            at.get((row, column + 1)),
            at.get((row + 1, column)),
            at.get((row, column - 1)),
        )
    )
    said = (
        tongue.say("above it {card}", card=above) if above else "",
        tongue.say("right of it {card}", card=right) if right else "",
        tongue.say("below it {card}", card=below) if below else "",
        tongue.say("left of it {card}", card=left) if left else "",
    )
    return (tongue.say("On the board: {places}.", places=", ".join(filter(None, said))),)
