"""Run SSH commands and open links in the server process, with a rate limit for commands.

A command costs more than a move, and a loop is easy to write. Too-fast requests wait a second before they are refused.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol

import msgspec
import structlog

from cartino_protocol.deals import Daily, PlayDaily
from cartino_protocol.exit_status import BROKEN_OFF, FAILURE, TOO_MANY
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_, LazyMessage, lazy_gettext
from cartino_protocol.views import Bye
from cartino_server.commands.console import CommandError, failure, refusal_error
from cartino_server.commands.context import CommandContext
from cartino_server.commands.game_commands import show_results
from cartino_server.commands.parser import HelpRequested
from cartino_server.commands.registry import Call
from cartino_server.commands.ssh_commands import parse_ssh_command
from cartino_server.commands.visit_commands import DailyResults, SshCommand
from cartino_server.lobby.remote_tables import TableRefusal
from cartino_server.metrics.definitions import CRASHES
from cartino_server.server import Server
from cartino_server.store.port import JournalClosed, NotSaved
from cartino_server.table.link import Person, ServerLink
from cartino_server.visitors import Reply, Visitor
from cartino_tui.draw.text import plain
from cartino_tui.i18n import Translator, translator_for
from cartino_tui.preferences import Preferences, decode_settings, language_of
from cartino_tui.terminal.environment import ascii_only

REFUSAL_DELAY: Final = 1.0
"""Seconds to wait before refusing a request that came too fast."""
_COMMAND_COST: Final = 1
"""Tokens of any command: it costs more than a move, and a loop is easy to write."""
_QUERY_COST: Final = 5
"""Tokens of a command that reads the journal, replays a game or walks all games."""
_log = structlog.get_logger(__name__)

TOO_FAST_MESSAGE: Final = lazy_gettext("Too many requests. Wait a few seconds, then try again.")


class TooManyCommands(CommandError):
    """Somebody sends commands too fast."""

    def __init__(self) -> None:
        super().__init__(TOO_FAST_MESSAGE, TOO_MANY)


COMMAND_CRASHED = N_("Something went wrong here; the log has it under {id}.")
JOURNAL_LOST = N_(
    "The server lost its journal and is stopping, so it isn't clear whether anything was done. Try "
    "again a little later."
)


VISIT_ENDED = N_("The host disconnected you.")


class AdminHandler(Protocol):
    """Answers admins."""

    def knows(self, visitor: Visitor) -> bool:
        """Return whether the visitor is an admin."""

    async def run_command(self, visitor: Visitor, words: Sequence[str], translator: Translator) -> Reply:
        """Answer `words` of `visitor`, admin or not. Raises nothing."""


class LocalBackend:
    """A `Backend` whose server runs in this process."""

    def __init__(
        self,
        server: Server,
        connect_command: str = "",
        *,
        admits: Callable[[Visitor], bool] = lambda _: True,
        admin: AdminHandler | None = None,
        wait: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """`admits(visitor)`: they are still admitted, as a worker may not know yet that they were disconnected.

        `admin` answers admins, if anybody does; `wait` seconds before a refusal.
        """
        self.connect_command = connect_command
        self._admits = admits
        self._admin = admin
        self._server = server
        self._services = server.services
        self._wait = wait

    def set_connect_command(self, command: str) -> None:
        """Show `command` from now on as what friends type."""
        self.connect_command = command

    def open_link(self, visitor: Visitor) -> ServerLink:
        """Open a link of `visitor`."""
        link = self._server.open_link(
            _person(visitor), visitor.connection, session=visitor.id, unusable_key=visitor.unusable_key
        )
        if not self._admits(visitor):
            link.end(Bye("kicked"))
        return link

    async def run_command(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        """Return what `words` get without a terminal; an error in the server is a reply, too."""
        try:
            if not self._is_admin(visitor):
                await self._charge(visitor, _COMMAND_COST)
        except TooManyCommands as error:
            # Preferences are looked up only for those who are answered.
            text = translator_for(language_of(visitor.env)).render(error.sentence)
            return Reply(stderr=f"{text}\n", status=error.code)
        preferences = await self._preferences(visitor)
        reply = await self._reply(visitor, words, preferences.translator)
        return _ascii_reply(reply, tuple(words)) if preferences.ascii else reply

    async def _preferences(self, visitor: Visitor) -> Preferences:
        """Return the visitor's settings, or what their environment says."""
        # A guest has no settings yet.
        stored = b"" if visitor.guest else await self._services.account_data.settings.read(visitor.person)
        own = decode_settings(stored)
        return Preferences(language_of(visitor.env), ascii=ascii_only("", visitor.env), settings=own)

    async def _reply(self, visitor: Visitor, words: Sequence[str], translator: Translator) -> Reply:
        try:
            if not self._admits(visitor):
                raise CommandError(LazyMessage(VISIT_ENDED), BROKEN_OFF)
            if words[0] == "admin" and self._admin is not None:
                return await self._admin.run_command(visitor, words[1:], translator)
            reply = await self._run(visitor, parse_ssh_command(words, translator), translator)
            return reply if isinstance(reply, Reply) else Reply(stdout=reply)
        except HelpRequested as asked:
            return Reply(stdout=asked.text)
        except CommandError as error:
            return Reply(stderr=f"{translator.render(error.sentence)}\n", status=error.code)
        except JournalClosed:
            return Reply(stderr=f"{translator.gettext(JOURNAL_LOST)}\n", status=BROKEN_OFF)
        except Exception:
            CRASHES.add("session")
            _log.exception("session crashed", session=visitor.id)
            return Reply(stderr=f"{translator.gettext(COMMAND_CRASHED, id=visitor.id)}\n", status=FAILURE)

    async def _run(self, visitor: Visitor, command: SshCommand, translator: Translator) -> str | Reply:
        """Run `command`; what it costs beside the reply is counted here as well. Raises CommandError."""
        if isinstance(command, PlayDaily):
            command = DailyResults(command.game)
        if isinstance(command, DailyResults):
            asked = Daily(command.game, command.number)
            command = Call(show_results, {"asked": asked, "json": command.json})
        if not isinstance(command, Call):
            raise failure("This needs a terminal. Use `ssh -t`.")
        is_admin = self._is_admin(visitor)

        async def charge_query() -> None:
            if not is_admin:
                await self._charge(visitor, _QUERY_COST - _COMMAND_COST)

        context = CommandContext(
            self._services,
            visitor,
            _person(visitor),
            translator,
            self.connect_command,
            is_admin,
            charge_query,
        )
        try:
            said: str | Reply = await command.run(context, **command.arguments)
            return said
        except TableRefusal as error:
            raise refusal_error(error.refusal) from None
        except NotSaved:
            raise refusal_error(Refusal("not-saved")) from None

    async def _charge(self, visitor: Visitor, tokens: int) -> None:
        """Count a command for its person, and for its network whatever the keys. Raises TooManyCommands."""
        rate_limits = self._services.rate_limits
        together = rate_limits.of_shells(visitor.connection)
        own = None
        if together is None or not visitor.guest:
            # A guest's own limit is shared by the network's guests, and tables must not feel shells.
            own = rate_limits.limits_of(visitor.person, visitor.connection)
        # One's own first, so that being refused costs the network nothing.
        if not all(limit is None or limit.allows_frame(tokens) for limit in (own, together)):
            await self._wait(REFUSAL_DELAY)
            raise TooManyCommands

    def _is_admin(self, visitor: Visitor) -> bool:
        return self._admin is not None and self._admin.knows(visitor)


def _person(visitor: Visitor) -> Person:
    return Person(visitor.person, visitor.name, visitor.guest, visitor.key)


def _ascii_reply(reply: Reply, words: Sequence[str]) -> Reply:
    """Return the reply in ASCII, except what programs read, which is always UTF-8."""
    for_programs = words[:1] == ("export",) or "--json" in words
    return msgspec.structs.replace(
        reply,
        stdout=reply.stdout if for_programs else _ascii_text(reply.stdout),
        stderr=_ascii_text(reply.stderr),
    )


def _ascii_text(text: str) -> str:
    return "\n".join(map(plain, text.split("\n")))
