"""What people read of Caro: the rules, why a move is refused, the lessons."""

from typing import Final

from cartino_games.caro.views import Rule
from cartino_protocol.text import N_
from cartino_tui.game_port.description import LessonWords, Paragraph, Section, TaskWords

COLOUR_NAMES: Final = {"R": N_("red"), "B": N_("black"), "G": N_("grey"), "W": N_("white")}
BROKEN: Final[dict[Rule, str]] = {
    "beside": N_("Rule 1: no caro may lie next to one of its own colour."),
    "crowd": N_("Rule 2: no caro may have more than two neighbours of one colour."),
    "diagonal": N_("Rule 3: no unbroken diagonal may have more than three caros of one colour."),
}


def _section(heading: str, *paragraphs: str | Paragraph) -> Section:
    return Section(heading, tuple(Paragraph(each) if isinstance(each, str) else each for each in paragraphs))


def _ours(text: str) -> Paragraph:
    return Paragraph(text, ours=True)


RULES: Final = (
    _section(
        N_("Goal"),
        N_(
            "Lay square pieces called caros side by side. You score each pair a caro forms with its neighbours."
        ),
        N_("Two to four players each have 3 red, 3 black, 3 grey and 3 white caros, visible to everyone."),
        N_("The highest total wins. Leftover caros cost nothing."),
        _ours(N_("Players with equal totals share the win.")),
    ),
    _section(
        N_("Points"),
        _ours(
            N_(
                "Red/black 10, red/grey 8, red/white 6, black/grey 4, black/white 2, grey/white 1 (from reviews: "
                "the printed table can't be read)."
            )
        ),
        N_("Two caros form a pair if they share a side. The first caro of a round scores 10."),
        N_("A pair of one colour, possible only on the honour system, scores 0."),
        N_("When you lay your last caro of a colour, it scores double."),
    ),
    _section(
        N_("Where to lay"),
        N_("A caro must share a side with one on the board. Caros on the board never move."),
        N_(
            "All caros fit within 6 by 6 places (7 by 7 with three players, 8 by 8 with four); the first "
            "ones laid set the edges."
        ),
        *BROKEN.values(),
        _ours(N_("Only rules broken by the new caro count; earlier mistakes stand.")),
    ),
    _section(
        N_("Turns"),
        N_("Players lay one caro per turn, clockwise. You can't take a move back."),
        N_("A round ends when all caros have been laid or nobody has a legal move."),
        N_(
            "If there are several rounds, their points add up. The player with the lowest score in a round starts "
            "the next."
        ),
        _ours(N_("A player with no legal move is skipped.")),
        _ours(N_("The first player is drawn at random, or is the one who opened the table.")),
        _ours(
            N_(
                "A game has 1 to 4 rounds. If several have the lowest score, the first of them clockwise from the "
                "last starting player starts."
            )
        ),
    ),
    _section(
        N_("The referee"),
        N_("Strict: moves that break a rule are refused, and legal places show their points."),
        N_(
            "Honour system: any caro that touches another is accepted. "
            "Until the next move, each other player may call it."
        ),
        N_(
            "If the call is right, the player takes the caro back, loses its points and 10 more, and lays "
            "that colour again. These 10 are never doubled."
        ),
        N_("A move that isn't called in time stands. You can call a move only once."),
        _ours(N_("If that colour can't be laid, the turn is lost. A wrong call costs the caller 10.")),
        _ours(
            N_(
                "After the last move of a round, the others call or accept; 15 seconds without an answer "
                "count as accepting."
            )
        ),
        _ours(
            N_("Bots never break a rule and call about half the moves that do. Substitute bots never call.")
        ),
    ),
    _section(
        N_("Bots"),
        N_(
            "From weak to strong: random, beginner and learner make many mistakes, casual makes a few, greedy "
            "takes the most points each move, careful looks about two moves ahead, and expert several."
        ),
        N_(
            "In games for two, careful beats greedy in about 4 games of 5, and expert beats careful about as often."
        ),
    ),
)
REFUSED: Final[dict[Rule, str]] = {
    "over": N_("The game is over."),
    "colour": N_("You can't lay that colour now: none is left, or a called caro must be laid first."),
    "place": N_("A caro goes on a free place next to another, inside the area."),
    **BROKEN,
    "answer-first": N_("Last move of the round: the others have to call or accept it first."),
    "no-call": N_("There's nothing to call or accept now."),
}


def _lesson(title: str, begin: str, *task: str) -> LessonWords:
    return LessonWords(title, begin, (TaskWords(*task),))


LESSONS: Final = {
    "pair": _lesson(
        N_("Pairs"),
        N_("Red and black together score the most. Keys 1 to 4 choose a colour, the arrows a place."),
        N_("Choose black with 2 and lay it next to red with Enter. Or click."),
        N_("A red/black pair: 10 points. The first caro of a round also scores 10."),
    ),
    "pairs": _lesson(
        N_("Several pairs"),
        N_("One caro can form up to four pairs. The number on a place shows its points."),
        N_("Lay grey between the two red caros."),
        N_("Two red/grey pairs at 8 and one grey/white at 1: 17 points."),
        N_("This step asks for grey between the two reds: 17 points."),
    ),
    "beside": _lesson(
        N_("Rule 1: side by side"),
        N_("No caro may lie next to one of its own colour. Such places show no number."),
        N_("Lay your black caro in a legal place."),
        N_("It's only next to red. Corners don't count."),
    ),
    "crowd": _lesson(
        N_("Rule 2: neighbours"),
        N_(
            "No caro may have more than two neighbours of one colour. The white one already has two red ones."
        ),
        N_("Lay your red caro in a legal place."),
        N_("Below white it would have been the third red one."),
    ),
    "diagonal": _lesson(
        N_("Rule 3: diagonals"),
        N_(
            "No unbroken diagonal may have more than three caros of one colour. Here, one already has three red ones."
        ),
        N_("Lay red somewhere else."),
        N_("The diagonal stays at three."),
    ),
    "double": _lesson(
        N_("Last of a colour"),
        N_("When you lay your last caro of a colour, it scores double."),
        N_("Lay your last grey caro for 16 points."),
        N_("A red/grey pair scores 8, doubled to 16."),
        N_("Choose grey and lay it next to red."),
    ),
    "call": _lesson(
        N_("Calling"),
        N_("On the honour system, any move is accepted. Look at the last one: black lies next to black."),
        N_("Press c to call it before you lay."),
        N_("The caro goes back and its player loses 10. A wrong call costs you 10."),
        N_("Call it first: once you lay a caro, the move stands."),
    ),
}
SPOKEN_LESSONS: Final = {
    "pair": (
        N_("Red and black together are worth the most. Each move is followed by its points."),
        N_("Lay black next to red: type the number of a move that does that."),
    ),
    "pairs": (N_("One caro can make up to four pairs."),),
    "beside": (N_("No caro lies beside one of its own colour."),),
    "call": ("", N_("Type call, before you lay.")),
}
"""What plain mode says in a lesson instead of the words about keys, by task; see `GameSpeech.spoken_lessons`."""
