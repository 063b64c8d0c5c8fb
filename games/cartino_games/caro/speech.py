"""Caro in sentences, and what a typed line means at its table."""

from collections.abc import Sequence

from typing_extensions import override

from cartino_games.caro import words
from cartino_games.caro.description import CaroDescription
from cartino_games.caro.views import CaroView
from cartino_games.kit.boards.speech import BoardSpeech
from cartino_protocol.text import N_
from cartino_protocol.views import RoomView
from cartino_tui.game_port.speech import Lines
from cartino_tui.i18n import Translator


class CaroSpeech(CaroDescription, BoardSpeech[CaroView]):
    """Speaks of Caro and reads lines for it."""

    spoken_lessons = words.SPOKEN_LESSONS

    @override
    def move_words(self) -> str:
        return N_("Rf6 lays red on f6 (B black, G grey, W white); call and accept answer the last move")

    @override
    def words(self, translator: Translator) -> Lines:
        typed = translator.gettext(
            "Rf6: lay red on f6 (B black, G grey, W white). call, accept: answer the last move."
        )
        return (typed, *super().words(translator)[1:])

    @override
    def hint(self, room: RoomView, view: CaroView, translator: Translator) -> Lines:
        said, typed = self.hint_words(view, translator)
        if not typed:
            return ()
        moves = self.shown_move(typed, translator)
        return said, translator.gettext("Type {moves} to play it.", moves=moves)

    @override
    def legal(self, view: CaroView) -> Sequence[tuple[str, int]]:
        """Answers first."""
        answers = [("call", 0)] * view.claim + [("accept", 0)] * (view.claim and view.closing)
        return [*answers, *super().legal(view)]
