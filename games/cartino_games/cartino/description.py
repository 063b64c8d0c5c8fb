"""What Cartino tells people about itself, on the screen and in sentences alike."""

from collections.abc import Mapping
from typing import ClassVar

import msgspec
from typing_extensions import override

from cartino_games.cartino import narration
from cartino_games.cartino.board import BOARDS, JOKER
from cartino_games.cartino.lesson_words import LESSONS
from cartino_games.cartino.moves import EndTurn, Lay, Move
from cartino_games.cartino.named import spot_name
from cartino_games.cartino.rulebook import REFUSED, RULES
from cartino_games.cartino.views import CartinoView
from cartino_games.kit.levels import LEVELS
from cartino_protocol.text import N_
from cartino_protocol.views import TableView
from cartino_tui.game_port.description import GameDescription, read_view
from cartino_tui.i18n import Translator

_moves: msgspec.msgpack.Decoder[Move] = msgspec.msgpack.Decoder(Move)
_views = msgspec.msgpack.Decoder(CartinoView)


class CartinoDescription(GameDescription[CartinoView]):
    """Names, rules and refusals of Cartino."""

    name = "cartino"
    title = "Cartino"
    rules = RULES
    lessons = LESSONS
    levels: ClassVar[tuple[str, ...]] = LEVELS
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
    def describe_last_action(self, table: TableView, view: CartinoView, translator: Translator) -> str:
        return narration.narrate_event(table, view.recent[-1], translator) if view.recent else ""

    @override
    def move_said(self, move: msgspec.Raw, table: TableView, translator: Translator) -> str:
        """Return a lay by stone and spot; the end of a turn needs no words."""
        lay = self.lay_in(move, table)
        if lay is None:
            return ""
        spot = spot_name(lay.spot, translator)
        return translator.gettext("a joker as {spot}", spot=spot) if lay.stone == JOKER else spot

    def lay_in(self, move: msgspec.Raw, table: TableView) -> Lay | None:
        """Return the lay that `move` is, None for the end of a turn. Raises msgspec.DecodeError."""
        read = _moves.decode(move)
        if isinstance(read, EndTurn):
            return None
        board = next((board for name, board in BOARDS.items() if name == table.options.get("edition")), None)
        if board is None or read.spot not in board.spots or read.stone not in board.stone_number:
            raise msgspec.DecodeError("no such lay")
        return read

    @override
    def title_of(self, options: Mapping[str, str], translator: Translator) -> str:
        """Return the title with the edition."""
        return " ".join(filter(None, (translator.gettext(self.title), options.get("edition"))))
