"""The end of a game in words and numbers, and what the final board shows of it: who won, and the stones left."""

from collections.abc import Sequence

from cartino_games.cartino.accounts import BestTurn, SeatAccount, accounts, best_turns, courses
from cartino_games.cartino.narration import best_said
from cartino_games.cartino.screen.scene import Scene, suit_of
from cartino_games.cartino.screen.seats import draw_settlement
from cartino_games.cartino.screen.story import lays_in_short
from cartino_games.cartino.turn_log import turns_logged
from cartino_games.kit.marks import number
from cartino_games.kit.result import Accounts, Ending, Entry, Heading, headline, part
from cartino_games.kit.scene import NAME_CELLS
from cartino_games.kit.text import Piece
from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.text import wrap


def ending(scene: Scene) -> Ending:
    """Return what the pages of the end show."""
    lines = courses(scene.view) if scene.view.course else ()
    found = best_turns(scene.view) if scene.table.code else ()
    gains = [turn.points for turn in found]
    steps = [(turn.seat, _best_step(scene, turn)) for turn in found if turn.points]
    return Ending(why(scene), best(scene), ledger_of(scene), lines, gains=gains, best_steps=steps)


def _best_step(scene: Scene, turn: BestTurn) -> list[Piece]:
    """Return the number of a turn and its stones."""
    view = scene.view
    logged = turns_logged(view.edition, view.log, len(view.scores))
    stones = lays_in_short(scene, logged[turn.turn - 1]) if turn.turn <= len(logged) else []
    return [(scene.look.translator.gettext("turn {n}", n=turn.turn), "dim"), *stones]


def why(scene: Scene) -> str:
    """Return why the game was over, in a sentence."""
    gettext = scene.look.translator.gettext
    out = next((seat for seat, bonus in enumerate(scene.view.bonus) if bonus), None)
    if out is None:
        return gettext("Nobody could lay another stone.")
    if out == scene.you:
        return gettext("You went out: your hand and the bag are empty.")
    return gettext("{name} went out: their hand and the bag are empty.", name=scene.name(out))


def best(scene: Scene) -> str:
    """Return the turn that brought most, in a sentence; "" where none brought anything, and in a lesson.

    A lesson's table has no code; it was set up as if turns had been, and of them nothing is known.
    """
    if not scene.table.code:
        return ""
    return best_said(scene.view, scene.you, scene.name, scene.look.translator)


def ledger_of(scene: Scene) -> Accounts:
    """Return what every total is made of, with the stones that each player still held behind it."""
    pgettext = scene.look.translator.pgettext
    headings = (
        Heading(pgettext("account", "stones laid"), pgettext("account", "laid")),
        Heading(pgettext("account", "five stones"), pgettext("account", "fives")),
        Heading(pgettext("account", "going out"), pgettext("account", "out")),
        Heading(pgettext("account", "left in hand"), pgettext("account", "left")),
        Heading(pgettext("account", "total"), pgettext("account", "total")),
    )
    return Accounts(headings, [_entry(scene, account) for account in accounts(scene.view)])


def _entry(scene: Scene, account: SeatAccount) -> Entry:
    cells = (
        (str(account.laid), "text"),
        part(scene, account.fives),
        part(scene, account.out),
        part(scene, -account.left),
        (number(account.total, scene.marks), "points"),
    )
    return Entry(account.seat, account.rank, cells, _hand(scene, account))


def _hand(scene: Scene, account: SeatAccount) -> Sequence[Piece]:
    """Return the stones that a player still held."""
    hands = scene.view.hands
    held = hands[account.seat] if account.seat < len(hands) else ()
    return [(scene.marks.card(stone), f"printed-{suit_of(stone)}") for stone in held]


def draw_ending(canvas: Canvas, scene: Scene) -> int:
    """Draw who won and what each player still held, in the hand's place; return the y below it.

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
