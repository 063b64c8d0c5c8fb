"""What the table says in words: the preview of a lay, the turn so far, whose move it is, why something can't be."""

from typing import Final

from cartino_games.cartino.board import BOARDS, JOKER
from cartino_games.cartino.marks import BoardMarks
from cartino_games.cartino.rulebook import REFUSED
from cartino_games.cartino.screen.pointer import LAID, is_barred, is_fresh, touching
from cartino_games.cartino.screen.scene import Scene, is_joker
from cartino_games.cartino.views import FREE, STONE, CartinoView, LayOption
from cartino_games.kit.bars import describe_end, waiting
from cartino_games.kit.marks import signed
from cartino_games.kit.text import first_that_fits
from cartino_protocol.text import N_
from cartino_tui.i18n import Translator

SUIT_WORDS: Final = {"D": N_("diamonds"), "H": N_("hearts"), "S": N_("spades"), "C": N_("clubs")}

_WHERE: Final = {
    ("u", "stone"): (N_("{stone} on the upper half:"), N_("{stone} upper:")),
    ("l", "stone"): (N_("{stone} on the lower half:"), N_("{stone} lower:")),
    ("u", "joker"): (N_("{joker} as {stone} on the upper half:"), N_("{joker} as {stone} upper:")),
    ("l", "joker"): (N_("{joker} as {stone} on the lower half:"), N_("{joker} as {stone} lower:")),
}
"""Where a stone would lie, by half and by what it is; in full and in few words."""


def preview(scene: Scene, lay: LayOption) -> str:
    """Return what laying the picked stone at the cursor does: `A♥ on the upper half: A♠ 5 + K♥ 4 = +9`."""
    return f"{where(scene, lay)[0]} {points_line(scene, lay)[0]}"


def preview_lines(scene: Scene, lay: LayOption, cells: int) -> tuple[str, str]:
    """Return the same on two lines of so many cells, in fewer words where they don't fit."""
    return first_that_fits(where(scene, lay), cells), first_that_fits(points_line(scene, lay), cells)


def preview_line(scene: Scene, lay: LayOption, cells: int) -> str:
    """Return the same on one line."""
    variants = [f"{head} {tail}" for tail in points_line(scene, lay) for head in where(scene, lay)]
    stone, points = scene.marks.card(lay.stone), points_line(scene, lay)
    return first_that_fits([*variants, *(f"{stone}: {tail}" for tail in points)], cells)


def where(scene: Scene, lay: LayOption) -> tuple[str, str]:
    """Return where the stone would lie, in full and in few words."""
    marks, joker = scene.marks, lay.stone == JOKER
    full, short = _WHERE[lay.spot[-1], "joker" if joker else "stone"]
    places = {"stone": marks.card(lay.spot[:-1]), **({"joker": marks.joker} if joker else {})}
    return scene.look.translator.gettext(full, **places), scene.look.translator.gettext(short, **places)


def points_line(scene: Scene, lay: LayOption) -> tuple[str, str]:
    """Return what it would replace or touch and score, the most first: with the cards' names, and values alone.

    The names are left out for a joker, which may go nearly everywhere, and where a joker may be replaced.
    """
    board, points, gettext = scene.board, signed(lay.points, scene.marks), scene.look.translator.gettext
    if lay.stone != JOKER and is_joker(scene, board.spot_number[lay.spot]):
        return gettext("replaces {joker}, {points}", joker=scene.marks.joker, points=points), points
    near = sorted(touching(scene.view, lay.spot), key=lambda each: (-board.values[each // 2], each))
    values = [str(board.values[each // 2]) for each in near]
    short = f"{' + '.join(values)} = {points}" if near else points
    if lay.stone == JOKER or any(is_joker(scene, spot) for spot in scene.open_spots):
        return short, short
    if not near:
        return gettext("touches nothing"), points
    named = (f"{scene.card_at(each)} {value}" for each, value in zip(near, values, strict=True))
    return f"{' + '.join(named)} = {points}", short


def gained(view: CartinoView) -> int:
    """Return what the turn that is being played has brought so far: the lays since the last turn closed."""
    points = 0
    for event in reversed(view.recent):
        if event.kind not in ("lay", "swap"):
            break
        points += event.points
    return points


def turn_so_far(scene: Scene) -> str:
    """Return the open turn in a line: its suit, how many stones, their points; empty before its first lay."""
    view, translator = scene.view, scene.look.translator
    if scene.is_over or not view.laid or view.on_turn is None:
        return ""
    suit, points = translator.gettext(SUIT_WORDS[view.suit]), signed(gained(view), scene.marks)
    if scene.mine:
        return translator.ngettext(
            "This turn: {suit}, {n} stone, {points}",
            "This turn: {suit}, {n} stones, {points}",
            view.laid,
            suit=suit,
            points=points,
        )
    return translator.ngettext(
        "{name}'s turn: {suit}, {n} stone, {points}",
        "{name}'s turn: {suit}, {n} stones, {points}",
        view.laid,
        name=scene.name(view.on_turn),
        suit=suit,
        points=points,
    )


def state_line(scene: Scene, cells: int = 1000) -> str:
    """Return what the table waits for, when nothing else is to be said; in fewer words where `cells` demand it."""
    view, gettext = scene.view, scene.look.translator.gettext
    if view.on_turn is None:
        return describe_end(scene)
    if not scene.mine:
        lines = waiting(scene, view.on_turn)
        if scene.pointer == LAID:
            # The turn closed with this lay, and nobody has asked for that.
            closed = gettext("You can't lay anything more: your turn is over.")
            lines = (*(f"{closed} {line}" for line in lines), closed)
        return first_that_fits(lines, cells)
    if scene.lay is not None:
        return gettext("Enter to lay, Esc to put it back.")
    if view.laid:
        suit = gettext(SUIT_WORDS[view.suit])
        return first_that_fits(
            (
                gettext("Lay more {suit}, or press e to end your turn.", suit=suit),
                gettext("Lay another stone, or press e to end your turn."),
            ),
            cells,
        )
    return gettext("Your turn: pick a stone (1-5).")


def why_not(view: CartinoView, place: int, marks: BoardMarks, translator: Translator) -> str:
    """Return why the stone at `place` of the hand can't be picked now, as far as the view tells."""
    if place >= len(view.hand):
        return translator.gettext("You have no stone number {number}.", number=place + 1)
    stone = view.hand[place]
    if is_barred(view, place):
        return translator.gettext(REFUSED["joker-barred"])
    if stone == JOKER:
        return translator.gettext("There's no free spot for a joker now.")
    card = marks.card(stone)
    if view.suit and stone[-1] != view.suit:
        suit = translator.gettext(SUIT_WORDS[view.suit])
        return translator.gettext("Only {suit} this turn; keep {stone} for later.", suit=suit, stone=card)
    if is_fresh(view, stone):
        return translator.gettext(REFUSED["joker-fresh"])
    if FREE not in _halves(view, stone):
        return translator.gettext("Both halves of {stone} are taken.", stone=card)
    return translator.gettext("{stone} can't be laid now.", stone=card)


def _halves(view: CartinoView, card: str) -> str:
    """Return what lies on both halves of a card, jokers counting as free: a real stone may take their place."""
    number = BOARDS[view.edition].card_number[card]
    return "".join(STONE if char == STONE else FREE for char in view.board[2 * number : 2 * number + 2])
