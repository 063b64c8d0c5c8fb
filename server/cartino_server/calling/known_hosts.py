"""What the known_hosts files say of a host, with the line that says it, and how another host comes to stand there."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Literal

import asyncssh
import msgspec

USUAL_PORT: Final = 22
FILE_MODE, DIRECTORY_MODE = 0o600, 0o700


class Entry(msgspec.Struct, frozen=True):
    """A line that names the host: where it stands, whether it revokes its key, and that key.

    `at_this_port`: it names the port too; a line without one counts for other ports only where the key is the same.
    """

    file: Path
    line: int
    key: asyncssh.SSHKey
    revoked: bool = False
    at_this_port: bool = True


class Verdict(msgspec.Struct, frozen=True):
    """What the files make of a key; `entry` is the line that speaks against it."""

    says: Literal["known", "unknown", "changed", "revoked"]
    entry: Entry | None = None


def host_name(host: str, port: int) -> str:
    """The host as known_hosts has it: `example.org`, or `[example.org]:2222`."""
    return host if port == USUAL_PORT else f"[{host}]:{port}"


def entries(files: Iterable[Path], host: str, port: int) -> tuple[Entry, ...]:
    """All that the `files` say of the host; a file that is not there, or a line that can't be read, says nothing."""
    return tuple(entry for file in files for entry in _entries(file, host, port))


def judge(key: asyncssh.SSHKey, found: Iterable[Entry]) -> Verdict:
    """What the lines `found` make of the `key` that the host shows."""
    found = tuple(found)
    same = [entry for entry in found if entry.key == key]
    for entry in same:
        if entry.revoked:
            return Verdict("revoked", entry)
    if same:
        return Verdict("known", same[0])
    others = [entry for entry in found if entry.at_this_port and not entry.revoked]
    return Verdict("changed", others[0]) if others else Verdict("unknown")


def add(file: Path, host: str, port: int, key: asyncssh.SSHKey) -> None:
    """Write down that `key` is the host's. Raises OSError."""
    file.parent.mkdir(DIRECTORY_MODE, parents=True, exist_ok=True)
    line = f"{host_name(host, port)} {key.export_public_key().decode().strip()}\n"
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, FILE_MODE)
    with open(descriptor, "r+b") as opened:
        if opened.seek(0, os.SEEK_END) and os.pread(descriptor, 1, opened.tell() - 1) != b"\n":
            line = f"\n{line}"
        opened.write(line.encode())


def _entries(file: Path, host: str, port: int) -> Iterator[Entry]:
    try:
        text = file.read_text("utf-8", "replace")
    except OSError:
        return
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            read = asyncssh.import_known_hosts(line)
        except (ValueError, asyncssh.KeyImportError):
            continue
        # With the port in the name and none beside it, asyncssh looks for that name and nothing else.
        for at_this_port in (True, False) if port != USUAL_PORT else (True,):
            keys, _, revoked, *_ = read.match(host_name(host, port) if at_this_port else host, "", None)
            yield from (Entry(file, number, key, False, at_this_port) for key in keys)
            yield from (Entry(file, number, key, True, at_this_port) for key in revoked)
