"""A server's life: what was interrupted is set up again, the door opens, and all is put away at the end."""

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
from cartino_protocol.marking import NOTHING, Sentence, later, later_count
from cartino_server.confinement import dump_no_core
from cartino_server.descriptors import take_all
from cartino_server.entry.bounds import gate_limits, retention, session_limits
from cartino_server.entry.collector import calm_the_collector
from cartino_server.entry.crewing import hire, listen_before
from cartino_server.entry.data import name_of
from cartino_server.entry.errors import CommandError
from cartino_server.entry.hangups import Hangups
from cartino_server.entry.hosting import HouseHost
from cartino_server.entry.keeping import Keeping
from cartino_server.entry.logs import restyle
from cartino_server.entry.orders import Orders
from cartino_server.entry.rereading import Rereading
from cartino_server.entry.service_manager import ServiceManager
from cartino_server.entry.settings import Settings
from cartino_server.entry.speaking import out, own_tongue
from cartino_server.entry.stopping import Ending, close, leave_at_once, put_away
from cartino_server.entry.watching import Watch, subject_of
from cartino_server.metering.figures import METER, TURNED_AWAY
from cartino_server.rooms.authors import Authors
from cartino_server.rooms.config import HouseConfig
from cartino_server.rooms.facts import FORMAT
from cartino_server.rooms.house import House
from cartino_server.rooms.house_clock import HouseClock
from cartino_server.rooms.minds import Mind, ProcessMind
from cartino_server.rooms.namebook import KEPT_FOR
from cartino_server.rooms.ports import Ports
from cartino_server.rooms.restoring import packed_entry
from cartino_server.ssh.admission import AdmissionControl
from cartino_server.ssh.authentication import LoginTracker
from cartino_server.ssh.listener import Listener, ListenerConfig, ListenError, listen
from cartino_server.store.hostkey import host_key
from cartino_server.store.journal import DiskJournal
from cartino_server.store.lock import note_address
from cartino_server.store.opening import Opened, open_journal
from cartino_server.store.port import Damaged, NotSaved
from cartino_server.store.register.bans import Bans
from cartino_server.store.register.names import KeptName, load_names
from cartino_server.store.register.register import Register, open_register
from cartino_server.store.register.secrets import AUTHORS, secret
from cartino_server.store.restore import finish
from cartino_server.store.scrubbing import Scrub
from cartino_server.store.upkeep import Upkeep
from cartino_server.workers.crew import Crew
from cartino_server.workers.messages import DoorWords, LogStyle

SSH_PORT = 22
MOST_NAMED = 10
"""Games that the printed line names; the log names all."""
UNSAVED = later(
    "The house was closed before all of it was on disk: the disk takes too long; check it. "
    "No move that was confirmed is lost."
)

BOTS: Final = "cartino_games.registry:bots"
"""Where the processes that bots think in find them."""

_log = structlog.get_logger(__name__)


def serve_until_told(
    settings: Settings,
    read: Callable[[], Settings],
    data: Path,
    hangups: Hangups,
    manager: ServiceManager | None = None,
) -> None:
    """Keep a house open on the directory `data`, which is locked; `read()` gives the settings anew.

    That is done at every hangup, also at one that `hangups` know of. `manager` is told when the house is open, that
    it lives, and when it closes. Signals that come before the tables are set up
    end the process as they end any other: nobody is there to be warned, and the journal is used to worse.
    Raises DataError where the data can't be used, CommandError where the door can't be opened or something else
    than a signal ended it.
    """
    finish(data)
    try:
        asyncio.run(_serve(settings, read, data, hangups, manager or ServiceManager()))
    except ListenError as error:
        raise CommandError(error.sentence) from None


def house_config(settings: Settings) -> HouseConfig:
    """What of the settings is the house's."""
    return HouseConfig(
        bot_pause=settings.bot_pause,
        empty_after=settings.empty_after,
        unfinished_after=settings.unfinished_after,
        most_rooms=settings.rooms,
        rooms_each=settings.rooms_each,
        rooms_a_source=settings.rooms_a_source,
        games_a_day=settings.games_a_day,
        burst=2 * settings.command_rate,
        rate=settings.command_rate,
        chat_lines=settings.chat_lines,
        chat_seconds=settings.chat_seconds,
        chat_length=settings.chat_length,
    )


