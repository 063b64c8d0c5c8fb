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

_NOT_THAT: Final = N_("That could be laid, too, but see what this task is about.")
_NEXT: Final = TaskWords(
    N_("Go on: lay the next one."), N_("And one more."), N_("Lay all five before you end the turn.")
)


def places(look: Look) -> Mapping[str, str]:
    """What stands in the places of the words here: the stones by name, as they are drawn for `look`."""
    card = marks_for(look).card
    return {**{name: card(name) for name in _STONES}, "joker": card(JOKER)}


LESSONS: Final[Mapping[str, LessonWords]] = MappingProxyType(
    {
        "first": LessonWords(
            N_("A first stone"),
            N_(
                "You lay stones; each brings points for what it touches, and whoever has most at the end wins. Each "
                "card has a cell with an upper and a lower half. Your five stones lie below the board."
            ),
            (
                TaskWords(
                    N_("Pick {KS} with its number or a click. Enter lays it where the cursor stands."),
                    N_("{KS} touches no other stone, so it brings nothing. It lies there for good."),
                    N_("That was another stone; here {KS} is wanted."),
                ),
            ),
        ),
        "level": LessonWords(
            N_("What touches"),
            N_("Two stones touch where their halves share a side. {QS} lies on its lower half."),
            (
                TaskWords(
                    N_("Pick {KS}, move it to the upper half with the arrow up, and lay it."),
                    N_("Nothing: the cells share a side, but one stone lies high and the other low."),
                    N_("Look at the upper half first: that is where you see something."),
                ),
                TaskWords(
                    N_("Now lay your other {KS} on the lower half."),
                    N_("It touches {QS} beside it, worth 3, and {KS} above it, worth 4. That makes 7."),
                    N_("That could be laid, too, but here the other {KS} is wanted."),
                ),
            ),
        ),
        "value": LessonWords(
            N_("What it brings"),
            N_(
                "A stone brings what it touches, not what it is worth itself: an ace 5, a king 4, a queen 3, a jack "
                "2, any other 1."
            ),
            (
                TaskWords(
                    N_("Lay {KS} right below {8S}, on its upper half."),
                    N_("1 point, for {8S}. Your marker sets out on its track."),
                    _NOT_THAT,
                ),
            ),
        ),
        "order": LessonWords(
            N_("The other way round"),
            N_("The same two stones, but now {KS} was there first."),
            (
                TaskWords(
                    N_("Lay {8S} right above it, on its lower half."),
                    N_("4 points, for {KS}. So it matters which of two stones comes first."),
                    _NOT_THAT,
                ),
            ),
        ),
        "four": LessonWords(
            N_("Four neighbours"),
            N_("A stone can touch four others, of any suit. Pick one, and you read what it would bring."),
            (
                TaskWords(
                    N_("Lay {KS} where it touches four stones."),
                    N_(
                        "5 + 4 + 4 + 3 = 16. Your total has reached 20: you have a chip for it, and your marker "
                        "begins anew."
                    ),
                    _NOT_THAT,
                ),
            ),
        ),
        "turn": LessonWords(
            N_("One suit a turn"),
            N_("In one turn you lay as many stones as you like, all of one suit."),
            (
                TaskWords(
                    N_("Begin with {AS}, on its upper half."),
                    N_("Nothing yet. But now this turn is for spades."),
                    _NOT_THAT,
                ),
                TaskWords(
                    N_("Lay {KS} beside it, on its upper half."),
                    N_("5 points, for {AS}: stones of the same turn count, too."),
                    _NOT_THAT,
                ),
                TaskWords(
                    N_("Lay {QS}, on its upper half."),
                    N_("4 points more. {10S} would touch nothing now; kept, it may bring something later."),
                    _NOT_THAT,
                ),
                TaskWords(
                    N_("End your turn with e."),
                    N_(
                        "You have drawn until you held five stones again. Then Alex laid {AH} beside {AS} and ended "
                        "the turn."
                    ),
                    N_("You may lay that, too. But here the turn ends with three stones."),
                ),
            ),
        ),
        "five": LessonWords(
            N_("Five in one turn"),
            N_("All your stones are hearts. Whoever lays five stones in one turn gets 10 points more."),
            (
                TaskWords(
                    N_("Lay all five, in whatever order brings most."),
                    N_("One of five lies."),
                    N_("Lay all five before you end the turn."),
                ),
                *(_NEXT,) * 3,
                TaskWords(
                    N_("Lay the last one."),
                    N_("10 points more for five stones. The turn is over: you had nothing left to lay."),
                    N_("Lay all five before you end the turn."),
                ),
            ),
        ),
        "joker": LessonWords(
            N_("A joker"),
            N_(
                "{joker} is a joker: it stands for any stone of the turn's suit. The arrows move it from spot to spot."
            ),
            (
                TaskWords(
                    N_("Pick {joker} and lay it as {KC}, on the upper half."),
                    N_("3 points, for {QC}. From now on it is worth what {KC} is worth."),
                    _NOT_THAT,
                ),
                TaskWords(
                    N_("Lay {AC} beside it, on its upper half."),
                    N_("4 points, as if {KC} itself lay there."),
                    _NOT_THAT,
                ),
            ),
        ),
        "swap": LessonWords(
            N_("The joker goes"),
            N_("Here a joker stands for {AH} on its upper half, and you hold the real one."),
            (
                TaskWords(
                    N_("Lay {AH} right on the joker."),
                    N_(
                        "5 + 4 = 9, as for any other lay, and the joker is out of the game. In the edition of 1969 it "
                        "would be yours now."
                    ),
                    _NOT_THAT,
                ),
            ),
        ),
        "end": LessonWords(
            N_("The end"),
            N_("The bag is empty, and you hold one stone. Whoever lays their last stone then ends the game."),
            (
                TaskWords(
                    N_("Lay {QD}."),
                    N_(
                        "10 more for you. Alex loses what is left: 2 for {JC}, 6 for the joker. The highest total wins."
                    ),
                ),
            ),
        ),
    }
)
"""By the names of the lessons."""
