"""Reads what was said behind `ssh host keys`: list, make a code, add the key in use, drop one."""

from collections.abc import Sequence
from typing import Final

from cartino_protocol.marking import N_, later
from cartino_protocol.own_keys import AddKey, DropKey, KeyCode, Keys
from cartino_server.entry.errors import MISUSE, CommandError
from cartino_server.entry.verbs import OwnKeys
from cartino_server.entry.words import VerbParser
from cartino_tui.tongue import Tongue

KEYS_EXPLAINED: Final = N_(
    "`code` makes a code of ten characters. Within ten minutes, come with another key and say `keys add` and the code, "
    "once: from its next connection on that key is you. What was played with it alone stays under its own name.\n\n"
    "`drop` goes with the beginning of a key as the list shows it, eight characters or more: it is you no more, and "
    "who is here by it has to go."
)
MOST_TYPED: Final = 64
"""Characters of a code or a fingerprint, as in the protocol."""


def read_keys(words: Sequence[str], tongue: Tongue) -> OwnKeys:
    """What follows `keys`. Raises CommandError, Asked."""
    parser = VerbParser(
        "keys", N_("The ssh keys by which the house knows you."), KEYS_EXPLAINED, tongue=tongue
    )
    parser.add_argument(
        "act",
        nargs="?",
        choices=("list", "code", "add", "drop"),
        default="list",
        help=parser.say("what to do ({default})"),
    )
    parser.add_argument("what", metavar="CODE", nargs="*", help=parser.say("the code, or the key to drop"))
    parser.add_argument("--json", action="store_true", help=parser.say("as JSON"))
    values = parser.read(words)
    what = "".join(values.what)
    if (values.act in {"add", "drop"}) != bool(what):
        raise CommandError(
            later("keys: add goes with a code, drop with a key, and list and code stand alone."), MISUSE
        )
    if len(what) > MOST_TYPED:
        raise CommandError(later("keys: that is longer than any code or key."), MISUSE)
    match values.act:
        case "code":
            return OwnKeys(KeyCode(), values.json)
        case "add":
            return OwnKeys(AddKey(what), values.json)
        case "drop":
            return OwnKeys(DropKey(what), values.json)
        case _:
            return OwnKeys(Keys(), values.json)
