"""A made-up tree: some code that says things, and a catalogue in both languages that has all of them."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from tools.catalogues import update
from tools.words.finding import SOURCES
from tools.words.keeping import LANGUAGES, marked_of, po_file, read, write

CODE = """
from cartino_protocol.text import N_

WAY = {"lost": N_("The line is lost; next try in {n} s.")}

def draw(tongue, name, stones):
    name.count("a")
    tongue.say("{name} is watching", name=name)
    tongue.say(WAY["lost"], n=3)
    tongue.count("{n} stone", "{n} stones", stones)
    return tongue.pgettext("card", "Jack") + tongue.say("Jack")
"""

SAID: Mapping[str, str | tuple[str, str]] = {
    "{name} is watching": "{name} schaut zu",
    "The line is lost; next try in {n} s.": "Weg ist sie; in {n} s noch einmal.",
    "{n} stone": ("ein Stein", "{n} Steine"),
    "Jack": "Hans",
    "card/Jack": "Bube",
}


def fill(catalog: Catalog, said: Mapping[str, str | tuple[str, str]] = SAID) -> None:
    """Translate what `said` has."""
    for message in catalog:
        marked = marked_of(message)
        text = said.get(f"{marked.context}/{marked.text}" if marked.context else marked.text)
        if text is not None:
            message.string = text


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The top of such a tree."""
    for folder in SOURCES:
        (tmp_path / folder).mkdir()
    (tmp_path / "cartino_tui/table.py").write_text(CODE)
    update(tmp_path)
    for language in LANGUAGES:
        file = po_file(tmp_path, language)
        catalog = read(file, language)
        fill(catalog)
        write(file, catalog, language)
    return tmp_path
