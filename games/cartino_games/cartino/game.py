"""Cartino as one object, for the entry point."""

from cartino_games.cartino.bots.levels import (
    CartinoBeginner,
    CartinoCareful,
    CartinoCasual,
    CartinoChancer,
    CartinoExpert,
    CartinoGreedy,
    CartinoLearner,
)
from cartino_games.cartino.rules.game import Cartino
from cartino_games.cartino.screen.screen import CartinoScreen
from cartino_games.cartino.speech.speech import CartinoSpeech
from cartino_games.package import GamePackage

BOTS = (
    CartinoGreedy(),
    CartinoBeginner(),
    CartinoLearner(),
    CartinoCasual(),
    CartinoCareful(),
    CartinoExpert(),
    CartinoChancer(),
)
"""The first one plays for who is away; then by strength, and one for games at random."""
PACKAGE = GamePackage(Cartino(), CartinoScreen(), CartinoSpeech(), BOTS)
