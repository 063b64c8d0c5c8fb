"""`cartino new-game` and `cartino check-game`: write a new game's package, and check an installed game."""

import argparse
import re
from pathlib import Path
from typing import Final

from cartino_games.conformance import check_game
from cartino_games.registry import NAME, installed
from cartino_protocol.exit_status import FAILURE, MISUSE
from cartino_protocol.text import lazy_gettext
from cartino_server.cli.streams import check_output
from cartino_server.commands.console import CommandError, failure, misuse, not_found, out, shorten
from cartino_server.commands.game_options import broken_game_message

_TEMPLATES: Final = Path(__file__).parent / "new_game"
"""The files of a new package; `@NAME@`, `@MODULE@`, `@TITLE@` and `@CLASS@` are filled in."""


def run_new_game(arguments: argparse.Namespace) -> int:
    """Write the package. Raises CommandError."""
    name = arguments.name
    if not NAME.fullmatch(name) or name.endswith("-"):
        sentence = lazy_gettext(
            "new-game: {name} isn't a valid game name; use 2 to 16 lowercase letters, digits and hyphens.",
            name=shorten(name, 40),
        )
        raise CommandError(sentence, MISUSE)
    if name in installed().packages or name in installed().broken:
        raise misuse("new-game: there is already a game called {name}.", name=name)
    folder = Path(arguments.folder or f"cartino-{name}")
    if folder.exists():
        raise misuse("new-game: {folder} already exists; choose another directory.", folder=folder)
    try:
        folder.mkdir(parents=True)
        for file, text in package_files(name).items():
            (folder / file).write_text(text, encoding="utf-8")
    except OSError as error:
        why = error.strerror
        raise failure("new-game: can't write {folder}: {why}.", folder=folder, why=why) from None
    out(
        lazy_gettext(
            "The game is in {folder}. Install it with `pip install -e {folder}`, then run `cartino check-game "
            "{name}`.",
            folder=folder,
            name=name,
        )
    )
    return 0


def package_files(name: str) -> dict[str, str]:
    """Return the files of a package for the game `name`, by their names in it."""
    words = name.split("-")
    module = f"cartino_{name.replace('-', '_')}"
    filled = {
        "@NAME@": name,
        "@MODULE@": module,
        "@TITLE@": " ".join(words).title(),
        "@CLASS@": "".join(word.capitalize() for word in words),
    }
    files = {
        "pyproject.toml": "pyproject.toml.txt",
        f"{module}.py": "rules.py.txt",
        f"test_{module}.py": "test.py.txt",
    }
    texts = {file: (_TEMPLATES / template).read_text(encoding="utf-8") for file, template in files.items()}
    return {file: re.sub("@[A-Z]+@", lambda place: filled[place[0]], text) for file, text in texts.items()}


_MAX_PROBLEM = 200


def run_check_game(arguments: argparse.Namespace) -> int:
    """Print what each check found; return 1 if one failed."""
    games, name = installed(), shorten(arguments.name, 40)
    package = games.packages.get(name)
    if package is None and name in games.broken:
        raise CommandError(broken_game_message(name, games.broken[name]))
    if package is None:
        known = ", ".join(games.packages)
        raise not_found("There is no game {name} here; choose from {known}.", name=name, known=known)
    failed = 0
    for check in check_game(package):
        failed += bool(check.problems)
        # In English: for developers.
        found = "; ".join(shorten(problem, _MAX_PROBLEM) for problem in check.problems) or check.note
        out(f"{'failed' if check.problems else 'ok':<6}  {check.name}{f': {found}' if found else ''}")
    check_output()
    return FAILURE if failed else 0
