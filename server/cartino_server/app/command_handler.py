"""Run SSH commands and open links in the server process, with a rate limit for commands.

A command costs more than a move, and a loop is easy to write. Too-fast requests wait a second before they are refused.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Literal, Protocol, TypeVar

import msgspec

from cartino_engine.replay import RecordError, read_record
from cartino_protocol.accounts import AccountView, DeleteAccount
from cartino_protocol.base import game_name, parse_code, parse_game_name
from cartino_protocol.commands import Leaders, Profile
from cartino_protocol.deals import Daily, DealView, LeagueView, PlayDaily
from cartino_protocol.exit_status import BROKEN_OFF, NOT_FOUND, TOO_MANY
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_, LazyMessage, lazy_gettext
from cartino_protocol.views import Bye, HistoryView
from cartino_server.commands import ssh_commands as ssh
from cartino_server.commands.challenges import ChallengeCommands, ChallengeVerb
from cartino_server.commands.console import CommandError, failure, refused
from cartino_server.commands.parser import HelpRequested
from cartino_server.commands.review import review_record, review_text
from cartino_server.commands.table_commands import (
    TableCommands,
    TableVerb,
    shell_reader,
    tables_record,
    tables_text,
)
from cartino_server.lobby.account import AccountQuery, KeyQuery
from cartino_server.lobby.finished.history import RecordRefused
from cartino_server.lobby.people.names import mark_of, marked_name, usable_name
from cartino_server.lobby.rate_limit import RateLimits
from cartino_server.lobby.remote_tables import NoRecord, TooManyCodes, UnknownTable
from cartino_server.server import Server
from cartino_server.store.port import HistoryQuery, JournalClosed, NotSaved
from cartino_server.table.bot_executor import BotFailed
from cartino_server.table.link import Person, ServerLink
from cartino_server.visitors import BecomeBot, Reply, Visitor
from cartino_tui.draw.text import plain
from cartino_tui.i18n import Translator, translator_for
from cartino_tui.pages.account import ACCOUNT_PAGE, KEYS_PAGE
from cartino_tui.pages.deals import DEAL_PAGE
from cartino_tui.pages.history import GAMES_PER_PAGE, HISTORY_PAGE
from cartino_tui.pages.leagues import LEAGUE_PAGE
from cartino_tui.pages.page import Page, R, V, page_json, page_text, pretty_json
from cartino_tui.pages.people import LEADERS_PAGE, PROFILE_PAGE
from cartino_tui.preferences import Preferences, decode_settings, language_of
from cartino_tui.terminal.environment import ascii_only
from cartino_tui.visit.routes import StartRoute

REFUSAL_DELAY: Final = 1.0
"""Seconds to wait before refusing a request that came too fast."""
_COMMAND_COST: Final = 1
"""Tokens of any command."""
_QUERY_COST: Final = 5
"""Tokens of a command that reads the journal, replays a game or walks all games."""
TOO_FAST_MESSAGE: Final = lazy_gettext("Too many requests. Wait a few seconds, then try again.")


class TooManyCommands(CommandError):
    """Somebody sends commands too fast."""

    def __init__(self) -> None:
        super().__init__(TOO_FAST_MESSAGE, TOO_MANY)


class CommandRateLimit:
    """Limits the commands of each person, and of each network whatever the keys."""

    def __init__(
        self, rate_limits: RateLimits, wait: Callable[[float], Awaitable[object]] = asyncio.sleep
    ) -> None:
        self._rate_limits = rate_limits
        self._wait = wait

    async def ask(self, visitor: Visitor) -> None:
        """Count a command. Raises TooManyCommands."""
        await self._count(visitor, _COMMAND_COST)

    async def look_up(self, visitor: Visitor) -> None:
        """Count more, for a command that reads the journal, replays a game or walks all games."""
        await self._count(visitor, _QUERY_COST - _COMMAND_COST)

    async def _count(self, visitor: Visitor, commands: int) -> None:
        together = self._rate_limits.of_shells(visitor.connection)
        own = None
        if together is None or not visitor.guest:
            # A guest's own limit is shared by the network's guests, and tables must not feel shells.
            own = self._rate_limits.of(visitor.person, visitor.connection)
        # One's own first, so that being refused costs the network nothing.
        if not all(pace is None or pace.allows_frame(commands) for pace in (own, together)):
            await self._wait(REFUSAL_DELAY)
            raise TooManyCommands


A = TypeVar("A")

GAME_NOT_FOUND = N_(
    "There is no table or finished game {name}, or it is no longer kept. `ssh HOST games` and `ssh "
    "HOST games --finished` list them."
)
JOURNAL_LOST = N_(
    "The server lost its journal and is stopping, so it isn't clear whether anything was done. Try "
    "again a little later."
)


VISIT_ENDED = N_("The host disconnected you.")


class AdminHandler(Protocol):
    """Answers admins."""

    def knows(self, visitor: Visitor) -> bool:
        """Return whether the visitor is an admin."""

    async def answer(self, visitor: Visitor, words: Sequence[str], translator: Translator) -> Reply:
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
        self._shells = CommandRateLimit(self._services.rate_limits, wait)

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

    async def answer(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        """Return what `words` get without a terminal."""
        try:
            if not self._is_host(visitor):
                await self._shells.ask(visitor)
        except TooManyCommands as error:
            # Preferences are looked up only for those who are answered.
            said = translator_for(language_of(visitor.env)).render(error.sentence)
            return Reply(stderr=f"{said}\n", status=error.code)
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
                return await self._admin.answer(visitor, words[1:], translator)
            said = await self._run(visitor, ssh.parse_ssh_command(words, translator), translator)
            return said if isinstance(said, Reply) else Reply(stdout=said)
        except HelpRequested as asked:
            return Reply(stdout=asked.text)
        except CommandError as error:
            return Reply(stderr=f"{translator.render(error.sentence)}\n", status=error.code)
        except JournalClosed:
            return Reply(stderr=f"{translator.gettext(JOURNAL_LOST)}\n", status=BROKEN_OFF)

    async def _run(  # noqa: PLR0912 - one case a command
        self, visitor: Visitor, command: ssh.SshCommand, translator: Translator
    ) -> str | Reply:
        """Run `command`; what it costs beside the reply is counted here as well. Raises CommandError."""
        if isinstance(command, PlayDaily):
            command = ssh.ShowDeal(Daily(command.game), json=False)
        if isinstance(command, ssh.PlainMode | ssh.PlayAsBot | ssh.FollowTable | StartRoute):
            raise failure("This needs a terminal. Use `ssh -t`.")
        people, data = self._services.queries.profiles, self._services.account_data
        match command:
            case ssh.ListTables(json=json, mine=True):
                return await self._mine(visitor, translator, json=json)
            case ssh.ListTables(json=json):
                tables = self._services.remote_tables.tables_for(visitor.person)
                return pretty_json(tables_record(tables)) if json else tables_text(tables, translator)
            case ssh.ListFinishedGames() as verb:
                await self._look_up(visitor)
                past = await self._past(visitor, verb)
                return self._print(HISTORY_PAGE, past, translator, json=verb.json)
            case ssh.ShowLeaders(game, json):
                await self._look_up(visitor)
                leaders = await people.leaders(visitor.person, Leaders(game))
                return self._print(LEADERS_PAGE, leaders, translator, json=json)
            case ssh.ShowDeal(query, json):
                await self._look_up(visitor)
                return self._print_results(
                    await _saved(self._services.deal_results.answer(_person(visitor), query)),
                    translator,
                    json=json,
                )
            case ssh.ShowProfile(name, against, json):
                await self._look_up(visitor)
                asked = Profile(name, against=against)
                profile = await people.profile(_person(visitor), self._called(visitor), asked)
                return self._print(PROFILE_PAGE, profile, translator, json=json)
            case ssh.ManageKeys(query, json):
                self._count_change(visitor, query)
                keys = await _saved(data.keys.answer(_person(visitor), query, visitor.connection))
                return self._print(KEYS_PAGE, keys, translator, json=json)
            case ssh.ManageAccount(query, json):
                account = await self._account(visitor, query)
                return self._print(ACCOUNT_PAGE, account, translator, json=json)
            case (ssh.ExportRecord() | ssh.ReviewGame()) as verb:
                await self._look_up(visitor)
                body = await self._record(verb.name, visitor)
                return (
                    await self._review(verb, body, translator)
                    if isinstance(verb, ssh.ReviewGame)
                    else body.decode()
                )
            case ssh.ShowHelp():
                return ssh.help_text(translator) + (
                    ssh.admin_help_line(translator) if self._is_host(visitor) else ""
                )
            case _:
                return await self._at_table(visitor, command, translator)

    async def _at_table(
        self, visitor: Visitor, verb: TableVerb | ChallengeVerb, translator: Translator
    ) -> Reply:
        if isinstance(verb, ChallengeVerb):
            return await ChallengeCommands(self._services, visitor, translator).answer(verb)
        if isinstance(verb, ssh.MakeMoves) and verb.number:
            await self._look_up(visitor)
        return await self._tables(visitor, translator).answer(verb)

    async def _mine(self, visitor: Visitor, translator: Translator, *, json: bool) -> str:
        """Return one's own tables, and the results that one hasn't been told yet; as JSON they stay untold."""
        news = await _saved(self._services.missed_news.find(visitor.person))
        waiting = await _saved(self._services.deals.parked(visitor.person))
        if not json:
            await _saved(self._services.missed_news.told(visitor.person, news))
        return self._tables(visitor, translator).mine(waiting, news, json=json)

    async def _account(self, visitor: Visitor, query: AccountQuery | BecomeBot) -> AccountView | Refusal:
        if isinstance(query, BecomeBot) and self._is_host(visitor):
            raise failure("An admin's key can't become a bot's. Create another key for it.")
        name, data = self._called(visitor), self._services.account_data
        self._count_change(visitor, query)
        return await _saved(data.answer(_person(visitor), name, query, visitor.connection))

    def _count_change(self, visitor: Visitor, query: AccountQuery | BecomeBot | KeyQuery) -> None:
        """Count a change of keys or account, as a link's is. Raises CommandError."""
        command = DeleteAccount(query.name) if isinstance(query, BecomeBot) else query
        too_fast = self._services.rate_limits.of(visitor.person, visitor.connection).refuses(command)
        if too_fast is not None:
            raise refused(Refusal(too_fast))

    async def _look_up(self, visitor: Visitor) -> None:
        """Count a command that is more work. Raises TooManyCommands."""
        if not self._is_host(visitor):
            await self._shells.look_up(visitor)

    def _is_host(self, visitor: Visitor) -> bool:
        return self._admin is not None and self._admin.knows(visitor)

    def _tables(self, visitor: Visitor, translator: Translator) -> TableCommands:
        return TableCommands(self._services.remote_tables, visitor.person, translator, visitor.connection)

    async def _past(self, visitor: Visitor, verb: ssh.ListFinishedGames) -> HistoryView:
        history = self._services.queries.history
        wanted = HistoryQuery(visitor.person, verb.mine, verb.player, verb.before, GAMES_PER_PAGE, verb.bots)
        games = await history.past(wanted)
        of: Literal["mine", "player"] = "mine" if verb.mine else "player"
        pruned = not verb.json and await history.pruned()
        return HistoryView(of, verb.player, tuple(games), len(games) == GAMES_PER_PAGE, pruned)

    def _called(self, visitor: Visitor) -> str:
        """Return the name that the visitor has or would get."""
        name = self._services.presence.people.known_name(visitor.person)
        asked = usable_name(visitor.name)
        return name or marked_name(asked, mark_of(visitor.person, visitor.guest))

    def _print(
        self, page: Page[V, R], view: V | Refusal, translator: Translator, *, json: bool = False
    ) -> str:
        """Return the page, or raise CommandError for a refusal."""
        if isinstance(view, Refusal):
            raise refused(view)
        reader = shell_reader(translator, self.connect_command)
        return (page_json if json else page_text)(page, view, reader)

    def _print_results(
        self, found: DealView | LeagueView | Refusal, translator: Translator, *, json: bool
    ) -> str:
        if isinstance(found, LeagueView):
            return self._print(LEAGUE_PAGE, found, translator, json=json)
        return self._print(DEAL_PAGE, found, translator, json=json)

    async def _review(self, verb: ssh.ReviewGame, body: bytes, translator: Translator) -> str:
        try:
            record = await asyncio.to_thread(read_record, body, self._services.registry.catalog.games)
            number = None if record.end() is None else await self._services.queries.history.number(verb.name)
            review = await self._services.reviews.of(number, record)
            if review.turns:
                code = parse_code(verb.name)
                # A table's code means the newest game there, which is named: another one may be over soon.
                name = verb.name if code is None or number is None else game_name(code, number)
                if verb.json:
                    return pretty_json(await asyncio.to_thread(review_record, record, name, review))
                return await asyncio.to_thread(review_text, record, name, review, translator)
        except (RecordError, BotFailed):
            raise failure(
                "The game {name} can't be reviewed: its record is damaged, or no bot judged it in time.",
                name=verb.name,
            ) from None
        raise refused(Refusal("no-review", verb.name))

    async def _record(self, name: str, visitor: Visitor) -> bytes:
        try:
            return await self._services.remote_tables.record_of(name, visitor.person, visitor.connection)
        except TooManyCodes:
            raise refused(Refusal("too-many-codes")) from None
        except RecordRefused as error:
            raise refused(error.refusal) from None
        except UnknownTable:
            asked = parse_game_name(name)
            gone = self._services.registry.no_table(name if asked is None else asked[0])
            if gone.reason != "unknown-code":
                raise refused(gone) from None
            raise CommandError(LazyMessage(GAME_NOT_FOUND, {"name": name}), NOT_FOUND) from None
        except NoRecord:
            raise failure(
                "The game at {name} hasn't started. Export it once it's running.", name=name
            ) from None


def _person(visitor: Visitor) -> Person:
    return Person(visitor.person, visitor.name, visitor.guest, visitor.key)


async def _saved(answer: Awaitable[A]) -> A:
    try:
        return await answer
    except NotSaved:
        raise refused(Refusal("not-saved")) from None


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
