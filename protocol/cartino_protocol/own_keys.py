"""A person's keys: what is asked of them, and the one view that answers."""

from typing import Annotated, Literal

import msgspec

from cartino_protocol.base import Message, Row

Done = Literal["", "code", "added", "dropped"]
"""What was done to somebody's keys, "" for nothing: they only looked."""

Typed = Annotated[str, msgspec.Meta(max_length=64)]


class Keys(Message, frozen=True):
    """Show the keys by which the house knows one."""


class KeyCode(Message, frozen=True):
    """Make a code by which another key becomes one's own too, once and soon; the one before is void."""


class AddKey(Message, frozen=True):
    """The key that one came with is also the person's who was given `code`, from the next connection on."""

    code: Typed


class DropKey(Message, frozen=True):
    """The key with that `fingerprint`, or the only one that begins so, is no longer one's own.

    "SHA256:" may be left out; of the rest it has eight characters or more.
    """

    fingerprint: Typed


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
    done: Done = ""
    code: str = ""
    minutes: int = 0
