"""Check a catalogue: missing, unused and wrongly filled translations."""

import string
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message

from tools.words.finding import Marked
from tools.words.keeping import forms, is_compiled, marked_of

MOST_SHOWN = 70
"""Characters of a sentence that is quoted."""


def faults(catalog: Catalog, marked: set[Marked], file: Path) -> Iterator[str]:
    """Yield what is wrong with the `catalog` out of the `.po` file for code that says what is `marked`; a line each."""
    messages = {marked_of(message): message for message in catalog if message.id}
    for missing in sorted(marked - messages.keys()):
        yield f"not in the catalogue: {_quoted(missing.text)}"
    for known, message in messages.items():
        if known not in marked:
            yield f"said nowhere: {_quoted(known.text)}"
        elif message.fuzzy:
            yield f"fuzzy: {_quoted(known.text)}"
        elif not all(forms(message)):
            yield f"not translated: {_quoted(known.text)}"
        else:
            yield from _differences(known, message)
    for old in catalog.obsolete.values():
        yield f"obsolete: {_quoted(marked_of(old).text)}"
    if not is_compiled(file, catalog):
        yield f"{file.with_suffix('.mo').name} is not what {file.name} makes"


def _differences(known: Marked, message: Message) -> Iterator[str]:
    wanted = places(known.many or known.text)
    # What is said of one thing may do without the number.
    spared = {"n"} if known.many else set()
    for form in forms(message):
        try:
            there = places(form)
        except ValueError:
            yield f"not to be filled: {_quoted(form)}"
            continue
        if not wanted - spared <= there <= wanted:
            yield f"other places: {_quoted(known.text)} has {_listed(wanted)}, {_quoted(form)} {_listed(there)}"
        elif _edges(form) != _edges(known.text):
            yield f"other blanks at an end: {_quoted(form)}"


def places(text: str) -> set[str]:
    """Return the names in braces in `text` with their formats. Raises ValueError where one can't be filled."""
    return {
        name + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "")
        for _, name, form, conversion in string.Formatter().parse(text)
        if name is not None
    }


def _edges(text: str) -> tuple[str, str]:
    bare = text.strip()
    start = text.find(bare) if bare else 0
    return text[:start], text[start + len(bare) :]


def _quoted(text: str) -> str:
    line = text.replace("\n", "⏎")
    return f'"{line}"' if len(line) <= MOST_SHOWN else f'"{line[:MOST_SHOWN]}…"'


def _listed(names: set[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names)) or "none"
