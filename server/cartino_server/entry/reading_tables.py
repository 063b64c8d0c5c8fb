"""Reads what was said behind `ssh host` about one table: show it, move, talk there."""

from collections.abc import Sequence
from typing import Final

from cartino_games.registry import installed
from cartino_protocol.ids import read_code
from cartino_protocol.marking import N_, later
from cartino_server.entry.errors import MISUSE, CommandError, in_one_line
from cartino_server.entry.verbs import EXITS, MOVES_EXPLAINED, NUMBER_EXPLAINED, Chat, Move, Show
from cartino_server.entry.words import VerbParser, whole_number
from cartino_tui.tongue import Tongue

MOST_MOVES: Final = 32
"""Moves of one command."""


def read_show(words: Sequence[str], tongue: Tongue) -> Show:
    """What follows `show`. Raises CommandError, Asked."""
    parser = _parser("show", N_("Show a table as text, with your hand if you play there."), tongue)
    values = parser.read(words)
    return Show(read_table(values.code), values.json)


def read_move(words: Sequence[str], tongue: Tongue) -> Move:
    """What follows `move`. Raises CommandError, Asked."""
    written = "\n\n".join(
        f"{name}: {tongue.say(voice.move_words())}." for name, voice in installed().speeches.items()
    )
    parser = _parser(
        "move",
        N_("Make moves at a table where you play."),
        tongue,
        tongue.say(MOVES_EXPLAINED),
        tongue.say(NUMBER_EXPLAINED),
        written,
    )
    parser.add_argument(
        "--number",
        metavar="N",
        type=whole_number,
        help=parser.say("the state that the first move answers, to send the same again"),
    )
    parser.add_argument("moves", metavar="MOVE", nargs="+", help=parser.say("a move, as below"))
    values = parser.read(words)
    if len(values.moves) > MOST_MOVES:
        raise CommandError(later("move: at most {n} moves at once.", n=MOST_MOVES), MISUSE)
    if values.number is not None and values.number < 1:
        raise CommandError(later("move: --number: states are counted from 1."), MISUSE)
    return Move(read_table(values.code), tuple(values.moves), values.json, values.number or 0)


def read_chat(words: Sequence[str], tongue: Tongue) -> Chat:
    """What follows `chat`. Raises CommandError, Asked."""
    parser = _parser("chat", N_("Say something at a table where you sit."), tongue)
    parser.add_argument("text", metavar="WORDS", nargs="+", help=parser.say("what to say"))
    values = parser.read(words)
    return Chat(read_table(values.code), " ".join(values.text), values.json)


def read_table(text: str) -> str:
    """The table's code that a person meant by `text`. Raises CommandError."""
    code = read_code(text)
    if code is None:
        raise CommandError(
            later(
                "{text} is no table's code; a code has four or eight letters or digits.",
                text=repr(in_one_line(text, 40)),
            ),
            MISUSE,
        )
    return code


def _parser(verb: str, about: str, tongue: Tongue, *explained: str) -> VerbParser:
    """A parser with what all of these have; `explained` paragraphs are said already."""
    epilog = "\n\n".join([*explained, tongue.say(EXITS)])
    parser = VerbParser(verb, about, epilog, tongue=tongue)
    parser.add_argument("code", metavar="CODE", help=parser.say("the table's code, as its players see it"))
    parser.add_argument("--json", action="store_true", help=parser.say("as JSON"))
    return parser
