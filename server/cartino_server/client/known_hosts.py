"""The known_hosts files and the file of revoked keys: what they say about a host's key.

A file may be endless, or no such file at all.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Literal

import asyncssh
import msgspec

from cartino_protocol.text import N_, LazyMessage, legible
from cartino_server.client.connection import ConnectRefused

DEFAULT_PORT: Final = 22
FILE_MODE, DIRECTORY_MODE = 0o600, 0o700
MAX_FILE_BYTES: Final = 1 << 24
"""Bytes read of a file of keys or hosts."""
BAD_REVOKED_KEYS: Final = N_(
    "Your ssh settings can't be used: {file} must be a list of public keys, one on each line (RevokedHostKeys)."
)


class KnownHost(msgspec.Struct, frozen=True):
    """A line of known_hosts that names the host.

    `at_this_port`: it names the port too; one without counts for other ports only if the key is the same.
    """

    file: Path
    line: int
    key: asyncssh.SSHKey
    revoked: bool = False
    at_this_port: bool = True


class HostKeyVerdict(msgspec.Struct, frozen=True):
    """What the files say about a key; `entry` is the line that decides."""

    says: Literal["known", "unknown", "changed", "revoked"]
    entry: KnownHost | None = None


def host_name(host: str, port: int) -> str:
    """Return the host as in known_hosts: `example.org`, or `[example.org]:2222`."""
    return host if port == DEFAULT_PORT else f"[{host}]:{port}"


def find_known_hosts(files: Iterable[Path], host: str, port: int) -> tuple[KnownHost, ...]:
    """Return the lines of `files` for the host; missing files and unreadable lines are skipped."""
    return tuple(entry for file in files for entry in _file_entries(file, host, port))


def check_host_key(key: asyncssh.SSHKey, found: Iterable[KnownHost]) -> HostKeyVerdict:
    """Return what the lines `found` say about the `key` that the host has shown."""
    other = None
    # Lines that revoke a key come first.
    for entry in sorted(found, key=lambda entry: not entry.revoked):
        if entry.key == key:
            return HostKeyVerdict("revoked" if entry.revoked else "known", entry)
        if other is None and entry.at_this_port and not entry.revoked:
            other = entry
    return HostKeyVerdict("unknown" if other is None else "changed", other)


def find_revoked_keys(file: Path) -> tuple[KnownHost, ...]:
    """Return the keys that `file` revokes for every host, one on each line.

    Raises ConnectRefused if any of it can't be read: ssh doesn't connect then, either.
    """
    unreadable = ConnectRefused(LazyMessage(BAD_REVOKED_KEYS, {"file": legible(str(file))}))
    try:
        data = read_file(file)
    except OSError:
        raise unreadable from None
    if len(data) == MAX_FILE_BYTES:
        raise unreadable
    lines = enumerate((line.strip() for line in data.splitlines()), 1)
    try:
        return tuple(
            KnownHost(file, number, asyncssh.import_public_key(line), revoked=True)
            for number, line in lines
            if line and not line.startswith(b"#")
        )
    except ValueError:
        raise unreadable from None


def add_known_host(file: Path, host: str, port: int, key: asyncssh.SSHKey) -> None:
    """Add a line with the host's key. Raises OSError."""
    file.parent.mkdir(DIRECTORY_MODE, parents=True, exist_ok=True)
    line = f"{host_name(host, port)} {key.export_public_key().decode().strip()}\n"
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, FILE_MODE)
    with open(descriptor, "r+b") as opened:
        if opened.seek(0, os.SEEK_END) and os.pread(descriptor, 1, opened.tell() - 1) != b"\n":
            line = f"\n{line}"
        opened.write(line.encode())


def read_file(file: Path) -> bytes:
    """Return the beginning of `file`, which may be endless. Raises OSError."""
    with file.open("rb") as opened:
        return opened.read(MAX_FILE_BYTES)


def _file_entries(file: Path, host: str, port: int) -> Iterator[KnownHost]:
    try:
        text = read_file(file).decode(errors="replace")
    except OSError:
        return
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            read = asyncssh.import_known_hosts(line)
        except (ValueError, asyncssh.KeyImportError):
            continue
        # With the port in the name and no other, asyncssh looks for that name alone.
        for at_this_port in (True, False) if port != DEFAULT_PORT else (True,):
            keys, _, revoked, *_ = read.match(host_name(host, port) if at_this_port else host, "", None)
            yield from (KnownHost(file, number, key, False, at_this_port) for key in keys)
            yield from (KnownHost(file, number, key, True, at_this_port) for key in revoked)
