"""A visit to the house in lines: what is heard becomes sentences, what is typed becomes commands. No terminal here."""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from cartino_protocol import __version__
from cartino_protocol.commands import Back, Command, Create, Hello, Ignore, Join, Keep, Report, Watch
from cartino_protocol.hosts_words import Announced
from cartino_protocol.line import LineNews
from cartino_protocol.marking import Sentence
from cartino_protocol.neighbours import Ignored, Invitation, Invitations, Invited, Reported
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Answer, Bye, Left, RoomView, Told, View, Welcome
from cartino_protocol.wire import VERSION
from cartino_tui import farewell
from cartino_tui.arriving import name_missed, why_left
from cartino_tui.door import Door
from cartino_tui.farewell import Farewell
from cartino_tui.games.foreign import learn
from cartino_tui.games.speech import AnySpeech
from cartino_tui.hosts_words import line_of
from cartino_tui.intent import Intent, ToLesson, ToLobby, command_of
from cartino_tui.known import Known, has_seat
from cartino_tui.others import news_of
from cartino_tui.plain.floor import Floor, Turn
from cartino_tui.plain.guests import spoken_guests
from cartino_tui.plain.lobby import Lobby
from cartino_tui.plain.speech import speakable
from cartino_tui.plain.table import Table
from cartino_tui.plain.talk import Talk
from cartino_tui.plain.waiting import Waiting
from cartino_tui.preferences import Preferences
from cartino_tui.returning import Returning


