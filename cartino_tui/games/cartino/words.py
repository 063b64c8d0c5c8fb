"""What the table says in words: the preview of a lay, the turn so far, whose move it is, why something can't be."""

from cartino_protocol.games.cartino.board import BOARDS, JOKER
from cartino_protocol.games.cartino.moves import Rule
from cartino_protocol.games.cartino.views import FREE, STONE, CartinoView, LayOption
from cartino_tui.games.cartino.marks import Marks
from cartino_tui.games.cartino.pointer import is_barred
from cartino_tui.games.cartino.scene import Scene, is_joker

SUIT_WORDS = {"D": "diamonds", "H": "hearts", "S": "spades", "C": "clubs"}
HALF_WORDS = {"u": "upper", "l": "lower"}

NO_WAY = "No spot there."
"""The answer to a key that the cursor can't follow; it stands behind `state_line`, which is long to say again."""

REFUSED: dict[Rule, str] = {
    "over": "The game is over, nothing more can be laid.",
    "no-such-stone": "There is no such stone; pick one of your hand.",
    "no-such-spot": "There is no such spot on this board; choose another.",
    "not-in-hand": "You don't hold that stone; pick one of your hand.",
    "own-cell": "A stone goes on its own card only; choose one of its two halves.",
    "one-suit": "All stones of a turn are of one suit; keep this one for a later turn.",
    "taken": "Something lies on that half already; choose another spot.",
    "joker-barred": "That joker came to you in this turn; you can lay it from your next turn on.",
    "lay-first": "A turn is at least one stone; lay one before you end it.",
}


def signed(points: int, marks: Marks) -> str:
    """Points with their sign: `+9`, `−3`."""
    return f"+{points}" if points >= 0 else f"{marks.minus}{-points}"


def preview(scene: Scene, lay: LayOption) -> str:
    """What laying the picked stone at the cursor does: `A♥ on the upper half: A♠ 5 + K♥ 4 = +9`, the most first."""
    board, marks = scene.board, scene.marks
    spot = board.spot_number[lay.spot]
    card = marks.card(lay.spot[:-1])
    what = f"{marks.joker} as {card}" if lay.stone == JOKER else card
    where = f"{what} on the {HALF_WORDS[lay.spot[-1]]} half"
    if is_joker(scene, spot):
        where += " takes the joker out"
    near = sorted(scene.touched, key=lambda each: (-board.values[each // 2], each))
    if not near:
        return f"{where}: touches nothing, +{lay.points}"
    sum_ = " + ".join(f"{scene.card_at(each)} {board.values[each // 2]}" for each in near)
    return f"{where}: {sum_} = +{lay.points}"


def gained(view: CartinoView) -> int:
    """What the turn that is being played has brought so far: the lays since the last turn closed."""
    points = 0
    for event in reversed(view.recent):
        if event.kind not in ("lay", "swap"):
            break
        points += event.points
    return points


def turn_so_far(scene: Scene) -> str:
    """The open turn in a line: its suit, how many stones, their points; empty before its first lay."""
    view = scene.view
    if scene.over or not view.laid or view.on_turn is None:
        return ""
    whose = "This turn" if scene.mine else f"{scene.name(view.on_turn)}'s turn"
    stones = "1 stone" if view.laid == 1 else f"{view.laid} stones"
    return f"{whose}: {SUIT_WORDS[view.suit]}, {stones}, +{gained(view)}"


def state_line(scene: Scene) -> str:
    """What the table waits for, when nothing else is to be said."""
    view = scene.view
    if view.on_turn is None:
        return "The game is over; all hands lie open."
    if not scene.mine:
        return _waiting(scene, view.on_turn)
    if scene.lay is not None:
        keys = scene.marks.halves
        return f"Enter lays it; {keys} moves it; {_number(scene)} or Esc puts it back."
    if view.laid:
        return f"Pick another stone of {SUIT_WORDS[view.suit]}, or end your turn with e."
    return "Your turn: pick a stone with 1-5, or click it."


def _number(scene: Scene) -> str:
    return "its number" if scene.pointer.picked is None else str(scene.pointer.picked + 1)


def _waiting(scene: Scene, seat: int) -> str:
    line = scene.room.seats[seat] if seat < len(scene.room.seats) else None
    if line is not None and line.stand_in:
        return f"A stand-in plays for {scene.name(seat)}{'' if line.here else ', who is away'}."
    away = line is not None and not line.here
    if scene.you is None:
        return f"You are watching. {scene.name(seat)} is on turn{', but away' if away else ''}."
    return f"Waiting for {scene.name(seat)}{', who is away' if away else ''}."


def why_not(view: CartinoView, place: int, marks: Marks) -> str:
    """Why the stone at `place` of the hand can't be picked now, as far as the view tells."""
    if place >= len(view.hand):
        return f"You have no stone with the number {place + 1}."
    stone = view.hand[place]
    if is_barred(view, place):
        return REFUSED["joker-barred"]
    if stone == JOKER:
        return "There is no free spot for a joker now."
    if view.suit and stone[-1] != view.suit:
        return f"This turn is for {SUIT_WORDS[view.suit]}; {marks.card(stone)} has to wait for another."
    if FREE not in _halves(view, stone):
        return f"Both halves of {marks.card(stone)} are taken."
    return f"{marks.card(stone)} can't be laid now."


def _halves(view: CartinoView, card: str) -> str:
    """What lies on both halves of a card, jokers counting as free: a real stone may take their place."""
    number = BOARDS[view.edition].card_number[card]
    return "".join(STONE if char == STONE else FREE for char in view.board[2 * number : 2 * number + 2])
