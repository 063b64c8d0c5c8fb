"""What a typed line means at a Cartino table: a stone chosen and laid, the turn ended, a question answered."""

from typing import Protocol

import msgspec

from cartino_games.cartino import narration
from cartino_games.cartino.board import BOARDS, JOKER
from cartino_games.cartino.moves import EndTurn, Lay
from cartino_games.cartino.named import half_name, read_written, spot_name
from cartino_games.cartino.rulebook import REFUSED
from cartino_games.cartino.screen.pointer import is_barred, is_fresh, lays_of
from cartino_games.cartino.speech import survey
from cartino_games.cartino.speech.said_words import word_of
from cartino_games.cartino.views import FREE, CartinoView, LayOption
from cartino_games.kit.spoken import card_name, name_of, points, suit_name
from cartino_protocol.views import TableView
from cartino_tui.game_port.speech import LineReaction, Lines, find_word
from cartino_tui.i18n import Translator

MOST_SPOTS = 8
"""Spots for a joker that are read out; the best come first, and any other can be named."""


class ChosenStone(msgspec.Struct, frozen=True):
    """A stone chosen, "" for none, and the spots that were read out for it, in order."""

    stone: str = ""
    spots: tuple[str, ...] = ()


NOTHING = ChosenStone()

Answer = LineReaction[ChosenStone]


class Teller(Protocol):
    """What the voice says of a table as a whole."""

    def standing(self, table: TableView, view: CartinoView, translator: Translator) -> Lines:
        """Whose turn it is, and what was laid in it."""

    def scores(self, table: TableView, view: CartinoView, translator: Translator) -> Lines:
        """Return the total of each seat."""


def enter(
    teller: Teller, table: TableView, view: CartinoView, hold: ChosenStone, text: str, translator: Translator
) -> Answer:
    """Return what the line `text` means; see `GameSpeech.enter`."""
    head, *more = text.split()
    rest = " ".join(more)
    if head.isascii() and head.isdigit() and len(head) <= 2:
        return _numbered(table, view, hold, int(head), rest, translator)
    word = word_of(head, translator)
    if word is None:
        return _by_name(table, view, hold, text, translator)
    match word:
        case "end":
            return _end(table, view, hold, translator)
        case "why":
            return Answer(hold, lines=_why(table, view, rest, translator))
        case "hand" | "turn":
            return Answer(hold, lines=teller.standing(table, view, translator))
        case "scores":
            return Answer(hold, lines=teller.scores(table, view, translator))
        case "moves":
            told = tuple(narration.narrate_event(table, event, translator) for event in view.recent)
            return Answer(hold, lines=told or (translator.gettext("Nothing has been laid yet."),))
        case _:
            return Answer(hold, lines=_look(view, word, rest, translator))


def _numbered(
    table: TableView, view: CartinoView, hold: ChosenStone, number: int, rest: str, translator: Translator
) -> Answer:
    """Read a stone by its number in the hand; once one is chosen, a spot by its number."""
    if number == 0:
        if not hold.stone:
            return Answer(hold, taken=False)
        back = translator.gettext("You put {card} back.", card=card_name(hold.stone, translator))
        return Answer(NOTHING, lines=(back,))
    barred = _not_now(table, view, translator)
    if barred:
        return Answer(NOTHING, lines=(barred,))
    if hold.stone:
        if number > len(hold.spots):
            return _choose(view, hold.stone, translator)
        return Answer(NOTHING, Lay(hold.stone, hold.spots[number - 1]))
    place = number - 1
    if place >= len(view.hand) or not lays_of(view, place):
        return Answer(NOTHING, lines=(_why_not(view, place, translator),))
    chosen = _choose(view, view.hand[place], translator)
    return _numbered(table, view, chosen.hold, int(rest), "", translator) if _is_number(rest) else chosen


def _choose(view: CartinoView, stone: str, translator: Translator) -> Answer:
    """Read out the spots for `stone`, the best first, with what it would touch there."""
    lays = sorted(view.lays_of(stone), key=lambda lay: -lay.points)
    shown = lays[:MOST_SPOTS]
    lines = [translator.gettext("Where do you want to lay {card}?", card=card_name(stone, translator))]
    lines += [f"{number}: {_offer(view, lay, translator)}" for number, lay in enumerate(shown, 1)]
    if len(lays) > len(shown):
        lines.append(
            translator.ngettext(
                "{n} more spot is open; type its name, like *KSu.",
                "{n} more spots are open; type a name, like *KSu.",
                len(lays) - len(shown),
            )
        )
    lines.append(translator.gettext("0: put it back."))
    return Answer(ChosenStone(stone, tuple(lay.spot for lay in shown)), lines=tuple(lines))


def _offer(view: CartinoView, lay: LayOption, translator: Translator) -> str:
    where = spot_name(lay.spot, translator) if lay.stone == JOKER else half_name(lay.spot[-1], translator)
    gain, near = points(lay.points, translator), narration.touched(view, lay.spot, translator)
    number = BOARDS[view.edition].spot_number[lay.spot]
    if view.board[number] != FREE:
        return translator.gettext("{spot}, replaces the joker: {points}.", spot=where, points=gain)
    if not near:
        return translator.gettext("{spot}: touches nothing.", spot=where)
    return translator.gettext("{spot}: {points}, touches {stones}.", spot=where, points=gain, stones=near)


