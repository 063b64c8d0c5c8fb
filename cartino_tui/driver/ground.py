"""Whether a terminal's ground is dark or light, as far as it tells: asked for its colour, or by its environment."""

import re
from collections.abc import Mapping
from typing import Final

from cartino_tui.draw.theme import Ground

QUESTION: Final = b"\x1b]11;?\x1b\\"
"""Which colour is the ground? Those that don't know the question say nothing, and nothing shows of it."""

_ANSWER: Final = re.compile(
    rb"\x1b\]11;rgba?:([0-9A-Fa-f]{1,4})/([0-9A-Fa-f]{1,4})/([0-9A-Fa-f]{1,4})[^\x07\x1b]{0,8}(?:\x07|\x1b\\)"
)
_ANY_ANSWER: Final = re.compile(rb"\x1b\]11;[^\x07\x1b]{0,32}(?:\x07|\x1b\\)")
_BEGUN: Final = re.compile(rb"\x1b\](?:1(?:1(?:;[^\x07\x1b]{0,32}\x1b?)?)?)?\Z")
_DARK_NUMBERS: Final = frozenset("01234568")


def ground_of(env: Mapping[str, str]) -> Ground | None:
    """The ground that COLORFGBG names (`15;0`, `0;default;15`); None where it isn't there or names no number."""
    number = env.get("COLORFGBG", "").rpartition(";")[2]
    if not (number.isascii() and number.isdigit()):
        return None
    return "dark" if number in _DARK_NUMBERS else "light"


def take_answer(typed: bytearray) -> Ground | None:
    """The ground that the answer in `typed` tells, which is taken out of it; None where there is none."""
    answer = _ANSWER.search(typed)
    if answer is None:
        return None
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in answer.groups())
    del typed[answer.start() : answer.end()]
    return "light" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "dark"


class LateAnswer:
    """Takes an answer that comes after nobody waits for it any more out of what is typed: its letters are no keys."""

    def __init__(self) -> None:
        """Nothing came yet."""
        self._held = b""

    def without(self, data: bytes) -> bytes:
        """`data` without an answer; the beginning of what may become one waits for what follows."""
        typed = _ANY_ANSWER.sub(b"", self._held + data)
        begun = _BEGUN.search(typed)
        self._held = b"" if begun is None else typed[begun.start() :]
        return typed if begun is None else typed[: begun.start()]
