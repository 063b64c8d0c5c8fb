"""Casino as one object, for the entry point."""

from cartino_games.casino.bots import CasinoChancer, CasinoGreedy, Keen
from cartino_games.casino.lessons import TaughtCasino
from cartino_games.casino.screen import CasinoScreen
from cartino_games.casino.speech import CasinoSpeech
from cartino_games.package import GamePackage

PACKAGE = GamePackage(
    TaughtCasino(), CasinoScreen(), CasinoSpeech(), (Keen(), CasinoGreedy(), CasinoChancer())
)
