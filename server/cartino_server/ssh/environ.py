"""The variables that a client may send of its environment, and how much of them."""

from typing import Final

NAMES: Final = frozenset({"LANG", "COLORTERM", "NO_COLOR", "TZ"})
PREFIX: Final = "LC_"
MOST: Final = 16
LONGEST: Final = 128
"""Bytes of a name or of a value."""


class Environ:
    """The variables one session has sent."""

    def __init__(self) -> None:
        """None yet."""
        self.kept: dict[str, str] = {}

    def offer(self, name: bytes, value: bytes) -> bool:
        """Keep a variable if it is one of ours, short, printable and not one too many; whether it was kept."""
        if len(name) > LONGEST or len(value) > LONGEST:
            return False
        try:
            key, text = name.decode("ascii"), value.decode()
        except UnicodeDecodeError:
            return False
        if key not in NAMES and not key.startswith(PREFIX):
            return False
        if not text.isprintable() or (key not in self.kept and len(self.kept) >= MOST):
            return False
        self.kept[key] = text
        return True
