"""A person's account, SSH keys, invitations and muted people: the commands and the views that answer them.

Times are RFC 3339 in UTC; keys are named by their SHA256 fingerprint.
"""

from typing import Annotated, Literal

import msgspec

from cartino_protocol.base import Message, Row


class Account(Message, frozen=True):
    """Show what the server stores about the person who asks."""


class DeleteAccount(Message, frozen=True):
    """Delete the person's account permanently; `name` is their name, typed to confirm."""

    name: Annotated[str, msgspec.Meta(max_length=64)]


class AccountRating(Row, frozen=True):
    """A rating at `game`."""

    game: str
    rating: int


class AccountView(Message, frozen=True):
    """The answer to both: everything stored about the person, and what was `done`: it was deleted, or is a bot's now.

    `tables`: codes of tables where they have a seat; `chat`: the number of their chat lines at open tables; `reports`:
    made by them, `reported`: by others about them, which stay; `attempts`: at shared deals. For a `guest`, who has no
    account, the rest is empty.
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
    done: Literal["", "deleted", "bot"] = ""
    attempts: int = 0


KeyAction = Literal["", "code", "added", "dropped"]
""""": keys were only listed."""

TypedText = Annotated[str, msgspec.Meta(max_length=64)]


class Keys(Message, frozen=True):
    """Show the person's keys."""


class KeyCode(Message, frozen=True):
    """Create a one-time code that adds another key; it replaces the code before."""


class AddKey(Message, frozen=True):
    """Give the key in use to the person who created `code`, from the next connection on."""

    code: TypedText


class DropKey(Message, frozen=True):
    """Remove the key with that `fingerprint`.

    A unique prefix of at least eight characters will do; "SHA256:" may be left out.
    """

    fingerprint: TypedText


class KeyLine(Row, frozen=True):
    """A key: its SHA256 fingerprint, when it was added and last used, and whether it is in use.

    Times are RFC 3339 UTC, "" if unknown.
    """

    fingerprint: str
    added: str = ""
    used: str = ""
    here: bool = False


class KeysView(Message, frozen=True):
    """The answer to all of them: the person's keys, oldest first, and what was `done`.

    After "code", `code` is good for `minutes`. After "added", the keys are those of the account joined.
    """

    keys: tuple[KeyLine, ...]
    done: KeyAction = ""
    code: str = ""
    minutes: int = 0


class Invitation(Row, frozen=True):
    """An invitation by `name` to the table `code`."""

    code: str
    name: str
    game: str


class Invitations(Message, frozen=True):
    """The unanswered invitations, oldest first; sent whenever they change."""

    lines: tuple[Invitation, ...]


class Invited(Message, frozen=True):
    """The answer to `Invite`: `name` has been told, or, unless `here`, will be on arrival."""

    name: str
    here: bool


class IgnoredPerson(Row, frozen=True):
    """A muted person: as `ChatLine.who`, and their name when they were muted."""

    who: str
    name: str


class Ignored(Message, frozen=True):
    """All muted people, oldest first; sent whenever that changes. Clients hide their lines."""

    people: tuple[IgnoredPerson, ...]


class Reported(Message, frozen=True):
    """The answer to `Report`: the host will read line `line` of `name`."""

    line: int
    name: str


PeopleUpdate = Invitations | Invited | Ignored | Reported
"""Those that can be the outermost struct of a frame."""
