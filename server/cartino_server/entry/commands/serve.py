"""`cartino serve`: the house, open to players who come by ssh, until it is told to stop."""

import argparse
from functools import partial
from pathlib import Path

from cartino_server.entry.data import plainly
from cartino_server.entry.hangups import Hangups
from cartino_server.entry.log_stream import never_waiting
from cartino_server.entry.logs import set_up_logs
from cartino_server.entry.service_manager import own_manager
from cartino_server.entry.settings import NAMES, read_settings
from cartino_server.store.datadir import prepare
from cartino_server.store.lock import lock
from cartino_tui.driver import neutral


def run(arguments: argparse.Namespace) -> int:
    """Serve with the settings that the words, the environment and the file give."""
    hangups = Hangups()
    hangups.listen()
    manager = own_manager()
    given = {name: value for name, value in vars(arguments).items() if name in NAMES}
    read = partial(read_settings, arguments.config, given)
    settings = read()
    # Before anything loads Textual: what our own terminal is like is nothing to the players'.
    neutral.clear()
    with never_waiting(), plainly():
        set_up_logs(settings.log)
        data = prepare(Path(settings.data))
        with lock(data):
            # All else is loaded now, so that a second server is turned away at once.
            from cartino_server.entry.serving import serve_until_told

            serve_until_told(settings, read, data, hangups, manager)
    return 0
