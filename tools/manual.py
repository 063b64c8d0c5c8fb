"""Writes the manual page and the shells' completions out of the parser of the command line: `make manual`.

What is written is committed, goes into the wheel, and is checked by a test to be what the parser says.
"""

import os
from pathlib import Path

import shtab
from argparse_manpage.manpage import Manpage

from cartino_protocol import __version__
from cartino_server.cli.commands import build_parser

SHARE = Path(__file__).parent.parent / "share"
COMPLETIONS = {
    "bash": "bash-completion/completions/cartino",
    "zsh": "zsh/site-functions/_cartino",
    "fish": "fish/vendor_completions.d/cartino.fish",
}
"""Where each shell looks, below `share/`."""
PAGE = "man/man1/cartino.1"
ABOUT = "a games table that people reach with ssh"
EDITION = "2026-11-21"
"""When the page was last written over by hand; the day of making would be news each time."""


def files() -> dict[str, str]:
    """What stands in each file below `share/`."""
    os.environ["COLUMNS"] = "80"  # argparse breaks its lines for the terminal there is
    words = build_parser(every_game=True)
    found = {place: shtab.complete(words, shell) for shell, place in COMPLETIONS.items()}
    return {PAGE: _page(), **found}


def _page() -> str:
    words = build_parser(every_game=True)
    words.man_short_description = ABOUT  # type: ignore[attr-defined]
    page = Manpage(words)
    page.source, page.manual, page.date = f"cartino {__version__}", "Games", EDITION
    return f"{page}\n"


def main() -> None:
    """Write them all."""
    for place, text in files().items():
        path = SHARE / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
