"""Why nobody can listen at an address, in a sentence for the person who starts the server."""

import errno
import os
import socket
from typing import Final

from cartino_protocol.marking import Sentence, later

FIRST_FREE_PORT: Final = 1024
"""Ports below it are for programs that the system trusts."""


def cant_listen(error: OSError | ValueError, host: str, port: int) -> Sentence:
    """One sentence for the `error` at `host` and `port`: what is wrong; what to do."""
    name = _printable(host)
    where = place(name, port)
    if isinstance(error, socket.gaierror) or not isinstance(error, OSError):
        return later(
            "No host is known by the name {name}; check it, or give an address with --host.", name=name
        )
    match error.errno:
        case errno.EADDRINUSE:
            return later(
                "Another program listens on {where}; stop it or choose another port with --port.", where=where
            )
        case errno.EACCES | errno.EPERM if 0 < port < FIRST_FREE_PORT:
            return later(
                "Port {port} is kept for the system, as all below {free}; choose a higher one with --port.",
                port=port,
                free=FIRST_FREE_PORT,
            )
        case errno.EACCES | errno.EPERM:
            return later(
                "The system does not let this user listen on {where}; choose another port with --port.",
                where=where,
            )
        case errno.EADDRNOTAVAIL:
            return later(
                "{name} is no address of this machine; choose one of its own with --host.", name=name
            )
        case number:
            # Not the error's own words: Python puts the address into them as a tuple.
            why = os.strerror(number) if number is not None else _printable(str(error))
            return later(
                "Nobody can listen on {where} ({why}); choose another with --host or --port.",
                where=where,
                why=why,
            )


def place(name: str, port: int) -> Sentence:
    """Where somebody listens, as part of a sentence: at the host `name`, "" for everywhere."""
    if name:
        return later("{name}, port {port}", name=name, port=port)
    return later("every address, port {port}", port=port)


def _printable(host: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in host)
