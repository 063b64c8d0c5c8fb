"""Casino as one object, for the entry point."""

from cartino_games.casino.bots import (
    CasinoBeginner,
    CasinoCareful,
    CasinoCasual,
    CasinoChancer,
    CasinoExpert,
    CasinoGreedy,
    CasinoLearner,
)
from cartino_games.casino.lessons import TaughtCasino
from cartino_games.casino.screen import CasinoScreen
from cartino_games.casino.speech import CasinoSpeech
from cartino_games.package import GamePackage

BOTS = (
    CasinoCareful(),
    CasinoBeginner(),
    CasinoLearner(),
    CasinoCasual(),
    CasinoGreedy(),
    CasinoExpert(),
    CasinoChancer(),
)
"""The first one plays for who is away."""
PACKAGE = GamePackage(TaughtCasino(), CasinoScreen(), CasinoSpeech(), BOTS)
