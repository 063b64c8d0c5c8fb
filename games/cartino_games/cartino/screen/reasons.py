"""Explain the points of a lay, and give hints for beginners, all from the view."""

from typing import Final

from cartino_games.cartino.board import BOARDS, JOKER
from cartino_games.cartino.bots.advice import advise
from cartino_games.cartino.bots.planning import TurnPlan
from cartino_games.cartino.marks import marks_for
from cartino_games.cartino.narration import NO_MORE, compared
from cartino_games.cartino.screen.pointer import CartinoPointer, chosen
from cartino_games.cartino.screen.scene import Scene
from cartino_games.cartino.screen.words import preview_line
from cartino_games.cartino.views import FREE, CartinoEvent, CartinoView
from cartino_games.kit.marks import signed
from cartino_games.kit.text import first_that_fits
from cartino_protocol.text import N_
from cartino_protocol.views import TableView
from cartino_tui.game_port.screen import Look

_LAYS = ("lay", "swap")


def touched_by(view: CartinoView, number: int) -> tuple[int, ...]:
    """Return the spots that the lay of that number in `view.recent` touched, those of most value first.

    What was laid later has not been there. All of that is in `recent`, since nothing is left out at its end.
    """
    board = BOARDS[view.edition]
    spot = board.spot_number[view.recent[number].spot]
    later = {board.spot_number[each.spot] for each in view.recent[number + 1 :] if each.kind == "lay"}
    near = [each for each in board.neighbours[spot] if view.board[each] != FREE and each not in later]
    return tuple(sorted(near, key=lambda each: (-board.values[each // 2], each)))


def why(scene: Scene, back: int) -> str:
    """Return why the picked stone scores what it does; else the last lay, or so many lays before it."""
    cells = scene.look.width - 2
    if scene.lay is not None:
        return preview_line(scene, scene.lay, cells)
    lays = [number for number, event in enumerate(scene.view.recent) if event.kind in _LAYS]
    if not lays:
        return scene.look.translator.gettext("Nothing has been laid yet.")
    number = lays[-1 - back % len(lays)]
    return first_that_fits(_account(scene, scene.view.recent[number], touched_by(scene.view, number)), cells)


def _account(scene: Scene, event: CartinoEvent, touched: tuple[int, ...]) -> tuple[str, ...]:
    """Return what a lay has brought and why, in fewer and fewer words."""
    translator, board, points = scene.look.translator, scene.board, signed(event.points, scene.marks)
    name, stone = scene.name(event.seat), scene.marks.card(event.spot[:-1])
    if event.stone == JOKER:
        stone = f"{scene.marks.joker}{stone}"
    if not touched:
        return (
            translator.gettext("{name} laid {stone}; it touched nothing.", name=name, stone=stone),
            translator.gettext("{stone} touched nothing: {points}", stone=stone, points=points),
        )
    values = [str(board.values[each // 2]) for each in touched]
    parts = " + ".join(f"{scene.card_at(each)} {value}" for each, value in zip(touched, values, strict=True))
    return (
        translator.gettext(
            "{name} laid {stone}; it touched {parts} = {points}",
            name=name,
            stone=stone,
            parts=parts,
            points=points,
        ),
        translator.gettext("{stone} touched {parts} = {points}", stone=stone, parts=parts, points=points),
        f"{stone}: {parts} = {points}",
        f"{stone}: {' + '.join(values)} = {points}",
    )


_STEPS: Final = {
    ("u", False): N_("{stone} upper"),
    ("l", False): N_("{stone} lower"),
    ("u", True): N_("{joker} as {stone} upper"),
    ("l", True): N_("{joker} as {stone} lower"),
}
"""A lay in few words, by half and whether it is a joker's."""


def lay_shown(look: Look, stone: str, spot: str) -> str:
    """Return the lay of `stone` on `spot` in few words ("K♠ upper")."""
    joker, marks = stone == JOKER, marks_for(look)
    places = {"stone": marks.card(spot[:-1]), **({"joker": marks.joker} if joker else {})}
    return look.translator.gettext(_STEPS[spot[-1], joker], **places)


def hint(scene: Scene) -> str:
    """Return the best turn from here, its points, and why it beats the one with most; "" where it isn't one's turn."""
    view, translator = scene.view, scene.look.translator
    if not scene.mine or not view.reach:
        return ""
    advice = advise(view)
    if advice is None:
        return translator.gettext("Hint: press e to end your turn.")
    plan, said = advice.plan, _turn(scene, advice.plan)
    if not plan.lays:
        best = translator.gettext("Hint: press e to end your turn.")
    elif plan.closes:
        best = translator.ngettext(
            "Hint: {lays}: {n} point.", "Hint: {lays}: {n} points.", plan.points, lays=said
        )
    else:
        best = translator.ngettext(
            "Hint: {lays}, then e: {n} point.", "Hint: {lays}, then e: {n} points.", plan.points, lays=said
        )
    comparison = advice.comparison
    if comparison is None:
        return f"{best} {translator.gettext(NO_MORE)}"
    instead = comparison.instead
    other = _turn(scene, instead) if instead.lays else translator.gettext("ending the turn")
    return f"{best} {compared(comparison, other, translator)}"


def _turn(scene: Scene, plan: TurnPlan) -> str:
    """Return the lays of a turn in few words."""
    names, spots = scene.board.stone_names, scene.board.spots
    return ", ".join(lay_shown(scene.look, names[lay.card], spots[lay.spot]) for lay, _ in plan.lays)


def keys_now(table: TableView, view: CartinoView, pointer: CartinoPointer) -> frozenset[str]:
    """Return the keys, as the help shows them, that do something now."""
    if view.on_turn is None:
        return frozenset({"Tab → ←"})
    if table.you is None or table.you != view.on_turn:
        return frozenset()
    ends = {"e"} if view.can_end else set()
    up = {"↑ ↓ ← → k j h l", "/", "Enter", "Esc Backspace"} if chosen(view, pointer) is not None else set()
    return frozenset({"1-5", "click", *ends, *up})
