"""Reads what was said behind `ssh host account`: show it, or delete it."""

from collections.abc import Sequence
from typing import Final

from cartino_protocol.account import Account, DeleteAccount
from cartino_protocol.marking import N_, later
from cartino_server.entry.errors import MISUSE, CommandError
from cartino_server.entry.verbs import OwnAccount
from cartino_server.entry.words import VerbParser
from cartino_tui.tongue import Tongue

ACCOUNT_EXPLAINED: Final = N_(
    "`account delete --yes NAME` deletes your account for good, where NAME is your name here: name, keys, profile, "
    "ratings, settings, ignored people, invitations, your lines of chat and your reports. Your finished games stay for "
    'those who played them, with "deleted player" on your seat and the texts that you typed into a shuffle. In games '
    "that run a substitute bot plays on for you. Bans, and reports about you that the host has not closed, stay."
)
MOST_TYPED: Final = 64
"""Characters of a name, as in the protocol."""


def read_account(words: Sequence[str], tongue: Tongue) -> OwnAccount:
    """What follows `account`. Raises CommandError, Asked."""
    parser = VerbParser("account", N_("What the server keeps of you."), ACCOUNT_EXPLAINED, tongue=tongue)
    parser.add_argument(
        "act",
        nargs="?",
        choices=("show", "delete"),
        default="show",
        help=parser.say("what to do ({default})"),
    )
    parser.add_argument("--yes", metavar="NAME", nargs="+", help=parser.say("your name, to confirm it"))
    parser.add_argument("--json", action="store_true", help=parser.say("as JSON"))
    values = parser.read(words)
    if values.act == "show":
        if values.yes is not None:
            raise CommandError(later("account: --yes goes with delete."), MISUSE)
        return OwnAccount(Account(), values.json)
    if values.yes is None:
        raise CommandError(
            later(
                "account: this deletes your account for good; say `account delete --yes NAME`, with your name."
            ),
            MISUSE,
        )
    return OwnAccount(DeleteAccount(" ".join(values.yes)[:MOST_TYPED]), values.json)
