"""Say a game in sentences and read typed lines: `GameSpeech`, the port between plain mode and a game.

It does for plain mode what `GameScreen` does for the screens, and is as pure: plain mode keeps a draft (what is chosen
so far), passes lines in, and gets back the next draft, sentences, and possibly a move.
"""

import re
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Final, Generic, TypeVar

import msgspec

from cartino_protocol.views import RoomView
from cartino_tui.draw.text import plain
from cartino_tui.game_port.description import GameDescription, View
from cartino_tui.i18n import Translator

Hold = TypeVar("Hold", bound=msgspec.Struct)

Lines = tuple[str, ...]
"""Sentences that were said in a language, each a line."""


class LineReaction(msgspec.Struct, Generic[Hold], frozen=True):
    """What a typed line led to: the hold now, a move to send (a struct) or None, and sentences.

    `taken` is False where the game has no use for the line, so that the frame may have it.
    """

    hold: Hold
    move: msgspec.Struct | None = None
    lines: Lines = ()
    taken: bool = True


class GameSpeech(GameDescription[View], Generic[View, Hold]):
    """One game's side of plain mode. Instances hold nothing that changes."""

    turn_over: ClassVar[frozenset[str]] = frozenset({"over"})
    """The rules that refuse a move once the turn or the game is over, for moves that only end the turn."""

    @abstractmethod
    def fresh(self) -> Hold:
        """Nothing is chosen."""

    @abstractmethod
    def arrived(self, room: RoomView, view: View, translator: Translator) -> Lines:
        """The table for somebody who has just come: who plays with how many points, and what lies."""

    @abstractmethod
    def happened(self, room: RoomView, before: View, after: View, translator: Translator) -> Lines:
        """What was done between two views of one game, in order."""

    @abstractmethod
    def standing(self, room: RoomView, view: View, translator: Translator) -> Lines:
        """What the table waits for: whose turn it is, and what one holds; after the end, how it ended."""

    @abstractmethod
    def scores(self, room: RoomView, view: View, translator: Translator) -> Lines:
        """The points and what else is open of each player."""

    @abstractmethod
    def enter(
        self, room: RoomView, view: View, hold: Hold, text: str, translator: Translator
    ) -> LineReaction[Hold]:
        """What the line `text` means here and now; it is not empty."""

    @abstractmethod
    def words(self, translator: Translator) -> Lines:
        """What can be typed at the table for this game alone, a line each."""

    @abstractmethod
    def first_step(self, translator: Translator) -> str:
        """What somebody types who is on turn for the first time."""

    @abstractmethod
    def move(self, word: str, view: View | None = None) -> msgspec.Struct | None:
        """Return the move that `word` of a command line stands for, allowed or not; None for no move.

        `view` is the table that the word is meant for, None where there is none: the same words are moves then.
        """

    def only_ends(self, move: msgspec.Struct) -> bool:
        """Return whether `move` does no more than end the turn.

        A turn may end by itself: `ssh host move K7QP KSu end` is then no mistake. Such a move isn't said to be left
        to do either.
        """
        return False

    @abstractmethod
    def move_words(self) -> str:
        """How moves are written in a command line: a phrase in English for its help, to be said."""

    def asked(self, room: RoomView, view: View, translator: Translator) -> str:
        """What the one who looks has to do besides an ordinary turn; "" for nothing."""
        return ""

    @abstractmethod
    def legal(self, view: View) -> Sequence[tuple[str, int]]:
        """The moves that are legal now, as words for `move` with the points they score: answers, then the most."""

    @abstractmethod
    def picture(self, room: RoomView, view: View, translator: Translator) -> Lines:
        """The table in rows of ASCII, but for names, at most 80 characters wide."""

    @abstractmethod
    def own(self, room: RoomView, view: View, translator: Translator) -> Lines:
        """What the one who looks holds, with the words for a command line; nothing for who holds nothing."""


_UMLAUT_AS_E: Final = re.compile("([aou])e")
"""An umlaut as Germans write it where they have none; other words lose an `e` alike on both sides."""

AnySpeech = GameSpeech[Any, Any]
"""A voice of whatever game."""


def turn_sentence(names: Sequence[str], translator: Translator) -> str:
    """Return the sentence for the turn of the players called `names`, of whom the one who looks is none."""
    said = translator.gettext("It is {name}'s turn.", name="".join(names[:1]))
    return said if len(names) == 1 else translator.gettext("Waiting for {name}.", name=", ".join(names))


def normalize_typed(typed: str) -> str:
    """`typed` as it is compared: whatever its case, with or without its accents, and umlauts in either spelling."""
    return _UMLAUT_AS_E.sub(r"\1", plain(typed).casefold())


def find_word(words: Sequence[str], typed: str) -> int | None:
    """Which of `words` was `typed`, but for what `folded` makes alike; None for none of them."""
    wanted = normalize_typed(typed)
    return next((number for number, word in enumerate(words) if normalize_typed(word) == wanted), None)
