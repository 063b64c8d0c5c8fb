"""What Cartino tells people about itself, on the screen and in sentences alike."""

from collections.abc import Mapping
from typing import ClassVar

import msgspec
from typing_extensions import override

from cartino_games.cartino import narration
from cartino_games.cartino.lesson_words import LESSONS
from cartino_games.cartino.rulebook import REFUSED, RULES
from cartino_games.cartino.views import CartinoView
from cartino_protocol.text import N_
from cartino_protocol.views import RoomView
from cartino_tui.game_port.description import GameDescription, read_view
from cartino_tui.i18n import Translator

_views = msgspec.msgpack.Decoder(CartinoView)


class CartinoDescription(GameDescription[CartinoView]):
    """Names, rules and refusals of Cartino."""

    name = "cartino"
    title = "Cartino"
    rules = RULES
    lessons = LESSONS
    easy_bot = "random"
    refusals: ClassVar = {str(rule): sentence for rule, sentence in REFUSED.items()}
    endings: ClassVar = {
        "out": N_("a player laid all their stones"),
        "blocked": N_("nobody could lay a stone"),
    }
    facts: ClassVar = {"turn": N_("best turn"), "lay": N_("best stone")}

    @override
    def read(self, raw: msgspec.Raw) -> CartinoView:
        return read_view(_views, raw)

    @override
    def told(self, room: RoomView, view: CartinoView, translator: Translator) -> str:
        return narration.told(room, view.recent[-1], translator) if view.recent else ""

    @override
    def title_of(self, options: Mapping[str, str], translator: Translator) -> str:
        """With the edition."""
        return " ".join(filter(None, (translator.gettext(self.title), options.get("edition"))))
