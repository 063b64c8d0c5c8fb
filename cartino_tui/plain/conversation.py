"""A visit in plain mode: the effects of a `Visit` become sentences, lines become commands.

It writes to no terminal; `line_handler` does. Guest names lose their mark, which screen readers skip or misread.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from cartino_protocol.accounts import Invitation, Invitations
from cartino_protocol.commands import Command
from cartino_protocol.link import ConnectionStatus
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_
from cartino_protocol.views import Answer, Left, TableView
from cartino_tui.game_port.description import add_server_games, bot_levels
from cartino_tui.game_port.speech import AnySpeech
from cartino_tui.pages.history import missed_sentences
from cartino_tui.plain.line_handler import PlainSession
from cartino_tui.plain.lobby import LobbyMenu
from cartino_tui.plain.menu import LineMenu
from cartino_tui.plain.phrases import spell_out_guests
from cartino_tui.plain.table import TableMenu, WaitingMenu
from cartino_tui.plain.table_commands import ChatReader
from cartino_tui.preferences import Preferences
from cartino_tui.visit import events as visit_events
from cartino_tui.visit import messages
from cartino_tui.visit.events import Effect, Fact
from cartino_tui.visit.farewell import UNREADABLE
from cartino_tui.visit.routes import ShellCommands, StartRoute
from cartino_tui.visit.visit import Visit

_FACTS: Final[Mapping[type[Fact], str]] = {
    visit_events.Renamed: messages.RENAMED,
    visit_events.TableNotNew: N_("You're back at your table. Leave it to open another one."),
    visit_events.TableGone: messages.TABLE_GONE,
    visit_events.SeatElsewhere: N_(
        "You're now playing from your other terminal. Type join {code} to move back here."
    ),
    visit_events.ResumeCode: N_("Your resume code: {word}"),
    visit_events.ConnectionLost: N_("Connection lost. Reconnecting."),
    visit_events.Reconnected: messages.RECONNECTED,
}
"""What a fact is told as; its fields stand in the places."""


class Conversation(PlainSession):
    """One person's visit: `handle` takes what the server says, `enter` what is typed, `take` returns the lines."""

    def __init__(
        self,
        send: Callable[[Command], None],
        preferences: Preferences,
        speeches: Mapping[str, AnySpeech],
        intent: StartRoute | None = None,
        shell_commands: ShellCommands = ShellCommands(),  # noqa: B008 - a constant
        own_shell_commands: ShellCommands = ShellCommands(),  # noqa: B008 - a constant
    ) -> None:
        """`send` sends a command to the server; `speeches` are the games' own.

        `shell_commands` lead a friend here, `own_shell_commands` lead the person back.
        """
        visit = Visit(intent, preferences, own_shell_commands, "cartino-plain")
        super().__init__(visit, send, shell_commands, speeches)
        self._lobby = LobbyMenu(self.context)
        self.context.topics.append(self._lobby)

    @property
    def waiting(self) -> bool:
        """Whether an answer is due, before which nothing that is typed is read."""
        visit = self._visit
        # A replay that the visit begins with lies over a lobby that isn't written yet.
        in_lobby = self._front is self._lobby and visit.state.table is None and not self._lobby.is_open
        return visit.waiting or (in_lobby and not visit.connection.is_down)

    def _finish(self, lines: list[str]) -> list[str]:
        context = self.context
        return super()._finish(spell_out_guests(lines, context.client_state, context.translator))

    def enter(self, text: str) -> None:
        """Do what the line `text` means."""
        self._front.enter(text)

    def handle(self, said: Answer | ConnectionStatus) -> None:
        """Take in what the server says, or what became of the connection."""
        before = self._visit.state
        self._handle(said)
        if self.farewell is None and not isinstance(said, ConnectionStatus):
            for topic in tuple(self.context.topics):
                topic.state_changed(before)

    @property
    def _front(self) -> LineMenu:
        return self.context.topics[-1]

    def _perform(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case visit_events.Send(command):
                    self._send(command)
                case visit_events.ShowTable(table, returned):
                    self._show_table(table, returned=returned)
                case visit_events.ShowLobby(left):
                    self._show_lobby(left)
                case visit_events.ShowLessons(game):
                    self._lobby.ask_for_lessons(game)
                case visit_events.ShowReplay(asked):
                    self.context.send(asked)
                case visit_events.OfferLessons(command):
                    self.context.preferences.choose(taught=True)
                    self.context.save_settings()
                    self.context.explain(
                        N_("New here? Type leave, then learn, to learn to play in three minutes.")
                    )
                    self.context.send(command)
                case visit_events.Answered(answer):
                    self._front.handle_answer(answer)
                case visit_events.Refused(refusal):
                    self._refused(refusal)
                case visit_events.StartTimer() | visit_events.StopTimer() | visit_events.End():
                    pass  # settings are saved at once here, and nothing counts down
                case _:
                    self._tell_fact(effect)

    def _tell_fact(self, fact: Fact) -> None:
        context, translator = self.context, self.context.translator
        match fact:
            case visit_events.Greeted():
                add_server_games(context.speeches, context.games)
            case visit_events.NameChanged(welcome):
                context.tell(translator.render(messages.name_change_message(welcome)))
            case visit_events.TurnStarted(codes):
                self._tell_turns(codes)
            case visit_events.PeopleChanged(Invitations(lines=lines), before):
                self._tell_invitations(before.invitations, lines)
            case visit_events.PeopleChanged(answer, before):
                context.tell(messages.people_update_message(answer, before, context.client_state, translator))
            case visit_events.WhileAway(news):
                told = missed_sentences(news, context.reader, len(news.games))
                context.tell(translator.gettext(messages.WHILE_AWAY, news=" ".join(told)))
                if news.more:
                    context.explain(N_("There are more: in the lobby, type history, then mine."))
            case visit_events.AdminAnnounced(notice):
                context.tell(messages.notice_line(notice, translator))
            case visit_events.BotBeaten(bot, game):
                rival = context.preferences.rival(game, bot_levels(context.speeches).get(game, ()))
                context.tell(translator.render(messages.bot_beaten_message(bot, rival)))
            case _:
                self.context.explain(_FACTS[type(fact)], **msgspec.structs.asdict(fact))

    def _tell_turns(self, codes: Sequence[str]) -> None:
        """Tell of turns elsewhere: the table in front and an opening lobby tell of theirs."""
        table = self.context.client_state.table
        if table is None and not self._lobby.is_open:
            return
        for code in codes:
            if table is None or code != table.code:
                self.context.explain(N_("It's your turn at table {code}."), code=code)

    def _refused(self, refusal: Refusal) -> None:
        if refusal.reason == "no-line" and self._visit.connection.is_down:
            self.context.explain(
                N_("Not sent: the connection was down. Send it again once you're reconnected.")
            )
        elif refusal.reason != "elsewhere":
            self._front.handle_refusal(refusal)
        in_lobby = self.context.client_state.table is None and self._front is self._lobby
        if in_lobby and self._visit.has_fresh_lobby and not self._lobby.is_open:
            # Its choices are told with the first refusal alone: who mistypes a code knows them.
            self._lobby.is_open = True
            self._lobby.offer()

    def _show_table(self, table: TableView, *, returned: bool) -> None:
        """Have the topic in place that `table` needs."""
        context = self.context
        wanted = WaitingMenu if table.state == "open" else TableMenu
        here = next((topic for topic in context.topics if isinstance(topic, WaitingMenu | TableMenu)), None)
        if isinstance(here, wanted) and here.table.code == table.code:
            return
        begun = isinstance(here, WaitingMenu) and here.table.code == table.code
        talk = here.talk if here is not None and here.table.code == table.code else ChatReader(context)
        context.keep(1)
        if returned:
            self.context.explain(messages.WELCOME_BACK)
        speech = context.speeches.get(table.game)
        try:
            if speech is None:
                raise msgspec.DecodeError(f"no speech for {table.game}")
            topic = (
                WaitingMenu(context, table, talk)
                if table.state == "open"
                else TableMenu(context, table, talk, speech)
            )
        except msgspec.DecodeError:
            context.leave(UNREADABLE)
            return
        if begun:
            talk.state_changed()
            self.context.explain(N_("The game begins."))
        context.push(topic)

    def _show_lobby(self, left: Left | None) -> None:
        self.context.keep(1)
        if left is not None:
            if left.why != "moved":
                self.context.tell(self.context.translator.render(messages.left_message(left)))
            # The lists as they are now are on their way; the lobby begins with them.
            self._lobby.is_open = False

    def _tell_invitations(self, before: Sequence[Invitation], now: Sequence[Invitation]) -> None:
        """Tell of invitations that are new."""
        for line in now:
            if line not in before:
                self.context.explain(
                    N_(
                        "{name} invites you to table {code}, {game}. In the lobby, type join {code} to accept or "
                        "decline {code} to refuse."
                    ),
                    name=line.name,
                    code=line.code,
                    game=self.context.title(line.game, {}),
                )
