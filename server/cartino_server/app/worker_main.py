"""Entry point of a worker process: `python -m cartino_server.app.worker_main LINE DESCRIPTORS`, two numbers of sockets.

Ignores signals before anything heavy is loaded: only the server ends its workers.
"""

import signal
import sys


def main(line: int, descriptors: int) -> None:
    """Work until the server says so or is gone."""
    # Ending a service or a terminal signals all of its processes.
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    from cartino_server.process import disable_core_dumps, tolerate_failed_library_search

    disable_core_dumps()
    tolerate_failed_library_search()
    # That takes a while to load.
    from cartino_server.app.worker_runtime import run_worker

    run_worker(line, descriptors)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
