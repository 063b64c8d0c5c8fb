"""Checks that a game keeps what its ports promise: what `cartino check-game NAME` and a game's own tests run.

The command line and tests import it; no game needs it to run.
"""

from cartino_games.conformance.checks import check_game

__all__ = ["check_game"]
