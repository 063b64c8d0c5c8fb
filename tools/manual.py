"""Write the man page and the shells' completions from the declared commands: `make manual`.

The files are committed and go into the wheel; a test compares them with the declarations.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import shtab
from argparse_manpage.manpage import Manpage

from cartino_protocol import __version__
from cartino_protocol.exit_status import EXIT_STATUSES
from cartino_server.admin.commands import ADMIN_FORMS
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
EDITION = "2026-11-27"
"""Date on the page; today's would change it at each run."""


EXAMPLES: Final = (
    ("cartino play --game caro --bots 2", "play Caro against two bots"),
    ("cartino serve --host 0.0.0.0 --port 2222", "run a server that others reach"),
    ("ssh -p 2222 ann@HOST", "its lobby"),
    ("ssh -t -p 2222 ann@HOST join K7QP", "take a seat at a table"),
    ("cartino connect ann@HOST --port 2222", "the same, drawn on this machine"),
    ("cartino backup --verify DIR", "copy the data, also while the server runs, and check the copy"),
    ("ssh HOST export K7QP-12 | cartino verify -", "check every draw and point of a finished game"),
)
FILES: Final = (
    ("~/.local/share/cartino", "the data directory of a server that you start yourself"),
    ("/var/lib/cartino", "that of the system service"),
    ("/etc/cartino/cartino.toml", "the settings of the system service; share/cartino.toml explains each"),
    ("~/.config/cartino/settings.json", "your settings for cartino play"),
    ("~/.ssh/config, ~/.ssh/known_hosts", "read by cartino connect"),
)
ENVIRONMENT: Final = (
    ("CARTINO_CONFIG", "the settings file of serve and of the commands about a server's data"),
    ("CARTINO_NAME", "the setting of that name, as CARTINO_PORT; it overrides the file"),
    ("TERM, COLORTERM, NO_COLOR", "which colours the terminal has; TERM=dumb starts plain mode"),
    ("LC_ALL, LC_MESSAGES, LANG", "the language, and whether the terminal can show more than ASCII"),
    ("XDG_CONFIG_HOME", "the folder of cartino/settings.json instead of ~/.config"),
    ("SSH_AUTH_SOCK", "the agent whose keys cartino connect offers"),
)


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
    statuses = [(str(code), meaning) for code, meaning in EXIT_STATUSES.items()]
    sections = (
        ("EXIT STATUS", statuses),
        ("COMMANDS OVER SSH", SSH.forms()),
        ("ADMIN COMMANDS", ADMIN_FORMS),
        ("EXAMPLES", EXAMPLES),
        ("FILES", FILES),
        ("ENVIRONMENT", ENVIRONMENT),
    )
    return f"{page}\n" + "".join(_section(title, forms) for title, forms in sections)


def _section(title: str, forms: Iterable[Form]) -> str:
    """Return a section of the man page with a row for each form, or exit status, and what it does."""
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
