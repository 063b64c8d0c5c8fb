"""Challenges without a terminal: open one, take a seat in one, withdraw one's own.

A challenge is an open table with a day per turn; its players needn't be there (see `TableState.is_challenge`).
"""

from functools import partial

import msgspec

from cartino_protocol.commands import Create, Sit, Stand
from cartino_protocol.exit_status import NOT_FOUND, REFUSED
from cartino_protocol.notices import expulsion_message
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import lazy_gettext
from cartino_server.commands.console import CommandError, refused
from cartino_server.commands.ssh_commands import DescribeTable, OpenChallenge, TakeSeat, WithdrawSeat
from cartino_server.commands.table_commands import TableCommands
from cartino_server.lobby.remote_tables import NoSuchTable
from cartino_server.services import Services
from cartino_server.table.participants import take
from cartino_server.table.seating import Order
from cartino_server.table.state import TableState
from cartino_server.table.task import TableTask
from cartino_server.visitors import Reply, Visitor
from cartino_tui.i18n import Translator
from cartino_tui.pages.page import pretty_json

ChallengeVerb = OpenChallenge | TakeSeat | WithdrawSeat
"""The commands about challenges."""


class ChallengeCommands(msgspec.Struct, frozen=True):
    """Runs the commands about challenges for one visitor."""

    services: Services
    visitor: Visitor
    translator: Translator

    async def answer(self, verb: ChallengeVerb) -> Reply:
        """Run `verb`. Raises CommandError."""
        try:
            match verb:
                case OpenChallenge(create, json):
                    return await self._open(create, json=json)
                case TakeSeat(code, json):
                    return await self._take(code, json=json)
                case WithdrawSeat(code, json):
                    return await self._withdraw(code, json=json)
        except NoSuchTable as error:
            raise refused(error.refusal) from None

    async def _open(self, create: Create, *, json: bool) -> Reply:
        services, visitor = self.services, self.visitor
        order = services.registry.catalog.order_of(create)
        if isinstance(order, Refusal):
            raise refused(order)
        name = self._name(create)
        try:
            task = self._new_table(order)
            services.registry.begin(task)
            _check(await task.ask(partial(take, person=visitor.person, name=name)))
        finally:
            services.presence.people.release(visitor.person)
        code = task.table.code
        said = self.translator.gettext(
            "{code}: your challenge is open for 14 days, whether or not you're connected. `ssh HOST games "
            "--mine` says when the game begins, `ssh HOST withdraw {code}` takes it back.",
            code=code,
        )
        return Reply(stdout=pretty_json({"code": code}) if json else f"{said}\n")

    def _new_table(self, order: Order) -> TableTask:
        services, person = self.services, self.visitor.person
        registry, origin = services.registry, services.connections.networks_around(self.visitor.connection)
        _check(services.bot_games.refuses(person, self.visitor.connection))
        _check(registry.refuses_challenge(order, person, origin))
        task = None
        if registry.has_space_for(person, origin):
            task = registry.open(order, person, registry.new_seed(), origin)
        if task is None:
            raise refused(Refusal("too-many-rooms"))
        return task

    async def _take(self, code: str, *, json: bool) -> Reply:
        services, visitor = self.services, self.visitor
        name = self._name(Sit(0))

        def sit(table: TableState) -> TableState | Refusal:
            refusal = services.bot_games.refuses(visitor.person, visitor.connection, table)
            return refusal or take(table, person=visitor.person, name=name)

        try:
            _check(await services.remote_tables.ask(code, visitor.person, visitor.connection, sit))
        finally:
            services.presence.people.release(visitor.person)
        shown = await self._tables.answer(DescribeTable(code, json))
        said = self.translator.gettext("You have a seat at {code}.", code=code)
        return shown if json else msgspec.structs.replace(shown, stdout=f"{said}\n{shown.stdout}")

    async def _withdraw(self, code: str, *, json: bool) -> Reply:
        services, person = self.services, self.visitor.person
        task = services.registry.get(code)
        _check(await services.remote_tables.do(person, code, Stand(), self.visitor.connection))
        if task is not None and not task.table.seating.persons():
            task.close()
        said = self.translator.gettext("You've given up your seat at {code}.", code=code)
        return Reply(stdout=pretty_json({"code": code}) if json else f"{said}\n")

    @property
    def _tables(self) -> TableCommands:
        visitor = self.visitor
        return TableCommands(self.services.remote_tables, visitor.person, self.translator, visitor.connection)

    def _name(self, command: Create | Sit) -> str:
        """Return the name under which the visitor takes a seat by `command`, reserved until it is released.

        Raises CommandError if they may not.
        """
        services, visitor = self.services, self.visitor
        if visitor.guest:
            raise refused(Refusal("no-key"))
        person, connection, moderation = visitor.person, visitor.connection, services.moderation
        too_fast = services.rate_limits.of(person, connection).refuses(Sit(0))
        _check(Refusal(too_fast) if too_fast else moderation.refuses(person, command, connection))
        people = services.presence.people
        people.hold(person, moderation.name_to_ask_for(person, visitor.name, connection))
        name = people.name(visitor.person)
        ban = moderation.ban_of_name(name)
        if ban is not None:
            people.release(visitor.person)
            raise CommandError(expulsion_message("banned-name", ban.reason, ban.ends), REFUSED)
        return name


def _check(refusal: Refusal | None) -> None:
    """Raise CommandError for a refusal."""
    if refusal is None:
        return
    if refusal.reason == "unknown-code":
        raise NoSuchTable(refusal)
    if refusal.reason in {"not-in-room", "not-seated"}:
        raise CommandError(lazy_gettext("You have no seat there."), NOT_FOUND)
    raise refused(refusal)
