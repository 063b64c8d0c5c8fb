"""Why a lay brings what it brings, and what a beginner could do: all of it out of the view."""

from cartino_games.cartino.board import BOARDS, JOKER
from cartino_games.cartino.screen.pointer import CartinoPointer, best, chosen
from cartino_games.cartino.screen.scene import Scene
from cartino_games.cartino.screen.scene import scene as scene_of
from cartino_games.cartino.screen.words import points_line, preview_line, where
from cartino_games.cartino.views import FREE, CartinoView, Event, LayOption
from cartino_games.kit.marks import signed
from cartino_games.kit.text import first_that_fits
from cartino_protocol.views import RoomView

_FIVE = 5
_LAYS = ("lay", "swap")


def touched_by(view: CartinoView, number: int) -> tuple[int, ...]:
    """The spots that the lay of that number in `view.recent` touched, those of most value first.

    What was laid later has not been there. All of that is in `recent`, since nothing is left out at its end.
    """
    board = BOARDS[view.edition]
    spot = board.spot_number[view.recent[number].spot]
    later = {board.spot_number[each.spot] for each in view.recent[number + 1 :] if each.kind == "lay"}
    near = [each for each in board.neighbours[spot] if view.board[each] != FREE and each not in later]
    return tuple(sorted(near, key=lambda each: (-board.values[each // 2], each)))


def why(scene: Scene, back: int) -> str:
    """What the points of the stone that is up are made of; else those of the last lay, or so many lays before it."""
    cells = scene.look.width - 2
    if scene.lay is not None:
        return preview_line(scene, scene.lay, cells)
    lays = [number for number, event in enumerate(scene.view.recent) if event.kind in _LAYS]
    if not lays:
        return scene.look.translator.gettext("Nothing has been laid yet.")
    number = lays[-1 - back % len(lays)]
    return first_that_fits(_account(scene, scene.view.recent[number], touched_by(scene.view, number)), cells)


def _account(scene: Scene, event: Event, touched: tuple[int, ...]) -> tuple[str, ...]:
    """What a lay has brought and why, in fewer and fewer words."""
    translator, board, points = scene.look.translator, scene.board, signed(event.points, scene.marks)
    name, stone = scene.name(event.seat), scene.marks.card(event.spot[:-1])
    if event.stone == JOKER:
        stone = f"{scene.marks.joker}{stone}"
    if not touched:
        return (
            translator.gettext("{name} laid {stone}, which touched nothing.", name=name, stone=stone),
            translator.gettext("{stone}: touched nothing, {points}", stone=stone, points=points),
        )
    values = [str(board.values[each // 2]) for each in touched]
    parts = " + ".join(f"{scene.card_at(each)} {value}" for each, value in zip(touched, values, strict=True))
    return (
        translator.gettext(
            "{name} laid {stone}, which touched {parts} = {points}",
            name=name,
            stone=stone,
            parts=parts,
            points=points,
        ),
        translator.gettext("{stone} touched {parts} = {points}", stone=stone, parts=parts, points=points),
        f"{stone}: {parts} = {points}",
        f"{stone}: {' + '.join(values)} = {points}",
    )


def idea(scene: Scene) -> str:
    """What could be done now, and why; "" where it isn't one's turn."""
    view, translator = scene.view, scene.look.translator
    if not scene.mine or not view.lays:
        return ""
    if _are_five(view):
        return translator.gettext("All five can go in one turn: that brings 10 more.")
    wanted = _wanted(scene, view.lays)
    if wanted.points == 0 and view.can_end:
        return translator.gettext("Nothing more would touch a stone: e ends your turn.")
    if wanted.points == 0:
        return translator.gettext("Nothing would touch a stone: lay what you need least.")
    cells = scene.look.width - 2
    held = _held(scene, wanted)
    texts = [
        translator.gettext("Most now: {lay}", lay=f"{head} {tail}")
        for tail in points_line(held, wanted)
        for head in where(held, wanted)
    ]
    return first_that_fits([*texts, preview_line(held, wanted, cells)], cells)


def _are_five(view: CartinoView) -> bool:
    """Whether the whole hand can go in this one turn, which has not begun."""
    suits = {stone[-1] for stone in view.hand if stone != JOKER}
    return len(view.hand) == _FIVE and not view.laid and len(suits) == 1


def _wanted(scene: Scene, lays: tuple[LayOption, ...]) -> LayOption:
    """The lay that brings most; of equals no joker, which is worth more later."""
    most = max(lay.points for lay in lays)
    equals = [lay for lay in lays if lay.points == most]
    return best(scene.board, tuple(lay for lay in equals if lay.stone != JOKER) or tuple(equals))


def _held(scene: Scene, lay: LayOption) -> Scene:
    """The scene with that stone up where it would go."""
    pointer = CartinoPointer(scene.view.hand.index(lay.stone), lay.stone, lay.spot)
    return scene_of(scene.room, scene.view, pointer, scene.look, scene.around)


def keys_now(room: RoomView, view: CartinoView, pointer: CartinoPointer) -> frozenset[str]:
    """The keys, as the help shows them, that do something just now."""
    if view.on_turn is None:
        return frozenset({"Tab → ←"})
    if room.you is None or room.you != view.on_turn:
        return frozenset()
    ends = {"e"} if view.can_end else set()
    up = {"↑ ↓ ← → k j h l", "/", "Enter", "Esc Backspace"} if chosen(view, pointer) is not None else set()
    return frozenset({"1-5", "click", *ends, *up})
