"""The words that can be typed at a Cartino table in plain mode, in English and in the reader's language."""

from typing import Literal

from cartino_games.kit.spoken import command_of
from cartino_tui.i18n import Translator

Word = Literal["end", "why", "hand", "board", "row", "card", "scores", "moves", "turn"]
_ORDER: tuple[Word, ...] = ("end", "why", "hand", "board", "row", "card", "scores", "moves", "turn")


def word_of(typed: str, translator: Translator) -> Word | None:
    """What `typed` is for, or None; `e` is "end" in all languages, as it is on the screen."""
    if typed.casefold() == "e":
        return "end"
    said = (
        translator.pgettext("command", "end"),
        translator.pgettext("command", "why"),
        translator.pgettext("command", "hand"),
        translator.pgettext("command", "board"),
        translator.pgettext("command", "row"),
        translator.pgettext("command", "card"),
        translator.pgettext("command", "scores"),
        translator.pgettext("command", "moves"),
        translator.pgettext("command", "turn"),
    )
    return command_of(typed, said, _ORDER)


def explained(translator: Translator) -> tuple[str, ...]:
    """What each of them does, a line each."""
    return (
        translator.gettext(
            "A number: choose that stone of your hand, then the spot for it. 0 puts the stone back."
        ),
        translator.gettext(
            "KSu: lay the king of spades on its upper half at once; l is the lower half, *KSu a joker."
        ),
        translator.gettext("end: end your turn."),
        translator.gettext(
            "hand: your stones again. turn: whose turn it is. scores: the points of everybody."
        ),
        translator.gettext("board: what lies on it. board spades: that suit. row 2: a row from the left."),
        translator.gettext("card KS: what lies on a card, and what a stone there would touch."),
        translator.gettext(
            "why: why the last stone brought its points. why 2: why stone 2 can be laid or not."
        ),
        translator.gettext("moves: what was done last."),
    )