def _by_name(
    table: TableView, view: CartinoView, hold: ChosenStone, text: str, translator: Translator
) -> Answer:
    """Read a stone, or a stone on a spot, by its name; with a joker chosen, a spot for it."""
    written = read_written(text, BOARDS[view.edition], translator)
    jokers = (JOKER, card_name(JOKER, translator).casefold(), "joker")
    if written is None and text.casefold() not in jokers:
        return Answer(hold, taken=False)
    barred = _not_now(table, view, translator)
    if barred:
        return Answer(NOTHING, lines=(barred,))
    if written is None or (not written.half and not written.joker):
        return _pick(view, JOKER if written is None else written.card, translator)
    stone = JOKER if written.joker or hold.stone == JOKER else written.card
    spots = [lay.spot for lay in view.lays_of(stone)]
    wanted = [written.card + half for half in (written.half or "ul")]
    open_spots = [spot for spot in wanted if spot in spots]
    if len(open_spots) == 1:
        return Answer(NOTHING, Lay(stone, open_spots[0]))
    if open_spots:
        return _choose_of(view, stone, open_spots, translator)
    if stone not in view.hand or not spots:
        return _pick(view, stone, translator)
    return Answer(
        hold,
        lines=(translator.gettext("You can't lay {card} there.", card=card_name(stone, translator)),),
    )


def _choose_of(view: CartinoView, stone: str, spots: list[str], translator: Translator) -> Answer:
    """Read out those of the spots for `stone` that were meant."""
    lays = [lay for lay in view.lays_of(stone) if lay.spot in spots]
    lines = [f"{number}: {_offer(view, lay, translator)}" for number, lay in enumerate(lays, 1)]
    lines.append(translator.gettext("0: put it back."))
    return Answer(ChosenStone(stone, tuple(lay.spot for lay in lays)), lines=tuple(lines))


def _pick(view: CartinoView, stone: str, translator: Translator) -> Answer:
    if stone not in view.hand:
        return Answer(
            NOTHING, lines=(translator.gettext("You don't hold {card}.", card=card_name(stone, translator)),)
        )
    place = next(
        (place for place, held in enumerate(view.hand) if held == stone and lays_of(view, place)), None
    )
    if place is None:
        return Answer(NOTHING, lines=(_why_not(view, view.hand.index(stone), translator),))
    return _choose(view, stone, translator)


def _end(table: TableView, view: CartinoView, hold: ChosenStone, translator: Translator) -> Answer:
    barred = _not_now(table, view, translator)
    if barred:
        return Answer(NOTHING, lines=(barred,))
    if not view.can_end:
        return Answer(hold, lines=(translator.gettext("Lay at least one stone before you end your turn."),))
    return Answer(NOTHING, EndTurn())


def _not_now(table: TableView, view: CartinoView, translator: Translator) -> str:
    """Return why the reader can lay nothing now, "" where they can."""
    if view.on_turn is None:
        return translator.gettext("The game is over; no more stones can be laid.")
    if table.you is None:
        return translator.gettext("You're watching; only players can lay stones.")
    if table.you != view.on_turn:
        name = name_of(table, view.on_turn)
        return translator.gettext("It's {name}'s turn.", name=name)
    return ""


def _why(table: TableView, view: CartinoView, rest: str, translator: Translator) -> Lines:
    if _is_number(rest):
        place = int(rest) - 1
        if place < 0 or place >= len(view.hand) or view.on_turn != table.you or not lays_of(view, place):
            return (_not_now(table, view, translator) or _why_not(view, place, translator),)
        return _choose(view, view.hand[place], translator).lines[:-1]
    lays = [event for event in view.recent if event.kind in {"lay", "swap"}]
    if not lays:
        return (translator.gettext("Nothing has been laid yet."),)
    last = lays[-1]
    near = narration.touched(view, last.spot, translator)
    spot, gain = spot_name(last.spot, translator), points(last.points, translator)
    if not near:
        return (translator.gettext("{spot} touches nothing: {points}.", spot=spot, points=gain),)
    return (translator.gettext("{spot} touches {stones}: {points}.", spot=spot, stones=near, points=gain),)


def _why_not(view: CartinoView, place: int, translator: Translator) -> str:
    """Return why the stone at `place` of the hand can't be chosen now, as far as the view tells."""
    if not 0 <= place < len(view.hand):
        return translator.ngettext(
            "You hold {n} stone; type 1.", "You hold {n} stones; type a number from 1 to {n}.",
            len(view.hand),
        )  # fmt: skip
    stone = view.hand[place]
    card = card_name(stone, translator)
    if is_barred(view, place):
        return translator.gettext(REFUSED["joker-barred"])
    if stone == JOKER:
        return translator.gettext("There's no free spot for a joker now.")
    if view.suit and stone[-1] != view.suit:
        return translator.gettext(
            "Only {suit} this turn; keep {card} for later.",
            suit=suit_name(view.suit, translator),
            card=card,
        )
    if is_fresh(view, stone):
        return translator.gettext(REFUSED["joker-fresh"])
    return translator.gettext("Both halves of {card} are taken.", card=card)


def _look(view: CartinoView, word: str, rest: str, translator: Translator) -> Lines:
    """Answer a question about the board."""
    if word == "row":
        return (survey.row(view, int(rest) if _is_number(rest) else 0, translator),)
    if word == "board" and not rest:
        return survey.suits(view, translator)
    if word == "board":
        suits = "CSHD"
        named = find_word([suit_name(suit, translator) for suit in suits], rest)
        named = find_word(list(suits), rest) if named is None else named
        if named is not None:
            return (survey.suit(view, suits[named], translator),)
    written = read_written(rest, BOARDS[view.edition], translator) if rest else None
    if written is None:
        return (translator.gettext("Type a card on this board, like KS for the king of spades, or a suit."),)
    return survey.place(view, written.card, translator)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 2
