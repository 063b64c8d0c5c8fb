"""Challenges without a terminal: open one, take a seat in one, withdraw the caller's own.

A challenge is an open table with a day per turn; its players needn't be there (see `TableState.is_challenge`).
"""

from functools import partial
from typing import Any, Final

from cartino_protocol.commands import Create, Sit, Stand
from cartino_protocol.exit_status import NOT_FOUND, REFUSED
from cartino_protocol.notices import expulsion_message
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_, lazy_gettext
from cartino_server.commands.console import CommandError, misuse, refusal_error
from cartino_server.commands.context import CommandContext, answer_command
from cartino_server.commands.registry import CODE, JSON, Argument, Values, exit_status_help
from cartino_server.commands.table_commands import describe_table
from cartino_server.commands.visit_commands import described_table, new_table_options
from cartino_server.lobby.remote_tables import NoSuchTable
from cartino_server.table.participants import take_seat
from cartino_server.table.seating import Order
from cartino_server.table.state import TableState
from cartino_server.table.task import TableTask
from cartino_tui.pages.page import pretty_json

CHALLENGE_HELP: Final = N_(
    "A challenge waits in the lobby for 14 days, and the game begins when the last seat is taken. Nobody "
    "has to be connected: `show` shows the table, `move` makes moves, and `games --mine` says where it's "
    "your turn. A turn may take a day; after that, a substitute bot plays it. You can have three open "
    "challenges."
)


@answer_command(
    "challenge",
    new_table_options,
    Argument("--private", N_("private: people need the code to join"), action="store_true"),
    JSON,
    about=N_("Open a challenge: a table with a day per turn, whose players needn't be connected."),
    forms=(("ssh HOST challenge [OPTIONS]", N_("open a challenge, a day per turn; see `help challenge`")),),
    details=(CHALLENGE_HELP, exit_status_help),
)
async def challenge(context: CommandContext, *, json: bool, **table: Any) -> str:
    """Open a challenge; `table` are the options of a new table."""
    create = described_table("challenge", Values(**table), "day")
    if len(create.bots) == create.seats - 1:
        raise misuse("challenge: --bots must leave a seat for somebody to take.")
    services, person = context.services, context.person.id
    order = services.registry.catalog.order_of(create)
    if isinstance(order, Refusal):
        raise refusal_error(order)
    name = _reserve_name(context, create)
    try:
        task = _new_table(context, order)
        services.registry.begin(task)
        _check(await task.ask(partial(take_seat, person=person, name=name)))
    finally:
        services.presence.people.release(person)
    code = task.table.code
    opened = context.translator.gettext(
        "{code}: your challenge is open for 14 days, whether or not you're connected. `ssh HOST games "
        "--mine` says when the game begins, `ssh HOST withdraw {code}` takes it back.",
        code=code,
    )
    return pretty_json({"code": code}) if json else f"{opened}\n"


def _new_table(context: CommandContext, order: Order) -> TableTask:
    services, person, connection = context.services, context.person.id, context.visitor.connection
    registry, origin = services.registry, services.connections.networks_around(connection)
    _check(services.bot_games.refuses(person, connection))
    _check(registry.refuses_challenge(order, person, origin))
    task = None
    if registry.has_space_for(person, origin):
        task = registry.open(order, person, registry.new_seed(), origin)
    if task is None:
        raise refusal_error(Refusal("too-many-rooms"))
    return task


@answer_command(
    "take",
    CODE,
    JSON,
    forms=(("ssh HOST take CODE", N_("take a seat in a challenge; then play with show and move")),),
    details=(CHALLENGE_HELP, exit_status_help),
)
async def take_challenge(context: CommandContext, code: str, *, json: bool) -> str:
    """Take a free seat of the challenge `code`."""
    services, person, connection = context.services, context.person.id, context.visitor.connection
    name = _reserve_name(context, Sit(0))

    def sit(table: TableState) -> TableState | Refusal:
        refusal = services.bot_games.refuses(person, connection, table)
        return refusal or take_seat(table, person=person, name=name)

    try:
        _check(await services.remote_tables.ask(code, person, connection, sit))
    finally:
        services.presence.people.release(person)
    shown = await describe_table(context, code, json=json)
    seated = context.translator.gettext("You have a seat at {code}.", code=code)
    return shown if json else f"{seated}\n{shown}"


@answer_command(
    "withdraw",
    CODE,
    JSON,
    forms=(("ssh HOST withdraw CODE", N_("give up your seat in a challenge that hasn't begun")),),
    details=(exit_status_help,),
)
async def withdraw(context: CommandContext, code: str, *, json: bool) -> str:
    """Give up the seat at the table `code`, whose game hasn't started."""
    services = context.services
    task = services.registry.get(code)
    _check(await services.remote_tables.do(context.person.id, code, Stand(), context.visitor.connection))
    if task is not None and not task.table.seating.persons():
        task.close()
    withdrawn = context.translator.gettext("You've given up your seat at {code}.", code=code)
    return pretty_json({"code": code}) if json else f"{withdrawn}\n"


def _reserve_name(context: CommandContext, command: Create | Sit) -> str:
    """Return the name under which the caller takes a seat by `command`, reserved until it is released.

    Raises CommandError if they may not.
    """
    services, visitor = context.services, context.visitor
    if visitor.guest:
        raise refusal_error(Refusal("no-key"))
    person, connection, moderation = visitor.person, visitor.connection, services.moderation
    too_fast = services.rate_limits.limits_of(person, connection).refuses(Sit(0))
    _check(Refusal(too_fast) if too_fast else moderation.refuses(person, command, connection))
    people = services.presence.people
    people.hold(person, moderation.name_to_ask_for(person, visitor.name, connection))
    name = people.name(person)
    ban = moderation.ban_of_name(name)
    if ban is not None:
        people.release(person)
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
    raise refusal_error(refusal)
