"""The speech of games in which pieces are laid on a board that grows: see `BoardView`."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, TypeVar

import msgspec
from typing_extensions import override

from cartino_games.kit.boards.table_speech import TableSpeech, piece_letters
from cartino_games.kit.boards.views import EMPTY, BoardView
from cartino_protocol.base import Seat
from cartino_protocol.views import RoomView
from cartino_tui.game_port.description import LOT
from cartino_tui.game_port.speech import Lines
from cartino_tui.i18n import Translator

BoardT = TypeVar("BoardT", bound=BoardView)


class BoardSpeech(TableSpeech[BoardT]):
    """Says what lies on the board, and draws it in letters."""

    chance = LOT
    pieces: ClassVar[Mapping[str, str]]
    """What the pieces are called in English, by their letters."""

    @override
    def holdings(self, view: BoardT, seat: Seat, translator: Translator) -> Lines:
        """Return the pieces that are left."""
        supply = view.supplies[seat]
        return tuple(
            translator.gettext(
                "{n} {piece}", n=supply.count(each), piece=translator.gettext(self.pieces[each])
            )
            for each in dict.fromkeys(supply)
        )

    @override
    def board(self, view: BoardT, translator: Translator) -> Lines:
        """Return a sentence a row."""
        rows: dict[int, list[str]] = {}
        for at, piece in enumerate(view.board):
            if piece != EMPTY:
                said = f"{view.place(at)} {translator.gettext(self.pieces[piece])}"
                rows.setdefault(at // view.width, []).append(said)
        return tuple(f"{', '.join(row)}." for row in rows.values()) or (
            translator.gettext("The board is still empty."),
        )

    @override
    def offer(self, word: str, translator: Translator) -> str:
        if word[0] not in self.pieces:
            return translator.gettext(word)
        return translator.gettext(
            "{piece} on {place}", piece=translator.gettext(self.pieces[word[0]]), place=word[1:]
        )

    @override
    def shown_move(self, word: str, translator: Translator) -> str:
        """Pieces have the letters of the language."""
        letter = piece_letters(self.pieces, translator).get(word[0])
        return letter + word[1:] if letter else word

    @override
    def typed_move(self, word: str, view: BoardT | None, translator: Translator) -> msgspec.Struct | None:
        """Pieces by the letters of the language, or by English ones that mean nothing else in it."""
        own = {letter: english for english, letter in piece_letters(self.pieces, translator).items()}
        english = own.get(word[:1].upper(), word[:1])
        return self.move(english + word[1:], view)

    @override
    def legal(self, view: BoardT) -> Sequence[tuple[str, int]]:
        return list(view.lays.items())

    @override
    def picture(self, room: RoomView, view: BoardT, translator: Translator) -> Lines:
        rows = range(0, len(view.board), view.width)
        letters = " ".join(view.place(at)[0] for at in range(view.width))
        pieces = {EMPTY: EMPTY, **piece_letters(self.pieces, translator)}
        return (
            f"   {letters}",
            *(
                f"{view.place(row)[1:]:>2} {' '.join(pieces[each] for each in view.board[row : row + view.width])}"
                for row in rows
            ),
        )
