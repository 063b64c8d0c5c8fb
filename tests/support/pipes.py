"""Pipes that nobody reads."""

import os


def full_pipe() -> tuple[int, int]:
    """A pipe that takes no more: the descriptor to read it by, and the one at which every write waits."""
    reads, writes = os.pipe()
    os.set_blocking(writes, False)
    for size in (4096, 1):
        try:
            while True:
                os.write(writes, b"." * size)
        except BlockingIOError:
            continue
    os.set_blocking(writes, True)
    return reads, writes
