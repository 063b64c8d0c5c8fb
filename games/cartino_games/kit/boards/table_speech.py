"""The speech of games whose moves are words: what they do alike."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Final, TypeVar

import msgspec
from typing_extensions import override

from cartino_games.kit.boards.views import TableView
from cartino_games.kit.spoken import NothingHeld, command_of, headline, name_of, points
from cartino_protocol.base import Seat
from cartino_protocol.records import RecordLine
from cartino_protocol.views import RoomView
from cartino_tui.game_port.description import GameDescription, read_view
from cartino_tui.game_port.speech import GameSpeech, LineReaction, Lines, turn_sentence
from cartino_tui.i18n import Translator

TableT = TypeVar("TableT", bound=TableView)
READ_OUT: Final = 5
"""Moves that are read out unasked, the best first."""
LATEST: Final = 8
"""The most moves that are read out at once."""


def piece_letters(pieces: Mapping[str, str], translator: Translator) -> Mapping[str, str]:
    """Return what the names of `pieces` begin with in the reader's language, by their English letters.

    Where two names begin alike, the English letters stay.
    """
    own = {letter: translator.gettext(name)[:1].upper() for letter, name in pieces.items()}
    return own if len({*own.values()}) == len(own) else {letter: letter for letter in pieces}


class TableDescription(GameDescription[TableT]):
    """What a game says of its record lines and of what it waits for, for its screen and its speech."""

    decoder: ClassVar[msgspec.msgpack.Decoder[Any]]
    """Reads the game's view."""

    @override
    def read(self, raw: msgspec.Raw) -> TableT:
        view: TableT = read_view(self.decoder, raw)
        return view

    @abstractmethod
    def said(self, room: RoomView, line: RecordLine, translator: Translator) -> str:
        """Return a record line in a sentence."""

    @abstractmethod
    def asked(self, room: RoomView, view: TableT, translator: Translator) -> str:
        """Return what the one who looks has to do now; "" where they have nothing to do."""

    def verdict(self, view: TableT, translator: Translator) -> str:
        """Return the reason for what the last lines tell, where the view has one; else ""."""
        return ""

    @override
    def told(self, room: RoomView, view: TableT, translator: Translator) -> str:
        return self.said(room, view.recent[-1], translator) if view.recent else ""


class TableSpeech(TableDescription[TableT], GameSpeech[TableT, NothingHeld]):
    """Speaks of a table and reads lines for it."""

    @abstractmethod
    def holdings(self, view: TableT, seat: Seat, translator: Translator) -> Lines:
        """Return what lies open of a seat besides its points."""

    @abstractmethod
    def board(self, view: TableT, translator: Translator) -> Lines:
        """Return what lies on the table in sentences."""

    @abstractmethod
    def offer(self, word: str, translator: Translator) -> str:
        """Return the move that `word` stands for, one of `legal`, in words; `word` where that says enough."""

    @override
    def fresh(self) -> NothingHeld:
        return NothingHeld()

    @override
    def arrived(self, room: RoomView, view: TableT, translator: Translator) -> Lines:
        return (*self.scores(room, view, translator), *self.board(view, translator))

    @override
    def happened(self, room: RoomView, before: TableT, after: TableT, translator: Translator) -> Lines:
        new = after.told - before.told
        told = self._moves(room, after, translator)[-min(new, LATEST) :] if new > 0 else ()
        missed = (
            (translator.gettext("More moves were made meanwhile; here are the latest."),)
            if new > len(told)
            else ()
        )
        verdict = self.verdict(after, translator) if told else ""
        return (*missed, *told, verdict) if verdict else (*missed, *told)

    @override
    def standing(self, room: RoomView, view: TableT, translator: Translator) -> Lines:
        if not view.on_turn:
            return (headline(room, translator), *self.scores(room, view, translator))
        asked = tuple(filter(None, (self.asked(room, view, translator),)))
        if room.you not in view.on_turn:
            return (turn_sentence([name_of(room, seat) for seat in view.on_turn], translator), *asked)
        return (translator.gettext("Your turn."), *asked, *self._offers(view, translator, READ_OUT))

    @override
    def scores(self, room: RoomView, view: TableT, translator: Translator) -> Lines:
        return tuple(
            translator.gettext(
                "{name}: {text}",
                name=name_of(room, seat),
                text=", ".join((points(total, translator), *self.holdings(view, seat, translator))) + ".",
            )
            for seat, total in enumerate(view.totals)
        )

    @override
    def enter(
        self, room: RoomView, view: TableT, hold: NothingHeld, text: str, translator: Translator
    ) -> LineReaction[NothingHeld]:
        moves = self.legal(view)
        if text.isascii() and text.isdigit() and 0 < int(text[:4]) <= len(moves):
            return LineReaction(hold, self.move(moves[int(text[:4]) - 1][0], view))
        move = self.typed_move(text, view, translator)
        if move is not None:
            return LineReaction(hold, move)
        match command_of(text, translator.command_words("board", "scores", "moves", "turn", "choices")):
            case "board":
                return LineReaction(hold, lines=self.board(view, translator))
            case "scores":
                return LineReaction(hold, lines=self.scores(room, view, translator))
            case "moves":
                moves_said = self._moves(room, view, translator)[-LATEST:]
                return LineReaction(
                    hold, lines=moves_said or (translator.gettext("Nothing has happened yet."),)
                )
            case "turn":
                return LineReaction(hold, lines=self.standing(room, view, translator))
            case "choices":
                offers = self._offers(view, translator, len(moves))
                return LineReaction(hold, lines=offers or self.standing(room, view, translator))
            case _:
                return LineReaction(hold, taken=False)

    @override
    def words(self, translator: Translator) -> Lines:
        return (
            f"{translator.gettext(self.move_words())}.",
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
    def own(self, room: RoomView, view: TableT, translator: Translator) -> Lines:
        """Return nothing: no card is hidden, so none is one's own."""
        return ()

    def _moves(self, room: RoomView, view: TableT, translator: Translator) -> Lines:
        return tuple(self.said(room, line, translator) for line in view.recent)

    def _offers(self, view: TableT, translator: Translator, most: int) -> Lines:
        """Return the first moves with the numbers and words that make them."""
        lines = []
        for number, (word, gain) in enumerate(self.legal(view)[:most], 1):
            move, scored = self.offer(word, translator), points(gain, translator)
            typed = self.shown_move(word, translator)
            if not gain:
                lines.append(f"{number}: {move}." if move == typed else f"{number}: {move} ({typed}).")
            else:
                places = {"number": number, "move": move, "word": typed, "points": scored}
                lines.append(translator.gettext("{number}: {move} ({word}), {points}.", **places))
        return tuple(lines)
