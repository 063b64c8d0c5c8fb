"""Map an SSH request to a handler: the app for terminals, plain mode, a one-shot reply, or a link for native clients.

A `Backend` is the server, in this process or, in a worker, over the worker's connection to it.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from textual.driver import Driver

from cartino_games.registry import installed
from cartino_protocol.deals import PlayDaily
from cartino_protocol.link import FrameLink, Link
from cartino_protocol.terminal import TerminalHandler
from cartino_protocol.text import LazyMessage
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
from cartino_server.visitors import Reply, Visitor, is_bot_person
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
        facts, host, source = terminal.facts, self._host, visitor.source
        preferences = Preferences(language_of(facts.env), ascii=ascii_only(facts.term, facts.env))

        def open_link() -> FrameLink:
            return host.open_link(visitor)

        match verb:
            case FollowTable(code=code, json=json):
                return PlainHandler(
                    terminal,
                    open_link,
                    lambda send: TableFollower(send, preferences, installed().speeches, code, json=json),
                    source=source,
                )
            case PlayAsBot():
                is_bot = is_bot_person(visitor.person)
                return BotSession(terminal, open_link, installed().speeches, is_bot=is_bot)
        to = verb.to if isinstance(verb, PlainMode) else verb
        route = to if isinstance(to, StartRoute) else None
        if not isinstance(verb, PlainMode) and can_draw(facts.term):
            return AppSession(terminal, host, visitor, route)
        friends = own = ShellCommands(host.connect_command)
        if isinstance(verb, PlainMode) and host.connect_command:
            own = ShellCommands(f"{host.connect_command} plain")
        return PlainHandler(
            terminal,
            open_link,
            lambda send: Conversation(send, preferences, installed().speeches, route, friends, own),
            terminal.limits.key_rate,
            source,
        )

    def link(self, visitor: Visitor) -> FrameLink:
        """Open a link for a native client."""
        return self._host.open_link(visitor)

    async def run_command(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        """Return what `words` get without a terminal."""
        return await self._host.run_command(visitor, words)

    def translate(self, sentence: LazyMessage, env: Mapping[str, str]) -> str:
        """Return `sentence` in the language that `env` names."""
        return translator_for(language_of(env)).render(sentence)
