"""Fail when asyncssh changes a function that we depend on, or another module uses private names of libraries."""

import ast
import hashlib
import importlib
import inspect
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from asyncssh import SSHServerChannel, SSHServerConnection

from cartino_server.ssh import asyncssh_internals
from cartino_server.ssh.negotiation import CIPHERS
from tests.ssh.conftest import Connect, FakeReception, until


@pytest.mark.parametrize(
    ("theirs", "name", "written_for"),
    [
        (SSHServerChannel, "_process_env_request", "c6847fe6051100fa"),
        (SSHServerChannel, "_process_exec_request", "be64cc45db37b0b5"),
        (SSHServerChannel, "_start_session", "4ef1112382d829bb"),
        (SSHServerConnection, "pause_writing", "a69ec7dae4f504a2"),
        (SSHServerConnection, "resume_writing", "a324675672f6b924"),
        (SSHServerConnection, "send_packet", "fb9da7bec6dd395a"),
        (SSHServerConnection, "_recv_data", "fc4e0735191bb0fd"),
        (SSHServerConnection, "_send", "c6698a37eb80f574"),
        (SSHServerChannel, "_accept_data", "33121e9e185c9850"),
        (SSHServerChannel, "_deliver_data", "bd94ccbaa59ab510"),
        (SSHServerChannel, "_service_next_request", "386db1498a953902"),
        (SSHServerConnection, "data_received", "b2d14a83b2604db6"),
        (SSHServerConnection, "_recv_pkthdr", "7adc4d88fe20593c"),
        (SSHServerConnection, "_recv_packet", "b3daa22e9763eee9"),
        (SSHServerConnection, "_finish_recv_packet", "e12d96db58b3524e"),
        (SSHServerConnection, "process_packet", "490a59d971d0ce03"),
        (SSHServerConnection, "send_userauth_failure", "30f1eb63d0cb74c9"),
        (SSHServerConnection, "validate_public_key", "eb5e224339282892"),
        (SSHServerConnection, "_process_kexinit", "439bdf2fc55e6737"),
        (SSHServerConnection, "_validate_client_public_key", "6a630986a3798084"),
        (SSHServerConnection, "get_key_option", "d5b2bba0012214ba"),
        (SSHServerConnection, "_process_userauth_request", "9d1a0e42d15a1526"),
        (SSHServerConnection, "_service_next_global_request", "2a5788c58af17bb0"),
        (SSHServerConnection, "_process_global_request", "ab927889d3844db5"),
        (SSHServerConnection, "_force_close", "264b4367525f4f86"),
        (SSHServerConnection, "_send_disconnect", "225d909cfce74f89"),
        (SSHServerConnection, "_send_deferred_packets", "c5ef8240853eb331"),
    ],
)
def test_what_is_replaced_or_leaned_on_reads_as_it_did(theirs: type, name: str, written_for: str) -> None:
    text = inspect.getsource(getattr(theirs, name))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == written_for


def test_what_is_taken_away_is_what_there_was() -> None:
    for name in asyncssh_internals.DISABLED_GLOBAL_REQUESTS:
        assert callable(getattr(SSHServerConnection, name))
    for name in asyncssh_internals.DISABLED_CHANNEL_REQUESTS:
        assert callable(getattr(SSHServerChannel, name))


@asynccontextmanager
async def screen(connect: Connect, reception: FakeReception, **options: Any) -> AsyncIterator[Any]:
    """Open a session; yield the server's side of its connection."""
    async with connect(**options) as connection:
        process = await connection.create_process(
            term_type="xterm", term_size=(80, 24), encoding=None, window=1 << 30
        )
        assert await process.stdout.readline() == b"face\r\n"
        yield reception.terminals[0]._connection  # type: ignore[attr-defined]
        connection.abort()


async def test_an_ended_connection_keeps_no_method_of_ours(
    connect: Connect, reception: FakeReception
) -> None:
    async with screen(connect, reception) as server:
        assert set(asyncssh_internals.REPLACED_METHODS) <= vars(server).keys()
    await until(lambda: not set(asyncssh_internals.REPLACED_METHODS) & vars(server).keys())


@pytest.mark.parametrize("cipher", CIPHERS)
async def test_each_write_is_one_packet_with_our_ciphers(
    connect: Connect, reception: FakeReception, cipher: str
) -> None:
    async with screen(connect, reception, encryption_algs=[cipher]) as server:
        assert server.get_extra_info("send_cipher") == cipher
        before = server._send_seq
        reception.terminals[0].write(b"x")
        assert server._send_seq == before + 1
        # With a cipher that goes on from the last packet's end, an ignore packet is needed before.
        server.set_extra_info(send_cipher="aes256-cbc")
        reception.terminals[0].write(b"x")
        assert server._send_seq == before + 3


