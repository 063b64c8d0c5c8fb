"""A check of the catalogues finds whatever is wrong with them, and nothing where they are whole."""

from collections.abc import Callable
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from tests.tools.words.conftest import CODE
from tools.catalogues import check, main, update
from tools.words.keeping import po_file, read, write


def change(tree: Path, how: Callable[[Catalog], object]) -> None:
    """Do something to the German catalogue, and compile it."""
    file = po_file(tree, "de")
    catalog = read(file, "de")
    how(catalog)
    write(file, catalog, "de")


def says(text: str, said: str | tuple[str, str]) -> Callable[[Catalog], object]:
    return lambda catalog: setattr(catalog.get(text), "string", said)


def test_a_whole_catalogue_has_no_fault(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(tree) == []
    assert main(["--check"], tree) == 0
    assert capsys.readouterr().out == "Every sentence is there in every language.\n"


@pytest.mark.parametrize(
    ("how", "fault"),
    [
        (says("Jack", ""), 'not translated: "Jack"'),
        (says("{n} stone", ("ein Stein", "")), 'not translated: "{n} stone"'),
        (lambda catalog: catalog.get("Jack").flags.add("fuzzy"), 'fuzzy: "Jack"'),
        (
            says("{name} is watching", "{nom} schaut zu"),
            'other places: "{name} is watching" has {name}, "{nom} schaut zu" {nom}',
        ),
        (
            says("{name} is watching", "schaut zu"),
            'other places: "{name} is watching" has {name}, "schaut zu" none',
        ),
        (says("{n} stone", ("ein Stein", "Steine")), ""),
        (
            says("{n} stone", ("{m} Stein", "{n} Steine")),
            'other places: "{n} stone" has {n}, "{m} Stein" {m}',
        ),
        (says("{name} is watching", "{name schaut zu"), 'not to be filled: "{name schaut zu"'),
        (says("Jack", "Hans "), 'other blanks at an end: "Hans "'),
        (lambda catalog: catalog.add("Queen", "Dame"), 'said nowhere: "Queen"'),
        (lambda catalog: catalog.delete("Jack"), 'not in the catalogue: "Jack"'),
    ],
)
def test_what_is_wrong_is_found(tree: Path, how: Callable[[Catalog], object], fault: str) -> None:
    change(tree, how)
    assert check(tree) == ([f"de: {fault}"] if fault else [])


def test_what_the_code_says_anew_is_missed_until_it_is_added_and_then_not_translated(tree: Path) -> None:
    (tree / "protocol/new.py").write_text('N_("Queen")')
    assert check(tree) == ['fr: not in the catalogue: "Queen"', 'de: not in the catalogue: "Queen"']
    update(tree)
    assert check(tree) == ['fr: not translated: "Queen"', 'de: not translated: "Queen"']


def test_what_the_code_says_no_more_is_kept_until_it_is_tidied_away(tree: Path) -> None:
    (tree / "cartino_tui/table.py").write_text(CODE.replace('tongue.say("Jack")', '""'))
    assert check(tree) == ['fr: said nowhere: "Jack"', 'de: said nowhere: "Jack"']
    update(tree)
    assert check(tree) == ['fr: obsolete: "Jack"', 'de: obsolete: "Jack"']
    (tree / "cartino_tui/table.py").write_text(CODE)
    update(tree)
    assert check(tree) == [], "it is what it was"
    (tree / "cartino_tui/table.py").write_text(CODE.replace('tongue.say("Jack")', '""'))
    assert main(["--tidy"], tree) == 0
    assert check(tree) == []
    assert "Hans" not in po_file(tree, "de").read_text()


def test_a_catalogue_that_was_not_compiled_is_found(tree: Path) -> None:
    file = po_file(tree, "de")
    file.write_text(file.read_text().replace("Hans", "Johann"))
    assert check(tree) == ["de: messages.mo is not what messages.po makes"]
    update(tree)
    assert check(tree) == []
    file.with_suffix(".mo").unlink()
    assert check(tree) == ["de: messages.mo is not what messages.po makes"]


def test_a_language_without_a_catalogue_is_found(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    po_file(tree, "fr").unlink()
    assert main(["--check"], tree) == 1
    assert capsys.readouterr().out == "fr: there is no catalogue\n"


def test_a_sentence_that_is_put_together_is_found(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "server/bad.py").write_text('tongue.say(f"{name} left")')
    assert (main(["--check"], tree), main([], tree)) == (1, 1)
    assert "server/bad.py:1: " in capsys.readouterr().out
