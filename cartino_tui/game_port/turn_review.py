"""What a review says of a turn, in sentences for the screen and for plain mode."""

from collections.abc import Callable, Sequence
from typing import Final, Literal

import msgspec

from cartino_protocol.text import N_
from cartino_protocol.views import ReviewView, TrialView, TurnReview
from cartino_tui.i18n import Translator

Grade = Literal["", "small", "slip", "mistake", "blunder"]

TOLD_FROM: Final = 1.0
"""Points that a turn has to lose to be spoken of."""
_MOST_TOLD: Final = 3
"""Turns of each player that are told at once."""
_GRADES: Final[tuple[tuple[float, Grade], ...]] = (
    (9.0, "blunder"),
    (4.5, "mistake"),
    (2.0, "slip"),
    (TOLD_FROM, "small"),
)
_COMPARED: Final[dict[Grade, str]] = {
    "small": N_("{name}: {moves}. Better by {lost}: {best}."),
    "slip": N_("Slip by {name}: {moves}. Better by {lost}: {best}."),
    "mistake": N_("Mistake by {name}: {moves}. Better by {lost}: {best}."),
    "blunder": N_("Blunder by {name}: {moves}. Better by {lost}: {best}."),
}
_BARE: Final[dict[Grade, str]] = {
    "small": N_("{name} was {lost} points short this turn."),
    "slip": N_("Slip by {name}: {lost} points short."),
    "mistake": N_("Mistake by {name}: {lost} points short."),
    "blunder": N_("Blunder by {name}: {lost} points short."),
}


def grade_of(lost: float) -> Grade:
    """Return the grade of a turn by the points it lost; "" if those aren't worth a word."""
    return next((grade for least, grade in _GRADES if lost >= least), "")


def luck_said(luck: float) -> str:
    """Return what draws were worth, with a sign."""
    points = round(luck)
    return f"+{points}" if points > 0 else f"−{-points}" if points else "0"


MoveSaid = Callable[[msgspec.Raw], str]
"""Returns a move in a few words. Raises msgspec.DecodeError."""


def turn_said(turn: TurnReview, name: str, said: MoveSaid, translator: Translator) -> str:
    """Return what `turn` of the player `name` lost and what was better; "" if that isn't worth a word."""
    grade = grade_of(turn.lost)
    if not grade:
        return ""
    lost = translator.decimal(turn.lost)
    moves, best = (moves_said(each, said) for each in (turn.moves, turn.best_moves))
    if moves and best:
        return translator.gettext(_COMPARED[grade], name=name, lost=lost, moves=moves, best=best)
    return translator.gettext(_BARE[grade], name=name, lost=lost)


def moves_said(moves: Sequence[msgspec.Raw], said: MoveSaid) -> str:
    """Return moves in a few words each; "" if they can't be read."""
    try:
        return "; ".join(filter(None, map(said, moves)))
    except msgspec.DecodeError:
        return ""


def trial_said(trial: TrialView, said: MoveSaid, translator: Translator) -> str:
    """Return what the turn that was tried would have lost, and what was better."""
    if trial.lost is None:
        return translator.ngettext("{n} point.", "{n} points.", trial.made)
    if trial.lost < TOLD_FROM:
        return translator.gettext("As good as the best turn: {n} points now.", n=trial.made)
    lost, best = translator.decimal(trial.lost), moves_said(trial.best_moves, said)
    if not best:
        return translator.gettext("{lost} points below the best turn.", lost=lost)
    return translator.gettext("{lost} points below the best: {best}.", lost=lost, best=best)


def sum_said(review: ReviewView, seat: int, name: str, translator: Translator) -> str:
    """Return what the turns of a player lost in all, and the luck of their draws if that is known."""
    turns, luck = sum(turn.seat == seat for turn in review.turns), review.luck(seat)
    places = {"name": name, "lost": translator.decimal(review.points_lost_by(seat))}
    if luck is None:
        return translator.ngettext(
            "{name} was {lost} points short in {n} turn.",
            "{name} was {lost} points short in {n} turns.",
            turns,
            **places,
        )
    return translator.ngettext(
        "{name} was {lost} points short in {n} turn; luck of the draw: {luck}.",
        "{name} was {lost} points short in {n} turns; luck of the draw: {luck}.",
        turns,
        luck=luck_said(luck),
        **places,
    )


def review_said(
    review: ReviewView, names: Sequence[str], said: MoveSaid, translator: Translator
) -> list[str]:
    """Return the sums of all players, and what is to say of each one's costliest turns, with their steps."""
    lines = []
    for seat, name in enumerate(names):
        lines.append(sum_said(review, seat, name, translator))
        own = sorted((turn for turn in review.turns if turn.seat == seat), key=lambda turn: -turn.lost)
        lines += [
            translator.gettext("Step {step}: {told}", step=turn.end, told=told)
            for turn in own[:_MOST_TOLD]
            if (told := turn_said(turn, name, said, translator))
        ]
    return lines


def next_costly(review: ReviewView, step: int, *, back: bool = False) -> TurnReview | None:
    """Return the nearest turn after `step` (or `back`, before it) that was at least a slip, None for none."""
    costly = [turn for turn in review.turns if grade_of(turn.lost) in {"slip", "mistake", "blunder"}]
    if back:
        return next((turn for turn in reversed(costly) if turn.end < step), None)
    return next((turn for turn in costly if turn.end > step), None)
