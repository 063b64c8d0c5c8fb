"""The program of a worker process: `python -m cartino_server.entry.working LINE HANDS`, two descriptors' numbers.

The house starts it (see `cartino_server.workers`) and tells it everything else over the line, the host key among it.
"""

import signal
import sys


def main(line: int, hands: int) -> None:
    """Work until the house says that it is over, or has gone."""
    # Only the house says so: whoever ends a service or a terminal signals all of its processes.
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    # That takes a while to load.
    from cartino_server.confinement import dump_no_core
    from cartino_server.entry.worker_life import live

    dump_no_core()
    live(line, hands)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
