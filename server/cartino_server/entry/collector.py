"""Python's collector of garbage, in a process that holds hundreds of sessions."""

import gc


def calm_the_collector() -> None:
    """Look for garbage less often (about once for thirty sessions), and never among what was there before the first.

    A full collection walks everything that every session holds, and stops everybody while it does.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 10, 5)
