"""What all topics of a plain visit share: what is known, who reads, what was said to the house, what is to be told."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from cartino_protocol.commands import Back, Command, tag_of
from cartino_protocol.ids import Seat
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import GameInfo, Told
from cartino_tui.door import Door
from cartino_tui.farewell import Farewell
from cartino_tui.games.description import fact_of, titled
from cartino_tui.games.speech import AnySpeech
from cartino_tui.known import Known, Moment, moment
from cartino_tui.plain.people import Naming
from cartino_tui.preferences import Preferences
from cartino_tui.tongue import Tongue


class Turn(Protocol):
    """A topic, as the floor knows it; see `topic.Topic`."""

    def open(self) -> None:
        """Tell what this is about and what can be chosen."""

    def enter(self, text: str) -> None:
        """Do what the line `text` means."""

    def go_back(self) -> None:
        """Do what 0 does."""

    def word(self, text: str) -> Callable[[], None] | None:
        """What `text` does in the topics above this one, too, where it means nothing there."""

    def learned(self, before: Known) -> None:
        """Something is new."""

    def answered(self, answer: Told) -> bool:
        """Take what was asked for; False where this topic asks for no such thing."""

    def refused(self, refusal: Refusal) -> None:
        """Tell why something was refused."""


class Floor:
    """The visit as it stands. `told` are the lines to be written, oldest first."""

    def __init__(
        self,
        send: Callable[[Command], None],
        preferences: Preferences,
        door: Door,
        own_door: Door,
        voices: Mapping[str, AnySpeech],
    ) -> None:
        """Nothing known; `send` says a command to the house. The doors as in `Conversation`."""
        self.known = Known()
        self.preferences = preferences
        self.door = door
        self.own_door = own_door
        self.voices = voices
        self.told: list[str] = []
        self.farewell: Farewell | None = None
        """How the visit has ended, once it has."""
        self.topics: list[Turn] = []
        self.said_word = False
        """Whether a guest's word was said, and the Welcome that answers it is still to come."""
        self.is_down = False
        """Whether there is no line to the house."""
        self.knows_how = False
        """Whether the person was told what to type on their turn."""
        self._send = send
        self._asked_at: Moment | None = None
        self._asked = ""

    @property
    def tongue(self) -> Tongue:
        """The reader's language."""
        return self.preferences.tongue

    @property
    def waiting(self) -> bool:
        """Whether an answer is due, before which no line is read."""
        return self._asked_at is not None

    @property
    def name(self) -> str:
        """What one is called here, "" before one was welcomed."""
        return "" if self.known.welcome is None else self.known.welcome.name

    def tell(self, *lines: str) -> None:
        """Tell `lines`, said already."""
        self.told += [line for line in lines if line]

    def say(self, command: Command, *, awaited: bool = True) -> None:
        """Say `command` to the house; what is typed waits for its answer if it is `awaited`."""
        if self.is_down:
            self.tell(self.tongue.say("The line was down, so that was not said; repeat it once it is back."))
            return
        if awaited:
            self._asked_at, self._asked = moment(self.known), tag_of(command)
        self.said_word = self.said_word or isinstance(command, Back)
        self._send(command)

    def tell_choices(self) -> None:
        """Tell the house what the person chose and it does not know yet; with no line, later."""
        news = None if self.is_down else self.preferences.news()
        if news is not None:
            self.say(news, awaited=False)

    def stands(self) -> None:
        """Something was heard: if it is another moment than the one asked at, the answer is here."""
        if self._asked_at is not None and self._asked_at != moment(self.known):
            self._asked_at = None

    def answered(self, to: str = "") -> None:
        """The answer to a command of that name is here, or will never come ("": of whatever name)."""
        if to in {"", self._asked}:
            self._asked_at = None

    def leave(self, farewell: Farewell) -> None:
        """End the visit, unless it has ended already."""
        self.farewell = self.farewell or farewell

    # Topics.

    def push(self, topic: Turn) -> None:
        """Come to another topic, and back from it to this one."""
        self.topics.append(topic)
        topic.open()

    def pop(self) -> None:
        """Back to the topic before."""
        if len(self.topics) > 1:
            self.topics.pop()
        self.topics[-1].open()

    def keep(self, count: int) -> None:
        """Drop all topics but the first `count`, without a word."""
        del self.topics[count:]

    # What several topics tell.

    def game(self, name: str) -> GameInfo | None:
        """What is known of the game of that name."""
        games = () if self.known.welcome is None else self.known.welcome.games
        return next((game for game in games if game.name == name), None)

    @property
    def naming(self) -> Naming:
        """What games call things."""
        return Naming(self.title, self._fact)

    def _fact(self, game: str, fact: str) -> str:
        return fact_of(self.voices, game, fact, self.tongue)

    def title(self, name: str, options: Mapping[str, str]) -> str:
        """A game and its options in a few words: "Cartino 1974"."""
        return titled(self.voices, name, options, self.tongue)

    def own_seat(self, names: Sequence[str]) -> Seat | None:
        """Which of the seats with these names is one's own; a name is one person's alone in the house."""
        return names.index(self.name) if self.name and self.name in names else None
