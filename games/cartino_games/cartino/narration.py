"""What happened at a Cartino table and how it ended, in spoken sentences."""

from collections.abc import Callable
from functools import partial

from cartino_games.cartino.accounts import Account, accounts, best_turn
from cartino_games.cartino.board import BOARDS, JOKER
from cartino_games.cartino.named import lying_name, spot_name
from cartino_games.cartino.views import FREE, CartinoView, Event
from cartino_games.kit.spoken import cards, headline, name_of, points
from cartino_protocol.ids import Seat
from cartino_protocol.views import RoomView
from cartino_tui.tongue import Tongue


def told(room: RoomView, event: Event, tongue: Tongue) -> str:
    """One event: "Bob laid king of spades, upper half: 9 points."."""
    name, mine = name_of(room, event.seat), event.seat == room.you
    gain = points(event.points, tongue)
    match event.kind:
        case "lay" | "swap":
            return _laid(event, name, gain, tongue, mine=mine)
        case "five":
            return tongue.say("Five stones in one turn: {points} more.", points=gain)
        case "turn":
            if mine:
                return tongue.say("You ended your turn with {points}.", points=gain)
            return tongue.say("{name} ended the turn with {points}.", name=name, points=gain)
        case "pass":
            if mine:
                return tongue.say("You can lay nothing and pass.")
            return tongue.say("{name} can lay nothing and passes.", name=name)
        case "out":
            if mine:
                return tongue.say("You are out of stones: {points}.", points=gain)
            return tongue.say("{name} is out of stones: {points}.", name=name, points=gain)


def _laid(event: Event, name: str, gain: str, tongue: Tongue, *, mine: bool) -> str:
    spot = spot_name(event.spot, tongue)
    if event.stone == JOKER:
        if mine:
            return tongue.say("You laid a joker as {spot}: {points}.", spot=spot, points=gain)
        return tongue.say("{name} laid a joker as {spot}: {points}.", name=name, spot=spot, points=gain)
    if event.kind == "swap":
        if mine:
            return tongue.say("You took a joker out with {spot}: {points}.", spot=spot, points=gain)
        return tongue.say("{name} took a joker out with {spot}: {points}.", name=name, spot=spot, points=gain)
    if mine:
        return tongue.say("You laid {spot}: {points}.", spot=spot, points=gain)
    return tongue.say("{name} laid {spot}: {points}.", name=name, spot=spot, points=gain)


def touched(view: CartinoView, spot: str, tongue: Tongue) -> str:
    """What a stone on `spot` touches, with the values: "king of spades 4, queen of hearts 3"; "" for nothing."""
    board = BOARDS[view.edition]
    near = [each for each in board.neighbours[board.spot_number[spot]] if view.board[each] != FREE]
    near.sort(key=lambda each: (-board.values[each // 2], each))
    return ", ".join(
        tongue.say(
            "{card} {value}",
            card=lying_name(board, view.board, each, tongue),
            value=board.values[each // 2],
        )
        for each in near
    )


def score(room: RoomView, view: CartinoView, seat: Seat, tongue: Tongue) -> str:
    """A player's points, chips and stones: "Bob: 45 points, 2 chips, 5 stones."."""
    mark = view.scores[seat]
    parts = {
        "points": points(mark.total, tongue),
        "chips": tongue.count("{n} chip", "{n} chips", mark.chips),
        "stones": tongue.count("{n} stone", "{n} stones", mark.stones),
    }
    if seat == room.you:
        return tongue.say("You: {points}, {chips}, {stones}.", **parts)
    return tongue.say("{name}: {points}, {chips}, {stones}.", name=name_of(room, seat), **parts)


def ending(room: RoomView, view: CartinoView, tongue: Tongue) -> tuple[str, ...]:
    """Who won, the best turn, and what each total is made of, line by line as the sheet has it."""
    return (
        headline(room, tongue),
        best_said(view, room.you, partial(name_of, room), tongue),
        *(_settled(room, view, account, tongue) for account in accounts(view)),
    )


def best_said(view: CartinoView, you: Seat | None, name: Callable[[Seat], str], tongue: Tongue) -> str:
    """The turn that brought most, in a sentence for `you`; "" where none brought anything."""
    best = best_turn(view)
    if best is None:
        return ""
    if best.seat == you:
        return tongue.count(
            "The best turn was yours: {n} point in turn {turn}.",
            "The best turn was yours: {n} points in turn {turn}.",
            best.points,
            turn=best.turn,
        )
    return tongue.count(
        "The best turn: {n} point for {name} in turn {turn}.",
        "The best turn: {n} points for {name} in turn {turn}.",
        best.points,
        name=name(best.seat),
        turn=best.turn,
    )


def _settled(room: RoomView, view: CartinoView, account: Account, tongue: Tongue) -> str:
    """A player's total; behind it the parts, where there is more than the stones that were laid."""
    total = _total(room, view, account, tongue)
    if account.laid == account.total:
        return total
    parts = [total, tongue.say("For stones laid: {points}.", points=points(account.laid, tongue))]
    if account.fives:
        parts.append(
            tongue.say("For five stones in one turn: {points}.", points=points(account.fives, tongue))
        )
    return " ".join(parts)


def _total(room: RoomView, view: CartinoView, account: Account, tongue: Tongue) -> str:
    seat, bonus, penalty = account.seat, account.out, account.left
    name, total = name_of(room, seat), points(account.total, tongue)
    hand = view.hands[seat] if seat < len(view.hands) else ()
    if bonus:
        return tongue.say(
            "{name}: {points} in all, with {bonus} for going out.",
            name=name,
            points=total,
            bonus=points(bonus, tongue),
        )
    if hand:
        return tongue.say(
            "{name}: {points} in all, after {penalty} lost for the stones in hand: {cards}.",
            name=name,
            points=total,
            penalty=points(penalty, tongue),
            cards=cards(hand, tongue),
        )
    return tongue.say("{name}: {points} in all.", name=name, points=total)
