"""Make text from people safe to draw, and fit or wrap it.

A letter of a wide script takes two cells and is followed by a `FILL` for the second, so `len` is the width.
"""

import re
import textwrap
import unicodedata
from collections.abc import Sequence

from rich.cells import cell_len

SUBSTITUTE = "?"
"""Stands for a character that can't be shown."""
FILL = "\u200b"
"""Stands for the second cell of the wide letter before it. In a text that is not drawn it is nothing."""

_WIDE = frozenset("LNP")
"""What may be wide: letters, numbers, punctuation. Of pictures no two terminals think alike."""

_DROPPED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Mn", "Me"})
"""Controls, bidi and zero-width formats, unassigned, and combining marks that no composed letter took up."""

_harmless = re.compile(r"[ -~·…–—−↑↓♠♥♦♣★■○●►◄]*").fullmatch
"""Most of what is drawn, and drawn at every key: characters of which nothing has to be found out."""

_BOUND = re.compile(r"(?<=[\w)\"'*`’”]) (?=[:;!?%»](?:\s|$))|(?<=«) (?=\S)")
"""A blank at which no line is broken: French sets marks off by one."""

_PLAIN = str.maketrans(
    {
        **dict(zip("·…–—−’‘“”«»„↑↓←→", '-~---\'\'"""""^v<>', strict=True)),
        **dict(zip("♠♥♦♣★■○●►◄▲øØłŁ", "SHDC*#oo><^oOlL", strict=True)),
        "ß": "ss",
        "æ": "ae",
        "œ": "oe",
    }
)
"""What reads as well in ASCII."""


def clean(text: str) -> str:
    """`text` as it is drawn: controls and marks go, blanks are spaces, behind a wide letter comes a `FILL`."""
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
    """Return a drawn `row` with a `?` in place of each control, direction or other character that isn't drawn."""
    if row.replace(FILL, "").isprintable():
        return row
    return "".join(
        char if char.isprintable() or char == FILL or unicodedata.category(char) == "Zs" else SUBSTITUTE
        for char in row
    )


def safe(text: str, *, ascii: bool = False) -> str:
    """`text` as it is drawn, in ASCII alone or not."""
    return plain(text) if ascii else clean(text)


def paired(text: str) -> str:
    """A drawn `text` that may have been cut or drawn over: half a wide letter is a `?`, what is left of one a blank."""
    chars = list(text)
    for at, char in enumerate(text):
        if char == FILL and (at == 0 or not is_wide(text[at - 1])):
            chars[at] = " "
        elif is_wide(char) and text[at + 1 : at + 2] != FILL:
            chars[at] = SUBSTITUTE
    return "".join(chars)


def is_wide(char: str) -> bool:
    """Whether a character takes two cells."""
    return char > "\u1100" and cell_len(char) == 2


def plain(text: str) -> str:
    """`clean(text)` in ASCII alone: accents go, what has no ASCII letter is a `?`."""
    letters = unicodedata.normalize("NFKD", clean(text).replace(FILL, "").translate(_PLAIN))
    return "".join(
        char if char.isascii() else SUBSTITUTE for char in letters if not unicodedata.combining(char)
    )


def fit(text: str, cells: int, *, ascii: bool = False) -> str:
    """`text` made safe and at most `cells` long; what was cut shows as an ellipsis (`~` in ASCII)."""
    whole = safe(text, ascii=ascii)
    if len(whole) <= cells:
        return whole
    split = whole[cells - 1 : cells] == FILL
    return (whole[: cells - 1 - split] + ("~" if ascii else "…"))[: max(cells, 0)]


def with_lead(lead: str, text: str, cells: int) -> str:
    """`text` with the sentence `lead` before it, if there is one and both fit `cells`."""
    both = f"{lead} {text}" if lead else text
    return both if len(both) <= cells else text


def fold(
    text: str, cells: int, *, lines: int | None = None, placeholder: str = "…", unbroken: bool = False
) -> list[str]:
    """`text` broken into lines of at most `cells` between its words; past so many `lines` it ends in a `placeholder`.

    A mark that stands behind a blank stays in the line of its word. `unbroken`: words stay whole, however long, so
    that commands can be copied. `text` is taken as it is: see `wrap`.
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
    """`command` made safe and broken into lines between its words; never cut, whatever it takes.

    A word alone is broken where it is longer than a line.
    """
    return textwrap.wrap(safe(command, ascii=ascii), max(cells, 1), break_on_hyphens=False)


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
    whole = safe(text, ascii=ascii)
    if len(whole) <= cells:
        return [whole.rstrip()] if whole.strip() else []
    if FILL in whole and cells > 2:
        # One cell less, for the half of a wide letter that goes to the row of its other half.
        return _joined(fold(whole, cells - 1, lines=lines))
    return fold(whole, cells, lines=lines, placeholder="~" if ascii else "…")


def _joined(rows: list[str]) -> list[str]:
    """`rows` of text, each wide letter that stood in two of them in the second."""
    for at in range(1, len(rows)):
        if rows[at].startswith(FILL):
            rows[at] = rows[at - 1][-1:] + rows[at]
            rows[at - 1] = rows[at - 1][:-1]
    return rows
