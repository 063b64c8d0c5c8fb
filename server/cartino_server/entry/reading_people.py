"""Reads what was said behind `ssh host` about people: what they have played, and who plays best."""

from collections.abc import Sequence
from typing import Final

from cartino_games.registry import installed
from cartino_protocol.marking import N_, later
from cartino_server.entry.arguments import chosen_game
from cartino_server.entry.errors import MISUSE, CommandError
from cartino_server.entry.verbs import PEOPLE_EXPLAINED, ProfileOf, Top
from cartino_server.entry.words import VerbParser
from cartino_tui.tongue import Tongue

MOST_NAME: Final = 40
"""Characters of a name, with "bot" before it."""


def read_profile(words: Sequence[str], tongue: Tongue) -> ProfileOf:
    """What follows `profile`. Raises CommandError, Asked."""
    parser = VerbParser(
        "profile", N_("Print what somebody has played here."), PEOPLE_EXPLAINED, tongue=tongue
    )
    parser.add_argument(
        "name", metavar="NAME", nargs="*", help=parser.say('the player, or "bot NAME"; without it: yourself')
    )
    parser.add_argument(
        "--against",
        metavar="NAME",
        default="",
        help=parser.say("compare with that player; else with yourself"),
    )
    parser.add_argument("--json", action="store_true", help=parser.say("as JSON"))
    values = parser.read(words)
    name = " ".join(values.name)
    if len(name) > MOST_NAME or len(values.against) > MOST_NAME:
        raise CommandError(later("profile: a name is 16 characters at most."), MISUSE)
    return ProfileOf(name, values.against, values.json)


def read_top(words: Sequence[str], tongue: Tongue) -> Top:
    """What follows `top`. Raises CommandError, Asked."""
    parser = VerbParser("top", N_("List who plays best."), PEOPLE_EXPLAINED, tongue=tongue)
    parser.add_argument(
        "--game",
        choices=installed().rules,
        default=chosen_game(()).name,
        help=parser.say("the game ({default})"),
    )
    parser.add_argument("--json", action="store_true", help=parser.say("as JSON"))
    values = parser.read(words)
    return Top(values.game, values.json)
