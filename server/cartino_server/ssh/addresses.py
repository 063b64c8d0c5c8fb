"""Why nobody can listen at an address, in a sentence for the person who starts the server."""

import errno
import os
import socket
from typing import Final

FIRST_FREE_PORT: Final = 1024
"""Ports below it are for programs that the system trusts."""


def cant_listen(error: OSError | ValueError, host: str, port: int) -> str:
    """One sentence for the `error` at `host` and `port`: what is wrong; what to do."""
    name = _printable(host)
    where = f"{name or 'every address'}, port {port}"
    if isinstance(error, socket.gaierror) or not isinstance(error, OSError):
        return f"No host is known by the name {name}; check it, or give an address with --host."
    match error.errno:
        case errno.EADDRINUSE:
            return f"Another program listens on {where}; stop it or choose another port with --port."
        case errno.EACCES | errno.EPERM if 0 < port < FIRST_FREE_PORT:
            return (
                f"Port {port} is kept for the system, as all below {FIRST_FREE_PORT}; "
                "choose a higher one with --port."
            )
        case errno.EACCES | errno.EPERM:
            return f"The system does not let this user listen on {where}; choose another port with --port."
        case errno.EADDRNOTAVAIL:
            return f"{name} is no address of this machine; choose one of its own with --host."
        case number:
            # Not the error's own words: Python puts the address into them as a tuple.
            why = os.strerror(number) if number is not None else _printable(str(error))
            return f"Nobody can listen on {where} ({why}); choose another with --host or --port."


def _printable(host: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in host)
