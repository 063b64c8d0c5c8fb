"""What happened at a Cartino table and how it ended, in spoken sentences."""

from collections.abc import Callable
from functools import partial
from typing import Final

from cartino_games.cartino.accounts import SeatAccount, accounts, best_turn
from cartino_games.cartino.board import BOARDS, JOKER
from cartino_games.cartino.bots.advice import Comparison
from cartino_games.cartino.named import lying_name, spot_name
from cartino_games.cartino.views import FREE, CartinoEvent, CartinoView
from cartino_games.kit.spoken import cards, headline, name_of, points
from cartino_protocol.base import Seat
from cartino_protocol.text import N_
from cartino_protocol.views import TableView
from cartino_tui.i18n import Translator


def narrate_event(table: TableView, event: CartinoEvent, translator: Translator) -> str:
    """Return one event: "Bob laid king of spades, upper half: 9 points."."""
    name, mine = name_of(table, event.seat), event.seat == table.you
    gain = points(event.points, translator)
    match event.kind:
        case "lay" | "swap":
            return _laid(event, name, gain, translator, mine=mine)
        case "five":
            return translator.gettext("Five stones in one turn: {points} extra.", points=gain)
        case "turn":
            if mine:
                return translator.gettext("You ended your turn: {points}.", points=gain)
            return translator.gettext("{name} ended the turn: {points}.", name=name, points=gain)
        case "pass":
            if mine:
                return translator.gettext("You can't lay anything, so you pass.")
            return translator.gettext("{name} can't lay anything and passes.", name=name)
        case "out":
            if mine:
                return translator.gettext("You are out of stones: {points}.", points=gain)
            return translator.gettext("{name} is out of stones: {points}.", name=name, points=gain)


def _laid(event: CartinoEvent, name: str, gain: str, translator: Translator, *, mine: bool) -> str:
    spot = spot_name(event.spot, translator)
    if event.stone == JOKER:
        if mine:
            return translator.gettext("You laid a joker as {spot}: {points}.", spot=spot, points=gain)
        return translator.gettext(
            "{name} laid a joker as {spot}: {points}.", name=name, spot=spot, points=gain
        )
    if event.kind == "swap":
        if mine:
            return translator.gettext("You replaced a joker with {spot}: {points}.", spot=spot, points=gain)
        return translator.gettext(
            "{name} replaced a joker with {spot}: {points}.", name=name, spot=spot, points=gain
        )
    if mine:
        return translator.gettext("You laid {spot}: {points}.", spot=spot, points=gain)
    return translator.gettext("{name} laid {spot}: {points}.", name=name, spot=spot, points=gain)


def touched(view: CartinoView, spot: str, translator: Translator) -> str:
    """Return what a stone on `spot` touches, with the values: "king of spades 4, queen of hearts 3"; "" for nothing."""
    board = BOARDS[view.edition]
    near = [each for each in board.neighbours[board.spot_number[spot]] if view.board[each] != FREE]
    near.sort(key=lambda each: (-board.values[each // 2], each))
    return ", ".join(
        translator.gettext(
            "{card} {value}",
            card=lying_name(board, view.board, each, translator),
            value=board.values[each // 2],
        )
        for each in near
    )


def score(table: TableView, view: CartinoView, seat: Seat, translator: Translator) -> str:
    """Return a player's points, chips and stones: "Bob: 45 points, 2 chips, 5 stones."."""
    mark = view.scores[seat]
    parts = {
        "points": points(mark.total, translator),
        "chips": translator.ngettext("{n} chip", "{n} chips", mark.chips),
        "stones": translator.ngettext("{n} stone", "{n} stones", mark.stones),
    }
    if seat == table.you:
        return translator.gettext("You: {points}, {chips}, {stones}.", **parts)
    return translator.gettext("{name}: {points}, {chips}, {stones}.", name=name_of(table, seat), **parts)


def ending(table: TableView, view: CartinoView, translator: Translator) -> tuple[str, ...]:
    """Return who won, the best turn, and what each total is made of, line by line as the sheet has it."""
    return (
        headline(table, translator),
        best_said(view, table.you, partial(name_of, table), translator),
        *(_settled(table, view, account, translator) for account in accounts(view)),
    )


def best_said(
    view: CartinoView, you: Seat | None, name: Callable[[Seat], str], translator: Translator
) -> str:
    """Return the turn that brought most, in a sentence for `you`; "" where none brought anything."""
    best = best_turn(view)
    if best is None:
        return ""
    if best.seat == you:
        return translator.ngettext(
            "You had the best turn: {n} point in turn {turn}.",
            "You had the best turn: {n} points in turn {turn}.",
            best.points,
            turn=best.turn,
        )
    return translator.ngettext(
        "{name} had the best turn: {n} point in turn {turn}.",
        "{name} had the best turn: {n} points in turn {turn}.",
        best.points,
        name=name(best.seat),
        turn=best.turn,
    )


def _settled(table: TableView, view: CartinoView, account: SeatAccount, translator: Translator) -> str:
    """Return a player's total; behind it the parts, where there is more than the stones that were laid."""
    total = _total(table, view, account, translator)
    if account.laid == account.total:
        return total
    parts = [total, translator.gettext("For stones laid: {points}.", points=points(account.laid, translator))]
    if account.fives:
        parts.append(
            translator.gettext(
                "For five stones in one turn: {points}.", points=points(account.fives, translator)
            )
        )
    return " ".join(parts)


def _total(table: TableView, view: CartinoView, account: SeatAccount, translator: Translator) -> str:
    seat, bonus, penalty = account.seat, account.out, account.left
    name, total = name_of(table, seat), points(account.total, translator)
    hand = view.hands[seat] if seat < len(view.hands) else ()
    if bonus:
        return translator.gettext(
            "{name}: {points} in total, including {bonus} for going out.",
            name=name,
            points=total,
            bonus=points(bonus, translator),
        )
    if hand:
        return translator.gettext(
            "{name}: {points} in total, after losing {penalty} for the stones in hand: {cards}.",
            name=name,
            points=total,
            penalty=points(penalty, translator),
            cards=cards(hand, translator),
        )
    if penalty:
        # The hand stays hidden until the deal closes.
        return translator.gettext(
            "{name}: {points} in total, after losing {penalty} for the stones in hand.",
            name=name,
            points=total,
            penalty=points(penalty, translator),
        )
    return translator.gettext("{name}: {points} in total.", name=name, points=total)


_MAKES_NOW = {
    (True, True): N_(
        "{other} scores {n}, but opens {open} for the others and costs {hand} in hand: {worse} worse."
    ),
    (True, False): N_("{other} scores {n}, but opens {open} for the others: {worse} worse."),
    (False, True): N_("{other} scores {n}, but costs {hand} in hand: {worse} worse."),
    (False, False): N_("{other} scores {n}, but is {worse} worse by the end."),
}
"""Why a turn is worse in the long run, by whether it leaves more open to others, and less in hand."""
_NOTABLE = 0.5
"""Points of a reason that is named."""


NO_MORE: Final = N_("No turn scores more.")
"""Why the turn with the most points is the best one."""


def compared(comparison: Comparison, other: str, translator: Translator) -> str:
    """Return why the turn with the most points, called `other`, isn't the best one."""
    more, less = comparison.open or 0.0, comparison.in_hand or 0.0
    return translator.gettext(
        _MAKES_NOW[more >= _NOTABLE, less >= _NOTABLE],
        other=other,
        n=comparison.instead.points,
        open=translator.decimal(more),
        hand=translator.decimal(less),
        worse=translator.decimal(comparison.worse),
    )
