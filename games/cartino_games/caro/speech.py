"""Caro in sentences, and what a typed line means at its table."""

from collections.abc import Sequence
from typing import Final

import msgspec
from typing_extensions import override

from cartino_games.caro import words
from cartino_games.caro.description import CaroDescription, colour_letters
from cartino_games.caro.views import EMPTY, CaroView
from cartino_games.caro.words import COLOUR_NAMES
from cartino_games.kit.spoken import NothingHeld, command_of, headline, name_of, points
from cartino_protocol.base import Seat
from cartino_protocol.text import N_
from cartino_protocol.views import TableView
from cartino_tui.game_port.speech import GameSpeech, LineReaction, Lines, turn_sentence
from cartino_tui.i18n import Translator

_READ_OUT: Final = 5
"""Moves that are read out unasked, the best first."""
LATEST: Final = 8
"""The most moves that are read out at once."""


class CaroSpeech(CaroDescription, GameSpeech[CaroView, NothingHeld]):
    """Speaks of Caro and reads lines for it."""

    spoken_lessons = words.SPOKEN_LESSONS

    @override
    def fresh(self) -> NothingHeld:
        return NothingHeld()

    @override
    def describe_table(self, table: TableView, view: CaroView, translator: Translator) -> Lines:
        return (*self.scores(table, view, translator), *_board(view, translator))

    @override
    def describe_events(
        self, table: TableView, before: CaroView, after: CaroView, translator: Translator
    ) -> Lines:
        new = after.told - before.told
        told = self._moves(table, after, translator)[-min(new, LATEST) :] if new > 0 else ()
        missed = (
            (translator.gettext("More moves were made meanwhile; here are the latest."),)
            if new > len(told)
            else ()
        )
        verdict = self.verdict(after, translator) if told else ""
        return (*missed, *told, verdict) if verdict else (*missed, *told)

    @override
    def standing(self, table: TableView, view: CaroView, translator: Translator) -> Lines:
        if not view.on_turn:
            return (headline(table, translator), *self.scores(table, view, translator))
        asked = tuple(filter(None, (self.describe_duty(table, view, translator),)))
        if table.you not in view.on_turn:
            return (turn_sentence([name_of(table, seat) for seat in view.on_turn], translator), *asked)
        return (translator.gettext("Your turn."), *asked, *self._offers(view, translator, _READ_OUT))

    @override
    def scores(self, table: TableView, view: CaroView, translator: Translator) -> Lines:
        return tuple(
            translator.gettext(
                "{name}: {text}",
                name=name_of(table, seat),
                text=", ".join((points(total, translator), *_supply(view, seat, translator))) + ".",
            )
            for seat, total in enumerate(view.totals)
        )

    @override
    def enter(
        self, table: TableView, view: CaroView, hold: NothingHeld, text: str, translator: Translator
    ) -> LineReaction[NothingHeld]:
        moves = self.legal(view)
        if text.isascii() and text.isdigit() and 0 < int(text[:4]) <= len(moves):
            return LineReaction(hold, self.move(moves[int(text[:4]) - 1][0], view))
        move = self.typed_move(text, view, translator)
        if move is not None:
            return LineReaction(hold, move)
        match command_of(text, translator.command_words("board", "scores", "moves", "turn", "choices")):
            case "board":
                return LineReaction(hold, lines=_board(view, translator))
            case "scores":
                return LineReaction(hold, lines=self.scores(table, view, translator))
            case "moves":
                latest = self._moves(table, view, translator)[-LATEST:]
                return LineReaction(hold, lines=latest or (translator.gettext("Nothing has happened yet."),))
            case "turn":
                return LineReaction(hold, lines=self.standing(table, view, translator))
            case "choices":
                offers = self._offers(view, translator, len(moves))
                return LineReaction(hold, lines=offers or self.standing(table, view, translator))
            case _:
                return LineReaction(hold, taken=False)

    @override
    def move_words(self) -> str:
        return N_("Rf6 lays red on f6 (B black, G grey, W white); call and accept answer the last move")

    @override
    def words(self, translator: Translator) -> Lines:
        return (
            translator.gettext(
                "Rf6: lay red on f6 (B black, G grey, W white). call, accept: answer the last move."
            ),
            translator.gettext("A number: make the move read out with that number. choices: all moves."),
            translator.gettext(
                "board: everything on the table. turn: whose turn it is. scores: everyone's points."
            ),
            translator.gettext("moves: the latest moves."),
        )

    @override
    def first_step(self, translator: Translator) -> str:
        return translator.gettext("Type a move or its number, or help for more commands.")

    @override
    def own(self, table: TableView, view: CaroView, translator: Translator) -> Lines:
        """Return nothing: nothing is hidden, so nothing is one's own."""
        return ()

    @override
    def hint(self, table: TableView, view: CaroView, translator: Translator) -> Lines:
        said, typed = self.hint_words(view, translator)
        if not typed:
            return ()
        moves = self.shown_move(typed, translator)
        return said, translator.gettext("Type {moves} to play it.", moves=moves)

    @override
    def shown_move(self, word: str, translator: Translator) -> str:
        """Colours have the letters of the language."""
        letter = colour_letters(translator).get(word[0])
        return letter + word[1:] if letter else word

    @override
    def typed_move(self, word: str, view: CaroView | None, translator: Translator) -> msgspec.Struct | None:
        """Colours by the letters of the language, or by English ones that mean nothing else in it."""
        own = {letter: english for english, letter in colour_letters(translator).items()}
        english = own.get(word[:1].upper(), word[:1])
        return self.move(english + word[1:], view)

    @override
    def legal(self, view: CaroView) -> Sequence[tuple[str, int]]:
        """Answers first."""
        answers = [("call", 0)] * view.claim + [("accept", 0)] * (view.claim and view.closing)
        return [*answers, *view.lays.items()]

    @override
    def picture(self, table: TableView, view: CaroView, translator: Translator) -> Lines:
        rows = range(0, len(view.board), view.width)
        columns = " ".join(view.place(at)[0] for at in range(view.width))
        letters = {EMPTY: EMPTY, **colour_letters(translator)}
        return (
            f"   {columns}",
            *(
                f"{view.place(row)[1:]:>2} {' '.join(letters[each] for each in view.board[row : row + view.width])}"
                for row in rows
            ),
        )

    def _moves(self, table: TableView, view: CaroView, translator: Translator) -> Lines:
        return tuple(self.line_sentence(table, line, translator) for line in view.recent)

    def _offers(self, view: CaroView, translator: Translator, most: int) -> Lines:
        """Return the first moves with the numbers and words that make them."""
        lines = []
        for number, (word, gain) in enumerate(self.legal(view)[:most], 1):
            move, scored = _offer(word, translator), points(gain, translator)
            typed = self.shown_move(word, translator)
            if not gain:
                lines.append(f"{number}: {move}." if move == typed else f"{number}: {move} ({typed}).")
            else:
                places = {"number": number, "move": move, "word": typed, "points": scored}
                lines.append(translator.gettext("{number}: {move} ({word}), {points}.", **places))
        return tuple(lines)


def _supply(view: CaroView, seat: Seat, translator: Translator) -> Lines:
    """Return the caros that are left, in words."""
    supply = view.supplies[seat]
    return tuple(
        translator.gettext("{n} {piece}", n=supply.count(each), piece=translator.gettext(COLOUR_NAMES[each]))
        for each in dict.fromkeys(supply)
    )


def _board(view: CaroView, translator: Translator) -> Lines:
    """Return a sentence a row of the board."""
    rows: dict[int, list[str]] = {}
    for at, colour in enumerate(view.board):
        if colour != EMPTY:
            said = f"{view.place(at)} {translator.gettext(COLOUR_NAMES[colour])}"
            rows.setdefault(at // view.width, []).append(said)
    return tuple(f"{', '.join(row)}." for row in rows.values()) or (
        translator.gettext("The board is still empty."),
    )


def _offer(word: str, translator: Translator) -> str:
    """Return the move that `word` stands for, one of `legal`, in words."""
    if word[0] not in COLOUR_NAMES:
        return translator.gettext(word)
    return translator.gettext(
        "{piece} on {place}", piece=translator.gettext(COLOUR_NAMES[word[0]]), place=word[1:]
    )