def door_words(settings: Settings, port: int) -> str:
    """What a player's friend types before `join CODE`: by the public name, the address, or the machine's name."""
    name = settings.public
    if not name:
        everywhere = settings.host in {"0.0.0.0", "::", ""}
        name = socket.gethostname() if everywhere else settings.host
    return f"ssh -t {name}" if port == SSH_PORT else f"ssh -t -p {port} {name}"


def set_aside(damaged: Sequence[Damaged], data: Path) -> Sentence:
    """One sentence about games in the directory `data` that no table can be made of, at least one."""
    names = [name_of(game) for game in damaged[:MOST_NAMED]]
    more = len(damaged) - len(names)
    named = ", ".join(names)
    return later_count(
        "cartino can't go on with {n} game ({listed}), only with the others; "
        "`cartino doctor --data {data}` says why",
        "cartino can't go on with {n} games ({listed}), only with the others; "
        "`cartino doctor --data {data}` says why",
        len(damaged),
        listed=later("{names} and {more} more", names=named, more=more) if more else named,
        data=shlex.quote(str(data)),
    )


async def _serve(
    settings: Settings,
    read: Callable[[], Settings],
    data: Path,
    hangups: Hangups,
    manager: ServiceManager,
) -> None:
    # The loop's own handler waits until the loop is free, and it is not while tables are set up.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    take_all()
    dump_no_core()
    orders = Orders(hangups)
    key = host_key(data / "host_key")
    calm_the_collector()
    if settings.metrics:
        METER.begin()
    opened = open_journal(data, partial(_lose_journal, orders), entries=FORMAT)
    journal, mind = opened.journal, ProcessMind(BOTS)
    stores: list[Ending] = [journal]
    try:
        register = open_register(data)
        stores.append(register)
        authors = Authors(await register.do(partial(secret, name=AUTHORS)))
        names = await register.do(partial(load_names, since=int(time.time()) - KEPT_FOR))
        bans = Bans(register, time.time)
        await bans.load()
        house, damaged = _furnish(settings, opened, mind, register, authors, names)
        await _finish_deletions(house)
        orders.listen()
        # The house has what it needs of them; they may be a hundred megabytes.
        del opened
        warning = set_aside(damaged, data) if damaged else NOTHING
        saved = await _receive(
            settings, read, orders, key, house, journal, register, bans, data, warning, manager
        )
    finally:
        if not await put_away(mind, *stores):
            # The thread that waits for the disk would keep the process, and the lock with it.
            leave_at_once(orders.failure if orders.failure.text else UNSAVED)
    if orders.failure.text or not saved:
        raise CommandError(orders.failure if orders.failure.text else UNSAVED)


async def _finish_deletions(house: House) -> None:
    """Delete what is left of accounts whose deletion was cut short, before anybody comes."""
    try:
        await house.own_data.finish()
    except NotSaved as error:
        _log.warning("an account is not deleted yet", why=str(error))


def _furnish(
    settings: Settings,
    opened: Opened,
    mind: Mind,
    register: Register,
    authors: Authors,
    names: Sequence[KeptName],
) -> tuple[House, Sequence[Damaged]]:
    """A house with every table that the journal has, and the games that no table could be made of."""
    for game, fault in installed().broken.items():
        _log.warning("game can't be played", game=game, why=fault)
    clock = HouseClock(opened.time)
    clock.watch()
    house = House(
        installed().rules,
        installed().bots,
        config=house_config(settings),
        ports=Ports(clock=clock, authors=authors),
        journal=opened.journal,
        mind=mind,
        register=register,
        names=names,
    )
    house.set_aside = dict.fromkeys((game.code for game in opened.damaged), "")
    damaged = (*opened.damaged, *house.recover(opened.kept))
    if opened.aside is not None:
        _log.warning("the journal was damaged and made anew", old=str(opened.aside))
    for each in damaged:
        _log.warning("game set aside", game=name_of(each), why=str(each.why))
    if opened.kept or damaged:
        _log.info("tables set up again", games=len(opened.kept), damaged=len(damaged))
    return house, damaged


