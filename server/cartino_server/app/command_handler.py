"""Run SSH commands and open links in the server process, with a rate limit for commands.

A command costs more than a move, and a loop is easy to write. Too-fast requests wait a second before they are refused.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Literal, Protocol, TypeVar

import msgspec

from cartino_protocol.accounts import AccountView, KeysView
from cartino_protocol.base import parse_game_name
from cartino_protocol.commands import Leaders, Profile
from cartino_protocol.link import BROKEN_OFF
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_, LazyMessage, lazy_gettext
from cartino_protocol.views import Bye, HistoryView
from cartino_server.commands import listings
from cartino_server.commands.console import REFUSED, CommandError
from cartino_server.commands.parser import HelpRequested
from cartino_server.commands.ssh_commands import (
    ExportRecord,
    FollowTable,
    GoToTable,
    ListFinishedGames,
    ListTables,
    MakeMoves,
    ManageAccount,
    ManageKeys,
    OpenTable,
    PlainMode,
    ResumeSeat,
    SendChat,
    ShowHelp,
    ShowLeaders,
    ShowProfile,
    ShowTable,
    SshCommand,
    StartLesson,
    admin_help_line,
    help_text,
    parse_ssh_command,
)
from cartino_server.commands.table_commands import TableCommands
from cartino_server.lobby.names import guest_name, usable_name
from cartino_server.lobby.rate_limit import RateLimits
from cartino_server.lobby.server import Server
from cartino_server.lobby.table_list import NoRecord, TooManyCodes, UnknownTable
from cartino_server.store.port import HistoryQuery, JournalClosed, NotSaved
from cartino_server.table.link import Person, ServerLink
from cartino_server.visitors import Reply, Visitor
from cartino_tui.draw.text import plain
from cartino_tui.i18n import Translator, translator_for
from cartino_tui.pages.account import ACCOUNT_PAGE, KEYS_PAGE
from cartino_tui.pages.history import GAMES_PER_PAGE, HISTORY_PAGE
from cartino_tui.pages.page import Page, R, V, page_json, page_text
from cartino_tui.pages.people import LEADERS_PAGE, PROFILE_PAGE
from cartino_tui.preferences import Preferences, decode_settings, language_of
from cartino_tui.terminal.environment import ascii_only

REFUSAL_DELAY: Final = 1.0
"""Seconds that whoever asks too fast waits for the sentence that says so."""
_COMMAND_COST: Final = 1
"""Commands that any question counts as."""
_QUERY_COST: Final = 5
"""Commands that one counts as for which the journal is read, a game replayed, or all that was played gone through."""
TOO_FAST_MESSAGE: Final = lazy_gettext(
    "You ask faster than the house answers everybody; wait a few seconds, then ask again."
)


class TooManyCommands(CommandError):
    """One question too many just now."""

    def __init__(self) -> None:
        """Say so."""
        super().__init__(TOO_FAST_MESSAGE, REFUSED)


class CommandRateLimit:
    """Counts what is asked by each person, and by all who come from one network, with whatever keys."""

    def __init__(
        self, rate_limits: RateLimits, wait: Callable[[float], Awaitable[object]] = asyncio.sleep
    ) -> None:
        """By `rate_limits`, of which everybody's terminals have their part; `wait(seconds)` waits."""
        self._rate_limits = rate_limits
        self._wait = wait

    async def ask(self, visitor: Visitor) -> None:
        """Somebody asks anything at all. Raises TooFast."""
        await self._count(visitor, _COMMAND_COST)

    async def look_up(self, visitor: Visitor, verb: SshCommand) -> None:
        """What they asked is known now, and may be more work. Raises TooFast."""
        if isinstance(verb, ExportRecord | ListFinishedGames | ShowProfile | ShowLeaders) or (
            isinstance(verb, MakeMoves) and verb.number
        ):
            await self._count(visitor, _QUERY_COST - _COMMAND_COST)

    async def _count(self, visitor: Visitor, commands: int) -> None:
        together = self._rate_limits.of_shells(visitor.connection)
        own = None
        if together is None or not visitor.guest:
            # A guest's is that of all guests there: those at a table are not to feel what is asked from shells.
            own = self._rate_limits.of(visitor.person, visitor.connection)
        # Their own first: who is too fast by themselves takes nothing of what the others have.
        if not all(pace is None or pace.allows_frame(commands) for pace in (own, together)):
            await self._wait(REFUSAL_DELAY)
            raise TooManyCommands


Granted = TypeVar("Granted", KeysView, AccountView)

