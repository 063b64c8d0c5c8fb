"""A person's keys as `ssh host keys` prints them."""

import msgspec

from cartino_protocol.own_keys import KeysView
from cartino_tui.door import Door
from cartino_tui.own_keys import keys_lines
from cartino_tui.tongue import Tongue


def as_json(view: KeysView) -> str:
    """An object: keys, done ("" for nothing, "code", "added", "dropped"), code and minutes (null but after `code`).

    Each key has fingerprint, added and used (RFC 3339 UTC, null where nobody knows), and here (it is in use now).
    """
    keys = [
        {
            "fingerprint": key.fingerprint,
            "added": key.added or None,
            "used": key.used or None,
            "here": key.here,
        }
        for key in view.keys
    ]
    told = {"keys": keys, "done": view.done, "code": view.code or None, "minutes": view.minutes or None}
    return msgspec.json.format(msgspec.json.encode(told), indent=2).decode() + "\n"


def as_text(view: KeysView, door: str, tongue: Tongue) -> str:
    """A line a key, behind what was done; `door` are the words that bring people here."""
    return "".join(f"{line}\n" for line in keys_lines(view, Door(door), tongue))
