"""What people read of Caro: the rules, why a move is refused, the lessons."""

from typing import Final

from cartino_games.caro.views import Rule
from cartino_protocol.text import N_
from cartino_tui.game_port.description import LessonWords, Paragraph, Section, TaskWords

COLOUR_NAMES: Final = {"R": N_("red"), "B": N_("black"), "G": N_("grey"), "W": N_("white")}
BROKEN: Final[dict[Rule, str]] = {
    "beside": N_("Rule 1: no caro lies beside one of its own colour."),
    "crowd": N_("Rule 2: no caro has more than two neighbours of one colour."),
    "diagonal": N_("Rule 3: no unbroken diagonal has more than three caros of one colour."),
}


def _section(heading: str, *paragraphs: str, ours: tuple[str, ...] = ()) -> Section:
    return Section(heading, (*map(Paragraph, paragraphs), *(Paragraph(each, ours=True) for each in ours)))


RULES: Final = (
    _section(
        N_("The aim"),
        N_("Lay square caros side by side. Each scores the pairs it makes with its neighbours."),
        N_("Two to four players have 3 red, 3 black, 3 grey and 3 white caros each, for all to see."),
        N_("The highest total wins, whatever is left over."),
        ours=(N_("Equal totals share the win."),),
    ),
    _section(
        N_("Points"),
        N_("Red/black 10, red/grey 8, red/white 6, black/grey 4, black/white 2, grey/white 1."),
        N_("A pair counts where two caros share a side. The first caro of a round scores 10."),
        N_("Your last caro of a colour doubles the points of that turn."),
    ),
    _section(
        N_("Where a caro may go"),
        N_("It shares a side with a laid caro. Laid caros never move."),
        N_("All fit into 6 by 6 places (7 by 7 for three players, 8 by 8 for four), wherever those lie."),
        *BROKEN.values(),
        ours=(N_("Only the new caro and what it touches count: an old mistake is nobody's any more."),),
    ),
    _section(
        N_("Turns"),
        N_("The players lay one caro each, clockwise. It is laid once you let go of it."),
        ours=(
            N_("A player who can lay none by the rules is skipped. When nobody can, the round is over."),
            N_("A lot says who begins, or the player who opened the table does."),
            N_("The points of 1 to 4 rounds add up. The lowest of a round begins the next, ties clockwise."),
        ),
    ),
    _section(
        N_("The referee"),
        N_("Strict: a lay that breaks a rule is refused, and legal places are shown with their points."),
        N_("Honour: every lay that touches is taken. Until the next one each other player may call it."),
        N_("A right call: the caro goes back with its points, 10 more are lost, its colour is laid again."),
        N_("A lay that nobody calls in time stands. Nobody calls a lay twice."),
        ours=(
            N_("If that colour has no place, the turn is lost. A wrong call costs the caller 10."),
            N_("After a round's last lay the others call or accept; 15 seconds of silence accept it."),
            N_("Bots break no rule, and call every second lay that does. Stand-ins never call."),
        ),
    ),
)
REFUSED: Final[dict[Rule, str]] = {
    "over": N_("The game is over."),
    "colour": N_("You can't lay that colour now: none is left, or a called one comes first."),
    "place": N_("A caro goes on a free place beside another, inside the area."),
    **BROKEN,
    "answer-first": N_("The round's last lay waits for the others: call or accept it."),
    "no-call": N_("There is nothing that you can call or accept now."),
}


def _lesson(title: str, begin: str, *task: str) -> LessonWords:
    return LessonWords(title, begin, (TaskWords(*task),))


LESSONS: Final = {
    "pair": _lesson(
        N_("Pairs"),
        N_("Red and black together are worth most. Keys 1 to 4 choose a colour, the arrows a place."),
        N_("Take black with 2, and lay it beside red with Enter. Or click."),
        N_("A red/black pair: 10 points. A round's first caro scores 10, too."),
    ),
    "pairs": _lesson(
        N_("Several pairs"),
        N_("One caro can make up to four pairs. The number on a place is what it scores."),
        N_("Lay grey between the two red caros."),
        N_("Two red/grey pairs at 8, one grey/white at 1: 17 points."),
        N_("That scores less. Look for 17."),
    ),
    "beside": _lesson(
        N_("Rule 1: beside"),
        N_("No caro lies beside one of its own colour. Such places show no number."),
        N_("Lay your black caro where it may go."),
        N_("It lies beside red alone. Corners don't count."),
    ),
    "crowd": _lesson(
        N_("Rule 2: neighbours"),
        N_("No caro has more than two neighbours of one colour. The white one has two red ones already."),
        N_("Lay your red caro where it may go."),
        N_("Below white it would be the third red one."),
    ),
    "diagonal": _lesson(
        N_("Rule 3: diagonals"),
        N_("No unbroken diagonal has more than three of one colour. Three red ones lie on one here."),
        N_("Lay red somewhere else."),
        N_("The diagonal stays at three."),
    ),
    "double": _lesson(
        N_("The last of a colour"),
        N_("Your last caro of a colour doubles the points of its turn."),
        N_("Lay your last grey caro for 16 points."),
        N_("A red/grey pair is worth 8, doubled 16."),
        N_("Take grey, and lay it beside red."),
    ),
    "call": _lesson(
        N_("Calling"),
        N_("With the referee on honour every lay is taken. Look at the last one: black lies beside black."),
        N_("Press c to call it, before you lay."),
        N_("The caro goes back, and it costs 10. A wrong call costs you 10."),
        N_("Call it first: once you lay, it stands."),
    ),
}
