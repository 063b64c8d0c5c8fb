"""What happens at a table that nobody says: one closed list, and the English sentence for each entry.

A notice travels as its word with the names that belong to it, so that each reader reads it in their own language.
"""

from typing import Literal

from cartino_protocol.base import Row
from cartino_protocol.legible import legible
from cartino_protocol.marking import N_, Sentence

NoticeWord = Literal[
    "watches",
    "sits",
    "stands",
    "left",
    "cut-off",
    "back",
    "not-back",
    "renamed",
    "time-up",
    "away",
    "plays-again",
    "replaced",
    "first-move",
    "paused",
    "goes-on",
    "restarts",
    "not-kept",
]

SENTENCES: dict[NoticeWord, str] = {
    "watches": N_("{name} is watching"),
    "sits": N_("{name} sits down"),
    "stands": N_("{name} stands up"),
    "left": N_("{name} left"),
    "cut-off": N_("{name} was cut off"),
    "back": N_("{name} is back"),
    "not-back": N_("{name} did not come back"),
    "renamed": N_("{name} is now {other}"),
    "time-up": N_("{name}'s time is up: a stand-in plays this turn"),
    "away": N_("a stand-in plays for {name}, who is away"),
    "plays-again": N_("{name} plays again"),
    "replaced": N_("{name} can't go on: {other} plays"),
    "first-move": N_("{name} can't go on: the first legal move plays"),
    "paused": N_("the game is paused"),
    "goes-on": N_("the game goes on"),
    "restarts": N_("The house restarts in a moment; your seat is kept."),
    "not-kept": N_("Today's limit of games is reached: this one isn't kept and doesn't count."),
}


class News(Row, frozen=True):
    """What happened: its `word`, whose it is, and the `other` name that the sentence has, "" for none.

    `replaced` and `first-move`: a bot, `name`, is taken away; `renamed`: somebody is `other` from now on.
    """

    word: NoticeWord
    name: str = ""
    other: str = ""

    def words(self) -> Sentence:
        """The sentence, to be told."""
        return Sentence(SENTENCES[self.word], {"name": legible(self.name), "other": legible(self.other)})


class Notice(Row, frozen=True):
    """A notice at a table: `n` is its place among the lines of chat, which it shares its numbers with."""

    n: int
    news: News
