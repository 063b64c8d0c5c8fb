"""Cartino's table screen: layouts, drawing, keys and clicks, the rules for people."""

from cartino_tui.games.cartino.plug import CartinoPlug

__all__ = ["CartinoPlug"]
