"""Cartino's voice: what the plain mode says of a table, and what a typed line means at it."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import msgspec

from cartino_games.cartino import narration
from cartino_games.cartino.board import BOARDS, JOKER
from cartino_games.cartino.description import CartinoDescription
from cartino_games.cartino.moves import EndTurn, Lay
from cartino_games.cartino.speech import survey
from cartino_games.cartino.speech.choosing import Chosen, enter
from cartino_games.cartino.speech.hints import hint
from cartino_games.cartino.speech.said_words import SPOKEN_LESSONS, explained
from cartino_games.cartino.views import CartinoView
from cartino_games.kit.spoken import (
    card_name,
    card_names,
    in_english,
    in_letters,
    listed,
    name_of,
    news,
    suit_name,
)
from cartino_protocol.text import N_
from cartino_protocol.views import RoomView
from cartino_tui.game_port.speech import GameSpeech, LineReaction, Lines
from cartino_tui.i18n import Translator


class CartinoSpeech(CartinoDescription, GameSpeech[CartinoView, Chosen]):
    """Speaks of Cartino and reads lines for it."""

    turn_over: ClassVar[frozenset[str]] = frozenset({"over", "lay-first"})

    name = "cartino"
    spoken_lessons = SPOKEN_LESSONS

    def fresh(self) -> Chosen:
        """See GameSpeech."""
        return Chosen()

    def arrived(self, room: RoomView, view: CartinoView, translator: Translator) -> Lines:
        """See GameSpeech."""
        bag = translator.ngettext("{n} stone is in the bag.", "{n} stones are in the bag.", view.bag)
        return (*self.scores(room, view, translator), bag, *survey.suits(view, translator))

    def happened(
        self, room: RoomView, before: CartinoView, after: CartinoView, translator: Translator
    ) -> Lines:
        """See GameSpeech."""
        events, missed = news(before.recent, after.recent)
        told = [narration.told(room, event, translator) for event in events]
        closed = [event.seat for event in events if event.kind in {"turn", "out"}]
        if closed and after.on_turn is not None:
            told.append(narration.score(room, after, closed[-1], translator))
        return (
            (translator.gettext("More moves were made meanwhile; here are the latest."), *told)
            if missed
            else tuple(told)
        )

    def standing(self, room: RoomView, view: CartinoView, translator: Translator) -> Lines:
        """See GameSpeech."""
        if view.on_turn is None:
            return narration.ending(room, view, translator)
        if room.you != view.on_turn:
            name = name_of(room, view.on_turn)
            waiting = translator.gettext("It's {name}'s turn.", name=name)
            return (waiting, _held(view, translator)) if view.hand else (waiting,)
        if view.laid:
            suit = suit_name(view.suit, translator)
            go_on = translator.gettext("Lay more {suit}, or end your turn.", suit=suit)
            return (go_on, _held(view, translator))
        return (translator.gettext("Your turn."), _held(view, translator))

    def scores(self, room: RoomView, view: CartinoView, translator: Translator) -> Lines:
        """See GameSpeech."""
        return tuple(narration.score(room, view, seat, translator) for seat in range(len(view.scores)))

    def enter(
        self, room: RoomView, view: CartinoView, hold: Chosen, text: str, translator: Translator
    ) -> LineReaction[Chosen]:
        """See GameSpeech."""
        return enter(self, room, view, hold, text, translator)

    def words(self, translator: Translator) -> Lines:
        """See GameSpeech."""
        return explained(translator)

    def first_step(self, translator: Translator) -> str:
        """See GameSpeech."""
        return translator.gettext("Type a stone's number to lay it, or help for more commands.")

    def lesson_places(self, translator: Translator) -> Mapping[str, str]:
        """See GameSpeech."""
        return {**card_names(translator), "joker": card_name(JOKER, translator)}

    def hint(self, room: RoomView, view: CartinoView, translator: Translator) -> Lines:
        """See GameSpeech."""
        return hint(view, translator) if room.you == view.on_turn else ()

    def move(self, word: str, view: CartinoView | None = None) -> msgspec.Struct | None:
        """See GameSpeech: `KSu`, `*KSu` for a joker (`joker-KSu` where a shell would take the star), `end`."""
        if word.casefold() == "end":
            return EndTurn()
        spelt = next((mark for mark in (JOKER, "joker-") if word.casefold().startswith(mark)), "")
        joker, bare = bool(spelt), word[len(spelt) :]
        card, half = in_english(bare[:-1]), bare[-1:].lower()
        if not any(card in board.card_number for board in BOARDS.values()) or half not in {"u", "l"}:
            return None
        return Lay(JOKER if joker else card, card + half)

    def only_ends(self, move: msgspec.Struct) -> bool:
        """See GameSpeech."""
        return isinstance(move, EndTurn)

    def move_words(self) -> str:
        """See GameSpeech."""
        return N_(
            "KSu lays the king of spades on its upper half (KSl: the lower), '*KSu' or joker-KSu a joker there, "
            "end ends the turn"
        )

    def legal(self, view: CartinoView) -> Sequence[tuple[str, int]]:
        """See GameSpeech."""
        best = sorted(view.lays, key=lambda lay: (-lay.points, lay.stone == JOKER))
        lays = [((JOKER if lay.stone == JOKER else "") + lay.spot, lay.points) for lay in best]
        return [*lays, ("end", 0)] if view.can_end else lays

    def shown_move(self, word: str, translator: Translator) -> str:
        """See GameSpeech: court cards have the letters of the reader's language."""
        return in_letters(word, translator)

    def picture(self, room: RoomView, view: CartinoView, translator: Translator) -> Lines:
        """See GameSpeech."""
        legend = translator.gettext("Each card with its upper and lower half: # a stone, * a joker, . free.")
        return (*survey.picture(view, translator), legend)

    def own(self, room: RoomView, view: CartinoView, translator: Translator) -> Lines:
        """See GameSpeech."""
        if not view.hand:
            return ()
        held = ", ".join(
            translator.gettext(
                "{code} ({card})", code=in_letters(stone, translator), card=card_name(stone, translator)
            )
            for stone in view.hand
        )
        return (translator.gettext("You hold: {cards}.", cards=held),)


def _held(view: CartinoView, translator: Translator) -> str:
    """The hand with the numbers that choose its stones."""
    if not view.hand:
        return translator.gettext("You have no stones in hand.")
    numbered = [f"{number}: {card_name(stone, translator)}" for number, stone in enumerate(view.hand, 1)]
    return translator.gettext("You hold {cards}.", cards=listed(numbered, translator))
