"""The texts of Cartino's lessons, by lesson name; stones are written as they are drawn."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from cartino_games.cartino.board import JOKER
from cartino_games.cartino.marks import marks_for
from cartino_protocol.text import N_
from cartino_tui.game_port.description import LessonWords, TaskWords
from cartino_tui.game_port.screen import Look

_STONES: Final = ("KS", "QS", "AS", "8S", "10S", "AH", "QD", "KC", "QC", "AC", "JC")

_NOT_THAT: Final = N_("Legal, but not what this step asks for.")
_NEXT: Final = TaskWords(
    N_("Now lay the next one."), N_("And one more."), N_("Lay all five before you end the turn.")
)


def places(look: Look) -> Mapping[str, str]:
    """Return what stands in the places of the words here: the stones by name, as they are drawn for `look`."""
    card = marks_for(look).card
    return {**{name: card(name) for name in _STONES}, "joker": card(JOKER)}


LESSONS: Final[Mapping[str, LessonWords]] = MappingProxyType(
    {
        "first": LessonWords(
            N_("First stone"),
            N_("A stone scores for each stone it touches. Most points wins."),
            (
                TaskWords(
                    N_("Pick {KS} by number, then Enter."),
                    N_("{KS} touches nothing, so it scores nothing. Laid stones never move."),
                    N_("That's a different stone. Try {KS}."),
                ),
            ),
        ),
        "level": LessonWords(
            N_("What touching means"),
            N_(
                "Each card has an upper and a lower half. Two stones touch if their halves share a side. {QS} is on "
                "its lower half."
            ),
            (
                TaskWords(
                    N_("Pick {KS}, move it to the upper half with the up arrow, and lay it."),
                    N_("No points: the cells are neighbours, but one stone is up and the other down."),
                    N_("Legal, but this step asks for {KS} on the upper half."),
                ),
                TaskWords(
                    N_("Now lay {KS} again, on the lower half."),
                    N_("It touches {QS} beside it (3) and {KS} above it (4). That makes 7."),
                    N_("Legal, but this step asks for {KS} on the lower half."),
                ),
            ),
        ),
        "value": LessonWords(
            N_("What a stone scores"),
            N_(
                "You score the stones you touch, not the stone you lay: an ace 5, a king 4, a queen 3, a "
                "jack 2, any other 1."
            ),
            (
                TaskWords(
                    N_("Lay {KS} directly below {8S}, on its upper half."),
                    N_("1 point for {8S}. Your marker moves onto its track."),
                    _NOT_THAT,
                ),
            ),
        ),
        "order": LessonWords(
            N_("The other way round"),
            N_("Same two stones, but {KS} is already on the board."),
            (
                TaskWords(
                    N_("Lay {8S} directly above it, on its lower half."),
                    N_("4 points for {KS}. So the order of two stones matters."),
                    _NOT_THAT,
                ),
            ),
        ),
        "four": LessonWords(
            N_("Four neighbours"),
            N_("A stone can touch four others, of any suit. Pick one to see what it would score."),
            (
                TaskWords(
                    N_("Lay {KS} where it touches four stones."),
                    N_(
                        "5 + 4 + 4 + 3 = 16. Your total has reached 20: you get a chip, and your marker "
                        "starts again."
                    ),
                    _NOT_THAT,
                ),
            ),
        ),
        "turn": LessonWords(
            N_("One suit per turn"),
            N_("In one turn you can lay as many stones as you like, all of one suit."),
            (
                TaskWords(
                    N_("Start with {AS}, on its upper half."),
                    N_("No points yet. But from now on, only spades this turn."),
                    _NOT_THAT,
                ),
                TaskWords(
                    N_("Lay {KS} beside it, on its upper half."),
                    N_("5 points for {AS}: stones of the same turn count too."),
                    _NOT_THAT,
                ),
                TaskWords(
                    N_("Lay {QS} on its upper half."),
                    N_("4 more points. {10S} would touch nothing now; if you keep it, it may score later."),
                    _NOT_THAT,
                ),
                TaskWords(
                    N_("Press e to end your turn."),
                    N_("You drew back up to five. Then Alex laid {AH} next to {AS} and ended the turn."),
                    N_("You could lay that too, but in this step the turn ends with three stones."),
                ),
            ),
        ),
        "five": LessonWords(
            N_("Five in one turn"),
            N_("All your stones are hearts. Laying five stones in one turn scores 10 extra points."),
            (
                TaskWords(
                    N_("Lay all five, in any order."),
                    N_("One down, four to go."),
                    N_("Lay all five before you end the turn."),
                ),
                *(_NEXT,) * 3,
                TaskWords(
                    N_("Lay the last one."),
                    N_(
                        "10 extra points for five stones. Laid from the ace down to the ten, they also score up to 19."
                    ),
                    N_("Lay all five before you end the turn."),
                ),
            ),
        ),
        "joker": LessonWords(
            N_("A joker"),
            N_(
                "{joker} is a joker: it stands for any stone of the turn's suit. Move it from spot to spot "
                "with the arrows."
            ),
            (
                TaskWords(
                    N_("Pick {joker} and lay it as {KC}, on the upper half."),
                    N_("3 points for {QC}. From now on the joker is worth as much as {KC}."),
                    _NOT_THAT,
                ),
                TaskWords(
                    N_("Lay {AC} beside it, on its upper half."),
                    N_("4 points, just as for {KC} itself."),
                    _NOT_THAT,
                ),
            ),
        ),
        "swap": LessonWords(
            N_("Replacing a joker"),
            N_("Here a joker stands for {AH} on its upper half, and you hold the real stone."),
            (
                TaskWords(
                    N_("Lay {AH} directly on the joker."),
                    N_(
                        "5 + 4 = 9, as for any stone, and the joker leaves the game. In the 1969 edition "
                        "you would get it."
                    ),
                    _NOT_THAT,
                ),
            ),
        ),
        "end": LessonWords(
            N_("Ending the game"),
            N_(
                "The bag is empty, and you have one stone left. "
                "Now the first player to lay their last stone ends the game."
            ),
            (
                TaskWords(
                    N_("Lay {QD}."),
                    N_(
                        "You get 10 extra points. Alex loses the value of the stones left: 2 for {JC}, 6 "
                        "for the joker. The highest total wins."
                    ),
                ),
            ),
        ),
    }
)
"""By the names of the lessons."""
