"""Caro's rules; pure."""

from cartino_games.caro.rules.game import Caro

__all__ = ["Caro"]
