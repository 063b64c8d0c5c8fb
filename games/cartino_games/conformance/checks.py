"""Runs the checks of a game one by one."""

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path
from traceback import extract_tb
from typing import Final

from cartino_games.conformance import faces, play, records, secrecy
from cartino_games.conformance.trial import FEW, Check, Trial
from cartino_games.package import GamePackage

Look = Callable[[Trial], Iterator[str] | Check | None]
"""A check: its problems, or all that it found; None where the game has nothing for it to look at."""

CHECKS: Final[Mapping[str, Look]] = {
    "play to the end": play.play,
    "moves": play.moves,
    "records": records.records,
    "secrecy": secrecy.secrecy,
    "views": faces.views,
    "offers": faces.offers,
    "screens": faces.screens,
    "plain mode": faces.plain,
    "bots": play.bots,
    "golden games": records.golden,
    "time a move": play.pace,
}
"""All checks by their names, in the order in which they are made."""


def check_game(package: GamePackage, only: Collection[str] = ()) -> Iterator[Check]:
    """Yield the checks of `package`, each as it is done: all, or `only` those of these names."""
    trial = Trial(package)
    for name, look in CHECKS.items():
        found = _checked(name, look, trial) if not only or name in only else None
        if found is not None:
            yield found


def _checked(name: str, look: Look, trial: Trial) -> Check | None:
    """Run a check: whatever the game raises in it is a problem."""
    try:
        found = look(trial)
        return found if found is None or isinstance(found, Check) else Check(name, tuple(islice(found, FEW)))
    except Exception as error:
        place = extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        return Check(name, (f"raised {type(error).__name__}: {str(error)[:200]} ({where})",))
