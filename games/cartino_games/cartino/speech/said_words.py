"""The words that can be typed at a Cartino table in plain mode, in English and in the reader's language."""

from typing import Literal

from cartino_games.kit.spoken import command_of
from cartino_tui.tongue import Tongue

Word = Literal["end", "why", "hand", "board", "row", "card", "scores", "moves", "turn"]
_ORDER: tuple[Word, ...] = ("end", "why", "hand", "board", "row", "card", "scores", "moves", "turn")


def word_of(typed: str, tongue: Tongue) -> Word | None:
    """What `typed` is for, or None; `e` is "end" in all languages, as it is on the screen."""
    if typed.casefold() == "e":
        return "end"
    said = (
        tongue.say_in("command", "end"),
        tongue.say_in("command", "why"),
        tongue.say_in("command", "hand"),
        tongue.say_in("command", "board"),
        tongue.say_in("command", "row"),
        tongue.say_in("command", "card"),
        tongue.say_in("command", "scores"),
        tongue.say_in("command", "moves"),
        tongue.say_in("command", "turn"),
    )
    return command_of(typed, said, _ORDER)


def explained(tongue: Tongue) -> tuple[str, ...]:
    """What each of them does, a line each."""
    return (
        tongue.say("A number: choose that stone of your hand, then the spot for it. 0 puts the stone back."),
        tongue.say(
            "KSu: lay the king of spades on its upper half at once; l is the lower half, *KSu a joker."
        ),
        tongue.say("end: end your turn."),
        tongue.say("hand: your stones again. turn: whose turn it is. scores: the points of everybody."),
        tongue.say("board: what lies on it. board spades: that suit. row 2: a row from the left."),
        tongue.say("card KS: what lies on a card, and what a stone there would touch."),
        tongue.say("why: why the last stone brought its points. why 2: why stone 2 can be laid or not."),
        tongue.say("moves: what was done last."),
    )
