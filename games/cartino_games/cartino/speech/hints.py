"""A hint in sentences: the best turn lay by lay, its points, why, and the line to type for it."""

from cartino_games.cartino.board import BOARDS, JOKER, Board
from cartino_games.cartino.bots.advice import Comparison, advise
from cartino_games.cartino.bots.planning import PlannedLay
from cartino_games.cartino.named import spot_name
from cartino_games.cartino.narration import NO_MORE, compared
from cartino_games.cartino.views import CartinoView
from cartino_games.kit.spoken import in_letters, points
from cartino_tui.draw.text import capitalized
from cartino_tui.i18n import Translator


def hint(view: CartinoView, translator: Translator) -> tuple[str, ...]:
    """Return the best turn from here, and why; nothing where it isn't the reader's turn."""
    if not view.reach and not view.can_end:
        return ()
    advice, end = advise(view), translator.pgettext("command", "end")
    if advice is None:
        return (translator.gettext("Hint: type {end} to end your turn.", end=end),)
    plan, board, comparison = advice.plan, BOARDS[view.edition], advice.comparison
    why = (
        translator.gettext(NO_MORE)
        if comparison is None
        else compared(comparison, _other(comparison, board, translator), translator)
    )
    if not plan.lays:
        return (translator.gettext("Hint: type {end} to end your turn.", end=end), why)
    words = [
        f"{JOKER if lay.card == board.joker else ''}{in_letters(board.spots[lay.spot], translator)}"
        for lay, _ in plan.lays
    ]
    total = points(plan.points, translator)
    typed = " ".join([*words, *([] if plan.closes else [end])])
    return (
        translator.gettext("Hint: this turn can make {points}.", points=total),
        *(f"{capitalized(_said(lay, gain, board, translator))}." for lay, gain in plan.lays),
        why,
        translator.gettext("Type {moves} to play it.", moves=typed),
    )


def _said(lay: PlannedLay, gain: int, board: Board, translator: Translator) -> str:
    places = {"spot": spot_name(board.spots[lay.spot], translator), "points": points(gain, translator)}
    if lay.card == board.joker:
        return translator.gettext("a joker as {spot}: {points}", **places)
    return translator.gettext("{spot}: {points}", **places)


def _other(comparison: Comparison, board: Board, translator: Translator) -> str:
    lays = comparison.instead.lays
    spots = [spot_name(board.spots[lay.spot], translator) for lay, _ in lays]
    return "; ".join(spots) if spots else translator.gettext("ending the turn")
