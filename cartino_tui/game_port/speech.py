"""Put a game into sentences and read typed lines: `GameSpeech`, the port between plain mode and a game.

It is as pure as `GameScreen`: plain mode keeps a draft (the selection so far), passes lines in, and gets back the next
draft, sentences, and possibly a move.
"""

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final, Generic, TypeVar

import msgspec

from cartino_protocol.views import TableView
from cartino_tui.draw.text import plain
from cartino_tui.game_port.description import GameDescription, View
from cartino_tui.i18n import Translator

Hold = TypeVar("Hold", bound=msgspec.Struct)

Lines = tuple[str, ...]
"""Translated sentences, a line each."""


class LineReaction(msgspec.Struct, Generic[Hold], frozen=True):
    """The result of a typed line: the next draft, a move to send or None, and sentences.

    `taken`: False leaves the line to plain mode.
    """

    hold: Hold
    move: msgspec.Struct | None = None
    lines: Lines = ()
    taken: bool = True


class GameSpeech(GameDescription[View], Generic[View, Hold]):
    """A game's side of plain mode; immutable."""

    turn_over: ClassVar[frozenset[str]] = frozenset({"over"})
    """Rules that refuse a move once the turn or the game is over, for moves that only end the turn."""

    spoken_lessons: ClassVar[Mapping[str, Sequence[str]]] = MappingProxyType({})
    """By lesson, what is said in place of its introduction and of each task, "" where that is as on the screen."""

    @abstractmethod
    def fresh(self) -> Hold:
        """Return an empty draft."""

    @abstractmethod
    def describe_table(self, table: TableView, view: View, translator: Translator) -> Lines:
        """Describe the table to a new visitor: who plays, the points, the board."""

    @abstractmethod
    def describe_events(self, table: TableView, before: View, after: View, translator: Translator) -> Lines:
        """Return what was done between two views, in order."""

    @abstractmethod
    def standing(self, table: TableView, view: View, translator: Translator) -> Lines:
        """Return what the table waits for: whose turn it is, and the reader's hand; at the end, how it ended."""

    @abstractmethod
    def scores(self, table: TableView, view: View, translator: Translator) -> Lines:
        """Return the points and open facts of each player."""

    @abstractmethod
    def enter(
        self, table: TableView, view: View, hold: Hold, text: str, translator: Translator
    ) -> LineReaction[Hold]:
        """Return what the line `text`, which is not empty, does now."""

    @abstractmethod
    def words(self, translator: Translator) -> Lines:
        """Return the game's own commands, a line each."""

    @abstractmethod
    def first_step(self, translator: Translator) -> str:
        """Return what to type on the reader's first turn."""

    @abstractmethod
    def move(self, word: str, view: View | None = None) -> msgspec.Struct | None:
        """Return the move that `word` of a command line stands for, legal or not; None for none.

        `view` is the table, None without one: the same words are moves then.
        """

    def typed_move(self, word: str, view: View | None, translator: Translator) -> msgspec.Struct | None:
        """Return the same for a word that a person types, in the letters of their language or in English ones.

        Where the language gives an English letter another meaning, its own counts. Programs always use `move`.
        """
        return self.move(word, view)

    def only_ends(self, move: msgspec.Struct) -> bool:
        """Return whether `move` only ends the turn.

        A turn may end by itself, so `ssh host move K7QP KSu end` is no mistake, and such a move isn't listed as left to
        do.
        """
        return False

    @abstractmethod
    def move_words(self) -> str:
        """Return an English phrase for the command line's help: how moves are written."""

    def lesson_places(self, translator: Translator) -> Mapping[str, str]:
        """Return all places of the lessons' texts."""
        return {}

    def hint(self, table: TableView, view: View, translator: Translator) -> Lines:
        """Return a hint for the reader's turn, from the view alone: what to do, its points, and what to type."""
        moves = self.legal(view)
        if not moves:
            return ()
        move, points = max(moves, key=lambda each: each[1])
        if not points:
            return (translator.gettext("Hint: type {move}.", move=move),)
        return (
            translator.ngettext(
                "Hint: type {move} for {n} point.", "Hint: type {move} for {n} points.", points, move=move
            ),
        )

    def describe_duty(self, table: TableView, view: View, translator: Translator) -> str:
        """Return what the reader has to do besides an ordinary turn; "" for nothing."""
        return ""

    @abstractmethod
    def legal(self, view: View) -> Sequence[tuple[str, int]]:
        """Return the legal moves as words for `move` with their points: answers first, then by points."""

    def shown_move(self, word: str, translator: Translator) -> str:
        """Return a word of `legal` as it is written for a reader of that language; `typed_move` has to take it."""
        return word

    @abstractmethod
    def picture(self, table: TableView, view: View, translator: Translator) -> Lines:
        """Return the table in rows of ASCII, except names, at most 80 characters wide."""

    @abstractmethod
    def own(self, table: TableView, view: View, translator: Translator) -> Lines:
        """Return what the reader holds, with the words for a command line; nothing for spectators."""


_UMLAUT_AS_E: Final = re.compile("([aou])e")
"""An umlaut without dots in German; other words lose an `e` on both sides of a comparison alike."""

AnySpeech = GameSpeech[Any, Any]


def turn_sentence(names: Sequence[str], translator: Translator) -> str:
    """Return the sentence that names whose turn it is, for somebody else."""
    said = translator.gettext("It's {name}'s turn.", name="".join(names[:1]))
    return said if len(names) == 1 else translator.gettext("Waiting for {name}.", name=", ".join(names))


def normalize_typed(typed: str) -> str:
    """Return `typed` for comparison: without case and accents, umlauts in one spelling."""
    return _UMLAUT_AS_E.sub(r"\1", plain(typed).casefold())


def find_word(words: Sequence[str], typed: str) -> int | None:
    """Return the index of the word that was `typed`, compared by `normalize_typed`; None for none."""
    wanted = normalize_typed(typed)
    return next((number for number, word in enumerate(words) if normalize_typed(word) == wanted), None)
