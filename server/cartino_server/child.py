"""Processes of our own: how a module of Cartino is started as a program beside this one."""

import os
import sys

_PASSED_ON = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""What a Python may need to start at all."""


def program(module: str, *words: str) -> tuple[str, ...]:
    """The command line of `module`: it sees nothing of the folder it is started in, nor of the user's own packages."""
    return (sys.executable, "-P", "-s", "-m", module, *words)


def environment() -> dict[str, str]:
    """Nothing of ours but where modules are found: here as there, however Cartino was installed."""
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return kept | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