async def test_unsent_bytes_are_those_that_wait_for_the_network(
    connect: Connect, reception: FakeReception
) -> None:
    async with screen(connect, reception, rekey_bytes=1 << 30) as server:
        assert asyncssh_internals.unsent_bytes(server) == 0
        [face] = reception.faces
        # The loop has no turn here, so nobody reads: the socket fills, then the transport.
        for _ in range(700):
            face.terminal.write(b"x" * 10_000)
            if "stall" in face.told:
                break
        assert "stall" in face.told
        assert asyncssh_internals.unsent_bytes(server) > 0
    await until(lambda: asyncssh_internals.unsent_bytes(server) == 0)


ROOT = Path(__file__).parents[2]
PACKAGES = {"cartino_tui": ROOT, "cartino_server": ROOT / "server"}
INSIDES = {"cartino_tui.terminal.textual_internals", "cartino_server.ssh.asyncssh_internals"}
THEIRS = {"asyncssh", "textual", "rich"}
PUBLIC = {"_exit"}
"""What Python's own documentation has under such a name."""


def modules() -> Iterator[tuple[str, Path]]:
    for package, above in PACKAGES.items():
        for path in sorted((above / package).rglob("*.py")):
            name = ".".join(path.relative_to(above).with_suffix("").parts).removesuffix(".__init__")
            if name not in INSIDES:
                yield name, path


MODULES = dict(modules())


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__") and name not in PUBLIC


def is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in {"self", "cls"}


def private_names(tree: ast.AST) -> Iterator[str]:
    """Private attributes of anything but `self`, and imports of private names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and not is_self(node.value):
            yield node.attr
        elif isinstance(node, ast.Import | ast.ImportFrom):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names = ".".join([*modules, *(alias.name for alias in node.names)]).split(".")
            yield from (name for name in names if is_private(name))


def own_private_names(tree: ast.AST) -> set[str]:
    """Private attributes and methods that a class has of its own, or uses as if it had."""
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and is_private(node.attr) and is_self(node.value)
    }
    defined = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and is_private(node.name)
    }
    return used | defined


@cache
def private_names_of(theirs: type) -> frozenset[str]:
    """Everything private that a class of theirs defines or sets on itself."""
    tree = ast.parse(Path(inspect.getfile(theirs)).read_text())
    [*found] = (
        node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == theirs.__name__
    )
    named = {name for name in (*vars(theirs), *vars(theirs).get("__annotations__", {})) if is_private(name)}
    return frozenset(named.union(*map(own_private_names, found)))


def inherited_names(ours: type, tree: ast.AST) -> set[str]:
    """What the class `ours`, whose text is `tree`, touches of the private parts of theirs that it derives from."""
    theirs = [base for base in ours.__mro__ if base.__module__.split(".")[0] in THEIRS]
    return own_private_names(tree) & frozenset[str]().union(*map(private_names_of, theirs))


def found_in(name: str, path: Path) -> list[str]:
    tree = ast.parse(path.read_text())
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    # An immutable value calls its class's private methods on the new values that it makes.
    own = {
        method.name
        for node in classes
        for method in node.body
        if isinstance(method, ast.FunctionDef) and is_private(method.name)
    }
    found = [name for name in private_names(tree) if name not in own]
    classes = [node for node in classes if node.bases]
    module = importlib.import_module(name) if classes else None
    for node in classes:
        ours = getattr(module, node.name, None)
        if isinstance(ours, type):
            found += sorted(inherited_names(ours, node))
    return found


def test_no_private_name_of_others() -> None:
    found = {name: found_in(name, path) for name, path in MODULES.items()}
    assert {name: names for name, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("        self._exception = None", ["_exception"]),
        ("        return self._driver", ["_driver"]),
        ("        self._close_messages_no_wait()", ["_close_messages_no_wait"]),
        ("        self._mine = 1", []),
    ],
)
def test_the_check_sees_what_is_inherited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, found: list[str]
) -> None:
    path = tmp_path / "made_up_for_this.py"
    path.write_text(f"from textual.app import App\n\nclass Ours(App):\n    def go(self):\n{line}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, path.stem, raising=False)
    assert found_in(path.stem, path) == found
    monkeypatch.delitem(sys.modules, path.stem)
