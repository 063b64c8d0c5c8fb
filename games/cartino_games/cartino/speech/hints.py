"""A hint in sentences: the best turn lay by lay, its points, and the line to type for it."""

from cartino_games.cartino.board import BOARDS, JOKER
from cartino_games.cartino.bots.planning import best_turn
from cartino_games.cartino.bots.reading import read_position
from cartino_games.cartino.named import spot_name
from cartino_games.cartino.views import CartinoView
from cartino_games.kit.spoken import in_letters, points
from cartino_tui.i18n import Translator


def hint(view: CartinoView, translator: Translator) -> tuple[str, ...]:
    """Return the best turn from here; nothing where it isn't the reader's turn."""
    if not view.reach and not view.can_end:
        return ()
    plan, board = best_turn(read_position(view)), BOARDS[view.edition]
    if not plan.lays:
        return (translator.gettext("Hint: nothing more scores, so type end."),)
    lines, words = list[str](), list[str]()
    for lay, gain in plan.lays:
        spot = board.spots[lay.spot]
        joker = lay.card == board.joker
        said = spot_name(spot, translator)
        places = {"spot": said, "points": points(gain, translator)}
        lines.append(
            translator.gettext("a joker as {spot}: {points}", **places)
            if joker
            else translator.gettext("{spot}: {points}", **places)
        )
        words.append(f"{JOKER if joker else ''}{in_letters(spot, translator)}")
    total = points(plan.points, translator)
    typed = " ".join([*words, *([] if plan.closes else [translator.pgettext("command", "end")])])
    return (
        translator.gettext("Hint: this turn can make {points}.", points=total),
        *(f"{line}." for line in lines),
        translator.gettext("Type {moves} to play it.", moves=typed),
    )
