"""`cartino serve`: the house, open to players who come by ssh, until it is told to stop."""

import argparse
import asyncio
import signal

import structlog

from cartino_server.entry.errors import CommandError
from cartino_server.entry.logs import set_up_logs
from cartino_server.entry.reception import HouseReception
from cartino_server.entry.settings import NAMES, Settings, read_settings
from cartino_server.rooms.config import HouseConfig
from cartino_server.rooms.house import House


def run(arguments: argparse.Namespace) -> int:
    """Serve with the settings that the words, the environment and the file give."""
    given = {name: value for name, value in vars(arguments).items() if name in NAMES}
    settings = read_settings(arguments.config, given)
    set_up_logs(settings.log)
    return asyncio.run(_serve(settings))
