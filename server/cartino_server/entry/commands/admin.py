"""`cartino admin`: says to the house that runs on a data directory what its host wants."""

import argparse
import os
import socket
from pathlib import Path
from typing import Final

from cartino_protocol.framing import BadFrame, framed
from cartino_protocol.marking import later
from cartino_server.entry.admin.sockets import connect_in
from cartino_server.entry.admin.wire import ENVIRONMENT, MOST_ASKED, MOST_TOLD, Asked, Told, encode, read_told
from cartino_server.entry.data import place_of, settings_of
from cartino_server.entry.errors import FAILURE, MISUSE, CommandError
from cartino_server.entry.speaking import err, out

_OPTIONS: Final = {"--data": "/var/lib/cartino", "--config": "/etc/cartino/cartino.toml"}
"""Our own options, which may stand anywhere among the words, and an example of what stands behind each."""
PATIENCE: Final = 60.0
"""Seconds that the house may take to answer."""


def run(arguments: argparse.Namespace) -> int:
    """Say the words, and print the answer."""
    words = _take_options(arguments)
    told = ask(place_of(settings_of(arguments)), tuple(words) or ("help",))
    err(*told.stderr.splitlines())
    out(*told.stdout.splitlines())
    return told.status


def _take_options(arguments: argparse.Namespace) -> list[str]:
    """The words for the house; --data and --config, which may stand among them too, go into `arguments`.

    Behind `--` they are words. Raises CommandError where what they name is missing.
    """
    words, left = list(arguments.words), []
    while words and words[0] != "--":
        option, sign, value = words.pop(0).partition("=")
        if option not in _OPTIONS:
            left.append(f"{option}{sign}{value}")
            continue
        if not sign and (not words or words[0].startswith("--")):
            raise CommandError(
                later(
                    "cartino admin: behind {option} stands what it names, as `cartino admin who {option} {example}`.",
                    option=option,
                    example=_OPTIONS[option],
                ),
                MISUSE,
            )
        setattr(arguments, option.removeprefix("--"), value if sign else words.pop(0))
    # Without a verb before it, "--" is about our own options alone.
    return left + (words if left else words[1:])


def ask(data: Path, words: tuple[str, ...]) -> Told:
    """What the house on the directory `data` answers to `words`. Raises CommandError where it doesn't."""
    env = {name: os.environ[name][:4096] for name in ENVIRONMENT if name in os.environ}
    try:
        frame = encode(Asked(words, env))
    except UnicodeEncodeError:
        raise CommandError(later("These words are no UTF-8 text; type them anew."), MISUSE) from None
    if len(frame) > MOST_ASKED or len(words) > 200 or any(len(word) > 4096 for word in words):
        raise CommandError(later("That is too much at once; say less."), MISUSE)
    try:
        with connect_in(data, PATIENCE) as client:
            client.sendall(framed(frame))
            length = int.from_bytes(_bytes(client, 4), "big")
            if length > MOST_TOLD:
                raise BadFrame(f"a frame of {length} bytes")
            return read_told(_bytes(client, length))
    except (FileNotFoundError, ConnectionRefusedError):
        raise CommandError(
            later(
                "No house serves the data directory {data} just now; start it, or name the directory of one that runs "
                "with --data, or its settings with --config.",
                data=data,
            )
        ) from None
    except PermissionError:
        raise CommandError(
            later("Only the user of the server may say that; try `sudo -u USER cartino admin`.")
        ) from None
    except TimeoutError:
        raise CommandError(later("The house has not answered in time; its log says more.")) from None
    except (OSError, BadFrame) as error:
        raise CommandError(
            later("The house has not answered ({why}); its log says more.", why=str(error)), FAILURE
        ) from None


def _bytes(client: socket.socket, count: int) -> bytes:
    came = bytearray()
    while len(came) < count:
        part = client.recv(min(1 << 16, count - len(came)))
        if not part:
            raise BadFrame("no answer")
        came += part
    return bytes(came)
