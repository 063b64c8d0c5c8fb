"""Caro in sentences, and what a typed line means at its table."""

from collections.abc import Sequence

from cartino_games.caro.description import CaroDescription
from cartino_games.caro.views import CaroView
from cartino_games.kit.boards.speech import BoardSpeech
from cartino_protocol.text import N_


class CaroSpeech(CaroDescription, BoardSpeech[CaroView]):
    """Speaks of Caro and reads lines for it."""

    def move_words(self) -> str:
        """See GameSpeech."""
        return N_("Rf6 lays red on f6 (B black, G grey, W white); call and accept answer the last lay")

    def legal(self, view: CaroView) -> Sequence[tuple[str, int]]:
        """See GameSpeech: answers first."""
        answers = [("call", 0)] * view.claim + [("accept", 0)] * (view.claim and view.closing)
        return [*answers, *super().legal(view)]
