"""Cartino's voice: what the plain mode says of a table, and what a typed line means at it."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import msgspec
from typing_extensions import override

from cartino_games.cartino import narration
from cartino_games.cartino.board import BOARDS, JOKER
from cartino_games.cartino.description import CartinoDescription
from cartino_games.cartino.moves import EndTurn, Lay
from cartino_games.cartino.speech import survey
from cartino_games.cartino.speech.choosing import ChosenStone, enter
from cartino_games.cartino.speech.hints import hint
from cartino_games.cartino.speech.said_words import SPOKEN_LESSONS, explained
from cartino_games.cartino.views import CartinoView
from cartino_games.kit.spoken import (
    card_name,
    card_names,
    command_of,
    find_new_events,
    in_english,
    in_letters,
    listed,
    name_of,
    suit_name,
)
from cartino_protocol.text import N_
from cartino_protocol.views import TableView
from cartino_tui.game_port.speech import GameSpeech, LineReaction, Lines
from cartino_tui.i18n import Translator


class CartinoSpeech(CartinoDescription, GameSpeech[CartinoView, ChosenStone]):
    """Speaks of Cartino and reads lines for it."""

    turn_over: ClassVar[frozenset[str]] = frozenset({"over", "lay-first"})

    name = "cartino"
    spoken_lessons = SPOKEN_LESSONS

    @override
    def fresh(self) -> ChosenStone:
        return ChosenStone()

    @override
    def describe_table(self, table: TableView, view: CartinoView, translator: Translator) -> Lines:
        bag = translator.ngettext("{n} stone is in the bag.", "{n} stones are in the bag.", view.bag)
        return (*self.scores(table, view, translator), bag, *survey.suits(view, translator))

    @override
    def describe_events(
        self, table: TableView, before: CartinoView, after: CartinoView, translator: Translator
    ) -> Lines:
        events, missed = find_new_events(before.recent, after.recent)
        told = [narration.narrate_event(table, event, translator) for event in events]
        closed = [event.seat for event in events if event.kind in {"turn", "out"}]
        if closed and after.on_turn is not None:
            told.append(narration.score(table, after, closed[-1], translator))
        return (
            (translator.gettext("More moves were made meanwhile; here are the latest."), *told)
            if missed
            else tuple(told)
        )

    @override
    def standing(self, table: TableView, view: CartinoView, translator: Translator) -> Lines:
        if view.on_turn is None:
            return narration.ending(table, view, translator)
        if table.you != view.on_turn:
            name = name_of(table, view.on_turn)
            waiting = translator.gettext("It's {name}'s turn.", name=name)
            return (waiting, _held(view, translator)) if view.hand else (waiting,)
        if view.laid:
            suit = suit_name(view.suit, translator)
            go_on = translator.gettext("Lay more {suit}, or end your turn.", suit=suit)
            return (go_on, _held(view, translator))
        return (translator.gettext("Your turn."), _held(view, translator))

    @override
    def scores(self, table: TableView, view: CartinoView, translator: Translator) -> Lines:
        return tuple(narration.score(table, view, seat, translator) for seat in range(len(view.scores)))

    @override
    def enter(
        self, table: TableView, view: CartinoView, hold: ChosenStone, text: str, translator: Translator
    ) -> LineReaction[ChosenStone]:
        return enter(self, table, view, hold, text, translator)

    @override
    def words(self, translator: Translator) -> Lines:
        return explained(translator)

    @override
    def first_step(self, translator: Translator) -> str:
        return translator.gettext("Type a stone's number to lay it, or help for more commands.")

    @override
    def lesson_places(self, translator: Translator) -> Mapping[str, str]:
        return {**card_names(translator), "joker": card_name(JOKER, translator)}

    @override
    def hint(self, table: TableView, view: CartinoView, translator: Translator) -> Lines:
        return hint(view, translator) if table.you == view.on_turn else ()

    @override
    def move(self, word: str, view: CartinoView | None = None) -> msgspec.Struct | None:
        """`KSu`, `*KSu` for a joker (`joker-KSu` where a shell would take the star), `end`."""
        if word.casefold() == "end":
            return EndTurn()
        spelt = next((mark for mark in (JOKER, "joker-") if word.casefold().startswith(mark)), "")
        joker, bare = bool(spelt), word[len(spelt) :]
        card, half = in_english(bare[:-1]), bare[-1:].lower()
        if not any(card in board.card_number for board in BOARDS.values()) or half not in {"u", "l"}:
            return None
        return Lay(JOKER if joker else card, card + half)

    @override
    def typed_move(
        self, word: str, view: CartinoView | None, translator: Translator
    ) -> msgspec.Struct | None:
        """Return what `move` does, with the reader's own word for `end`, too."""
        return self.move("end" if command_of(word, translator.command_words("end")) else word, view)

    @override
    def only_ends(self, move: msgspec.Struct) -> bool:
        return isinstance(move, EndTurn)

    @override
    def move_words(self) -> str:
        return N_(
            "KSu lays the king of spades on its upper half (KSl: the lower), '*KSu' or joker-KSu a joker there, "
            "end ends the turn"
        )

    @override
    def legal(self, view: CartinoView) -> Sequence[tuple[str, int]]:
        best = sorted(view.lays, key=lambda lay: (-lay.points, lay.stone == JOKER))
        lays = [((JOKER if lay.stone == JOKER else "") + lay.spot, lay.points) for lay in best]
        return [*lays, ("end", 0)] if view.can_end else lays

    @override
    def shown_move(self, word: str, translator: Translator) -> str:
        """Court cards have the letters of the reader's language."""
        return in_letters(word, translator)

    @override
    def picture(self, table: TableView, view: CartinoView, translator: Translator) -> Lines:
        legend = translator.gettext("Each card with its upper and lower half: # a stone, * a joker, . free.")
        return (*survey.picture(view, translator), legend)

    @override
    def own(self, table: TableView, view: CartinoView, translator: Translator) -> Lines:
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
    """Return the hand with the numbers that choose its stones."""
    if not view.hand:
        return translator.gettext("You have no stones in hand.")
    numbered = [f"{number}: {card_name(stone, translator)}" for number, stone in enumerate(view.hand, 1)]
    return translator.gettext("You hold {cards}.", cards=listed(numbered, translator))
