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
from cartino_protocol.text import EMPTY_MESSAGE, N_, LazyMessage, lazy_gettext, lazy_ngettext
from cartino_server.app.administration import Administration
from cartino_server.app.command_handler import LocalBackend
from cartino_server.app.monitoring import Monitor, health_sources
from cartino_server.app.process_control import (
    ProcessSignals,
    ServiceManager,
    tune_garbage_collector,
)
from cartino_server.app.shutdown import AsyncClosable, close_server, close_stores, exit_now
from cartino_server.app.worker_backend import create_pool, listen_with_pool
from cartino_server.commands.console import CommandError, out
from cartino_server.environment import AuthorMarks, Ports
from cartino_server.limits import AdmissionLimits, Retention, ServerConfig, SessionLimits
from cartino_server.lobby.background_tasks import ServerClock
from cartino_server.lobby.people.connections import Connections
from cartino_server.lobby.people.directory import KEPT_SECONDS
from cartino_server.metrics.definitions import CONNECTIONS_REFUSED, REGISTRY
from cartino_server.operations.login import ServerAuthenticator
from cartino_server.operations.logs import set_log_style
from cartino_server.operations.settings import (
    ServerSettings,
    SettingsReloader,
    part_of,
    session_limits,
    stored_game_name,
)
from cartino_server.process import disable_core_dumps, raise_descriptor_limit
from cartino_server.sandbox import readable_folder
from cartino_server.server import Server
from cartino_server.ssh.admission import AdmissionControl
from cartino_server.ssh.authentication import LoginTracker
from cartino_server.ssh.listener import Listener, ListenerConfig, ListenError, listen
from cartino_server.store.data_directory import DataError, doctor_command, write_server_address
from cartino_server.store.host_key import load_host_key
from cartino_server.store.journal import DiskJournal, OpenedJournal, open_journal
from cartino_server.store.maintenance import Scrubber, Upkeep
from cartino_server.store.moderation import BanList
from cartino_server.store.people import (
    AUTHORS_SECRET,
    PeopleDatabase,
    PersonKeys,
    load_names,
    open_people,
    read_secret,
)
from cartino_server.store.port import DamagedGame, NotSaved
from cartino_server.store.repair.restore import finish_restore
from cartino_server.table.bot_executor import BotExecutor, ProcessExecutor
from cartino_server.table.restoring import packed_entry
from cartino_server.table.saving import FORMAT
from cartino_server.workers.messages import Configure
from cartino_server.workers.pool import WorkerPool

SSH_PORT = 22
MAX_GAMES_NAMED = 10
"""Games named in the printed line; the log has all."""
CLOSED_UNSAVED = lazy_gettext(
    "The server stopped before everything was written: the disk is too slow. Check it. No confirmed "
    "move is lost."
)

BOTS_REFERENCE: Final = "cartino_games.registry:bots"
"""Where bot processes find the bots."""

_log = structlog.get_logger(__name__)


def run_server(
    settings: ServerSettings,
    read: Callable[[], ServerSettings],
    data: Path,
    manager: ServiceManager | None = None,
    *,
    hangups_ignored: bool = False,
) -> None:
    """Run the server on the locked directory `data`; `read()` reloads the settings at each hangup.

    `hangups_ignored`: the process was started so. Until the tables are restored, other signals end it at once. Raises
    DataError if the data can't be used, and CommandError if the address isn't available or anything but a signal ended
    the server.
    """
    # Workers read the packages of all games.
    installed()
    folder = readable_folder(data) if settings.workers else ""
    if folder:
        raise DataError(
            N_(
                "The data directory {data} is in {folder}, which the worker processes must be able to read. Move "
                "it, or choose another one."
            ),
            data=data,
            folder=folder,
        )
    finish_restore(data)
    try:
        asyncio.run(_ServerProcess(settings, read, data, manager or ServiceManager()).run(hangups_ignored))
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
        (
            "cartino can't resume {n} game ({listed}), but the others are fine; `cartino doctor --data {data}` "
            "says why"
        ),
        (
            "cartino can't resume {n} games ({listed}), but the others are fine; `cartino doctor --data "
            "{data}` says why"
        ),
        len(damaged),
        listed=lazy_gettext("{names} and {more} more", names=named, more=more) if more else named,
        data=shlex.quote(str(data)),
    )


