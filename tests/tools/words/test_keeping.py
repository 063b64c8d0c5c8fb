"""Catalogues are files that are the same whenever they are made, and that the app reads."""

import gettext
from pathlib import Path

from cartino_tui.i18n import Translator
from tools.catalogues import update
from tools.words.keeping import LANGUAGES, po_file


def files(tree: Path) -> dict[str, bytes]:
    made = [po_file(tree, language).with_suffix(end) for language in LANGUAGES for end in (".po", ".mo")]
    return {str(file): file.read_bytes() for file in made}


def test_what_is_written_again_is_the_same_to_the_byte(tree: Path) -> None:
    before = files(tree)
    assert update(tree) == ["fr: 5 sentences, as it was", "de: 5 sentences, as it was"]
    assert files(tree) == before
    for language in LANGUAGES:
        po_file(tree, language).with_suffix(".mo").unlink()
    update(tree)
    assert files(tree) == before


def test_no_line_of_code_stands_in_a_catalogue(tree: Path) -> None:
    """Its number would be another one after each change in the file."""
    before = files(tree)
    code = tree / "cartino_tui/table.py"
    code.write_text(f"\n\n\n{code.read_text()}")
    update(tree)
    assert files(tree) == before
    assert "#: cartino_tui/table.py\n" in po_file(tree, "de").read_text()


def test_the_app_reads_what_was_compiled(tree: Path) -> None:
    locale = tree / "cartino_tui/locale"
    translator = Translator("de", gettext.translation("messages", locale, ["de"]))
    assert translator.gettext("{name} is watching", name="Ann") == "Ann schaut zu"
    assert (translator.gettext("Jack"), translator.pgettext("card", "Jack")) == ("Hans", "Bube")
    assert translator.ngettext("{n} stone", "{n} stones", 1) == "ein Stein"
    assert translator.ngettext("{n} stone", "{n} stones", 2) == "2 Steine"
    assert translator.gettext("not there") == "not there"


def test_zero_is_one_in_french_and_many_in_german(tree: Path) -> None:
    for language, said in (("fr", "ein Stein"), ("de", "0 Steine")):
        translator = Translator(
            language, gettext.translation("messages", tree / "cartino_tui/locale", [language])
        )
        assert translator.ngettext("{n} stone", "{n} stones", 0) == said
