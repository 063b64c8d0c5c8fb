"""The words that can be typed at a Cartino table in plain mode, in English and in the reader's language."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from cartino_games.kit.spoken import command_of
from cartino_protocol.text import N_
from cartino_tui.i18n import Translator


def word_of(typed: str, translator: Translator) -> str | None:
    """Return the command that `typed` is, or None; `e` is "end" in all languages, as it is on the screen."""
    words = translator.command_words("end", "why", "hand", "board", "row", "card", "scores", "moves", "turn")
    return "end" if typed.casefold() == "e" else command_of(typed, words)


def explained(translator: Translator) -> tuple[str, ...]:
    """Return what each of them does, a line each."""
    return (
        translator.gettext(
            "A number: choose that stone from your hand, then its spot. 0 puts the stone back."
        ),
        translator.gettext(
            "KSu: lay the king of spades straight on its upper half; l is the lower half, *KSu a joker."
        ),
        translator.gettext("end: end your turn."),
        translator.gettext("hand: your stones. turn: whose turn it is. scores: everyone's points."),
        translator.gettext("board: all stones on it. board spades: one suit. row 2: one row, from the left."),
        translator.gettext("card KS: the stones on a card, and what a stone there would touch."),
        translator.gettext(
            "why: explain the last stone's points. why 2: whether stone 2 can be laid, and why."
        ),
        translator.gettext("moves: the latest moves."),
    )


SPOKEN_LESSONS: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    {
        "first": ("", N_("Lay {KS}: type its number, then the number of a place.")),
        "level": ("", N_("Lay {KS} on its upper half.")),
        "four": (
            N_("A stone can touch four others, of any suit. For each place you hear what it would touch."),
        ),
        "turn": ("", "", "", "", N_("End your turn: type end.")),
        "joker": (
            N_("A joker stands for any stone of the turn's suit."),
            N_("Lay the joker as {KC}: type its number, then the number of that place."),
        ),
    }
)
"""What plain mode says in a lesson instead of the words about keys, by task; see `GameSpeech.spoken_lessons`."""
