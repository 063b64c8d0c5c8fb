"""What is told of other people and oneself: who asks one to a table, whom one ignores, what was reported."""

from cartino_protocol.base import Message, Row


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


OfOthers = Invitations | Invited | Ignored | Reported
"""All of these that may be the outermost thing in a frame."""
