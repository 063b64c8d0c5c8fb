"""`cartino serve`: the house, open to players who come by ssh, until it is told to stop."""

import argparse
import asyncio
import gc
import signal
import socket
from functools import partial
from pathlib import Path

import structlog

from cartino_server.entry.errors import CommandError
from cartino_server.entry.logs import set_up_logs
from cartino_server.entry.settings import NAMES, Settings, read_settings
from cartino_server.rooms.config import HouseConfig
from cartino_server.rooms.house import House
from cartino_server.rooms.ports import Ports
from cartino_server.ssh.listener import Door, DoorConfig, DoorError, listen
from cartino_server.store.datadir import DataError, prepare
from cartino_server.store.hostkey import host_key
from cartino_server.store.records import keep_record
from cartino_tui.driver import neutral

FAREWELL = "The house is closing; come back a little later."
SSH_PORT = 22
LAST_WORDS = 2.0
"""Seconds that apps have to take leave by themselves once the house has said that it closes."""

_log = structlog.get_logger(__name__)


def run(arguments: argparse.Namespace) -> int:
    """Serve with the settings that the words, the environment and the file give."""
    given = {name: value for name, value in vars(arguments).items() if name in NAMES}
    settings = read_settings(arguments.config, given)
    # Before anything loads Textual: what our own terminal is like is nothing to the players'.
    neutral.clear()
    set_up_logs(settings.log)
    try:
        asyncio.run(_serve(settings))
    except (DataError, DoorError) as error:
        raise CommandError(str(error)) from None
    return 0


async def _serve(settings: Settings) -> None:
    from cartino_server.entry.reception import HouseReception

    data = prepare(Path(settings.data))
    key = host_key(data / "host_key")
    house = House(
        ports=Ports(keep=partial(keep_record, data)),
        config=HouseConfig(
            bot_pause=settings.bot_pause, empty_after=settings.empty_after, most_rooms=settings.rooms
        ),
    )
    _calm_the_collector()
    told = _told_to_stop()
    reception = HouseReception(house)
    door = await listen(DoorConfig(settings.host, settings.port), key, reception)
    reception.door = door_words(settings, door.port)
    print(f"cartino listens on {_address(settings.host, door.port)}, host key {door.fingerprint}", flush=True)
    await told.wait()
    await _close(house, door)


def _calm_the_collector() -> None:
    """Look for garbage less often (about once for thirty sessions), and never among what was there before the first.

    A full collection walks everything that every session holds, and stops everybody while it does.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 10, 5)


def _told_to_stop() -> asyncio.Event:
    """An event that SIGTERM and SIGINT set."""
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told.set)
    return told


def door_words(settings: Settings, port: int) -> str:
    """What a player's friend types before `join CODE`: by the public name, the address, or the machine's name."""
    name = settings.public
    if not name:
        everywhere = settings.host in {"0.0.0.0", "::", ""}
        name = socket.gethostname() if everywhere else settings.host
    return f"ssh -t {name}" if port == SSH_PORT else f"ssh -t -p {port} {name}"


async def _close(house: House, door: Door) -> None:
    _log.info("closing")
    await house.close()
    await door.close(FAREWELL, LAST_WORDS)
    _log.info("closed")


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
