"""A person's account, SSH keys, invitations and ignored people: the commands and the views that answer them.

Times are RFC 3339 in UTC; keys are named by their SHA256 fingerprint.
"""

from typing import Annotated, Literal

import msgspec

from cartino_protocol.base import Message, Row


class Account(Message, frozen=True):
    """Show what the server keeps of one."""


class DeleteAccount(Message, frozen=True):
    """Delete one's account, for good. `name`, typed to confirm it, is what one is called."""

    name: Annotated[str, msgspec.Meta(max_length=64)]


class AccountRating(Row, frozen=True):
    """One's rating at `game`."""

    game: str
    rating: int


class AccountView(Message, frozen=True):
    """The answer to both: what is kept of one, in numbers and names; `deleted`: it was, and is all gone.

    `keys` are SHA256 fingerprints. `tables` are codes of those where one has a seat, `chat` counts lines of one's own
    that are kept at open tables, `settings` the choices that were made. `reports` counts those that one made,
    `reported` those of others about one, which stay. A `guest` has no account: nothing else is told then.
    """

    name: str
    guest: bool = False
    keys: tuple[str, ...] = ()
    games: int = 0
    ratings: tuple[AccountRating, ...] = ()
    settings: int = 0
    ignored: tuple[str, ...] = ()
    invitations: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    chat: int = 0
    reports: int = 0
    reported: int = 0
    done: Literal["", "deleted"] = ""


KeyAction = Literal["", "code", "added", "dropped"]
"""What was done to somebody's keys, "" for nothing: they only looked."""

TypedText = Annotated[str, msgspec.Meta(max_length=64)]


class Keys(Message, frozen=True):
    """Show the keys by which the house knows one."""


class KeyCode(Message, frozen=True):
    """Make a code by which another key becomes one's own too, once and soon; the one before is void."""


class AddKey(Message, frozen=True):
    """The key that one came with is also the person's who was given `code`, from the next connection on."""

    code: TypedText


class DropKey(Message, frozen=True):
    """The key with that `fingerprint`, or the only one that begins so, is no longer one's own.

    "SHA256:" may be left out; of the rest it has eight characters or more.
    """

    fingerprint: TypedText


class KeyLine(Row, frozen=True):
    """A key: its SHA256 fingerprint, when it was added and last used, and whether it is the one in use here.

    Times are RFC 3339 UTC, "" where nobody knows: of the only key of a person nothing is kept.
    """

    fingerprint: str
    added: str = ""
    used: str = ""
    here: bool = False


class KeysView(Message, frozen=True):
    """The answer to all of them: one's keys, the first added first, and what was `done`.

    After `code` there is the `code`, good for so many `minutes`. After `added` the keys are those of whom one will be
    from the next connection on.
    """

    keys: tuple[KeyLine, ...]
    done: KeyAction = ""
    code: str = ""
    minutes: int = 0


class Invitation(Row, frozen=True):
    """Somebody called `name` invites to the table `code`, of `game`."""

    code: str
    name: str
    game: str


class Invitations(Message, frozen=True):
    """The invitations that one has not answered, oldest first; sent whenever they change."""

    lines: tuple[Invitation, ...]


class Invited(Message, frozen=True):
    """The answer to `Invite`: `name` was told; or, where they are not `here`, will be when they come."""

    name: str
    here: bool


class IgnoredPerson(Row, frozen=True):
    """Somebody of whom one hears no more: who they are, as a `ChatLine` says it, and what they were called then."""

    who: str
    name: str


class Ignored(Message, frozen=True):
    """All whom one ignores, longest ago first; sent whenever that changes.

    Their lines of chat still come, as they come to all who see the same, and are for the client to leave out.
    """

    people: tuple[IgnoredPerson, ...]


class Reported(Message, frozen=True):
    """The answer to `Report`: the host will read the line `line` of whoever is called `name`."""

    line: int
    name: str


PeopleUpdate = Invitations | Invited | Ignored | Reported
"""All of these that may be the outermost thing in a frame."""
