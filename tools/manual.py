"""Write the man page and the shells' completions from the declared commands: `make manual`.

The files are committed and go into the wheel; a test compares them with the declarations.
"""

import os
from collections.abc import Iterable
from pathlib import Path

import shtab
from argparse_manpage.manpage import Manpage

from cartino_protocol import __version__
from cartino_server.admin.commands import ADMIN
from cartino_server.cli.commands import build_parser
from cartino_server.commands.registry import Form
from cartino_server.commands.ssh_commands import SSH

SHARE = Path(__file__).parent.parent / "share"
COMPLETIONS = {
    "bash": "bash-completion/completions/cartino",
    "zsh": "zsh/site-functions/_cartino",
    "fish": "fish/vendor_completions.d/cartino.fish",
}
"""Paths below `share/`."""
PAGE = "man/man1/cartino.1"
ABOUT = "a games table that people reach with ssh"
EDITION = "2026-11-21"
"""Date on the page; today's would change it at each run."""


def files() -> dict[str, str]:
    """Return the text of each file below `share/`."""
    os.environ["COLUMNS"] = "80"  # argparse folds its lines for the terminal
    words = build_parser(every_game=True)
    found = {place: shtab.complete(words, shell) for shell, place in COMPLETIONS.items()}
    return {PAGE: _page(), **found}


def _page() -> str:
    words = build_parser(every_game=True)
    words.man_short_description = ABOUT  # type: ignore[attr-defined]
    page = Manpage(words)
    page.source, page.manual, page.date = f"cartino {__version__}", "Games", EDITION
    sections = (("COMMANDS OVER SSH", SSH.forms()), ("ADMIN COMMANDS", ADMIN.forms()))
    return f"{page}\n" + "".join(_section(title, forms) for title, forms in sections)


def _section(title: str, forms: Iterable[Form]) -> str:
    """Return a section of the man page that lists what can be typed."""
    rows = (f".TP\n\\fB{_escape(typed)}\\fR\n{_escape(does)}\n" for typed, does in forms)
    return f".SH {title}\n{''.join(rows)}"


def _escape(text: str) -> str:
    """Escape `text` for roff."""
    return "\\&" + text.replace("\\", "\\\\").replace("-", "\\-")


def main() -> None:
    """Write them all."""
    for place, text in files().items():
        path = SHARE / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
