"""Make text from people safe to draw, and fit or wrap it.

A wide letter takes two cells and is followed by a `FILL`, so `len` is the width.
"""

import re
import textwrap
import unicodedata
from collections.abc import Sequence

from rich.cells import cell_len

SUBSTITUTE = "?"
"""Replaces a character that can't be shown."""
FILL = "\u200b"
"""The second cell of the wide letter before it; nothing in text that isn't drawn."""

_WIDE = frozenset("LNP")
"""Categories that may be wide: letters, numbers, punctuation. Terminals disagree about pictographs."""

_DROPPED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Mn", "Me"})
"""Controls, bidi and zero-width formats, unassigned characters, and combining marks that don't compose."""

_harmless = re.compile(r"[ -~·…–—−↑↓♠♥♦♣★■○●►◄]*").fullmatch
"""Characters that need no check; most drawn text has no others."""

_BOUND = re.compile(r"(?<=[\w)\"'*`’”]) (?=[:;!?%»](?:\s|$))|(?<=«) (?=\S)")
"""A blank where no line is broken: French puts one before some punctuation."""

_PLAIN = str.maketrans(
    {
        **dict(zip("·…–—−’‘“”«»„↑↓←→", '-~---\'\'"""""^v<>', strict=True)),
        **dict(zip("♠♥♦♣★■○●►◄▲øØłŁ", "SHDC*#oo><^oOlL", strict=True)),
        **dict(zip("▁▂▃▄▅▆▇█", "_.:-=+*#", strict=True)),
        "ß": "ss",
        "æ": "ae",
        "œ": "oe",
    }
)
"""ASCII characters that read as well."""


def clean(text: str) -> str:
    """Return `text` as drawn: without controls and marks, with plain blanks and a `FILL` after each wide letter."""
    if _harmless(text):
        return text
    kept: list[str] = []
    for char in unicodedata.normalize("NFC", text):
        category = unicodedata.category(char)
        if char.isspace():
            kept.append(" ")
        elif category not in _DROPPED:
            cells = cell_len(char)
            wide = cells == 2 and category[0] in _WIDE
            kept.append(char if cells == 1 else char + FILL if wide else SUBSTITUTE)
    return "".join(kept)


def unarmed(row: str) -> str:
    """Return a drawn `row` with a `?` for each control or other character that isn't drawn."""
    if row.replace(FILL, "").isprintable():
        return row
    return "".join(
        char if char.isprintable() or char == FILL or unicodedata.category(char) == "Zs" else SUBSTITUTE
        for char in row
    )


def safe(text: str, *, ascii: bool = False) -> str:
    """Return `text` as drawn, in ASCII or not."""
    return plain(text) if ascii else clean(text)


def paired(text: str) -> str:
    """Repair drawn `text` that was cut: half a wide letter becomes a `?`, a lone `FILL` a blank."""
    chars = list(text)
    for at, char in enumerate(text):
        if char == FILL and (at == 0 or not is_wide(text[at - 1])):
            chars[at] = " "
        elif is_wide(char) and text[at + 1 : at + 2] != FILL:
            chars[at] = SUBSTITUTE
    return "".join(chars)


def capitalized(text: str) -> str:
    """Return words as the beginning of a sentence."""
    return text[:1].upper() + text[1:]


def is_wide(char: str) -> bool:
    """Return whether a character takes two cells."""
    return char > "\u1100" and cell_len(char) == 2


def plain(text: str) -> str:
    """Return `clean(text)` in ASCII: without accents, `?` for what has no ASCII letter."""
    letters = unicodedata.normalize("NFKD", clean(text).replace(FILL, "").translate(_PLAIN))
    return "".join(
        char if char.isascii() else SUBSTITUTE for char in letters if not unicodedata.combining(char)
    )


def fit(text: str, cells: int, *, ascii: bool = False) -> str:
    """Return safe `text` of at most `cells`, cut with an ellipsis (`~` in ASCII)."""
    whole = safe(text, ascii=ascii)
    if len(whole) <= cells:
        return whole
    split = whole[cells - 1 : cells] == FILL
    return (whole[: cells - 1 - split] + ("~" if ascii else "…"))[: max(cells, 0)]


def with_lead(lead: str, text: str, cells: int) -> str:
    """Return `text` after the sentence `lead`, if both fit `cells`; else `text`."""
    both = f"{lead} {text}" if lead else text
    return both if len(both) <= cells else text


def fold(
    text: str, cells: int, *, lines: int | None = None, placeholder: str = "…", unbroken: bool = False
) -> list[str]:
    """Break `text` between words into lines of at most `cells`; past `lines` lines it ends in `placeholder`.

    `unbroken`: words stay whole, however long, so that commands can be copied. `text` is not made safe: see `wrap`.
    """
    bound = _BOUND.sub("\u00a0", text)
    broken = textwrap.wrap(
        bound,
        cells,
        max_lines=lines,
        placeholder=placeholder,
        break_long_words=not unbroken,
        break_on_hyphens=not unbroken,
    )
    return broken if bound == text else [line.replace("\u00a0", " ") for line in broken]


def wrap_command(command: str, cells: int, *, ascii: bool = False) -> list[str]:
    """Break a safe `command` between words into lines; nothing is cut, only a word longer than a line is broken."""
    return textwrap.wrap(safe(command, ascii=ascii), max(cells, 1), break_on_hyphens=False)


def longest(texts: Sequence[str], cells: int) -> int:
    """Return the largest length at which `texts` together fit `cells`; at least 1."""
    most = max(map(len, texts), default=0)
    while most > 1 and sum(min(len(text), most) for text in texts) > cells:
        most -= 1
    return most


def wrap(text: str, cells: int, lines: int, *, ascii: bool = False) -> list[str]:
    """Break `text` into at most `lines` safe lines of at most `cells`, the last with an ellipsis if cut."""
    if cells < 1 or lines < 1:
        return []
    whole = safe(text, ascii=ascii)
    if len(whole) <= cells:
        return [whole.rstrip()] if whole.strip() else []
    if FILL in whole and cells > 2:
        # One cell less, for half a wide letter that moves to the next row.
        return _joined(fold(whole, cells - 1, lines=lines))
    return fold(whole, cells, lines=lines, placeholder="~" if ascii else "…")


def _joined(rows: list[str]) -> list[str]:
    """Return `rows` with each wide letter that was split whole in the second."""
    for at in range(1, len(rows)):
        if rows[at].startswith(FILL):
            rows[at] = rows[at - 1][-1:] + rows[at]
            rows[at - 1] = rows[at - 1][:-1]
    return rows
