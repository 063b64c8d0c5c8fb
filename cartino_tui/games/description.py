"""What a game tells people about itself, wherever it is shown: on the screen, in plain mode and in a shell."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final, Generic, TypeVar

import msgspec

from cartino_protocol.marking import N_
from cartino_protocol.views import RoomView
from cartino_tui.games.chance import SHUFFLE, ChanceWords
from cartino_tui.games.lessons import LessonWords
from cartino_tui.games.rules import Section
from cartino_tui.tongue import Tongue

OLDER_GONE: Final = N_("Older games are no longer kept.")
"""What the end of a list of finished games says where older ones were removed."""

View = TypeVar("View", bound=msgspec.Struct)


class GameDescription(ABC, Generic[View]):
    """A game's view and its words, shared by its screen and its speech. Instances hold nothing that changes."""

    name: ClassVar[str]
    """The game's name on the wire."""
    title: ClassVar[str]
    """What it is called in front of people."""
    rules: ClassVar[Sequence[Section]]
    """The rules for people, our own decisions marked as such."""
    lessons: ClassVar[Mapping[str, LessonWords]] = MappingProxyType({})
    """The words of each lesson that the rules have, by the lesson's name."""
    refusals: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """The sentence, in English, for each rule that refuses a move."""
    facts: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """What people call each entry of `Game.bests`, in English."""

    chance: ClassVar[ChanceWords] = SHUFFLE
    """Sentences about the seed and what it decides."""
    no_chance: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Options with which nothing is left to chance."""
    endings: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Why a game of this kind ends, in English, by the reasons that its rules give."""

    @abstractmethod
    def read(self, raw: msgspec.Raw) -> View:
        """Return the game's view in a `RoomView.table`. Raises msgspec.DecodeError (see `reading`)."""

    @abstractmethod
    def told(self, room: RoomView, view: View, tongue: Tongue) -> str:
        """Return what was done last in one sentence, for somebody who steps through a game; "" at its start."""

    def title_of(self, options: Mapping[str, str], tongue: Tongue) -> str:
        """Return the title with those options that tell one kind of the game from another ("Cartino 1969")."""
        return tongue.say(self.title)

    def chance_of(self, options: Mapping[str, str]) -> ChanceWords | None:
        """Return `chance` for a game with these options; None where nothing is left to chance."""
        sure = any(options.get(name) == choice for name, choice in self.no_chance.items())
        return None if sure else self.chance

    def refused(self, rule: str, tongue: Tongue) -> str:
        """Return the sentence for a rule that refused a move."""
        return tongue.say(self.refusals.get(rule, N_("The rules don't allow that.")))

    def fact(self, fact: str, tongue: Tongue) -> str:
        """Return what people call an entry of `Game.bests` ("best turn"); its own word where it has no name."""
        return tongue.say(self.facts[fact]) if fact in self.facts else fact


_ENDINGS: Final = {
    "points": N_("the points to win were reached"),
    "abandoned": N_("left before its end, so nobody has won"),
}

AnyDescription = GameDescription[Any]
"""What some game tells about itself."""


def titled(games: Mapping[str, AnyDescription], game: str, options: Mapping[str, str], tongue: Tongue) -> str:
    """Return what people call `game` with these options ("Cartino 1974").

    Its bare name where `games` lacks it, or where it fails: a list of many games is not lost to one of them.
    """
    known = games.get(game)
    try:
        return game if known is None else known.title_of(options, tongue)
    except Exception:
        return game


def fact_of(games: Mapping[str, AnyDescription], game: str, fact: str, tongue: Tongue) -> str:
    """Return what people call an entry of `game`'s `bests`; its own word where `games` lacks the game, or it fails."""
    try:
        return games[game].fact(fact, tongue)
    except Exception:
        return fact


def ended(games: Mapping[str, AnyDescription], game: str, reason: str, tongue: Tongue) -> str:
    """Return why a game was over ("nobody could go on"); the bare reason where nobody knows words for it."""
    own = games[game].endings if game in games else {}
    return tongue.say(own.get(reason) or _ENDINGS.get(reason, reason))
