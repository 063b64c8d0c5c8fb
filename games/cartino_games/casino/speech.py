"""Casino's speech: what plain mode says of a table, and what a typed line means at it."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import msgspec
from typing_extensions import override

from cartino_games.casino.arithmetic import gain, ordered, plays, readings
from cartino_games.casino.bots import best_play
from cartino_games.casino.cards import Customs
from cartino_games.casino.description import CasinoDescription
from cartino_games.casino.lessons import SPOKEN
from cartino_games.casino.story import columns, gains, narrate_event, offer
from cartino_games.casino.typing_moves import parse_play, read, write
from cartino_games.casino.views import CasinoEvent, CasinoView, Play
from cartino_games.kit.spoken import (
    card_name,
    card_names,
    cards,
    command_of,
    find_new_events,
    headline,
    in_english,
    in_letters,
    listed,
    name_of,
    points,
    suit_name,
)
from cartino_protocol.text import N_
from cartino_protocol.views import TableView
from cartino_tui.game_port.speech import GameSpeech, LineReaction, Lines
from cartino_tui.i18n import Translator

_MOST = 8
"""The captures that are read out for a card; any other can be typed."""


class ChosenCard(msgspec.Struct, frozen=True):
    """The moves that were read out for a card, in order; none while no card is chosen."""

    moves: tuple[msgspec.Struct, ...] = ()


_NOTHING: Final = ChosenCard()


class CasinoSpeech(CasinoDescription, GameSpeech[CasinoView, ChosenCard]):
    """Speaks of Casino and reads lines for it: a card by its number, then what to do with it, or a typed move."""

    spoken_lessons = SPOKEN

    @override
    def lesson_places(self, translator: Translator) -> Mapping[str, str]:
        """Return the cards by name."""
        return card_names(translator)

    @override
    def fresh(self) -> ChosenCard:
        return _NOTHING

    @override
    def describe_table(self, table: TableView, view: CasinoView, translator: Translator) -> Lines:
        return self.scores(table, view, translator)

    @override
    def describe_events(
        self, table: TableView, before: CasinoView, after: CasinoView, translator: Translator
    ) -> Lines:
        events, missed = find_new_events(before.recent, after.recent)
        lines = [line for event in events for line in _event_lines(table, after, event, translator)]
        return (
            (translator.gettext("More moves were made meanwhile; here are the latest."), *lines)
            if missed
            else tuple(lines)
        )

    @override
    def standing(self, table: TableView, view: CasinoView, translator: Translator) -> Lines:
        if not table.turn:
            return (headline(table, translator), *_outcome(table, view, translator))
        lines = (
            _waiting(table, translator) or translator.gettext("Your turn."),
            *_table_lines(table, view, translator),
        )
        cards = [f"{number}: {card_name(card, translator)}" for number, card in enumerate(view.hand, 1)]
        return (
            (*lines, translator.gettext("You hold {cards}.", cards=listed(cards, translator)))
            if cards
            else lines
        )

    @override
    def scores(self, table: TableView, view: CasinoView, translator: Translator) -> Lines:
        say = N_("{name}: {points}, {hand} in hand, {taken} in the pile, {sweeps}.")
        return tuple(
            translator.gettext(
                say,
                name=name_of(table, seat),
                points=points(total, translator),
                hand=translator.ngettext("{n} card", "{n} cards", view.held[seat]),
                taken=view.taken[seat],
                sweeps=translator.ngettext("{n} sweep", "{n} sweeps", view.sweeps[seat]),
            )
            for seat, total in enumerate(view.totals)
        )

    @override
    def enter(
        self, table: TableView, view: CasinoView, hold: ChosenCard, text: str, translator: Translator
    ) -> LineReaction[ChosenCard]:
        match command_of(text, translator.command_words("hand", "turn", "board", "scores", "moves")):
            case "scores":
                return LineReaction(hold, lines=self.scores(table, view, translator))
            case "moves":
                told = (
                    line for event in view.recent for line in _event_lines(table, view, event, translator)
                )
                return LineReaction(hold, lines=tuple(told))
            case "hand" | "turn" | "board":
                return LineReaction(hold, lines=self.standing(table, view, translator))
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 3 else None
        move = _typed(view, in_english(text))
        if move is None and (number is None or (number == 0 and not hold.moves)):
            return LineReaction(hold, taken=False)
        if waiting := _waiting(table, translator):
            return LineReaction(_NOTHING, lines=(waiting,))
        if number is not None:
            return self._numbered(view, hold, number, translator)
        if isinstance(move, str):
            return LineReaction(hold, lines=(self.describe_refusal(move, translator),))
        return LineReaction(_NOTHING, move)

    @override
    def words(self, translator: Translator) -> Lines:
        gettext = translator.gettext
        return (
            gettext("A number: choose that card from your hand, then what to do with it. 0 puts it back."),
            gettext(
                "9H: trail the nine of hearts. 9Hx3C+6D,9C: take a set and a card with it. 5Cx*: take "
                "everything."
            ),
            gettext("AH=14xKC+AD: take with the value 14. 9Hx>9: take the build of 9. 2H+7C=9: build 9."),
            gettext(
                "7H&7C: build on a card of equal value. AH>9: raise the build of 9. 4H+5C>>9: add to it."
            ),
            gettext(
                "hand, turn, board: the table and your cards. scores: the points. moves: the latest moves."
            ),
        )

    @override
    def first_step(self, translator: Translator) -> str:
        return translator.gettext("Type a card's number to choose it, or help for more commands.")

    @override
    def own(self, table: TableView, view: CasinoView, translator: Translator) -> Lines:
        cards = (
            translator.gettext(
                "{code} ({card})", code=in_letters(card, translator), card=card_name(card, translator)
            )
            for card in view.hand
        )
        return (translator.gettext("You hold: {cards}.", cards=", ".join(cards)),) if view.hand else ()

    @override
    def hint(self, table: TableView, view: CasinoView, translator: Translator) -> Lines:
        """Return what the bot `careful` would play."""
        if not view.plays:
            return ()
        play, said = best_play(view), partial(cards, translator=translator)
        suit = suit_name(view.customs.suit, translator)
        texts = offer(view, play, translator, said), gains(view, play, translator, suit)
        what = ": ".join(filter(None, texts))
        return (
            translator.gettext("Hint: {card}, {play}.", card=card_name(play.card, translator), play=what),
            translator.gettext("Type {moves} to play it.", moves=in_letters(write(play), translator)),
        )

    @override
    def move(self, word: str, view: CasinoView | None = None) -> Play | None:
        return parse_play(in_english(word), view or CasinoView(Customs(), ()))

    @override
    def move_words(self) -> str:
        return N_("9H trails, 9Hx3C+6D,9C takes, 2H+7C=9 builds, 'AH>9' raises, '4H+5C>>9' adds to a build")

    @override
    def legal(self, view: CasinoView) -> Sequence[tuple[str, int]]:
        worth = ((write(play), sum(gain(view, play)[2:])) for play in view.plays)
        return sorted(worth, key=lambda each: -each[1])

    @override
    def shown_move(self, word: str, translator: Translator) -> str:
        """Court cards have the letters of the reader's language."""
        return in_letters(word, translator)

    @override
    def picture(self, table: TableView, view: CasinoView, translator: Translator) -> Lines:
        gettext, loose = translator.gettext, in_letters(" ".join(view.loose), translator)
        lines = [gettext("On the table: {cards}.", cards=loose)] if loose else []
        for build in view.builds:
            value, owner = f"{build.value}{'#' * build.multiple}", name_of(table, build.owner)
            lines.append(f">{value} {in_letters(' '.join(build.cards), translator)} ({owner})")
        return tuple(lines) or (gettext("The table is empty."),)

    def _numbered(
        self, view: CasinoView, hold: ChosenCard, number: int, translator: Translator
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
        choices = _choices(view, card, translator)
        if isinstance(choices, str):
            return LineReaction(hold, lines=(self.describe_refusal(choices, translator),))
        lines = [
            translator.gettext("What do you want to do with {card}?", card=card_name(card, translator)),
            *(f"{at}: {said}." for at, (_, said) in enumerate(choices, 1)),
            translator.gettext("0: put it back."),
        ]
        return LineReaction(ChosenCard(tuple(move for move, _ in choices)), lines=tuple(lines))


def _event_lines(table: TableView, view: CasinoView, event: CasinoEvent, translator: Translator) -> Lines:
    """Return a scored deal with what each player got for it."""
    scored = _outcome(table, view, translator) if event.kind == "score" else ()
    return (narrate_event(table, view, event, translator), *scored)


def _table_lines(table: TableView, view: CasinoView, translator: Translator) -> Lines:
    gettext = translator.gettext
    lines = [] if view.pack else [gettext("This is the last hand of the deal.")]
    if view.loose or not view.builds:
        loose = cards(view.loose, translator)
        lines.append(
            gettext("On the table: {cards}.", cards=loose) if loose else gettext("The table is empty.")
        )
    for build in view.builds:
        locked = N_("Build of {n} by {name}, locked: {cards}.")
        said = locked if build.multiple else N_("Build of {n} by {name}: {cards}.")
        name, built = name_of(table, build.owner), cards(build.cards, translator)
        lines.append(gettext(said, n=build.value, name=name, cards=built))
    return tuple(lines)


def _outcome(table: TableView, view: CasinoView, translator: Translator) -> Lines:
    """Return the deal that was scored last."""
    lines, columned = [], columns(view, translator)[:-1]
    for seat, score in enumerate(view.score.points if view.score else ()):
        parts = ", ".join(f"{what} {each[seat]}" for what, _, each in columned if each[seat])
        places = {"name": name_of(table, seat), "points": points(score, translator), "parts": parts}
        nothing = N_("{name}: {points} in this deal, {total} in total.")
        said = N_("{name}: {points} in this deal ({parts}), {total} in total.") if parts else nothing
        lines.append(translator.gettext(said, total=view.totals[seat], **places))
    return tuple(lines)


def _choices(view: CasinoView, card: str, translator: Translator) -> Sequence[tuple[Play, str]] | str:
    suit, said = suit_name(view.customs.suit, translator), partial(cards, translator=translator)
    found = []
    for play in plays(view, card, _MOST):
        texts = offer(view, play, translator, said), gains(view, play, translator, suit)
        found.append((ordered(view, play), ": ".join(filter(None, texts))))
    return found or str(readings(view, card, ())[0][1])


def _typed(view: CasinoView, text: str) -> Play | str | None:
    play = read(text, view)
    return ordered(view, play) if isinstance(play, Play) else play


def _waiting(table: TableView, translator: Translator) -> str:
    """Return why the reader can't move now; "" where they can."""
    if not table.turn:
        return translator.gettext("The game is over.")
    if table.you in table.turn:
        return ""
    return translator.gettext("It's {name}'s turn.", name=name_of(table, table.turn[0]))
