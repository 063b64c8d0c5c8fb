"""Map an SSH request to a handler: the app for terminals, plain mode, a one-shot reply, or a link for native clients.

A `Backend` is the server, in this process or, in a worker, over the worker's connection to it.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from textual.driver import Driver

from cartino_games.registry import installed
from cartino_protocol.deals import PlayDaily
from cartino_protocol.exit_status import BROKEN_OFF
from cartino_protocol.link import FrameLink, Link
from cartino_protocol.terminal import TerminalHandler
from cartino_protocol.text import N_, LazyMessage
from cartino_server.bots.session import BotSession
from cartino_server.commands.console import CommandError
from cartino_server.commands.parser import HelpRequested
from cartino_server.commands.visit_commands import (
    VISITS,
    DailyResults,
    FollowTable,
    PlainMode,
    PlayAsBot,
    parse_visit,
)
from cartino_server.ssh.ports import CommandMode, TerminalChannel
from cartino_server.ssh.session import UNKNOWN_OUTCOME
from cartino_server.visitors import LoginRequest, LoginResult, Reply, Visitor, is_bot_person
from cartino_server.workers.remote_server import RemoteServer, ServerLost
from cartino_tui.app import CartinoApp
from cartino_tui.draw.theme import Ground
from cartino_tui.i18n import translator_for
from cartino_tui.plain.conversation import Conversation
from cartino_tui.plain.line_handler import PlainHandler
from cartino_tui.plain.shell import TableFollower
from cartino_tui.preferences import Preferences, language_of
from cartino_tui.terminal.colour_depth import ColourDepth
from cartino_tui.terminal.environment import ascii_only, can_draw
from cartino_tui.terminal.textual_handler import TextualHandler
from cartino_tui.visit.routes import ShellCommands, StartRoute


class Backend(Protocol):
    """The server, wherever it runs."""

    @property
    def connect_command(self) -> str:
        """The command that leads here, before `join CODE`; "" until it is known."""

    def open_link(self, visitor: Visitor, /) -> FrameLink:
        """Open a link of `visitor`, whose first command has to be Hello."""

    async def run_command(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        """Return what `words` get without a terminal."""


SERVER_UNAVAILABLE = N_("The server isn't available right now. Come back in a moment.")


class WorkerBackend(RemoteServer):
    """The server, as a worker's sessions use it: that it is gone is an answer."""

    async def run_command(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        """Run a command in the server."""
        try:
            return await self.ask(visitor, tuple(words))
        except ServerLost:
            said = translator_for(language_of(visitor.env)).render(UNKNOWN_OUTCOME)
            return Reply(stderr=f"{said}\n", status=BROKEN_OFF)

    async def judge(self, newcomer: LoginRequest) -> LoginResult:
        """Return the decision of the server's `Authenticator`."""
        try:
            return await super().judge(newcomer)
        except ServerLost:
            # Scripts that send a move again must not take this for a refusal.
            return LoginResult(refused=LazyMessage(SERVER_UNAVAILABLE), status=BROKEN_OFF)


class AppSession(TextualHandler):
    """Runs the app for a visitor. The link is opened with the app and closed at the end."""

    def __init__(
        self, terminal: TerminalChannel, host: Backend, visitor: Visitor, intent: StartRoute
    ) -> None:
        super().__init__(terminal, self._visit, terminal.limits.key_rate, visitor.source)
        self._host = host
        self._visitor = visitor
        self._intent = intent
        self._language = language_of(terminal.facts.env)
        self._link: Link | None = None

    async def run(self) -> int:
        """Run the app, and close the link however it ends."""
        try:
            return await super().run()
        finally:
            if self._link is not None:
                self._link.close()

    def _visit(
        self, *, depth: ColourDepth, driver_class: type[Driver], ascii: bool, ground: Ground | None
    ) -> CartinoApp:
        self._link = self._host.open_link(self._visitor)
        return CartinoApp(
            self._link,
            self._intent,
            game_screens=installed().screens,
            depth=depth,
            driver_class=driver_class,
            ascii=ascii,
            language=self._language,
            ground=ground,
            shell_commands=ShellCommands(self._host.connect_command),
        )


def open_plain_mode(
    terminal: TerminalChannel, host: Backend, visitor: Visitor, intent: StartRoute, *, asked: bool
) -> PlainHandler:
    """Return a visit of `visitor` in lines of text; `asked`: they asked for that."""
    shell_commands = ShellCommands(host.connect_command)
    own = ShellCommands(f"{host.connect_command} plain") if asked and host.connect_command else shell_commands
    preferences = _terminal_preferences(terminal)
    return PlainHandler(
        terminal,
        lambda: host.open_link(visitor),
        lambda send: Conversation(send, preferences, installed().speeches, intent, shell_commands, own),
        terminal.limits.key_rate,
        visitor.source,
    )


def follow_table(
    terminal: TerminalChannel, host: Backend, visitor: Visitor, verb: FollowTable
) -> PlainHandler:
    """Return what tells `visitor` what happens at a table."""
    preferences = _terminal_preferences(terminal)
    return PlainHandler(
        terminal,
        lambda: host.open_link(visitor),
        lambda send: TableFollower(send, preferences, installed().speeches, verb.code, json=verb.json),
        source=visitor.source,
    )


def _terminal_preferences(terminal: TerminalChannel) -> Preferences:
    facts = terminal.facts
    return Preferences(language_of(facts.env), ascii=ascii_only(facts.term, facts.env))


def open_bot_session(terminal: TerminalChannel, host: Backend, visitor: Visitor) -> BotSession:
    """Return what plays for a bot account on `terminal`, in JSON lines."""
    return BotSession(
        terminal,
        lambda: host.open_link(visitor),
        installed().speeches,
        is_bot=is_bot_person(visitor.person),
    )


class ServerRequestHandler:
    """Answers SSH requests from a `Backend`."""

    def __init__(self, host: Backend) -> None:
        self._host = host

    def mode(self, words: Sequence[str]) -> CommandMode:
        """Return how `words` are met: words that lead to a table get a screen, wrong ones an answer."""
        if not words:
            return "screen"
        if words[0] not in VISITS.commands:
            return "answer"
        try:
            verb = parse_visit(words)
        except (CommandError, HelpRequested):
            return "answer"
        if isinstance(verb, PlayDaily):
            return "either"
        if isinstance(verb, DailyResults):
            return "answer"
        return "lines" if isinstance(verb, PlainMode | FollowTable | PlayAsBot) else "screen"

    def handler(self, visitor: Visitor, terminal: TerminalChannel, words: Sequence[str]) -> TerminalHandler:
        """Return the handler of `terminal` for `words`; in lines of text if it can't show a screen."""
        verb = parse_visit(words) if words else None
        if isinstance(verb, FollowTable):
            return follow_table(terminal, self._host, visitor, verb)
        if isinstance(verb, PlayAsBot):
            return open_bot_session(terminal, self._host, visitor)
        asked = isinstance(verb, PlainMode)
        to = verb.to if isinstance(verb, PlainMode) else verb
        route = to if isinstance(to, StartRoute) else None
        if asked or not can_draw(terminal.facts.term):
            return open_plain_mode(terminal, self._host, visitor, route, asked=asked)
        return AppSession(terminal, self._host, visitor, route)

    def link(self, visitor: Visitor) -> FrameLink:
        """Open a link for a native client."""
        return self._host.open_link(visitor)

    async def run_command(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        """Return what `words` get without a terminal."""
        return await self._host.run_command(visitor, words)

    def translate(self, sentence: LazyMessage, env: Mapping[str, str]) -> str:
        """Return `sentence` in the language that `env` names."""
        return translator_for(language_of(env)).render(sentence)
