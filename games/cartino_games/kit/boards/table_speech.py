"""The speech of games whose moves are words: what they do alike."""

from abc import abstractmethod
from typing import Any, ClassVar, Final, TypeVar

import msgspec

from cartino_games.kit.boards.views import TableView
from cartino_games.kit.spoken import command_of, headline, name_of, points
from cartino_protocol.ids import Seat
from cartino_protocol.records import RecordLine
from cartino_protocol.views import RoomView
from cartino_tui.games.description import GameDescription
from cartino_tui.games.reading import read_view
from cartino_tui.games.speech import GameSpeech, Heard, Lines, whose_turn
from cartino_tui.tongue import Tongue

TableT = TypeVar("TableT", bound=TableView)
READ_OUT: Final = 5
"""Moves that are read out unasked, the best first."""


class NothingHeld(msgspec.Struct, frozen=True):
    """A word is a whole move, so nothing is ever chosen in part."""


class TableDescription(GameDescription[TableT]):
    """What a game says of its record lines and of what it waits for, for its screen and its speech."""

    decoder: ClassVar[msgspec.msgpack.Decoder[Any]]
    """Reads the game's view."""

    def read(self, raw: msgspec.Raw) -> TableT:
        """See GameDescription."""
        view: TableT = read_view(self.decoder, raw)
        return view

    @abstractmethod
    def said(self, room: RoomView, line: RecordLine, tongue: Tongue) -> str:
        """Return a record line in a sentence."""

    @abstractmethod
    def asked(self, room: RoomView, view: TableT, tongue: Tongue) -> str:
        """Return what the one who looks has to do now; "" where they have nothing to do."""

    def verdict(self, view: TableT, tongue: Tongue) -> str:
        """Return the reason for what the last lines tell, where the view has one; else ""."""
        return ""

    def told(self, room: RoomView, view: TableT, tongue: Tongue) -> str:
        """See GameDescription."""
        return self.said(room, view.recent[-1], tongue) if view.recent else ""


class TableSpeech(TableDescription[TableT], GameSpeech[TableT, NothingHeld]):
    """Speaks of a table and reads lines for it."""

    @abstractmethod
    def holdings(self, view: TableT, seat: Seat, tongue: Tongue) -> Lines:
        """Return what lies open of a seat besides its points."""

    @abstractmethod
    def board(self, view: TableT, tongue: Tongue) -> Lines:
        """Return what lies on the table in sentences."""

    @abstractmethod
    def offer(self, word: str, tongue: Tongue) -> str:
        """Return the move that `word` stands for, one of `legal`, in words; `word` where that says enough."""

    def fresh(self) -> NothingHeld:
        """See GameSpeech."""
        return NothingHeld()

    def arrived(self, room: RoomView, view: TableT, tongue: Tongue) -> Lines:
        """See GameSpeech."""
        return (*self.scores(room, view, tongue), *self.board(view, tongue))

    def happened(self, room: RoomView, before: TableT, after: TableT, tongue: Tongue) -> Lines:
        """See GameSpeech."""
        new = after.told - before.told
        told = self._moves(room, after, tongue)[-new:] if new > 0 else ()
        missed = (tongue.say("More was done meanwhile; this came last."),) if new > len(told) else ()
        verdict = self.verdict(after, tongue) if told else ""
        return (*missed, *told, verdict) if verdict else (*missed, *told)

    def standing(self, room: RoomView, view: TableT, tongue: Tongue) -> Lines:
        """See GameSpeech."""
        if not view.on_turn:
            return (headline(room, tongue), *self.scores(room, view, tongue))
        asked = tuple(filter(None, (self.asked(room, view, tongue),)))
        if room.you not in view.on_turn:
            return (whose_turn([name_of(room, seat) for seat in view.on_turn], tongue), *asked)
        return (tongue.say("Your turn."), *asked, *self._offers(view, tongue, READ_OUT))

    def scores(self, room: RoomView, view: TableT, tongue: Tongue) -> Lines:
        """See GameSpeech."""
        return tuple(
            tongue.say(
                "{name}: {text}",
                name=name_of(room, seat),
                text=", ".join((points(total, tongue), *self.holdings(view, seat, tongue))) + ".",
            )
            for seat, total in enumerate(view.totals)
        )

    def enter(
        self, room: RoomView, view: TableT, hold: NothingHeld, text: str, tongue: Tongue
    ) -> Heard[NothingHeld]:
        """See GameSpeech."""
        moves = self.legal(view)
        if text.isascii() and text.isdigit() and 0 < int(text[:4]) <= len(moves):
            return Heard(hold, self.move(moves[int(text[:4]) - 1][0], view))
        move = self.move(text, view)
        if move is not None:
            return Heard(hold, move)
        questions = (
            tongue.say_in("command", "board"),
            tongue.say_in("command", "scores"),
            tongue.say_in("command", "moves"),
            tongue.say_in("command", "turn"),
            tongue.say_in("command", "choices"),
        )
        match command_of(text, questions, ("board", "scores", "moves", "turn", "choices")):
            case "board":
                return Heard(hold, lines=self.board(view, tongue))
            case "scores":
                return Heard(hold, lines=self.scores(room, view, tongue))
            case "moves":
                moves_said = self._moves(room, view, tongue)
                return Heard(hold, lines=moves_said or (tongue.say("Nothing has happened yet."),))
            case "turn":
                return Heard(hold, lines=self.standing(room, view, tongue))
            case "choices":
                offers = self._offers(view, tongue, len(moves))
                return Heard(hold, lines=offers or self.standing(room, view, tongue))
            case _:
                return Heard(hold, taken=False)

    def words(self, tongue: Tongue) -> Lines:
        """See GameSpeech."""
        return (
            f"{tongue.say(self.move_words())}.",
            tongue.say("A number: make the move that was read out with it. choices: all moves."),
            tongue.say("board: what lies on the table. turn: whose turn it is. scores: everybody's points."),
            tongue.say("moves: what was done last."),
        )

    def first_step(self, tongue: Tongue) -> str:
        """See GameSpeech."""
        return tongue.say("Type a move or the number of one; help says what else can be typed.")

    def own(self, room: RoomView, view: TableT, tongue: Tongue) -> Lines:
        """See GameSpeech: nothing is hidden, so there is nothing of one's own."""
        return ()

    def _moves(self, room: RoomView, view: TableT, tongue: Tongue) -> Lines:
        return tuple(self.said(room, line, tongue) for line in view.recent)

    def _offers(self, view: TableT, tongue: Tongue, most: int) -> Lines:
        """The first moves with the numbers and words that make them."""
        lines = []
        for number, (word, gain) in enumerate(self.legal(view)[:most], 1):
            move, scored = self.offer(word, tongue), points(gain, tongue)
            if not gain:
                lines.append(f"{number}: {move}." if move == word else f"{number}: {move} ({word}).")
            else:
                places = {"number": number, "move": move, "word": word, "points": scored}
                lines.append(tongue.say("{number}: {move} ({word}), {points}.", **places))
        return tuple(lines)
