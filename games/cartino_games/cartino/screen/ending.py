"""The end of a game in words, and what the final board has of it: who won, and the stones that were left."""

from cartino_games.cartino.narration import best_said
from cartino_games.cartino.screen.scene import NAME_CELLS, Scene
from cartino_games.cartino.screen.seats import draw_settlement
from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.text import wrap


def headline(scene: Scene) -> str:
    """Who won with how much, in a sentence."""
    result, say = scene.room.result, scene.look.tongue.say
    if result is None or not result.totals:
        return say("The game is over.")
    if not result.winners:
        return say("The game was left before its end; nobody has won.")
    points = shown(scene, result.totals[result.winners[0]])
    if len(result.winners) == 1:
        seat = result.winners[0]
        if seat == scene.you:
            return say("You win with {points}.", points=points)
        return say("{name} wins with {points}.", name=scene.name(seat), points=points)
    *names, last = [scene.name(seat) for seat in result.winners]
    return say(
        "{names} and {last} share the win with {points}.", names=", ".join(names), last=last, points=points
    )


def why(scene: Scene) -> str:
    """Why it was over, and how far ahead the winner is; "" where nobody has won."""
    result, tongue = scene.room.result, scene.look.tongue
    if result is None or not result.winners:
        return ""
    totals = sorted(result.totals, reverse=True)
    ahead = totals[0] - totals[1] if len(totals) > 1 else 0
    lead = tongue.count("One point ahead.", "{n} points ahead.", ahead) if ahead else ""
    return " ".join(filter(None, (lead, _over(scene))))


def _over(scene: Scene) -> str:
    say = scene.look.tongue.say
    out = next((seat for seat, bonus in enumerate(scene.view.bonus) if bonus), None)
    if out is None:
        return say("Nobody could lay another stone.")
    if out == scene.you:
        return say("You went out: no stone was left in your hand or in the bag.")
    return say("{name} went out: no stone was left in hand or in the bag.", name=scene.name(out))


def best(scene: Scene) -> str:
    """The turn that brought most, in a sentence; "" where none brought anything, and in a lesson.

    A lesson's table has no code; it was set up as if turns had been, and of them nothing is known.
    """
    if not scene.room.code:
        return ""
    return best_said(scene.view, scene.you, scene.name, scene.look.tongue)


def shown(scene: Scene, points: int) -> str:
    """Points with the minus that this terminal has."""
    return str(points) if points >= 0 else f"{scene.marks.minus}{-points}"


def draw_ending(canvas: Canvas, scene: Scene) -> int:
    """In the hand's place on the final board: who won, and what each player still held; returns the y below it.

    Where the players have a line each, that is in them already.
    """
    plan = scene.layout
    seats = () if plan.stacked else range(len(scene.view.scores))
    top = plan.notes.y if plan.stacked else plan.hand[0].y
    lines = wrap(headline(scene), plan.width - 2, plan.height, ascii=scene.look.ascii)
    if len(lines) + len(seats) > plan.status - top:
        lines = []  # the page of the result has it, too
    for y, line in enumerate(lines, top):
        canvas.put(1, y, line, "winner")
    top += len(lines)
    for y, seat in enumerate(seats, top):
        canvas.put(1, y, scene.name(seat), "name")
        draw_settlement(canvas, scene, seat, NAME_CELLS + 2, y)
    return top + len(seats)
