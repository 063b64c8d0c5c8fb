"""Text from people, made safe to draw: one cell for every character, and nothing that moves others about."""

import re
import textwrap
import unicodedata
from collections.abc import Sequence

from rich.cells import cell_len

SUBSTITUTE = "?"
"""Stands for a character that is not one cell wide."""

_DROPPED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Mn", "Me"})
"""Controls, bidi and zero-width formats, unassigned, and combining marks that no composed letter took up."""

_harmless = re.compile(r"[ -~·…–—−↑↓♠♥♦♣★■○●►◄]*").fullmatch
"""Most of what is drawn, and drawn at every key: characters of which nothing has to be found out."""

_PLAIN = str.maketrans(
    {
        **dict(zip("·…–—−’‘“”↑↓←→", "-~---''\"\"^v<>", strict=True)),
        **dict(zip("♠♥♦♣★■○●►◄øØłŁ", "SHDC*#oo><oOlL", strict=True)),
        "ß": "ss",
        "æ": "ae",
        "œ": "oe",
    }
)
"""What reads as well in ASCII."""


def clean(text: str) -> str:
    """`text` with every character one cell wide: controls and marks go, blanks are spaces, wide ones a `?`."""
    if _harmless(text):
        return text
    kept: list[str] = []
    for char in unicodedata.normalize("NFC", text):
        category = unicodedata.category(char)
        if char.isspace():
            kept.append(" ")
        elif category not in _DROPPED:
            kept.append(char if cell_len(char) == 1 else SUBSTITUTE)
    return "".join(kept)


def plain(text: str) -> str:
    """`clean(text)` in ASCII alone: accents go, what has no ASCII letter is a `?`."""
    letters = unicodedata.normalize("NFKD", clean(text).translate(_PLAIN))
    return "".join(
        char if char.isascii() else SUBSTITUTE for char in letters if not unicodedata.combining(char)
    )


def fit(text: str, cells: int, *, ascii: bool = False) -> str:
    """`text` made safe and at most `cells` long; what was cut shows as an ellipsis (`~` in ASCII)."""
    safe = plain(text) if ascii else clean(text)
    if len(safe) <= cells:
        return safe
    return (safe[: cells - 1] + ("~" if ascii else "…"))[: max(cells, 0)]


def with_lead(lead: str, text: str, cells: int) -> str:
    """`text` with the sentence `lead` before it, if there is one and both fit `cells`."""
    both = f"{lead} {text}" if lead else text
    return both if len(both) <= cells else text


def wrap_command(command: str, cells: int, *, ascii: bool = False) -> list[str]:
    """`command` made safe and broken into lines between its words; never cut, whatever it takes.

    A word alone is broken where it is longer than a line.
    """
    safe = plain(command) if ascii else clean(command)
    return textwrap.wrap(safe, max(cells, 1), break_on_hyphens=False)


def longest(texts: Sequence[str], cells: int) -> int:
    """The greatest length to which `texts` can be cut so that together they fit `cells`; at least 1."""
    most = max(map(len, texts), default=0)
    while most > 1 and sum(min(len(text), most) for text in texts) > cells:
        most -= 1
    return most


def wrap(text: str, cells: int, lines: int, *, ascii: bool = False) -> list[str]:
    """`text` made safe and broken into at most `lines` lines of at most `cells`, the last with an ellipsis if cut."""
    if cells < 1 or lines < 1:
        return []
    safe = plain(text) if ascii else clean(text)
    if len(safe) <= cells:
        return [safe.rstrip()] if safe.strip() else []
    return textwrap.wrap(safe, cells, max_lines=lines, placeholder="~" if ascii else "…")
