"""`cartino check-game NAME`: whether an installed game keeps what its ports promise, a line a check."""

import argparse

from cartino_games.conformance import check_game
from cartino_games.registry import installed
from cartino_protocol.marking import later
from cartino_server.entry.arguments import cant_be_played
from cartino_server.entry.errors import FAILURE, MISUSE, CommandError, in_one_line
from cartino_server.entry.speaking import out

_LONGEST = 200


def run(arguments: argparse.Namespace) -> int:
    """Print what each check found; 1 where one failed."""
    games, name = installed(), in_one_line(arguments.name, 40)
    if name in games.broken:
        raise CommandError(cant_be_played(name, games.broken[name]))
    package = games.packages.get(name)
    if package is None:
        known = ", ".join(games.packages)
        raise CommandError(
            later("There is no game {name} here; there are {known}.", name=name, known=known), MISUSE
        )
    failed = 0
    for check in check_game(package):
        failed += bool(check.problems)
        # For whoever writes a game, so in English, as its code is.
        found = "; ".join(in_one_line(problem, _LONGEST) for problem in check.problems) or check.note
        out(f"{'failed' if check.problems else 'ok':<6}  {check.name}{f': {found}' if found else ''}")
    return FAILURE if failed else 0
