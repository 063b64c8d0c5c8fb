"""The words that can be typed at a Cartino table in plain mode, in English and in the reader's language."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal

from cartino_games.kit.spoken import command_of
from cartino_protocol.text import N_
from cartino_tui.i18n import Translator

Word = Literal["end", "why", "hand", "board", "row", "card", "scores", "moves", "turn"]
_ORDER: tuple[Word, ...] = ("end", "why", "hand", "board", "row", "card", "scores", "moves", "turn")


def word_of(typed: str, translator: Translator) -> Word | None:
    """Return what `typed` is for, or None; `e` is "end" in all languages, as it is on the screen."""
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