class Conversation:
    """One person's visit. `hear` takes what the house says, `enter` what the person types, `take` gives the lines."""

    def __init__(
        self,
        send: Callable[[Command], None],
        preferences: Preferences,
        voices: Mapping[str, AnySpeech],
        intent: Intent | None = None,
        door: Door = Door(),  # noqa: B008 - a constant
        own_door: Door = Door(),  # noqa: B008 - a constant
    ) -> None:
        """A visit straight to where `intent` says; `send` says a command to the house, `voices` are the games' own.

        `door` are the words that bring a friend here, `own_door` those that bring the person back.
        """
        self.floor = Floor(send, preferences, door, own_door, voices)
        self._send = send
        self._intent: Intent = intent or ToLobby()
        self._lobby = Lobby(self.floor)
        self.floor.topics.append(self._lobby)
        self._arrived = False
        """Whether one has been where one wanted to go first, or was told that one can't."""
        self._comes_back = False
        self._word = ""
        self._returning = Returning()
        self._said_farewell = False

    # For whoever carries lines.

    def begin(self) -> None:
        """Introduce oneself."""
        self._send(Hello(VERSION, f"cartino-plain {__version__}"))

    @property
    def waiting(self) -> bool:
        """Whether an answer is due, before which nothing that is typed is read."""
        floor = self.floor
        if floor.is_down:
            return False
        return floor.waiting or not self._arrived or (floor.known.room is None and not self._lobby.is_open)

    @property
    def farewell(self) -> Farewell | None:
        """How the visit has ended, once it has."""
        return self.floor.farewell

    def take(self) -> list[str]:
        """The lines that are to be written now; at the end of the visit with its last words."""
        told, ascii = self.floor.told, self.floor.preferences.ascii
        self.floor.told = []
        if self.farewell is not None and not self._said_farewell:
            self._said_farewell = True
            told += self.floor.tongue.tell(self.farewell.sentence).splitlines()
        return [
            speakable(line, ascii=ascii) for line in spoken_guests(told, self.floor.known, self.floor.tongue)
        ]

    def enter(self, text: str) -> None:
        """Do what the line `text` means."""
        self._front.enter(text)

    def leave(self) -> None:
        """The person leaves, from wherever they are."""
        self.floor.leave(farewell.own_wish(self.floor.known, self.floor.own_door))

    def closed(self) -> None:
        """The line to the house has gone for good."""
        self.floor.leave(farewell.closed(self.floor.known, self.floor.own_door))

    def ended(self, why: Sentence) -> None:
        """The line can't be made anew, and that is why."""
        self.floor.leave(Farewell(why, farewell.LINE_ENDED))

    def hear(self, said: Answer | LineNews) -> None:
        """Take in what the house says, or how the line to it stands."""
        if isinstance(said, LineNews):
            self._line_stands(said)
            return
        floor = self.floor
        before, first = floor.known, floor.known.welcome is None
        floor.known = before.learn(said)
        floor.stands()
        if not isinstance(said, View) or isinstance(said, RoomView):
            # Wherever one wanted to go, this is the answer.
            self._arrived = True
        match said:
            case Bye():
                floor.leave(farewell.farewell(said, floor.known, floor.own_door))
            case Refusal():
                self._refused(said)
            case Welcome():
                self._welcomed(said, before.welcome, first=first)
            case RoomView():
                self._at_table(said)
                if self._returning.is_awaited:
                    self._is_back()
            case _ if isinstance(said, Told):
                floor.answered()
                self._front.answered(said)
            case Invitations(lines=lines):
                self._invited(before.invitations, lines)
            case Invited() | Announced() | Ignored() | Reported():
                self._told(said, before)
            case Left():
                self._left(said)
        for topic in tuple(floor.topics):
            topic.learned(before)

    # What is heard.

    @property
    def _front(self) -> Turn:
        return self.floor.topics[-1]

    def _welcomed(self, welcome: Welcome, before: Welcome | None, *, first: bool) -> None:
        floor = self.floor
        if welcome.version != VERSION:
            floor.leave(farewell.VERSION)
            return
        learn(floor.voices, welcome.games)
        if before is not None and before.name != welcome.name and not self._returning.is_under_way:
            floor.tell(floor.tongue.say("You are called {name} now.", name=welcome.name))
        if first and welcome.missed:
            floor.tell(floor.tongue.tell(name_missed(welcome)))
        said_word, floor.said_word = floor.said_word, False
        if first or said_word:
            floor.preferences.learn(bytes(welcome.settings))
        if self._returning.is_under_way and self._arrived:
            self._go_back(welcome)
            return
        if self._returning.is_under_way:
            self._line_is_up()
        if first and isinstance(self._intent, ToLesson):
            floor.tell(
                floor.tongue.say("The lessons need a terminal to draw on; here, every table tells the rules.")
            )
            self._lobby.teaches_first = self._intent.game
        command = command_of(self._intent) if first else None
        if isinstance(command, Create) and welcome.back and not (welcome.elsewhere or welcome.over):
            # Who connects again in the same way wants the table that was new then, not one more.
            command = None
        if command is None and welcome.back and (first or said_word):
            self._comes_back = True
            command = Join(welcome.back)
        elif said_word:
            floor.answered()
            floor.tell(floor.tongue.say("You are who you were, but no table waits for you any more."))
        if command is None:
            self._arrived = True
        else:
            floor.say(command)
        self._tell_word(welcome)

    def _tell_word(self, welcome: Welcome) -> None:
        """Tell a guest the word to come back by, once a game runs: when the line is cut it is too late to ask."""
        if welcome.word not in {"", self._word} and has_seat(self.floor.known, "playing"):
            self._word = welcome.word
            self.floor.tell(self.floor.tongue.say("Your word to come back: {word}", word=welcome.word))

    def _refused(self, refusal: Refusal) -> None:
        floor = self.floor
        if refusal.reason == "version":
            floor.leave(farewell.VERSION)
            return
        if refusal.to == Keep.__name__:
            return
        if self._returning.is_under_way and refusal.to in {Back.__name__, Join.__name__, Watch.__name__}:
            floor.known = floor.known.nowhere()
            floor.keep(1)
            self._is_back()
        floor.said_word = self._comes_back = False
        floor.answered(refusal.to)
        if refusal.reason == "elsewhere":
            self._tell_elsewhere(refusal.detail)
        else:
            self._front.refused(refusal)
        here = floor.known.room is None and self._front is self._lobby and floor.known.lobby is not None
        if here and not self._lobby.is_open:
            # Its choices are told with the first refusal alone: who mistypes a code knows them.
            self._lobby.is_open = True
            self._lobby.offer()

    def _at_table(self, room: RoomView) -> None:
        """Have the topic in place that `room` needs."""
        floor = self.floor
        if floor.preferences.played(room):
            floor.tell_choices()
        wanted = Waiting if room.state == "open" else Table
        here = next((topic for topic in floor.topics if isinstance(topic, Waiting | Table)), None)
        if isinstance(here, wanted) and here.room.code == room.code:
            return
        came_back, self._comes_back = self._comes_back and room.you is not None, False
        begun = isinstance(here, Waiting) and here.room.code == room.code
        talk = here.talk if here is not None and here.room.code == room.code else Talk(floor)
        floor.keep(1)
        if came_back:
            floor.tell(floor.tongue.say("Welcome back."))
        voice = floor.voices.get(room.game)
        try:
            if voice is None:
                raise msgspec.DecodeError(f"no voice for {room.game}")
            topic = Waiting(floor, room, talk) if room.state == "open" else Table(floor, room, talk, voice)
        except msgspec.DecodeError:
            floor.leave(farewell.UNREADABLE)
            return
        if begun:
            talk.learned()
            floor.tell(floor.tongue.say("The game begins."))
        floor.push(topic)
        if floor.known.welcome is not None:
            self._tell_word(floor.known.welcome)

    def _invited(self, before: Sequence[Invitation], now: Sequence[Invitation]) -> None:
        """Tell of invitations that are new."""
        floor = self.floor
        for line in now:
            if line not in before:
                game = floor.title(line.game, {})
                floor.tell(
                    floor.tongue.say(
                        "{name} invites you to the table {code}, {game}. "
                        "In the lobby, join {code} goes there, and decline {code} does not.",
                        name=line.name,
                        code=line.code,
                        game=game,
                    )
                )

    def _told(self, said: Invited | Announced | Ignored | Reported, before: Known) -> None:
        floor, tongue = self.floor, self.floor.tongue
        if isinstance(said, Announced):
            floor.tell(line_of(said, tongue))
        elif isinstance(said, Ignored | Reported):
            floor.answered((Ignore if isinstance(said, Ignored) else Report).__name__)
            floor.tell(news_of(said, before, floor.known, tongue))
        elif said.here:
            floor.tell(tongue.say("{name} was told that you invite them.", name=said.name))
        else:
            floor.tell(tongue.say("{name} is not here, and will be told when they come.", name=said.name))

    def _tell_elsewhere(self, code: str) -> None:
        tongue = self.floor.tongue
        self.floor.tell(
            tongue.say("Your seat is at your other terminal now; join {code} brings it back here.", code=code)
        )

    def _left(self, left: Left) -> None:
        floor = self.floor
        floor.keep(1)
        if left.why == "moved":
            self._tell_elsewhere(left.code)
        else:
            floor.tell(floor.tongue.tell(why_left(left)))
        # The lists as they are now are on their way; the lobby begins with them.
        floor.known = msgspec.structs.replace(floor.known, lobby=None)
        self._lobby.is_open = False

    # The line.

    def _line_stands(self, news: LineNews) -> None:
        floor = self.floor
        if news.stands == "lost":
            if not floor.is_down:
                floor.tell(floor.tongue.say("The line is lost; it is being made anew."))
            floor.is_down = True
            floor.answered()
            self._returning.lost(floor.known)
        elif news.stands == "back":
            if not self._arrived:
                floor.known = Known()
            self.begin()

    def _go_back(self, welcome: Welcome) -> None:
        command = self._returning.next(welcome)
        if command is not None:
            self._send(command)
        elif not self._returning.is_awaited:
            self._is_back()

    def _is_back(self) -> None:
        self._line_is_up()
        self.floor.tell(self.floor.tongue.say("The line is back."))

    def _line_is_up(self) -> None:
        self._returning.is_back()
        self.floor.is_down = False
