"""The board as sentences, by suit, by row and card by card, and as a small picture in ASCII."""

from cartino_games.cartino.board import BOARDS, SUITS, Board
from cartino_games.cartino.named import half_name
from cartino_games.cartino.narration import touched
from cartino_games.cartino.views import FREE, STONE, CartinoView
from cartino_games.kit.spoken import card_name, in_letters, listed, points, rank_name, suit_name
from cartino_tui.i18n import Translator

_SHOWN_SUITS = SUITS[::-1]
"""The strongest first, as everybody names them."""


def suits(view: CartinoView, translator: Translator) -> tuple[str, ...]:
    """Return where stones lie, a sentence a suit."""
    if set(view.board) == {FREE}:
        return (translator.gettext("The board is still empty."),)
    return tuple(suit(view, each, translator) for each in _SHOWN_SUITS)


def suit(view: CartinoView, suit: str, translator: Translator) -> str:
    """Return what lies on the cards of a suit, as "Spades: ace, upper half; king, both halves"."""
    board = BOARDS[view.edition]
    cards = [card for card in board.cards if card[-1] == suit and _marks(board, view, card) != FREE * 2]
    said = listed([_taken(board, view, card, translator) for card in cards], translator)
    name = suit_name(suit, translator)
    if not said:
        return translator.gettext("{suit}: no stones.", suit=name)
    return translator.gettext("{suit}: {stones}.", suit=name, stones=said)


def row(view: CartinoView, number: int, translator: Translator) -> str:
    """Return the cards of a row of the board (from 1, the uppermost), from the left, with what lies on them."""
    board = BOARDS[view.edition]
    if not 1 <= number <= board.rows:
        return translator.ngettext("The board has {n} row.", "The board has {n} rows.", board.rows)
    cards = _row(board, number - 1)
    return translator.gettext(
        "Row {number}, from the left: {cards}.",
        number=number,
        cards=listed([_card(board, view, card, translator) for card in cards], translator),
    )


def place(view: CartinoView, card: str, translator: Translator) -> tuple[str, ...]:
    """Return a card: its value, what lies on its halves, what a stone on a free one would touch, its neighbours."""
    board = BOARDS[view.edition]
    value = points(board.values[board.card_number[card]], translator)
    row_number, column = board.cells[board.card_number[card]]
    where = translator.gettext(
        "{card}: worth {points}, row {row}, column {column} from the left.",
        card=card_name(card, translator),
        points=value,
        row=row_number + 1,
        column=1
        + [board.cells[board.card_number[each]][1] for each in _row(board, row_number)].index(column),
    )
    return (
        where,
        *(_half(board, view, card + half, translator) for half in "ul"),
        *_beside(board, card, translator),
    )


def picture(view: CartinoView, translator: Translator) -> tuple[str, ...]:
    """Return the board in ASCII: each card with what lies on its halves, `#`, `*` for a joker, or a dot."""
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
            cells.append(
                " " * (width + 2)
                if card is None
                else in_letters(card, translator).rjust(width) + _marks(board, view, card)
            )
        lines.append(" ".join(cells).rstrip())
    return tuple(lines)


def _row(board: Board, number: int) -> list[str]:
    cards = [card for card, cell in zip(board.cards, board.cells, strict=True) if cell[0] == number]
    return sorted(cards, key=lambda card: board.cells[board.card_number[card]][1])


def _marks(board: Board, view: CartinoView, card: str) -> str:
    number = 2 * board.card_number[card]
    return view.board[number : number + 2]


def _taken(board: Board, view: CartinoView, card: str, translator: Translator) -> str:
    """Return a card of its suit with what lies on it: "king, both halves", "ten, joker on the upper half"."""
    return _with_marks(rank_name(card[:-1], translator), _marks(board, view, card), translator)


def _card(board: Board, view: CartinoView, card: str, translator: Translator) -> str:
    marks = _marks(board, view, card)
    name = card_name(card, translator)
    return (
        translator.gettext("{card}, free", card=name)
        if marks == FREE * 2
        else _with_marks(name, marks, translator)
    )


def _with_marks(name: str, marks: str, translator: Translator) -> str:
    if marks == STONE * 2:
        return translator.gettext("{card}, both halves", card=name)
    halves = []
    for mark, half in zip(marks, "ul", strict=True):
        if mark == STONE:
            halves.append(half_name(half, translator))
        elif mark != FREE:
            halves.append(translator.gettext("joker on the {half}", half=half_name(half, translator)))
    return translator.gettext("{card}, {half}", card=name, half=", ".join(halves))


def _half(board: Board, view: CartinoView, spot: str, translator: Translator) -> str:
    mark, half = view.board[board.spot_number[spot]], half_name(spot[-1], translator)
    if mark == STONE:
        return translator.gettext("There's a stone on its {half}.", half=half)
    if mark != FREE:
        return translator.gettext("There's a joker on its {half}; the real stone can replace it.", half=half)
    near = touched(view, spot, translator)
    if not near:
        return translator.gettext("Its {half} is free; a stone there would touch nothing.", half=half)
    return translator.gettext(
        "Its {half} is free; a stone there would touch {stones}.", half=half, stones=near
    )


def _beside(board: Board, card: str, translator: Translator) -> tuple[str, ...]:
    row, column = board.cells[board.card_number[card]]
    at = {cell: each for each, cell in zip(board.cards, board.cells, strict=True)}
    above, right, below, left = (
        "" if near is None else card_name(near, translator)
        for near in (
            at.get((row - 1, column)),
            at.get((row, column + 1)),
            at.get((row + 1, column)),
            at.get((row, column - 1)),
        )
    )
    said = (
        translator.gettext("{card} above it", card=above) if above else "",
        translator.gettext("{card} to its right", card=right) if right else "",
        translator.gettext("{card} below it", card=below) if below else "",
        translator.gettext("{card} to its left", card=left) if left else "",
    )
    return (translator.gettext("On the board: {places}.", places=", ".join(filter(None, said))),)
