"""What a client knows and does, without input or output: events in, effects out.

`Visit.handle` takes what the server says, what became of the connection, and what the person wants. It returns what
the shell (the Textual app or plain mode) has to do, in order. Both shells behave alike because the rules are here.
"""

from typing import Final

import msgspec

from cartino_protocol import __version__, commands
from cartino_protocol.accounts import Ignored, Invitations, Invited, Reported
from cartino_protocol.deals import Today
from cartino_protocol.exit_status import FAILURE
from cartino_protocol.link import ConnectionStatus
from cartino_protocol.notices import Announced
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Answer, Bye, Left, LobbyView, Missed, QueryAnswer, TableView, View, Welcome
from cartino_protocol.wire import VERSION
from cartino_tui.preferences import Preferences
from cartino_tui.visit import events, farewell
from cartino_tui.visit.connection import ConnectionState, Reconnection
from cartino_tui.visit.farewell import Farewell
from cartino_tui.visit.messages import NOTICE_SECONDS, ServerNotices
from cartino_tui.visit.pending import Typeahead
from cartino_tui.visit.routes import LocalTable, ShellCommands, StartRoute, ToLesson
from cartino_tui.visit.state import ClientState, has_seat, own_turn_codes, state_key

SAVE_DELAY: Final = 1.0
"""Seconds from the last change of the settings until they are saved."""
TICK_SECONDS: Final = 1.0
"""Seconds between two updates of the countdown to the next try."""


