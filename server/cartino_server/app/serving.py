"""Run the server: restore tables, listen, serve until told to stop, and close everything in order."""

import asyncio
import shlex
import signal
import socket
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import asyncssh
import structlog

from cartino_games.registry import installed
from cartino_protocol.text import EMPTY_MESSAGE, LazyMessage, lazy_gettext, lazy_ngettext
from cartino_server.app.administration import Administration
from cartino_server.app.command_handler import LocalBackend
from cartino_server.app.monitoring import Monitor, health_sources
from cartino_server.app.process_control import (
    EarlyHangup,
    ProcessSignals,
    ServiceManager,
    tune_garbage_collector,
)
from cartino_server.app.shutdown import AsyncClosable, close_server, close_stores, exit_now
from cartino_server.app.worker_backend import create_pool, listen_with_pool
from cartino_server.commands.console import CommandError, out, terminal_locale
from cartino_server.limits import AdmissionLimits, Retention, ServerConfig
from cartino_server.lobby.background_tasks import ServerClock
from cartino_server.lobby.people import KEPT_SECONDS
from cartino_server.lobby.server import Server
from cartino_server.metrics.definitions import CONNECTIONS_REFUSED, REGISTRY
from cartino_server.operations.logs import set_log_style
from cartino_server.operations.settings import (
    ServerSettings,
    SettingsReloader,
    part_of,
    session_limits,
    stored_game_name,
)
from cartino_server.process import disable_core_dumps, raise_descriptor_limit
from cartino_server.ssh.admission import AdmissionControl
from cartino_server.ssh.authentication import LoginTracker
from cartino_server.ssh.listener import Listener, ListenerConfig, ListenError, listen
from cartino_server.store.data_directory import doctor_command, write_server_address
from cartino_server.store.host_key import load_host_key
from cartino_server.store.journal import DiskJournal, OpenedJournal, open_journal
from cartino_server.store.maintenance import Scrubber, Upkeep
from cartino_server.store.moderation import BanList
from cartino_server.store.people import (
    AUTHORS_SECRET,
    PeopleDatabase,
    StoredName,
    load_names,
    open_people,
    read_secret,
)
from cartino_server.store.port import DamagedGame, NotSaved
from cartino_server.store.repair.restore import finish_restore
from cartino_server.table.bot_executor import BotExecutor, ProcessExecutor
from cartino_server.table.environment import AuthorMarks, Ports
from cartino_server.table.restoring import packed_entry
from cartino_server.table.saving import FORMAT
from cartino_server.workers.messages import ConnectCommand, LogStyleChanged
from cartino_server.workers.pool import WorkerPool

SSH_PORT = 22
MAX_GAMES_NAMED = 10
"""Games named in the printed line; the log has all."""
CLOSED_UNSAVED = lazy_gettext(
    "The house was closed before all of it was on disk: the disk takes too long; check it. "
    "No move that was confirmed is lost."
)

BOTS_REFERENCE: Final = "cartino_games.registry:bots"
"""Where bot processes find the bots."""

_log = structlog.get_logger(__name__)


def run_server(
    settings: ServerSettings,
    read: Callable[[], ServerSettings],
    data: Path,
    hangups: EarlyHangup,
    manager: ServiceManager | None = None,
) -> None:
    """Run the server on the locked directory `data`; `read()` reloads the settings at each hangup.

    Until the tables are restored, signals end the process at once. Raises DataError if the data can't be used, and
    CommandError if the address isn't available or anything but a signal ended the server.
    """
    finish_restore(data)
    try:
        asyncio.run(_serve(settings, read, data, hangups, manager or ServiceManager()))
    except ListenError as error:
        raise CommandError(error.sentence) from None


def connect_command(settings: ServerSettings, port: int) -> str:
    """Return what a friend types before `join CODE`, with the public name, the address or the machine's name."""
    name = settings.public
    if not name:
        everywhere = settings.host in {"0.0.0.0", "::", ""}
        name = socket.gethostname() if everywhere else settings.host
    return f"ssh -t {name}" if port == SSH_PORT else f"ssh -t -p {port} {name}"


