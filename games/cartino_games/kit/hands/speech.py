"""The speech of a game that is played from a hand: a card by its number, then what to do with it, or a typed move."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec
from typing_extensions import override

from cartino_games.kit.hands.view import HandView
from cartino_games.kit.spoken import (
    card_name,
    card_names,
    command_of,
    headline,
    in_english,
    in_letters,
    listed,
    name_of,
    news,
)
from cartino_protocol.views import RoomView
from cartino_tui.game_port.speech import GameSpeech, LineReaction, Lines
from cartino_tui.i18n import Translator

View = TypeVar("View", bound=HandView[Any])


class ChosenCard(msgspec.Struct, frozen=True):
    """The moves that were read out for a card, in order; none while no card is chosen."""

    moves: tuple[msgspec.Struct, ...] = ()


_NOTHING: Final = ChosenCard()


class HandSpeech(GameSpeech[View, ChosenCard]):
    """Speaks of such a game. One seat is on turn at a time."""

    @override
    def lesson_places(self, translator: Translator) -> Mapping[str, str]:
        """Return the cards by name."""
        return card_names(translator)

    @abstractmethod
    def tell(self, room: RoomView, view: View, event: Any, translator: Translator) -> Lines:
        """Return an event in sentences."""

    @abstractmethod
    def table(self, room: RoomView, view: View, translator: Translator) -> Lines:
        """Return what lies on the table, and what matters for the turn."""

    @abstractmethod
    def outcome(self, room: RoomView, view: View, translator: Translator) -> Lines:
        """Return what the totals are made of, for the end."""

    @abstractmethod
    def choices(
        self, view: View, card: str, translator: Translator
    ) -> Sequence[tuple[msgspec.Struct, str]] | str:
        """Return the moves to read out for `card`, each with a phrase, or the rule because of which there is none."""

    @abstractmethod
    def typed(self, view: View, text: str) -> msgspec.Struct | str | None:
        """Return the move that `text` means, the rule that refuses it, or None where it is no move.

        Cards in `text` are named in English, in capitals.
        """

    @override
    def fresh(self) -> ChosenCard:
        return _NOTHING

    @override
    def arrived(self, room: RoomView, view: View, translator: Translator) -> Lines:
        return self.scores(room, view, translator)

    @override
    def happened(self, room: RoomView, before: View, after: View, translator: Translator) -> Lines:
        events, missed = news(before.recent, after.recent)
        lines = [line for event in events for line in self.tell(room, after, event, translator)]
        return (
            (translator.gettext("More moves were made meanwhile; here are the latest."), *lines)
            if missed
            else tuple(lines)
        )

    @override
    def standing(self, room: RoomView, view: View, translator: Translator) -> Lines:
        if not room.turn:
            return (headline(room, translator), *self.outcome(room, view, translator))
        lines = (
            _waiting(room, translator) or translator.gettext("Your turn."),
            *self.table(room, view, translator),
        )
        cards = [f"{number}: {card_name(card, translator)}" for number, card in enumerate(view.hand, 1)]
        return (
            (*lines, translator.gettext("You hold {cards}.", cards=listed(cards, translator)))
            if cards
            else lines
        )

    @override
    def enter(
        self, room: RoomView, view: View, hold: ChosenCard, text: str, translator: Translator
    ) -> LineReaction[ChosenCard]:
        match command_of(text, translator.command_words("hand", "turn", "board", "scores", "moves")):
            case "scores":
                return LineReaction(hold, lines=self.scores(room, view, translator))
            case "moves":
                told = (line for event in view.recent for line in self.tell(room, view, event, translator))
                return LineReaction(hold, lines=tuple(told))
            case "hand" | "turn" | "board":
                return LineReaction(hold, lines=self.standing(room, view, translator))
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 3 else None
        move = self.typed(view, in_english(text))
        if move is None and (number is None or (number == 0 and not hold.moves)):
            return LineReaction(hold, taken=False)
        if waiting := _waiting(room, translator):
            return LineReaction(_NOTHING, lines=(waiting,))
        if number is not None:
            return self._numbered(view, hold, number, translator)
        if isinstance(move, str):
            return LineReaction(hold, lines=(self.refused(move, translator),))
        return LineReaction(_NOTHING, move)

    @override
    def first_step(self, translator: Translator) -> str:
        return translator.gettext("Type a card's number to choose it, or help for more commands.")

    @override
    def own(self, room: RoomView, view: View, translator: Translator) -> Lines:
        cards = (
            translator.gettext(
                "{code} ({card})", code=in_letters(card, translator), card=card_name(card, translator)
            )
            for card in view.hand
        )
        return (translator.gettext("You hold: {cards}.", cards=", ".join(cards)),) if view.hand else ()

    @override
    def shown_move(self, word: str, translator: Translator) -> str:
        """Court cards have the letters of the reader's language."""
        return in_letters(word, translator)

    def _numbered(
        self, view: View, hold: ChosenCard, number: int, translator: Translator
    ) -> LineReaction[ChosenCard]:
        """Read a card by its number in the hand; once one is chosen, a move by its number."""
        if number == 0:
            return LineReaction(_NOTHING, lines=(translator.gettext("You put the card back."),))
        if number > len(hold.moves or view.hand):
            last = len(hold.moves or view.hand)
            wrong = translator.ngettext("Type 1, or a word.", "Type a number from 1 to {n}, or a word.", last)
            return LineReaction(hold, lines=(wrong,))
        if hold.moves:
            return LineReaction(_NOTHING, hold.moves[number - 1])
        card = view.hand[number - 1]
        choices = self.choices(view, card, translator)
        if isinstance(choices, str):
            return LineReaction(hold, lines=(self.refused(choices, translator),))
        lines = [
            translator.gettext("What do you want to do with {card}?", card=card_name(card, translator)),
            *(f"{at}: {said}." for at, (_, said) in enumerate(choices, 1)),
            translator.gettext("0: put it back."),
        ]
        return LineReaction(ChosenCard(tuple(move for move, _ in choices)), lines=tuple(lines))


def _waiting(room: RoomView, translator: Translator) -> str:
    """Return why the reader can't move now; "" where they can."""
    if not room.turn:
        return translator.gettext("The game is over.")
    if room.you in room.turn:
        return ""
    return translator.gettext("It's {name}'s turn.", name=name_of(room, room.turn[0]))
