"""What people read of Caro: the rules, why a move is refused, the lessons."""

from typing import Final

from cartino_games.caro.views import Rule
from cartino_protocol.marking import N_
from cartino_tui.games.lessons import LessonWords, TaskWords
from cartino_tui.games.rules import Paragraph, Section

COLOUR_NAMES: Final = {"R": N_("red"), "B": N_("black"), "G": N_("grey"), "W": N_("white")}


def _section(heading: str, *paragraphs: str | Paragraph) -> Section:
    return Section(heading, tuple(Paragraph(each) if isinstance(each, str) else each for each in paragraphs))


def _ours(text: str) -> Paragraph:
    return Paragraph(text, ours=True)


RULES: Final = (
    _section(
        N_("The aim"),
        N_("Lay square caros side by side. Each scores the pairs it makes with its neighbours."),
        N_("Two to four players have 3 red, 3 black, 3 grey and 3 white caros each, for all to see."),
        N_("The highest total wins."),
        _ours(N_("Equal totals share the win. Caros that can't be laid cost nothing.")),
    ),
    _section(
        N_("Points"),
        N_("Red/black 10, red/grey 8, red/white 6, black/grey 4, black/white 2, grey/white 1."),
        N_("The first caro of a round scores 10. A pair counts where two caros share a side."),
        N_("Your last caro of a colour doubles the points of that turn."),
    ),
    _section(
        N_("Where a caro may go"),
        N_("It shares a side with a laid caro. Laid caros never move."),
        N_("All of them fit into 6 by 6 places with two players, 7 by 7 with three, 8 by 8 with four."),
        N_("The first caro doesn't fix that area: its edges are where the caros reach."),
        N_("Rule 1: no caro lies beside one of its own colour."),
        N_("Rule 2: no caro has more than two neighbours of one colour."),
        N_("Rule 3: no unbroken diagonal has more than three caros of one colour."),
        _ours(N_("Only the new caro and what it touches count: an old mistake is nobody's any more.")),
    ),
    _section(
        N_("Turns"),
        N_("The players lay one caro each, clockwise. It is laid once you let go of it."),
        _ours(N_("A player who can lay none by the rules is skipped. When nobody can, the round is over.")),
        _ours(N_("A lot says who begins, or the player who opened the table does.")),
        _ours(N_("A game has 1 to 4 rounds, and their points add up.")),
        _ours(
            N_("The lowest of a round begins the next; on a tie, the first clockwise from the last beginner.")
        ),
    ),
    _section(
        N_("The referee"),
        N_("Strict: a lay that breaks a rule is refused, and legal places are shown with their points."),
        N_(
            "Honour: every lay that touches is taken. Until the next one, each other player may call it once."
        ),
        N_("A right call: the caro goes back, its points come off, and the player loses 10."),
        N_("The same colour is then laid again at once, by the rules."),
        N_("A lay that nobody calls in time stands with its points."),
        _ours(N_("If that colour has no place, the turn is lost, and so are the 10.")),
        _ours(N_("A wrong call costs the caller 10.")),
        _ours(N_("After a round's last lay the others call or accept; 15 seconds of silence accept it.")),
        _ours(N_("Bots break no rule, and call every second lay that does. Stand-ins never call.")),
    ),
)
REFUSED: Final[dict[Rule, str]] = {
    "over": N_("The game is over."),
    "colour": N_("You can't lay that colour now: none is left, or a called one comes first."),
    "place": N_("A caro goes on a free place beside another, inside the area."),
    "beside": N_("Rule 1: it would lie beside a caro of its own colour."),
    "crowd": N_("Rule 2: a caro would have more than two neighbours of that colour."),
    "diagonal": N_("Rule 3: there would be more than three of that colour on a diagonal."),
    "answer-first": N_("The round's last lay waits for the others: call or accept it."),
    "no-call": N_("There is nothing that you can call or accept now."),
}
BROKEN: Final = {
    "": N_("no rule was broken"),
    "beside": N_("rule 1, beside its own colour"),
    "crowd": N_("rule 2, more than two neighbours of a colour"),
    "diagonal": N_("rule 3, more than three on a diagonal"),
}
"""What a call says of the lay."""


def _lesson(title: str, begin: str, task: TaskWords) -> LessonWords:
    return LessonWords(title, begin, (task,))


LESSONS: Final = {
    "first": _lesson(
        N_("The first caro"),
        N_("Keys 1 to 4 choose a colour, the arrows a place, Enter lays the caro there. Or click."),
        TaskWords(N_("Lay a caro of any colour."), N_("A round's first caro scores 10.")),
    ),
    "pair": _lesson(
        N_("Pairs"),
        N_("A caro scores the pairs it makes with its neighbours. Red and black together are worth most."),
        TaskWords(
            N_("Lay black beside the red caro."), N_("A red/black pair: 10 points."), N_("Take black.")
        ),
    ),
    "pairs": _lesson(
        N_("Several pairs"),
        N_("One caro can make up to four pairs. The number on a place is what it scores."),
        TaskWords(
            N_("Lay grey between the two red caros."),
            N_("Two red/grey pairs at 8, one grey/white at 1: 17 points."),
            N_("That scores less. Look for 17."),
        ),
    ),
    "beside": _lesson(
        N_("Rule 1: beside"),
        N_("No caro lies beside one of its own colour. Places where it would show no number."),
        TaskWords(N_("Lay your black caro where it may go."), N_("Beside red only: corners don't count.")),
    ),
    "crowd": _lesson(
        N_("Rule 2: neighbours"),
        N_("No caro has more than two neighbours of one colour. The white one has two red ones already."),
        TaskWords(N_("Lay your red caro where it may go."), N_("Below white it would be the third red one.")),
    ),
    "diagonal": _lesson(
        N_("Rule 3: diagonals"),
        N_("No unbroken diagonal has more than three of one colour. Three red ones lie on one here."),
        TaskWords(N_("Lay red somewhere else."), N_("The diagonal stays at three.")),
    ),
    "double": _lesson(
        N_("The last of a colour"),
        N_("Your last caro of a colour doubles the points of its turn."),
        TaskWords(
            N_("Lay your last grey caro for 16 points."),
            N_("A red/grey pair is worth 8, doubled 16."),
            N_("Take grey, and lay it beside red."),
        ),
    ),
    "call": _lesson(
        N_("Calling"),
        N_("With the referee on honour every lay is taken. Look at the last one: black lies beside black."),
        TaskWords(
            N_("Press c to call it, before you lay."),
            N_("The caro goes back, and it costs 10. A wrong call costs you 10."),
            N_("Call it first: once you lay, it stands."),
        ),
    ),
}
