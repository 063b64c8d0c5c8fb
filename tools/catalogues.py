"""Keep the catalogues of what people read: `python -m tools.catalogues [--check | --tidy]`.

Without an option it finds the sentences in the code, adds the new ones to the `.po` files and compiles them; what is
no longer said stays at the end of its file, to be used again, until `--tidy` drops it. `--check` changes nothing and
says what is wrong: what has no translation, is out of date, or has other places than the English has.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.words.checking import faults
from tools.words.finding import Unmarkable, by_sentence, found_in
from tools.words.keeping import LANGUAGES, po_file, read, renew, template, write

ROOT = Path(__file__).resolve().parent.parent


def update(root: Path, *, tidy: bool = False) -> list[str]:
    """Renew every catalogue under `root`; a line about each. Raises Unmarkable."""
    of_code = template(by_sentence(found_in(root)))
    told = []
    for language in LANGUAGES:
        file = po_file(root, language)
        catalog = read(file, language)
        renew(catalog, of_code, tidy=tidy)
        new = write(file, catalog, language)
        told.append(f"{language}: {len(catalog)} sentences, {'renewed' if new else 'as it was'}")
    return told


def check(root: Path) -> list[str]:
    """Return what is wrong with the catalogues under `root`, a line each. Raises Unmarkable."""
    marked = set(by_sentence(found_in(root)))
    return [
        f"{language}: {fault}"
        for language in LANGUAGES
        for file in (po_file(root, language),)
        for fault in (
            faults(read(file, language), marked, file) if file.exists() else ("there is no catalogue",)
        )
    ]


def main(words: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Do what the command line says; 1 where a check found something."""
    parser = argparse.ArgumentParser(prog="catalogues", description=(__doc__ or "").partition("\n")[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--check", action="store_true", help="change nothing, say what is wrong")
    which.add_argument("--tidy", action="store_true", help="drop what is said no more")
    options = parser.parse_args(words)
    try:
        told = check(root) if options.check else update(root, tidy=options.tidy)
    except Unmarkable as error:
        told = [str(error)]
        options.check = True
    print("\n".join(told) or "Every sentence is there in every language.")
    return 1 if options.check and told else 0


if __name__ == "__main__":
    sys.exit(main())
