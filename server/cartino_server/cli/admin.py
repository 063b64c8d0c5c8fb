"""`cartino admin` and `cartino health`: send a command to the running server over its admin socket."""

import argparse
import os
from pathlib import Path
from typing import Final

from cartino_protocol.exit_status import FAILURE
from cartino_protocol.wire import BadFrame, frame_bytes
from cartino_server.admin.socket import (
    FORWARDED_ENVIRONMENT,
    MAX_REPLY_BYTES,
    MAX_REQUEST_BYTES,
    AdminReply,
    AdminRequest,
    connect_socket,
    decode_message,
    encode_message,
)
from cartino_server.commands.console import err, failure, misuse, out, terminal_locale
from cartino_server.operations.health import parse_status
from cartino_server.operations.settings import data_path, find_settings
from cartino_server.store.data_directory import is_locked

_OWN_OPTIONS: Final = {"--data": "/var/lib/cartino", "--config": "/etc/cartino/cartino.toml"}
"""Options of ours that may stand anywhere among the words, and an example value of each."""
ANSWER_SECONDS: Final = 60.0
"""Seconds to wait for the reply."""


def run_admin(arguments: argparse.Namespace) -> int:
    """Send the words to the server and print its reply."""
    words = _extract_options(arguments)
    told = send_admin_command(data_path(find_settings(arguments)), tuple(words) or ("help",))
    err(*told.stderr.splitlines())
    out(*told.stdout.splitlines())
    return told.status


def _extract_options(arguments: argparse.Namespace) -> list[str]:
    """Return the words for the server, and move --data and --config (before `--`) into `arguments`.

    Raises CommandError if a value is missing.
    """
    words, left = list(arguments.words), []
    while words and words[0] != "--":
        option, sign, value = words.pop(0).partition("=")
        if option not in _OWN_OPTIONS:
            left.append(f"{option}{sign}{value}")
            continue
        if not sign and (not words or words[0].startswith("--")):
            raise misuse(
                "cartino admin: {option} needs a value, like `cartino admin who {option} {example}`.",
                option=option,
                example=_OWN_OPTIONS[option],
            )
        setattr(arguments, option.removeprefix("--"), value if sign else words.pop(0))
    # A leading "--" ends only our own options.
    return left + (words if left else words[1:])


def send_admin_command(data: Path, words: tuple[str, ...]) -> AdminReply:
    """Send `words` to the server of the directory `data`. Raises CommandError without a reply."""
    env = {name: os.environ[name][:4096] for name in FORWARDED_ENVIRONMENT if name in os.environ}
    try:
        frame = encode_message(AdminRequest(words, env))
    except UnicodeEncodeError:
        raise misuse("The command isn't valid UTF-8 text; type it again.") from None
    if len(frame) > MAX_REQUEST_BYTES or len(words) > 200 or any(len(word) > 4096 for word in words):
        raise misuse("The command is too long; shorten it.")
    try:
        with connect_socket(data, ANSWER_SECONDS) as client:
            client.sendall(frame_bytes(frame))
            with client.makefile("rb") as replies:
                length = int.from_bytes(replies.read(4), "big")
                if not 0 < length <= MAX_REPLY_BYTES:
                    raise BadFrame(f"a frame of {length} bytes" if length else "no answer")
                return decode_message(replies.read(length), AdminReply)
    except (FileNotFoundError, NotADirectoryError, ConnectionRefusedError):
        if is_locked(data):
            raise failure(
                "The server on the data directory {data} doesn't answer yet. If it has run for a while, its "
                "log says why.",
                data=data,
            ) from None
        raise failure(
            "No server is running on the data directory {data}. Start it, or name a running server's directory "
            "with --data or its settings with --config.",
            data=data,
        ) from None
    except PermissionError:
        raise failure("Only the server's user can do that; try `sudo -u USER cartino admin`.") from None
    except TimeoutError:
        raise failure("The server didn't answer in time; see its log.") from None
    except (OSError, BadFrame) as error:
        raise failure("The server didn't answer ({why}); see its log.", why=str(error)) from None


def run_health(arguments: argparse.Namespace) -> int:
    """Print the server's health and disk use; return 0 if it is well, else 1. Raises CommandError."""
    told = send_admin_command(data_path(find_settings(arguments)), ("health", "--json"))
    if told.status:
        err(*told.stderr.splitlines())
        return FAILURE
    try:
        state = parse_status(told.stdout)
    except BadFrame as error:
        raise failure(
            "The server has a different version ({why}); use its own `cartino`.", why=str(error)
        ) from None
    if arguments.json:
        out(*told.stdout.splitlines())
    else:
        out(state.health.words(terminal_locale()), state.health.disk_space(terminal_locale()))
    return 0 if state.health.well else FAILURE
