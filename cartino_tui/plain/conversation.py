"""A visit in plain mode: answers become sentences, lines become commands.

It writes to no terminal; `line_handler` does. Guest names lose their mark, which screen readers skip or misread.
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from cartino_protocol import __version__
from cartino_protocol.accounts import Ignored, Invitation, Invitations, Invited, Reported
from cartino_protocol.commands import Back, Command, Create, Hello, Ignore, Join, Keep, Report, Watch
from cartino_protocol.link import ConnectionStatus
from cartino_protocol.notices import Announced
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import LazyMessage
from cartino_protocol.views import Answer, Bye, Left, QueryAnswer, RoomView, View, Welcome
from cartino_protocol.wire import VERSION
from cartino_tui.game_port.description import add_server_games
from cartino_tui.game_port.speech import AnySpeech
from cartino_tui.plain.lobby import LobbyMenu
from cartino_tui.plain.menu import MenuPort, PlainContext
from cartino_tui.plain.phrases import printable_line, spell_out_guests
from cartino_tui.plain.table import TableMenu, WaitingMenu
from cartino_tui.plain.table_commands import ChatReader
from cartino_tui.preferences import Preferences
from cartino_tui.visit import farewell
from cartino_tui.visit.farewell import Farewell
from cartino_tui.visit.messages import left_message, name_change_message, notice_line, people_update_message
from cartino_tui.visit.routes import Reconnection, ShellCommands, StartRoute, ToLesson, ToLobby, start_command
from cartino_tui.visit.state import ClientState, has_seat


class Conversation:
    """One person's visit. `hear` takes what the house says, `enter` what the person types, `take` gives the lines."""

    def __init__(
        self,
        send: Callable[[Command], None],
        preferences: Preferences,
        speeches: Mapping[str, AnySpeech],
        intent: StartRoute | None = None,
        door: ShellCommands = ShellCommands(),  # noqa: B008 - a constant
        own_shell_commands: ShellCommands = ShellCommands(),  # noqa: B008 - a constant
    ) -> None:
        """A visit straight to where `intent` says; `send` says a command to the house, `speeches` are the games' own.

        `door` are the words that bring a friend here, `own_shell_commands` those that bring the person back.
        """
        self.floor = PlainContext(send, preferences, door, own_shell_commands, speeches)
        self._send = send
        self._intent: StartRoute = intent or ToLobby()
        self._lobby = LobbyMenu(self.floor)
        self.floor.topics.append(self._lobby)
        self._arrived = False
        """Whether one has been where one wanted to go first, or was told that one can't."""
        self._is_rejoining = False
        self._word = ""
        self._returning = Reconnection()
        self._farewell_sent = False

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
        if self.farewell is not None and not self._farewell_sent:
            self._farewell_sent = True
            told += self.floor.translator.render(self.farewell.sentence).splitlines()
        return [
            printable_line(line, ascii=ascii)
            for line in spell_out_guests(told, self.floor.known, self.floor.translator)
        ]

    def enter(self, text: str) -> None:
        """Do what the line `text` means."""
        self._front.enter(text)

    def leave(self) -> None:
        """The person leaves, from wherever they are."""
        self.floor.leave(farewell.player_left(self.floor.known, self.floor.own_shell_commands))

    def closed(self) -> None:
        """The line to the house has gone for good."""
        self.floor.leave(farewell.connection_lost(self.floor.known, self.floor.own_shell_commands))

    def ended(self, why: LazyMessage) -> None:
        """The line can't be made anew, and that is why."""
        self.floor.leave(Farewell(why, farewell.CONNECTION_ENDED))

    def hear(self, said: Answer | ConnectionStatus) -> None:
        """Take in what the house says, or how the line to it stands."""
        if isinstance(said, ConnectionStatus):
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
                floor.leave(farewell.server_farewell(said, floor.known, floor.own_shell_commands))
            case Refusal():
                self._refused(said)
            case Welcome():
                self._welcomed(said, before.welcome, first=first)
            case RoomView():
                self._at_table(said)
                if self._returning.is_awaited:
                    self._is_back()
            case _ if isinstance(said, QueryAnswer):
                floor.answered()
                self._front.answered(said)
            case Invitations(lines=lines):
                self._invited(before.invitations, lines)
            case Invited() | Announced() | Ignored() | Reported():
                self._told(said, before)
            case Left():
                self._left(said)
        for topic in tuple(floor.topics):
            topic.state_changed(before)

    # What is heard.

    @property
    def _front(self) -> MenuPort:
        return self.floor.topics[-1]

    def _welcomed(self, welcome: Welcome, before: Welcome | None, *, first: bool) -> None:
        floor = self.floor
        if welcome.version != VERSION:
            floor.leave(farewell.VERSION_MISMATCH)
            return
        add_server_games(floor.speeches, welcome.games)
        if before is not None and before.name != welcome.name and not self._returning.is_under_way:
            floor.tell(floor.translator.gettext("You are called {name} now.", name=welcome.name))
        if first and welcome.missed:
            floor.tell(floor.translator.render(name_change_message(welcome)))
        sent_resume_code, floor.sent_resume_code = floor.sent_resume_code, False
        if first or sent_resume_code:
            floor.preferences.learn(bytes(welcome.settings))
        if self._returning.is_under_way and self._arrived:
            self._go_back(welcome)
            return
        if self._returning.is_under_way:
            self._line_is_up()
        if first and isinstance(self._intent, ToLesson):
            floor.tell(
                floor.translator.gettext(
                    "The lessons need a terminal to draw on; here, every table tells the rules."
                )
            )
            self._lobby.rules_first = self._intent.game
        command = start_command(self._intent) if first else None
        if isinstance(command, Create) and welcome.back and not (welcome.elsewhere or welcome.over):
            # Who connects again in the same way wants the table that was new then, not one more.
            command = None
        if command is None and welcome.back and (first or sent_resume_code):
            self._is_rejoining = True
            command = Join(welcome.back)
        elif sent_resume_code:
            floor.answered()
            floor.tell(floor.translator.gettext("You are who you were, but no table waits for you any more."))
        if command is None:
            self._arrived = True
        else:
            floor.say(command)
        self._tell_resume_code(welcome)

    def _tell_resume_code(self, welcome: Welcome) -> None:
        """Tell a guest the word to come back by, once a game runs: when the line is cut it is too late to ask."""
        if welcome.word not in {"", self._word} and has_seat(self.floor.known, "playing"):
            self._word = welcome.word
            self.floor.tell(
                self.floor.translator.gettext("Your word to come back: {word}", word=welcome.word)
            )

    def _refused(self, refusal: Refusal) -> None:
        floor = self.floor
        if refusal.reason == "version":
            floor.leave(farewell.VERSION_MISMATCH)
            return
        if refusal.to == Keep.__name__:
            return
        if self._returning.is_under_way and refusal.to in {Back.__name__, Join.__name__, Watch.__name__}:
            floor.known = floor.known.nowhere()
            floor.keep(1)
            self._is_back()
        floor.sent_resume_code = self._is_rejoining = False
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
            floor.save_settings()
        wanted = WaitingMenu if room.state == "open" else TableMenu
        here = next((topic for topic in floor.topics if isinstance(topic, WaitingMenu | TableMenu)), None)
        if isinstance(here, wanted) and here.room.code == room.code:
            return
        came_back, self._is_rejoining = self._is_rejoining and room.you is not None, False
        begun = isinstance(here, WaitingMenu) and here.room.code == room.code
        talk = here.talk if here is not None and here.room.code == room.code else ChatReader(floor)
        floor.keep(1)
        if came_back:
            floor.tell(floor.translator.gettext("Welcome back."))
        speech = floor.speeches.get(room.game)
        try:
            if speech is None:
                raise msgspec.DecodeError(f"no voice for {room.game}")
            topic = (
                WaitingMenu(floor, room, talk)
                if room.state == "open"
                else TableMenu(floor, room, talk, speech)
            )
        except msgspec.DecodeError:
            floor.leave(farewell.UNREADABLE)
            return
        if begun:
            talk.state_changed()
            floor.tell(floor.translator.gettext("The game begins."))
        floor.push(topic)
        if floor.known.welcome is not None:
            self._tell_resume_code(floor.known.welcome)

    def _invited(self, before: Sequence[Invitation], now: Sequence[Invitation]) -> None:
        """Tell of invitations that are new."""
        floor = self.floor
        for line in now:
            if line not in before:
                game = floor.title(line.game, {})
                floor.tell(
                    floor.translator.gettext(
                        "{name} invites you to the table {code}, {game}. "
                        "In the lobby, join {code} goes there, and decline {code} does not.",
                        name=line.name,
                        code=line.code,
                        game=game,
                    )
                )

    def _told(self, said: Invited | Announced | Ignored | Reported, before: ClientState) -> None:
        floor, translator = self.floor, self.floor.translator
        if isinstance(said, Announced):
            floor.tell(notice_line(said, translator))
        elif isinstance(said, Ignored | Reported):
            floor.answered((Ignore if isinstance(said, Ignored) else Report).__name__)
            floor.tell(people_update_message(said, before, floor.known, translator))
        elif said.here:
            floor.tell(translator.gettext("{name} was told that you invite them.", name=said.name))
        else:
            floor.tell(
                translator.gettext("{name} is not here, and will be told when they come.", name=said.name)
            )

    def _tell_elsewhere(self, code: str) -> None:
        translator = self.floor.translator
        self.floor.tell(
            translator.gettext(
                "Your seat is at your other terminal now; join {code} brings it back here.", code=code
            )
        )

    def _left(self, left: Left) -> None:
        floor = self.floor
        floor.keep(1)
        if left.why == "moved":
            self._tell_elsewhere(left.code)
        else:
            floor.tell(floor.translator.render(left_message(left)))
        # The lists as they are now are on their way; the lobby begins with them.
        floor.known = msgspec.structs.replace(floor.known, lobby=None)
        self._lobby.is_open = False

    # The line.

    def _line_stands(self, news: ConnectionStatus) -> None:
        floor = self.floor
        if news.stands == "lost":
            if not floor.is_down:
                floor.tell(floor.translator.gettext("The line is lost; it is being made anew."))
            floor.is_down = True
            floor.answered()
            self._returning.lost(floor.known)
        elif news.stands == "back":
            if not self._arrived:
                floor.known = ClientState()
            self.begin()

    def _go_back(self, welcome: Welcome) -> None:
        command = self._returning.next(welcome)
        if command is not None:
            self._send(command)
        elif not self._returning.is_awaited:
            self._is_back()

    def _is_back(self) -> None:
        self._line_is_up()
        self.floor.tell(self.floor.translator.gettext("The line is back."))

    def _line_is_up(self) -> None:
        self._returning.is_back()
        self.floor.is_down = False