def damaged_games_warning(damaged: Sequence[DamagedGame], data: Path) -> LazyMessage:
    """Return the warning about one or more games that can't be restored."""
    names = [stored_game_name(game) for game in damaged[:MAX_GAMES_NAMED]]
    more = len(damaged) - len(names)
    named = ", ".join(names)
    return lazy_ngettext(
        "cartino can't go on with {n} game ({listed}), only with the others; "
        "`cartino doctor --data {data}` says why",
        "cartino can't go on with {n} games ({listed}), only with the others; "
        "`cartino doctor --data {data}` says why",
        len(damaged),
        listed=lazy_gettext("{names} and {more} more", names=named, more=more) if more else named,
        data=shlex.quote(str(data)),
    )


async def _serve(
    settings: ServerSettings,
    read: Callable[[], ServerSettings],
    data: Path,
    hangups: EarlyHangup,
    manager: ServiceManager,
) -> None:
    # The loop's own handler wouldn't run while tables are restored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    raise_descriptor_limit()
    disable_core_dumps()
    orders = ProcessSignals(hangups)
    key = load_host_key(data / "host_key")
    tune_garbage_collector()
    if settings.metrics:
        REGISTRY.begin()
    opened = open_journal(data, partial(_stop_without_journal, orders, data), entries=FORMAT)
    journal, mind = opened.journal, ProcessExecutor(BOTS_REFERENCE)
    stores: list[AsyncClosable] = [journal]
    try:
        register = open_people(data)
        stores.append(register)
        authors = AuthorMarks(await register.do(partial(read_secret, name=AUTHORS_SECRET)))
        names = await register.do(partial(load_names, since=int(time.time()) - KEPT_SECONDS))
        bans = BanList(register, time.time)
        await bans.load()
        house, damaged = _restore_lobby(settings, opened, mind, register, authors, names)
        await _finish_deletions(house)
        orders.listen()
        # It may hold a hundred megabytes.
        del opened
        warning = damaged_games_warning(damaged, data) if damaged else EMPTY_MESSAGE
        saved = await _serve_visitors(
            settings, read, orders, key, house, journal, register, bans, data, warning, manager
        )
    finally:
        if not await close_stores(mind, *stores):
            # A thread that waits for the disk would keep the process and its lock.
            exit_now(orders.failure if orders.failure.text else CLOSED_UNSAVED)
    if orders.failure.text or not saved:
        raise CommandError(orders.failure if orders.failure.text else CLOSED_UNSAVED)


async def _finish_deletions(house: Server) -> None:
    """Finish deletions of accounts that were interrupted."""
    try:
        await house.account_data.finish()
    except NotSaved as error:
        _log.warning("an account is not deleted yet", why=str(error))


def _restore_lobby(
    settings: ServerSettings,
    opened: OpenedJournal,
    mind: BotExecutor,
    register: PeopleDatabase,
    authors: AuthorMarks,
    names: Sequence[StoredName],
) -> tuple[Server, Sequence[DamagedGame]]:
    """Return a server with all stored tables, and the games that couldn't be restored."""
    for game, fault in installed().broken.items():
        _log.warning("game can't be played", game=game, why=fault)
    clock = ServerClock(opened.time)
    clock.watch()
    house = Server(
        installed().rules,
        installed().bots,
        config=part_of(settings, ServerConfig),
        ports=Ports(clock=clock, authors=authors),
        journal=opened.journal,
        mind=mind,
        register=register,
        names=names,
    )
    house.registry.set_aside = dict.fromkeys((game.code for game in opened.damaged), "")
    damaged = (*opened.damaged, *house.recover(opened.kept))
    if opened.aside is not None:
        _log.warning("the journal was damaged and made anew", old=str(opened.aside))
    for each in damaged:
        _log.warning("game set aside", game=stored_game_name(each), why=str(each.why))
    if opened.kept or damaged:
        _log.info("tables set up again", games=len(opened.kept), damaged=len(damaged))
    return house, damaged


