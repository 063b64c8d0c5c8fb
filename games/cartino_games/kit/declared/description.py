"""What any declared table tells of itself, and how its texts are said."""

from collections.abc import Callable, Sequence
from typing import ClassVar

import msgspec
from typing_extensions import override

from cartino_games.kit import spoken
from cartino_games.kit.marks import CARDS
from cartino_protocol.base import Seat
from cartino_protocol.declared import Card, Choice, DeclaredView, Player, Text, decode_declared, fill_places
from cartino_protocol.text import N_
from cartino_protocol.views import TableView
from cartino_tui.draw.text import clean
from cartino_tui.game_port.description import GameDescription
from cartino_tui.game_port.speech import turn_sentence
from cartino_tui.i18n import Translator


class GenericDescription(GameDescription[DeclaredView]):
    """Reads declared views; a subclass gives a game's name, title and rules."""

    refusals: ClassVar = {
        "over": N_("The game is over."),
        "no-such-choice": N_("You can't choose that now."),
    }
    endings: ClassVar = {
        "out": N_("a player laid all their stones"),
        "blocked": N_("nobody could lay a stone"),
    }

    @override
    def read(self, raw: msgspec.Raw) -> DeclaredView:
        return decode_declared(raw)

    @override
    def describe_last_action(self, table: TableView, view: DeclaredView, translator: Translator) -> str:
        return Sayer(translator, table).text(view.log[-1]) if view.log else ""


class Sayer:
    """Says texts of a declared view in a language."""

    def __init__(
        self,
        translator: Translator,
        table: TableView | None = None,
        card: Callable[[Card], str] | None = None,
    ) -> None:
        """Say texts in `translator`, of the players in `table`; `card` says a card, by its name otherwise."""
        self.translator = translator
        self._table = table
        self._card = card or self.card_name

    def text(self, text: Text) -> str:
        """Return the sentence; places that it lacks stay as they are. What servers send never steers a terminal."""
        one, many, gettext = text.text, text.many, self.translator.gettext
        said = self.translator.catalogue.ngettext(one, many, text.n) if many else gettext(one)
        return clean(fill_places(said, lambda name: self._place(name, text)))

    def player(self, seat: Seat) -> str:
        """Return the name of the player at `seat`, "player 2" where there is no room to know it from."""
        if self._table is None or seat >= len(self._table.seats):
            return self.translator.gettext("player {number}", number=seat + 1)
        return spoken.name_of(self._table, seat)

    def choice(self, choice: Choice) -> str:
        """Return what `choice` does, its word alone where it says nothing."""
        return self.text(choice.text) or choice.word

    def card_name(self, card: Card) -> str:
        """Return a card's name in full."""
        if card.code in CARDS:
            return spoken.card_name(card.code, self.translator)
        if not card.code:
            return self.translator.gettext("a card face down")
        return clean(self.translator.gettext(card.name) or card.code)

    def points(self, points: int) -> str:
        """Return so many points, counted."""
        return spoken.points(points, self.translator)

    def facts(self, view: DeclaredView, seat: Seat) -> Sequence[str]:
        """Return the facts about `seat`."""
        return [self.text(each) for each in view.facts[seat]] if seat < len(view.facts) else []

    def _place(self, name: str, text: Text) -> str:
        if name == "n" and text.many:
            return str(text.n)
        match text.places.get(name):
            case None:
                return f"{{{name}}}"
            case Card() as card:
                return self._card(card)
            case Player(seat):
                return self.player(seat)
            case place:
                return str(place)


def waiting(table: TableView, view: DeclaredView, sayer: Sayer) -> str:
    """Return why the one who looks can't choose now, "" where they can."""
    translator = sayer.translator
    if not view.on_turn:
        return translator.gettext("The game is over.")
    if table.you is not None and table.you in view.on_turn:
        return ""
    return turn_sentence([sayer.player(seat) for seat in view.on_turn], translator)
