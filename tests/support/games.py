"""The installed games, as tests ask for them, and the theme that they are drawn in."""

from cartino_games.registry import installed
from cartino_tui.draw.theme import theme_of

GAMES = installed().rules
BOTS = installed().bots
SCREENS = installed().screens
SPEECHES = installed().speeches
PACKAGES = installed().packages
ROLES = installed().roles
DARK = theme_of("dark", roles=ROLES)
