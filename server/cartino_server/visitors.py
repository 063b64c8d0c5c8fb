"""Who logs in and what they are answered, as SSH, workers and the server exchange it."""

import re
from typing import Final, Literal

import msgspec

from cartino_protocol.base import Part
from cartino_protocol.records import BOT
from cartino_protocol.text import EMPTY_MESSAGE, LazyMessage, lazy_gettext

BOT_PERSON_PREFIX: Final = "key:bot:"
"""Begins the ids of bot accounts: the id alone says what its person is, also in old games."""


def is_bot_person(person: str) -> bool:
    """Return whether the person with that id is a bot account."""
    return person.startswith(BOT_PERSON_PREFIX)


def is_bot(player: str) -> bool:
    """Return whether the player (a person's id, or a bot's name in records) is a bot of either kind."""
    return player.startswith(BOT) or is_bot_person(player)


_AFTER_DOMAIN: Final = ("\\", "/", ":")
r"""`CONTOSO\ann` of Windows; `CONTOSO/ann` and `contoso:ann` of some directories and jump hosts."""
_BEFORE_DOMAIN: Final = ("@", "%", "!")
"""`ann@CONTOSO.LOCAL` of Kerberos and Microsoft accounts, `ann%CONTOSO` of Samba and jump hosts, `ann!contoso`."""
_DIRECTORY_NAME: Final = re.compile(r"\s*(?:uid|cn|samaccountname|userid)\s*=\s*([^,+]*)", re.IGNORECASE)
"""The beginning of a name of LDAP: `uid=ann,ou=people,dc=contoso,dc=com`."""
_PRINCIPAL: Final = re.compile(r"([^/@\\]+)/[^/@\\]+@")
"""The beginning of a Kerberos name with a role: `ann/admin@CONTOSO.LOCAL`."""
_DOMAIN: Final = re.compile(r"[^a-z.]{1,15}")
"""What stands before the "+" of winbind and Cygwin (`CONTOSO+ann`), unlike before a mail tag (`ann+games`)."""
_WIDE_SIGNS: Final = str.maketrans({0xFEE0 + ord(sign): sign for sign in "\\/:@%!+=,"})
"""Signs that input methods of East Asia type."""


def bare_user(user: str) -> str:
    """Return a system's user name without the machine or company that some systems add to it.

    SSH clients send it by themselves, and nobody should publish where they work without knowing it. Windows itself is
    called after its machine, with a "$" at the end: that is nobody's name. What stands before a "+" is a domain if it
    is short and has no small letters, else the name.
    """
    user = user.translate(_WIDE_SIGNS)
    for pattern in (_DIRECTORY_NAME, _PRINCIPAL):
        if (found := pattern.match(user)) is not None:
            user = found[1]
    for mark in _AFTER_DOMAIN:
        after = user.rpartition(mark)[2]
        # A slash or colon with no name behind it is a sign in the name.
        user = after if mark == "\\" or any(map(str.isalnum, after)) else user
    for mark in _BEFORE_DOMAIN:
        user = user.partition(mark)[0]
    before, _, after = user.partition("+")
    if after and (not before or _DOMAIN.fullmatch(before)):
        before = after.partition("+")[0]
    user = before
    return "" if user.endswith("$") else user


class BecomeBot(msgspec.Struct, frozen=True):
    """Make an account in which nothing was played a bot account permanently; `name` confirms as in `DeleteAccount`.

    `ssh HOST account bot` asks for it; no link does.
    """

    name: str


class Visitor(Part, frozen=True):
    """The person behind one session.

    `id` names the session in the log. `person` is stable per key: the SHA256 fingerprint of the person's first key,
    or "guest:" and a random word for a guest. `name` is the user name without control characters, never empty. `env`
    holds the environment variables that the client sent. `connection` is the connection number, `key` the fingerprint
    of the key used, "" for a guest; `source` is the network under which they are counted, "" if exempt. `unusable_key`
    says what was wrong with a guest's key, "" if they offered none.
    """

    id: str
    person: str
    name: str
    guest: bool
    env: dict[str, str] = msgspec.field(default_factory=dict)
    connection: int = 0
    key: str = ""
    source: str = ""
    unusable_key: str = ""


class Reply(Part, frozen=True):
    """A one-shot answer: text for both output streams, and the exit status."""

    stdout: str = ""
    stderr: str = ""
    status: int = 0


UNKNOWN_OUTCOME: Final = lazy_gettext(
    "The server interrupted this command, so it isn't known whether anything was done. Check, then try again."
)
"""The answer to a command whose reply is lost."""


class LoginRequest(Part, frozen=True):
    """A client that has proven its key or is a guest, before any session runs.

    `connection` is the connection number and `source` its address; `key` is the fingerprint of the proven key, "" for
    a guest; `user` is the user name and `client` the SSH version string, both cleaned.
    """

    connection: int
    source: str
    key: str
    user: str
    client: str = ""


class LoginResult(Part, frozen=True):
    """The person who logged in, or the reason why no session runs if `refused` is set.

    Neither counts against the source address, which others may share. `status` is the exit status of a refused session.
    """

    person: str = ""
    refused: LazyMessage = EMPTY_MESSAGE
    status: int = 1


Ending = Literal["done", "grace", "slow", "auth", "attempts", "mismatch", "protocol", "crashed", "lost"]
"""How a connection ended.

* "done": normally.
* "grace": no key exchange in time.
* "slow": a key exchange, but no login in time; it may be a person who reads.
* "auth": login was tried, and the client left without success.
* "attempts": too many failed logins.
* "mismatch": no common algorithm, as when a client asks for a host key type that the server doesn't have.
* "protocol": the client broke the SSH protocol.
* "crashed": an error in the server.
* "lost": the peer vanished.
"""