async def _receive(
    settings: Settings,
    read: Callable[[], Settings],
    orders: Orders,
    key: asyncssh.SSHKey,
    house: House,
    journal: DiskJournal,
    register: Register,
    bans: Bans,
    data: Path,
    warning: Sentence,
    manager: ServiceManager,
) -> bool:
    """Receive visitors until there are orders to stop; whether all that is to be kept is on disk then.

    `warning` is printed below the address, if it says anything.
    """
    host = HouseHost(house)

    def apply(fresh: Settings) -> None:
        house.configure(house_config(fresh))
        keeping.configure(fresh)
        entrance.admission.configure(gate_limits(fresh))
        door.configure(session_limits(fresh))
        host.door = door_words(fresh, door.port)
        crew.say(DoorWords(host.door))
        if fresh.log != now.settings.log:
            restyle(fresh.log)
            crew.say(LogStyle(fresh.log))

    def dismiss(connection: int, farewell: Sentence) -> None:
        door.dismiss(connection, farewell)

    now = Rereading(settings, read, apply)
    keeping = Keeping(
        house,
        register,
        bans,
        settings,
        dismiss=dismiss,
        reread=now.again,
        stop=orders.told_to_stop,
        count=TURNED_AWAY.add,
        outside=lambda: gate.unauthenticated,
        upkeep=Upkeep(journal, packed_entry, lambda: retention(now.settings), time.time, data),
    )
    host.admits, host.hosts = keeping.admits, keeping
    keeper = keeping.keeper
    gate = AdmissionControl(
        gate_limits(settings), time.monotonic, keeper.is_banned, TURNED_AWAY.add, keeper.why_banned
    )
    entrance = LoginTracker(keeping.keeper, gate)
    crew = hire(
        settings.workers,
        host,
        key,
        lambda: now.settings.log,
        lambda: session_limits(now.settings),
        entrance,
    )
    try:
        door = await _open_door(crew, settings, key, host, orders, entrance)
    except (ListenError, CommandError):
        await house.close()
        raise
    host.door = door_words(settings, door.port)
    crew.say(DoorWords(host.door))
    scrub = Scrub(journal, data)
    subject = subject_of(journal, crew, door, house.census, data, keeping.growth, scrub)
    try:
        watch = Watch(settings.metrics, subject, house.census) if settings.metrics else None
    except CommandError:
        await close(house, door, 0, orders.hurry)
        raise
    orders.reread_with(now)
    keeping.open(data, subject, scrub)
    note_address(data, settings.host, door.port)
    address = f"[{settings.host}]" if ":" in settings.host else settings.host
    listens = own_tongue().say(
        "cartino listens on {address}, host key {fingerprint}",
        address=f"{address}:{door.port}",
        fingerprint=door.fingerprint,
    )
    out(listens)
    if warning.text:
        out(own_tongue().tell(warning))
    manager.ready(lambda: _in_short(house))
    await orders.stop.wait()
    manager.stopping()
    await keeping.close()
    saved = await close(house, door, now.settings.grace, orders.hurry)
    if watch is not None:
        await watch.close()
    return saved


def _in_short(house: House) -> str:
    counts = house.census.count()
    return f"people: {counts.people}, tables: {sum(counts.tables.values())}"


async def _open_door(
    crew: Crew,
    settings: Settings,
    key: asyncssh.SSHKey,
    host: HouseHost,
    orders: Orders,
    entrance: LoginTracker,
) -> Listener:
    """The door, to `crew`, or to this process where it has nobody."""
    config = ListenerConfig(settings.host, settings.port)
    if crew.size:
        return await listen_before(crew, config, key, orders.stop, entrance)
    # All that draws is loaded with it, which a house with workers does without.
    from cartino_server.entry.reception import HouseReception

    return await listen(config, key, HouseReception(host), session_limits(settings), entrance)


def _lose_journal(orders: Orders, why: str) -> None:
    """End the server rather than guess what is on disk."""
    _log.critical("journal lost", why=why)
    orders.fail(
        later(
            "{why} So the house has ended too: check the disk, run `cartino doctor`, then start it again; "
            "no move that was confirmed is lost.",
            why=Sentence(why),
        )
    )
