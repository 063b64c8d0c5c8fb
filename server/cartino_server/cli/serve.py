"""`cartino serve`: run the server until it is told to stop.

The lock is taken before anything heavy is loaded, so a second server is refused at once.
"""

import argparse
from functools import partial
from pathlib import Path

from cartino_server.app.process_control import EarlyHangup, find_service_manager
from cartino_server.operations.log_output import nonblocking_stderr
from cartino_server.operations.logs import configure_logging
from cartino_server.operations.settings import SETTING_NAMES, data_errors, read_settings
from cartino_server.store.data_directory import lock_directory, prepare_directory
from cartino_tui.terminal import environment


def run_serve(arguments: argparse.Namespace) -> int:
    """Serve with the settings of the options, the environment and the file."""
    hangups = EarlyHangup()
    hangups.listen()
    manager = find_service_manager()
    given = {name: value for name, value in vars(arguments).items() if name in SETTING_NAMES}
    read = partial(read_settings, arguments.config, given)
    settings = read()
    # Before Textual is loaded: our own terminal says nothing about the players'.
    environment.clear_terminal_variables()
    with nonblocking_stderr(), data_errors():
        configure_logging(settings.log)
        data = prepare_directory(Path(settings.data))
        with lock_directory(data):
            # Loaded late, so that a second server is refused at once.
            from cartino_server.app.serving import run_server

            run_server(settings, read, data, hangups, manager)
    return 0