class _ServerProcess:
    """One run of the server on a locked data directory."""

    def __init__(
        self,
        settings: ServerSettings,
        read: Callable[[], ServerSettings],
        data: Path,
        manager: ServiceManager,
    ) -> None:
        self._settings = settings
        self._read = read
        self._data = data
        self._manager = manager
        self._signals = ProcessSignals()
        self._connections = Connections(self._dismiss)
        self._listener: Listener | None = None

    async def run(self, hangups_ignored: bool) -> None:
        # The loop's own handler wouldn't run while tables are restored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        raise_descriptor_limit()
        disable_core_dumps()
        signals, data = self._signals, self._data
        key = load_host_key(data / "host_key")
        tune_garbage_collector()
        if self._settings.metrics:
            REGISTRY.begin()
        opened = open_journal(data, self._stop_without_journal, entries=FORMAT)
        journal, bots = opened.journal, ProcessExecutor(BOTS_REFERENCE)
        stores: list[AsyncClosable] = [journal]
        try:
            people = open_people(data)
            stores.append(people)
            bans = BanList(people, time.time)
            await bans.load()
            server, damaged = await self._restore(opened, bots, people, bans)
            try:
                await server.services.account_data.finish()
            except NotSaved as error:
                _log.warning("an account is not deleted yet", why=str(error))
            await server.services.deals.load()
            signals.listen(hangups_ignored=hangups_ignored)
            # It may hold a hundred megabytes.
            del opened
            warning = damaged_games_warning(damaged, data) if damaged else EMPTY_MESSAGE
            saved = await self._serve(key, server, journal, people, bans, warning)
        finally:
            if not await close_stores(bots, *stores):
                # A thread that waits for the disk would keep the process and its lock.
                exit_now(signals.failure if signals.failure.text else CLOSED_UNSAVED)
        if signals.failure.text or not saved:
            raise CommandError(signals.failure if signals.failure.text else CLOSED_UNSAVED)

    async def _restore(
        self, opened: OpenedJournal, bots: BotExecutor, people: PeopleDatabase, bans: BanList
    ) -> tuple[Server, Sequence[DamagedGame]]:
        """Return a server with all stored tables, and the games that couldn't be restored."""
        authors = AuthorMarks(await people.do(partial(read_secret, name=AUTHORS_SECRET)))
        names = await people.do(partial(load_names, since=int(time.time()) - KEPT_SECONDS))
        for game, fault in installed().broken.items():
            _log.warning("game can't be played", game=game, why=fault)
        clock = ServerClock(opened.time)
        clock.watch()
        server = Server(
            installed().rules,
            installed().bots,
            config=part_of(self._settings, ServerConfig),
            ports=Ports(clock=clock, authors=authors),
            journal=opened.journal,
            executor=bots,
            people_db=people,
            names=names,
            bans=bans,
            connections=self._connections,
        )
        damaged = server.recover(opened.kept, opened.damaged)
        if opened.aside is not None:
            _log.warning("the journal was damaged; a new one was begun", old=str(opened.aside))
        for each in damaged:
            _log.warning("game set aside", game=stored_game_name(each), why=str(each.why))
        if opened.kept or damaged:
            _log.info("tables set up again", games=len(opened.kept), damaged=len(damaged))
        return server, damaged

    async def _serve(
        self,
        key: asyncssh.SSHKey,
        server: Server,
        journal: DiskJournal,
        people: PeopleDatabase,
        bans: BanList,
        warning: LazyMessage,
    ) -> bool:
        """Serve until told to stop; return whether everything is on disk. Prints `warning` if it isn't empty."""
        settings, signals = self._settings, self._signals

        def apply(fresh: ServerSettings) -> None:
            server.configure(part_of(fresh, ServerConfig))
            keeper.configure(fresh)
            admission.configure(part_of(fresh, AdmissionLimits))
            backend.set_connect_command(connect_command(fresh, listener.port))
            if fresh.log != now.settings.log:
                set_log_style(fresh.log)
            pool.configure(configuration(fresh))

        def configuration(settings: ServerSettings) -> Configure:
            return Configure(settings.log, backend.connect_command, session_limits(settings))

        now = SettingsReloader(settings, self._read, apply)
        services = server.services
        keeper = ServerAuthenticator(
            PersonKeys(people),
            bans,
            services.connections,
            services.moderation,
            services.overview,
            settings,
            count=CONNECTIONS_REFUSED.add,
            outside=lambda: admission.unauthenticated,
        )
        administration = Administration(
            server,
            keeper,
            people,
            bans,
            reread=now.reload_settings,
            stop=signals.request_stop,
            upkeep=Upkeep(
                journal, packed_entry, lambda: part_of(now.settings, Retention), time.time, self._data
            ),
        )
        backend = LocalBackend(server, admits=administration.admits, admin=administration)
        admission = AdmissionControl(
            part_of(settings, AdmissionLimits),
            time.monotonic,
            keeper.is_banned,
            CONNECTIONS_REFUSED.add,
            keeper.why_banned,
        )
        logins = LoginTracker(keeper, admission)
        pool = create_pool(settings.workers, backend, key, lambda: configuration(now.settings), logins)
        try:
            self._listener = listener = await self._listen(
                key, pool, backend, logins, lambda: session_limits(now.settings)
            )
        except (ListenError, CommandError):
            await server.close()
            raise
        backend.set_connect_command(connect_command(settings, listener.port))
        pool.configure(configuration(settings))
        scrub = Scrubber(journal, self._data)
        sources = health_sources(
            journal, pool, listener, server.stats, self._data, administration.growth, scrub
        )
        try:
            monitor = Monitor(sources, server.stats) if settings.metrics else None
            if monitor is not None:
                await monitor.listen(settings.metrics)
        except CommandError:
            await close_server(server, listener, 0, signals.hurry)
            raise
        signals.on_reload(now)
        administration.open(self._data, sources, scrub)
        write_server_address(self._data, settings.host, listener.port)
        address = f"[{settings.host}]" if ":" in settings.host else settings.host
        # It may have been told to stop before its workers were ready.
        if not signals.stop.is_set():
            out(
                lazy_gettext(
                    "cartino is listening on {address}, host key {fingerprint}",
                    address=f"{address}:{listener.port}",
                    fingerprint=listener.fingerprint,
                )
            )
            if warning.text:
                out(warning)
            self._manager.ready(lambda: _status_line(server))
        await signals.stop.wait()
        self._manager.stopping()
        await administration.close()
        saved = await close_server(server, listener, now.settings.grace, signals.hurry)
        if monitor is not None:
            monitor.close()
        return saved

    async def _listen(
        self,
        key: asyncssh.SSHKey,
        pool: WorkerPool,
        backend: LocalBackend,
        logins: LoginTracker,
        limits: Callable[[], SessionLimits],
    ) -> Listener:
        settings = self._settings
        config = ListenerConfig(settings.host, settings.port)
        if pool.size:
            return await listen_with_pool(pool, config, key, self._signals.stop, logins)
        # Loads everything that draws, which workers do otherwise.
        from cartino_server.app.requests import ServerRequestHandler

        handler = ServerRequestHandler(backend)
        return await listen(config, key, handler, limits, logins)

    def _dismiss(self, connection: int, farewell: LazyMessage) -> None:
        if self._listener is not None:
            self._listener.dismiss(connection, farewell)

    def _stop_without_journal(self, why: str) -> None:
        """End the server rather than guess what is on disk."""
        _log.critical("journal lost", why=why)
        self._signals.fail(
            lazy_gettext(
                (
                    "{why} The server has therefore stopped. Check the disk, run `{command}`, then start the server "
                    "again. No confirmed move is lost."
                ),
                why=LazyMessage(why),
                command=doctor_command(self._data),
            )
        )


def _status_line(server: Server) -> str:
    counts = server.stats.count()
    return f"people: {counts.people}, tables: {sum(counts.tables.values())}"
