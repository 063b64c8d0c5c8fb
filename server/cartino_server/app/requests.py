"""Map an SSH request to a handler: the app for terminals, plain mode, a one-shot reply, or a link for native clients.

A `Backend` is the server, in this process or, in a worker, over the worker's connection to it.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from textual.driver import Driver

from cartino_games.registry import installed
from cartino_protocol.link import BROKEN_OFF, FrameLink, Link
from cartino_protocol.text import N_, LazyMessage
from cartino_server.commands.console import CommandError
from cartino_server.commands.parser import HelpRequested
from cartino_server.commands.ssh_commands import (
    TERMINAL_COMMANDS,
    FollowTable,
    GoToTable,
    OpenTable,
    PlainMode,
    ResumeSeat,
    SshCommand,
    StartLesson,
    parse_ssh_command,
)
from cartino_server.ssh.ports import CommandMode, Terminal
from cartino_server.ssh.session import UNKNOWN_OUTCOME
from cartino_server.visitors import LoginRequest, LoginResult, Reply, Visitor
from cartino_server.workers.remote_server import RemoteLink, RemoteServer, ServerLost
from cartino_tui.app import CartinoApp
from cartino_tui.draw.theme import Ground
from cartino_tui.i18n import translator_for
from cartino_tui.plain.conversation import Conversation
from cartino_tui.plain.line_handler import PlainHandler
from cartino_tui.plain.shell import TableFollower
from cartino_tui.preferences import Preferences, language_of
from cartino_tui.terminal.colour_depth import ColourDepth
from cartino_tui.terminal.environment import ascii_only, can_draw
from cartino_tui.terminal.ports import TerminalHandler
from cartino_tui.terminal.textual_handler import TextualHandler
from cartino_tui.visit.routes import ShellCommands, StartRoute, ToLesson, ToLobby, ToNewTable, ToSeat, ToTable


class Backend(Protocol):
    """A house, wherever it runs."""

    @property
    def door(self) -> str:
        """The words that bring a friend here, before `join CODE`; "" until they are known."""

    def open_link(self, visitor: Visitor) -> FrameLink:
        """A link of `visitor`, whose first command has to be Hello."""

    async def answer(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        """What `words` get without a terminal."""


SERVER_UNAVAILABLE = N_("The house is not there just now; come back in a moment.")


class WorkerBackend:
    """See Host."""

    def __init__(self, house: RemoteServer) -> None:
        """Host for `house`."""
        self._house = house

    @property
    def door(self) -> str:
        """See Host."""
        return self._house.door

    def open_link(self, visitor: Visitor) -> RemoteLink:
        """See Host."""
        return self._house.open_link(visitor)

    async def answer(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        """See Host."""
        try:
            return await self._house.ask(visitor, tuple(words))
        except ServerLost:
            said = translator_for(language_of(visitor.env)).render(UNKNOWN_OUTCOME)
            return Reply(stderr=f"{said}\n", status=BROKEN_OFF)

    async def judge(self, newcomer: LoginRequest) -> LoginResult:
        """Return the decision of the server's `Authenticator`."""
        try:
            return await self._house.judge(newcomer)
        except ServerLost:
            # Scripts that send a move again must not take this for a refusal.
            return LoginResult(refused=LazyMessage(SERVER_UNAVAILABLE), status=BROKEN_OFF)


class AppSession(TextualHandler):
    """The face of a visitor. Their link is opened when the app is made, and has gone when the face has run."""

    def __init__(self, terminal: Terminal, host: Backend, visitor: Visitor, intent: StartRoute) -> None:
        """A visit of `visitor` on `terminal`, on the way to where `intent` says."""
        super().__init__(terminal, self._visit, terminal.limits.key_rate, visitor.source)
        self._host = host
        self._visitor = visitor
        self._intent = intent
        self._language = language_of(terminal.facts.env)
        self._link: Link | None = None

    async def run(self) -> int:
        """Run the visit to its end, however it ends."""
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
            door=ShellCommands(self._host.door),
        )


def open_plain_mode(
    terminal: Terminal, host: Backend, visitor: Visitor, intent: StartRoute, *, asked: bool
) -> PlainHandler:
    """A visit of `visitor`, on the way to where `intent` says; `asked`: in lines because they asked for it."""
    door = ShellCommands(host.door)
    own = ShellCommands(f"{host.door} plain") if asked and host.door else door
    preferences = _terminal_preferences(terminal)
    return PlainHandler(
        terminal,
        lambda: host.open_link(visitor),
        lambda send: Conversation(send, preferences, installed().speeches, intent, door, own),
        terminal.limits.key_rate,
        visitor.source,
    )


def follow_table(terminal: Terminal, host: Backend, visitor: Visitor, verb: FollowTable) -> PlainHandler:
    """What happens at a table, told to `visitor`."""
    preferences = _terminal_preferences(terminal)
    return PlainHandler(
        terminal,
        lambda: host.open_link(visitor),
        lambda send: TableFollower(send, preferences, installed().speeches, verb.code, json=verb.json),
        source=visitor.source,
    )


def _terminal_preferences(terminal: Terminal) -> Preferences:
    facts = terminal.facts
    return Preferences(language_of(facts.env), ascii=ascii_only(facts.term, facts.env))


class ServerRequestHandler:
    """Receives visitors for a `Host`; the `Reception` of the SSH door."""

    def __init__(self, host: Backend) -> None:
        """Receive for `host`."""
        self._host = host

    def way(self, words: Sequence[str]) -> CommandMode:
        """See Reception: words that lead to a table want a screen, words that are wrong get one answer."""
        if not words:
            return "screen"
        if words[0] not in TERMINAL_COMMANDS and words[0] != "plain":
            return "answer"
        try:
            verb = parse_ssh_command(words)
        except (CommandError, HelpRequested):
            return "answer"
        return "lines" if isinstance(verb, PlainMode | FollowTable) else "screen"

    def face(self, visitor: Visitor, terminal: Terminal, words: Sequence[str]) -> TerminalHandler:
        """An app for `visitor` on `terminal`, on its way to where `words` lead; in lines where none can be drawn."""
        verb = parse_ssh_command(words) if words else None
        if isinstance(verb, FollowTable):
            return follow_table(terminal, self._host, visitor, verb)
        if isinstance(verb, PlainMode) or not can_draw(terminal.facts.term):
            to = verb.to if isinstance(verb, PlainMode) else verb
            return open_plain_mode(
                terminal, self._host, visitor, route_of(to), asked=isinstance(verb, PlainMode)
            )
        return AppSession(terminal, self._host, visitor, route_of(verb))

    def link(self, visitor: Visitor) -> FrameLink:
        """The house for a visitor who draws at home."""
        return self._host.open_link(visitor)

    async def answer(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        """What `words` get without a terminal."""
        return await self._host.answer(visitor, words)

    def told(self, sentence: LazyMessage, env: Mapping[str, str]) -> str:
        """`sentence` in the language that `env` names."""
        return translator_for(language_of(env)).render(sentence)


def route_of(verb: SshCommand | None) -> StartRoute:
    """Where `verb` leads; to the lobby where it leads nowhere."""
    match verb:
        case GoToTable(code=code, watch=watch):
            return ToTable(code, watch)
        case OpenTable(game, options, seats, bots, listed, clock, absence):
            return ToNewTable(game, options, seats, bots, listed, clock, absence)
        case ResumeSeat(word=word):
            return ToSeat(word)
        case StartLesson(game=game):
            return ToLesson(game)
        case _:
            return ToLobby()
