"""The end of a game drawn: who won, what each total is made of, the open hands, and the promise about the shuffle."""

from cartino_tui.draw.canvas import Canvas
from cartino_tui.games.cartino.scene import NAME_CELLS, Scene
from cartino_tui.games.cartino.seats import draw_settlement

_SHORT = 12


def headline(scene: Scene) -> str:
    """Who won with how much, in a sentence."""
    result = scene.room.result
    if result is None or not result.totals:
        return "The game is over."
    if not result.winners:
        return "The game was left before its end; nobody has won."
    points = result.totals[result.winners[0]]
    shown = str(points) if points >= 0 else f"{scene.marks.minus}{-points}"
    if len(result.winners) == 1:
        seat = result.winners[0]
        return f"You win with {shown}." if seat == scene.you else f"{scene.name(seat)} wins with {shown}."
    names = [scene.name(seat) for seat in result.winners]
    return f"{', '.join(names[:-1])} and {names[-1]} share the win with {shown}."


def promise(scene: Scene) -> str:
    """The seed and the hash that was shown before the deal, both short."""
    room, more = scene.room, scene.marks.more
    if not room.seed:
        return ""
    return (
        f"seed {room.seed[:_SHORT]}{more} was promised as {room.commitment[:_SHORT]}{more} (? has both whole)"
    )


def draw_ending(canvas: Canvas, scene: Scene) -> None:
    """In the hand's place beside the board: the headline, a line a seat, the promise. Stacked: headline and promise."""
    plan = scene.layout
    if plan.stacked:
        canvas.put(1, plan.notes.y, headline(scene), "winner")
        canvas.put(1, plan.moves.y, promise(scene), "dim")
        return
    top = plan.hand[0].y
    canvas.put(1, top, headline(scene), "winner")
    seats = range(len(scene.view.scores))
    for seat in seats:
        y = top + 1 + seat
        canvas.put(1, y, scene.name(seat), "name")
        total = scene.view.scores[seat].total
        shown = str(total) if total >= 0 else f"{scene.marks.minus}{-total}"
        canvas.put(NAME_CELLS + 7 - len(shown), y, shown, "points")
        draw_settlement(canvas, scene, seat, NAME_CELLS + 9, y)
    canvas.put(1, top + 1 + len(seats), promise(scene), "dim")
