"""The installed games, as tests ask for them."""

from cartino_games.registry import installed

GAMES = installed().rules
BOTS = installed().bots
SCREENS = installed().screens
SPEECHES = installed().speeches
PACKAGES = installed().packages
