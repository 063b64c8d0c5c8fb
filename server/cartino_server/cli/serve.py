"""`cartino serve`: run the server until it is told to stop.

The lock is taken before anything heavy is loaded, so a second server is refused at once.
"""

import argparse
import signal
from functools import partial
from pathlib import Path

import structlog

from cartino_server.app.process_control import find_service_manager
from cartino_server.operations.log_output import nonblocking_stderr
from cartino_server.operations.logs import configure_logging
from cartino_server.operations.settings import data_errors, ignored_variables, read_settings, warn_of_old_name
from cartino_server.process import ensure_user
from cartino_server.store.data_directory import lock_directory, prepare_directory
from cartino_tui.terminal import environment

_log = structlog.get_logger(__name__)


def run_serve(arguments: argparse.Namespace) -> int:
    """Serve with the settings of the options, the environment and the file."""
    hangups_ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    manager = find_service_manager()
    old_names: dict[str, str] = {}
    settings = read_settings(arguments.config, vars(arguments), warn=old_names.__setitem__)
    read = partial(read_settings, arguments.config, vars(arguments), warn=warn_of_old_name)
    # Before Textual is loaded: our own terminal says nothing about the players'.
    environment.clear_terminal_variables()
    with nonblocking_stderr(), data_errors():
        configure_logging(settings.log)
        for old, new in old_names.items():
            warn_of_old_name(old, new)
        for sentence in ignored_variables():
            _log.warning("variable ignored", why=str(sentence))
        data = prepare_directory(Path(settings.data))
        ensure_user()
        with lock_directory(data):
            # Loaded late, so that a second server is refused at once.
            from cartino_server.app.serving import run_server

            run_server(settings, read, data, manager, hangups_ignored=hangups_ignored)
    return 0