async def _serve_visitors(
    settings: ServerSettings,
    read: Callable[[], ServerSettings],
    orders: ProcessSignals,
    key: asyncssh.SSHKey,
    house: Server,
    journal: DiskJournal,
    register: PeopleDatabase,
    bans: BanList,
    data: Path,
    warning: LazyMessage,
    manager: ServiceManager,
) -> bool:
    """Serve until told to stop; return whether everything is on disk. Prints `warning` if it isn't empty."""
    host = LocalBackend(house)

    def apply(fresh: ServerSettings) -> None:
        house.configure(part_of(fresh, ServerConfig))
        keeping.configure(fresh)
        entrance.admission.configure(part_of(fresh, AdmissionLimits))
        door.configure(session_limits(fresh))
        host.door = connect_command(fresh, door.port)
        crew.say(ConnectCommand(host.door))
        if fresh.log != now.settings.log:
            set_log_style(fresh.log)
            crew.say(LogStyleChanged(fresh.log))

    def dismiss(connection: int, farewell: LazyMessage) -> None:
        door.dismiss(connection, farewell)

    now = SettingsReloader(settings, read, apply)
    keeping = Administration(
        house,
        register,
        bans,
        settings,
        dismiss=dismiss,
        reread=now.again,
        stop=orders.request_stop,
        count=CONNECTIONS_REFUSED.add,
        outside=lambda: gate.unauthenticated,
        upkeep=Upkeep(journal, packed_entry, lambda: part_of(now.settings, Retention), time.time, data),
    )
    host.admits, host.hosts = keeping.admits, keeping
    keeper = keeping.keeper
    gate = AdmissionControl(
        part_of(settings, AdmissionLimits),
        time.monotonic,
        keeper.is_banned,
        CONNECTIONS_REFUSED.add,
        keeper.why_banned,
    )
    entrance = LoginTracker(keeping.keeper, gate)
    crew = create_pool(
        settings.workers,
        host,
        key,
        lambda: now.settings.log,
        lambda: session_limits(now.settings),
        entrance,
    )
    try:
        door = await _listen(crew, settings, key, host, orders, entrance)
    except (ListenError, CommandError):
        await house.close()
        raise
    host.door = connect_command(settings, door.port)
    crew.say(ConnectCommand(host.door))
    scrub = Scrubber(journal, data)
    subject = health_sources(journal, crew, door, house.stats, data, keeping.growth, scrub)
    try:
        watch = Monitor(settings.metrics, subject, house.stats) if settings.metrics else None
    except CommandError:
        await close_server(house, door, 0, orders.hurry)
        raise
    orders.on_reload(now)
    keeping.open(data, subject, scrub)
    write_server_address(data, settings.host, door.port)
    address = f"[{settings.host}]" if ":" in settings.host else settings.host
    listens = terminal_locale().gettext(
        "cartino listens on {address}, host key {fingerprint}",
        address=f"{address}:{door.port}",
        fingerprint=door.fingerprint,
    )
    out(listens)
    if warning.text:
        out(terminal_locale().render(warning))
    manager.ready(lambda: _status_line(house))
    await orders.stop.wait()
    manager.stopping()
    await keeping.close()
    saved = await close_server(house, door, now.settings.grace, orders.hurry)
    if watch is not None:
        await watch.close()
    return saved


def _status_line(house: Server) -> str:
    counts = house.stats.count()
    return f"people: {counts.people}, tables: {sum(counts.tables.values())}"


async def _listen(
    crew: WorkerPool,
    settings: ServerSettings,
    key: asyncssh.SSHKey,
    host: LocalBackend,
    orders: ProcessSignals,
    entrance: LoginTracker,
) -> Listener:
    """Listen with the workers of `crew`, or in this process if there are none."""
    config = ListenerConfig(settings.host, settings.port)
    if crew.size:
        return await listen_with_pool(crew, config, key, orders.stop, entrance)
    # Loads everything that draws, which workers do otherwise.
    from cartino_server.app.requests import ServerRequestHandler

    return await listen(config, key, ServerRequestHandler(host), session_limits(settings), entrance)


def _stop_without_journal(orders: ProcessSignals, data: Path, why: str) -> None:
    """End the server rather than guess what is on disk."""
    _log.critical("journal lost", why=why)
    orders.fail(
        lazy_gettext(
            "{why} So the house has ended too: check the disk, run `{command}`, then start it again; "
            "no move that was confirmed is lost.",
            why=LazyMessage(why),
            command=doctor_command(data),
        )
    )
