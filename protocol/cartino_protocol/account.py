"""A person's account: what is asked of it, and the view that answers."""

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
