"""Caro as one object, for the entry point."""

from cartino_games.caro.bots import (
    CaroBeginner,
    CaroCareful,
    CaroCasual,
    CaroChancer,
    CaroExpert,
    CaroGreedy,
    CaroLearner,
)
from cartino_games.caro.rules.game import Caro
from cartino_games.caro.screen import CaroScreen
from cartino_games.caro.speech import CaroSpeech
from cartino_games.package import GamePackage

PACKAGE = GamePackage(
    Caro(),
    CaroScreen(),
    CaroSpeech(),
    (
        CaroGreedy(),
        CaroChancer(),
        CaroBeginner(),
        CaroLearner(),
        CaroCasual(),
        CaroCareful(),
        CaroExpert(),
    ),
)