class Visit:
    """One person's visit. Not for use from several threads."""

    def __init__(
        self,
        start: StartRoute,
        preferences: Preferences,
        shell: ShellCommands,
        client: str,
    ) -> None:
        """Start at `start`. `shell` has the commands that lead the person back, `client` is what `Hello` calls it."""
        self.state = ClientState()
        self.preferences = preferences
        self.connection = ConnectionState()
        self.notices = ServerNotices()
        self.typeahead = Typeahead()
        self.arrived = False
        """Whether the person has been where they wanted to go first, or was told that they can't."""
        self.ended: Farewell | None = None
        self._start = start
        self.shell = shell
        self._hello = commands.Hello(VERSION, f"{client} {__version__}")
        self._reconnection = Reconnection()
        self._asked_summary = self._asked_today = False
        """Whether the summary was asked for on this connection."""
        self._sent_resume_code = False
        """Whether the answer to a resume code is still to come."""
        self._rejoining = False
        self._turns: frozenset[str] = frozenset()
        self._told_code = ""
        self._effects: list[events.Effect] = []

    @property
    def is_arriving(self) -> bool:
        """Whether a table, a lesson or the list of tables is about to come, so that the lobby need not be shown yet."""
        state = self.state
        listless = state.welcome is not None and state.table is None and state.lobby is None
        arriving = self._rejoining or not (self.arrived or self._start is None)
        return (arriving or listless) and not self.connection.is_down

    @property
    def has_fresh_lobby(self) -> bool:
        """Whether the list of tables has come since the person was last at a table."""
        return self.state.lobby is not None

    @property
    def waiting(self) -> bool:
        """Whether input has to wait for an answer."""
        return not self.connection.is_down and (self.typeahead.waiting or not self.arrived)

    def begin(self) -> list[events.Effect]:
        """Greet the server; what is typed before it answers waits for the games and the tables."""
        self.typeahead.record_command(state_key(self.state), self._hello)
        return [events.Send(self._hello)]

    def handle(self, event: events.Event, now: float = 0.0) -> list[events.Effect]:
        """Take in `event` at `now` (seconds of a clock that only rises); return what to do, in order.

        After `End` nothing has an effect any more.
        """
        if self.ended is not None:
            return []
        match event:
            case ConnectionStatus():
                self._connection_changed(event, now)
            case events.Closed(why=why):
                lost = farewell.connection_lost(self.state, self.shell)
                self._end(lost if why is None else Farewell(why, FAILURE))
            case events.Wanted(command, awaited):
                self._want(command, awaited=awaited)
            case events.SaveSettings(now=True) | events.TimeUp("save-settings"):
                self._save_settings()
            case events.SaveSettings():
                self._effects.append(events.StartTimer("save-settings", SAVE_DELAY))
            case events.TimeUp("notice"):
                self.notices.read()
            case events.TimeUp():
                pass
            case events.QuitRequest(given):
                self._end(farewell.player_left(self.state, self.shell) if given == Farewell() else given)
            case _:
                self._receive(event)
        effects, self._effects = self._effects, []
        return effects

    def _receive(self, answer: Answer) -> None:
        before = self.state
        self.state = before.learn(answer)
        self.typeahead.stands(state_key(self.state))
        if not isinstance(answer, View) or isinstance(answer, TableView):
            # Whatever this answers, the person is where they can get.
            self.arrived = True
        match answer:
            case Bye():
                self._end(farewell.server_farewell(answer, self.state, self.shell))
            case Refusal():
                self._refused(answer)
            case Welcome():
                self._welcomed(answer, before.welcome)
            case TableView():
                # The daily may be played when the person is back.
                self._asked_today = False
                self._table_shown(answer)
            case LobbyView():
                self._ask_about_lobby()
            case Left():
                self._effects.append(events.ShowLobby(answer))
                if answer.why == "moved":
                    # Not back by itself: two terminals would take the seat from each other for ever.
                    self._effects.append(events.SeatElsewhere(answer.code))
            case Invitations() | Invited() | Ignored() | Reported():
                # Nothing else in the state answers these two.
                self.typeahead.record_answer(
                    (commands.Ignore if isinstance(answer, Ignored) else commands.Report).__name__
                )
                self._effects.append(events.PeopleChanged(answer, before))
            case Announced() | Missed():
                self._heard(answer)
            case _ if isinstance(answer, QueryAnswer):
                self._effects.append(events.Answered(answer))
        self._end_greeting()
        self._tell_turns()

    def _heard(self, news: Announced | Missed) -> None:
        if isinstance(news, Missed):
            self._effects.append(events.WhileAway(news))
        else:
            self.notices.handle(news, self.state)
            self._effects += [events.AdminAnnounced(news), events.StartTimer("notice", NOTICE_SECONDS)]

    def _ask_about_lobby(self) -> None:
        """Ask once a visit for the summary, and each time the person comes for how they stand with the daily."""
        if self.is_arriving:
            return
        if not self._asked_summary:
            self._send(commands.Summary())
        if not self._asked_today:
            self._send(Today())
        self._asked_summary = self._asked_today = True

    def _end_greeting(self) -> None:
        """Stop holding back what was typed before the games and the tables were known."""
        if self.has_fresh_lobby and self.state.welcome is not None:
            self.typeahead.record_answer(commands.Hello.__name__)

    def _tell_turns(self) -> None:
        turns = frozenset(own_turn_codes(self.state))
        started, self._turns = turns - self._turns, turns
        if started and self.ended is None:
            self._effects.append(events.TurnStarted(tuple(sorted(started))))

    def _welcomed(self, welcome: Welcome, before: Welcome | None) -> None:
        if welcome.version != VERSION:
            self._end(farewell.VERSION_MISMATCH)
            return
        first = before is None
        resumed, self._sent_resume_code = self._sent_resume_code, False
        if first or resumed:
            self.preferences.learn(bytes(welcome.settings))
        self._effects.append(events.Greeted())
        if self._reconnection.is_under_way and self.arrived:
            self._go_back(welcome)
            return
        if self._reconnection.is_under_way:
            self._connection_is_up()
            self.typeahead.resume(None)
        elif before is not None and before.name != welcome.name:
            self._effects.append(events.Renamed(welcome.name))
        # Whoever comes with a resume code gets their own name back.
        if first and welcome.missed and not isinstance(self._start, commands.Back):
            self._effects.append(events.NameChanged(welcome))
        if first or resumed:
            self._arrive(welcome, first=first, resumed=resumed)
        self._tell_resume_code(welcome)

    def _arrive(self, welcome: Welcome, *, first: bool, resumed: bool) -> None:
        """Go where the person wants to go, or back to the table where they have a seat."""
        start = self._start if first else None
        if isinstance(start, LocalTable):
            offers = self.preferences.is_offered_lessons
            start = start.table if self.preferences.settings.game else start.first
            if offers:
                self.arrived = True
                self._effects.append(events.OfferLessons(start))
                return
        over_lobby = start if isinstance(start, ToLesson | commands.Replay) else None
        command = None if isinstance(start, ToLesson | commands.Replay) else start
        if isinstance(command, commands.Create) and welcome.back and not (welcome.elsewhere or welcome.over):
            # The same command again, maybe in a loop, means the table that it opened, not one more.
            self._effects.append(events.TableNotNew())
            command = None
        if command is None and welcome.back and (first or resumed) and over_lobby is None:
            self._rejoining = True
            command = commands.Join(welcome.back)
        elif resumed:
            self.typeahead.cancel_command("")
            self._effects.append(events.TableGone())
        if command is not None:
            self._send(command, awaited=True)
            return
        self.arrived = True
        if isinstance(over_lobby, commands.Replay):
            self._effects.append(events.ShowReplay(over_lobby))
        elif over_lobby is not None:
            self._effects.append(events.ShowLessons(over_lobby.game))

    def _tell_resume_code(self, welcome: Welcome) -> None:
        """Tell a guest the code once a game runs: when the connection is cut, it is too late to ask."""
        if welcome.word not in {"", self._told_code} and has_seat(self.state, "playing"):
            self._told_code = welcome.word
            self._effects.append(events.ResumeCode(welcome.word))

    def _table_shown(self, table: TableView) -> None:
        returned, self._rejoining = self._rejoining and table.you is not None, False
        self._effects.append(events.ShowTable(table, returned))
        before = self.preferences.settings
        self.preferences.remember_game(table)
        beaten = self.preferences.count_win(table)
        if beaten:
            self._effects.append(events.BotBeaten(beaten, table.game))
        if self.preferences.settings != before:
            self._save_settings()
        if self._reconnection.is_awaited:
            self._is_back()
        if self.state.welcome is not None:
            self._tell_resume_code(self.state.welcome)

    def _refused(self, refusal: Refusal) -> None:
        older = self._asked_summary and self.state.summary is None
        older = older or (self._asked_today and self.state.today is None)
        if older and refusal == Refusal("malformed"):
            # A server of before the summary or the dailies; the lobby does without.
            return
        if refusal.reason == "version":
            self._end(farewell.VERSION_MISMATCH)
            return
        if refusal.to == commands.Prefer.__name__ and refusal.reason == "busy":
            # Sent with the next change or at the end, never in a loop.
            self.preferences.mark_unsent()
        if refusal.to == commands.SaveSelection.__name__:
            return
        code = refusal.detail
        if self._reconnection.is_under_way and refusal.to in {
            commands.Back.__name__,
            commands.Join.__name__,
            commands.Watch.__name__,
        }:
            code = self._reconnection.code or code
            self.state = self.state.nowhere()
            self._effects.append(events.ShowLobby())
            self._is_back()
        self._sent_resume_code = self._rejoining = False
        self.typeahead.cancel_command(refusal.to)
        if refusal.reason == "elsewhere":
            self._effects.append(events.SeatElsewhere(code))
        self._effects.append(events.Refused(refusal))

    def _want(self, command: commands.Command, *, awaited: bool) -> None:
        if self.connection.is_down:
            self.connection.send_failed = True
            self._refused(Refusal("no-line", to=commands.tag_of(command)))
        else:
            self._send(command, awaited=awaited)

    def _send(self, command: commands.Command, *, awaited: bool = False) -> None:
        if awaited:
            self.typeahead.record_command(state_key(self.state), command)
        if isinstance(command, commands.Back):
            # What was chosen until now belongs to whom the person is until now.
            self._save_settings()
            self._sent_resume_code = True
        self._effects.append(events.Send(command))

    def _save_settings(self) -> None:
        news = None if self.connection.is_down else self.preferences.flush_unsent_settings()
        if news is not None:
            self._effects += [events.StopTimer("save-settings"), events.Send(news)]

    def _connection_changed(self, status: ConnectionStatus, now: float) -> None:
        self.connection.handle(status, now)
        if status.stands == "lost":
            first = not self._reconnection.is_under_way
            self._reconnection.handle_loss(self.state)
            self.typeahead.suspend()
            if first:
                self._effects += [events.ConnectionLost(), events.StartTimer("countdown", TICK_SECONDS)]
        elif status.stands == "back":
            self._asked_summary = self._asked_today = False
            self.state = msgspec.structs.replace(self.state, summary=None, preview=None)
            if not self.arrived:
                self.state = ClientState()
            self._effects.append(events.Send(self._hello))

    def _go_back(self, welcome: Welcome) -> None:
        """Go where the person was when the connection was lost."""
        command = self._reconnection.next(welcome)
        if command is not None:
            self._send(command)
        elif not self._reconnection.is_awaited:
            self._is_back()

    def _is_back(self) -> None:
        """Go on where the person was. Report the command that didn't arrive, if there was one."""
        self._connection_is_up()
        self._effects.append(events.Reconnected())
        if self.state.welcome is not None and not bytes(self.state.welcome.settings):
            # To the server this is another guest now.
            self.preferences.mark_all_unsent()
        self._save_settings()
        unheard = self.typeahead.resume(state_key(self.state))
        if unheard:
            self._refused(Refusal("no-line", to=unheard))

    def _connection_is_up(self) -> None:
        self._reconnection.is_back()
        self.connection.is_up()
        self._effects.append(events.StopTimer("countdown"))

    def _end(self, words: Farewell) -> None:
        self._save_settings()
        self.ended = words
        self._effects.append(events.End(words))