GAME_NOT_FOUND = N_(
    "There is no table and no finished game {name}, or it is no longer kept; `ssh HOST games` and "
    "`ssh HOST games --finished` list them."
)
JOURNAL_LOST = N_(
    "The server has lost its journal and ends: whether anything was done is unknown. Ask again a little later."
)


VISIT_ENDED = N_("The host has ended your visit.")


class AdminHandler(Protocol):
    """Answers those who keep the house."""

    def knows(self, visitor: Visitor) -> bool:
        """Whether that is a host."""

    async def answer(self, visitor: Visitor, words: Sequence[str], translator: Translator) -> Reply:
        """What `visitor` gets for `words`, host or not. Raises nothing."""


class LocalBackend:
    """A `Host` (see there) whose house runs in this process."""

    def __init__(self, house: Server, door: str = "") -> None:
        """Host for `house`."""
        self.door = door
        self.admits: Callable[[Visitor], bool] = lambda _: True
        """Whether somebody is still let in: a worker may not know yet that they were sent away."""
        self.hosts: AdminHandler | None = None
        """Who answers hosts; None where nobody does."""
        self._house = house
        self.shells = CommandRateLimit(house.rate_limits)
        """How fast may be asked; for a test to replace."""

    def open_link(self, visitor: Visitor) -> ServerLink:
        """See Host."""
        person = Person(visitor.person, visitor.name, visitor.guest, visitor.key)
        link = self._house.open_link(person, visitor.connection)
        link.session = visitor.id
        if not self.admits(visitor):
            link.end(Bye("kicked"))
        return link

    async def answer(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        """See Host."""
        try:
            if not self._is_host(visitor):
                await self.shells.ask(visitor)
        except TooManyCommands as error:
            # What they have chosen is looked up for nobody who is not answered.
            said = translator_for(language_of(visitor.env)).render(error.sentence)
            return Reply(stderr=f"{said}\n", status=error.code)
        preferences = await self._preferences(visitor)
        reply = await self._reply(visitor, words, preferences.translator)
        return _ascii_reply(reply, tuple(words)) if preferences.ascii else reply

    async def _preferences(self, visitor: Visitor) -> Preferences:
        """What the visitor has chosen, and what their environment says where they have not."""
        preferences = Preferences(language_of(visitor.env), ascii=ascii_only("", visitor.env))
        # A guest who comes for one answer is new.
        if not visitor.guest:
            preferences.settings = decode_settings(
                await self._house.account_data.settings.read(visitor.person)
            )
        return preferences

    async def _reply(self, visitor: Visitor, words: Sequence[str], translator: Translator) -> Reply:
        try:
            said = await self._say(visitor, words, translator)
            return said if isinstance(said, Reply) else Reply(stdout=said)
        except HelpRequested as asked:
            return Reply(stdout=asked.text)
        except CommandError as error:
            return Reply(stderr=f"{translator.render(error.sentence)}\n", status=error.code)
        except JournalClosed:
            return Reply(stderr=f"{translator.gettext(JOURNAL_LOST)}\n", status=BROKEN_OFF)

    async def _say(self, visitor: Visitor, words: Sequence[str], translator: Translator) -> str | Reply:
        if not self.admits(visitor):
            raise CommandError(LazyMessage(VISIT_ENDED), BROKEN_OFF)
        if words[0] == "admin" and self.hosts is not None:
            return await self.hosts.answer(visitor, words[1:], translator)
        asked = parse_ssh_command(words, translator)
        if not self._is_host(visitor):
            await self.shells.look_up(visitor, asked)
        match asked:
            case ListTables(json=json, mine=True):
                return self._tables(visitor, translator).mine(json=json)
            case ListTables(json=json):
                rooms = self._house.remote_tables.rooms_for(visitor.person)
                return listings.tables_json(rooms) if json else listings.tables_text(rooms, translator)
            case ListFinishedGames() as verb:
                return await self._past(visitor, verb, translator)
            case (ShowProfile() | ShowLeaders()) as verb:
                return await self._people(visitor, verb, translator)
            case (ManageKeys() | ManageAccount()) as verb:
                return await self._own(visitor, verb, translator)
            case ExportRecord(name=name):
                return await self._export(name, visitor)
            case ShowHelp():
                return help_text(translator) + (admin_help_line(translator) if self._is_host(visitor) else "")
            case (ShowTable() | MakeMoves() | SendChat()) as verb:
                return await self._tables(visitor, translator).answer(verb)
            case GoToTable() | OpenTable() | ResumeSeat() | StartLesson() | PlainMode() | FollowTable():
                raise CommandError(lazy_gettext("That needs a terminal; use `ssh -t`."))

    def _is_host(self, visitor: Visitor) -> bool:
        return self.hosts is not None and self.hosts.knows(visitor)

    def _tables(self, visitor: Visitor, translator: Translator) -> TableCommands:
        return TableCommands(self._house.remote_tables, visitor.person, translator, visitor.connection)

    async def _past(self, visitor: Visitor, verb: ListFinishedGames, translator: Translator) -> str:
        history = self._house.queries.history
        games = await history.past(
            HistoryQuery(visitor.person, verb.mine, verb.player, verb.before, GAMES_PER_PAGE)
        )
        of: Literal["mine", "player"] = "mine" if verb.mine else "player"
        pruned = not verb.json and await history.pruned()
        view = HistoryView(of, verb.player, tuple(games), len(games) == GAMES_PER_PAGE, pruned)
        return self._print(HISTORY_PAGE, view, translator, json=verb.json)

    async def _people(self, visitor: Visitor, verb: ShowProfile | ShowLeaders, translator: Translator) -> str:
        standing = self._house.queries.profiles
        if isinstance(verb, ShowLeaders):
            leaders = await standing.leaders(visitor.person, Leaders(verb.game))
            if isinstance(leaders, Refusal):
                raise CommandError(leaders.words())
            return self._print(LEADERS_PAGE, leaders, translator, json=verb.json)
        person = Person(visitor.person, visitor.name, visitor.guest)
        asked = Profile(verb.name, against=verb.against)
        profile = await standing.profile(person, self._called(visitor), asked)
        if isinstance(profile, Refusal):
            raise CommandError(profile.words())
        return self._print(PROFILE_PAGE, profile, translator, json=verb.json)

    def _called(self, visitor: Visitor) -> str:
        """What somebody is called who need not be here, or would be if they came."""
        name = self._house.moderation.overview.name_of(
            visitor.person
        ) or self._house.presence.people.kept_name(visitor.person)
        asked = usable_name(visitor.name)
        return name or (guest_name(asked) if visitor.guest else asked)

    async def _own(self, visitor: Visitor, verb: ManageKeys | ManageAccount, translator: Translator) -> str:
        person = Person(visitor.person, visitor.name, visitor.guest, visitor.key)
        try:
            if isinstance(verb, ManageKeys):
                keys = _require_granted(await self._house.account_data.keys.answer(person, verb.asked))
                return self._print(KEYS_PAGE, keys, translator, json=verb.json)
            answer = await self._house.account_data.answer(
                person, self._called(visitor), verb.asked, visitor.connection
            )
            account = _require_granted(answer)
        except NotSaved:
            raise CommandError(Refusal("not-saved").words()) from None
        return self._print(ACCOUNT_PAGE, account, translator, json=verb.json)

    def _print(self, page: Page[V, R], view: V, translator: Translator, *, json: bool) -> str:
        reader = listings.shell_reader(translator, self.door)
        return (page_json if json else page_text)(page, view, reader)

    async def _export(self, name: str, visitor: Visitor) -> str:
        try:
            return (
                await self._house.remote_tables.record_of(name, visitor.person, visitor.connection)
            ).decode()
        except TooManyCodes:
            raise CommandError(Refusal("too-many-codes").words(), REFUSED) from None
        except UnknownTable:
            asked = parse_game_name(name)
            gone = self._house.registry.no_table(name if asked is None else asked[0])
            if gone.reason != "unknown-code":
                raise CommandError(gone.words()) from None
            raise CommandError(LazyMessage(GAME_NOT_FOUND, {"name": name})) from None
        except NoRecord:
            raise CommandError(
                lazy_gettext("Nothing has been dealt at {name} yet; export it once its game runs.", name=name)
            ) from None


def _require_granted(answer: Granted | Refusal) -> Granted:
    """The answer. Raises CommandError where it is none."""
    if isinstance(answer, Refusal):
        raise CommandError(answer.words())
    return answer


def _ascii_reply(reply: Reply, words: Sequence[str]) -> Reply:
    """The reply in ASCII alone, but for what programs read: that is UTF-8 wherever they run."""
    for_programs = words[:1] == ("export",) or "--json" in words
    return msgspec.structs.replace(
        reply,
        stdout=reply.stdout if for_programs else _ascii_text(reply.stdout),
        stderr=_ascii_text(reply.stderr),
    )


def _ascii_text(text: str) -> str:
    return "\n".join(map(plain, text.split("\n")))
