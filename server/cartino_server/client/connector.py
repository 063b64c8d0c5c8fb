"""Connect to a server with ssh's own settings and keys, and never to one with the wrong host key."""

import asyncio
import re
import socket
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

import asyncssh
from asyncssh.public_key import get_default_public_key_algs

from cartino_protocol.text import N_, LazyMessage, lazy_gettext, legible
from cartino_server.client import known_hosts
from cartino_server.client.connection import ConnectFailed, ConnectRefused, ServerConnection, UnknownHostKey
from cartino_server.client.known_hosts import check_host_key, host_name
from cartino_server.client.ssh_config import (
    BAD_SETTINGS,
    Identity,
    PassphrasePrompt,
    SshConfig,
    agent_keys,
    file_keys,
)

SUBSYSTEM: Final = "cartino"
LOGIN_SECONDS: Final = 20.0
"""Seconds until connecting is given up."""
KEEPALIVE_SECONDS: Final = 5.0
"""Seconds of silence after which the server is asked, twice, whether it is still there.

A server asks less often: it has hundreds of connections, and nobody waits for the answer.
"""
SIGNATURE_ALGORITHMS: Final = [kind.decode() for kind in get_default_public_key_algs() if kind != b"ssh-rsa"]
"""How hosts and our own keys may sign; ssh-rsa means SHA-1."""
MAX_STDERR_BYTES: Final = 2000
"""Bytes kept of the end of what a proxy writes to stderr."""
_END_SECONDS: Final = 1.0
"""Longest wait for the rest of that, once the program is told to end."""
_MAX_QUOTED: Final = 400
"""Characters quoted of an error message of the server."""
_ERROR_NUMBER: Final = re.compile(r" \(error [0-9]+\)\Z")
"""What asyncssh appends to a reason that it has no name for."""

KEY_REVOKED: Final = N_("The key of {name} ({fingerprint}) is revoked in {place}. Don't connect to it.")
KEY_CHANGED: Final = N_(
    "The key of {name} has changed to {fingerprint}. Either someone is intercepting the connection, or "
    "the server has a new key. If you know that it has, remove the old key from {place} and connect "
    "again."
)
KEY_UNKNOWN: Final = N_(
    "The {kind} key {fingerprint} of {name} isn't known, and your ssh settings allow no new ones "
    "(StrictHostKeyChecking)."
)
BAD_PROXY: Final = N_("{host} can't be reached through {program}: {words}.")
NO_REASON: Final = N_("{host} closed the connection at port {port} without giving a reason.")


class Proxy:
    """The user's ProxyCommand, or ssh for a ProxyJump; its input and output are the other end of `socket`."""

    def __init__(self, process: Process, carried: socket.socket) -> None:
        self.socket = carried
        self._process = process
        self._stderr = b""
        self._following: asyncio.Task[None] | None = None
        self._reading = asyncio.create_task(self._read(), name="proxy")

    def end_after(self, connection: asyncssh.SSHClientConnection) -> None:
        """End the program when `connection` has ended, even if it would wait for more."""
        self._following = asyncio.create_task(self._follow(connection), name="proxy end")

    def end(self) -> None:
        """Tell the program to end. May be called again."""
        with suppress(ProcessLookupError):
            self._process.terminate()

    async def last_words(self) -> str:
        """End the program, and return what it wrote to stderr, as one line."""
        self.end()
        await asyncio.wait([self._reading], timeout=_END_SECONDS)
        return legible(" ".join(self._stderr.decode(errors="replace").split()))

    async def _follow(self, connection: asyncssh.SSHClientConnection) -> None:
        await connection.wait_closed()
        self.end()

    async def _read(self) -> None:
        assert self._process.stderr is not None
        while data := await self._process.stderr.read(MAX_STDERR_BYTES):
            self._stderr = (self._stderr + data)[-MAX_STDERR_BYTES:]
        await self._process.wait()


async def start_proxy(command: Sequence[str], *, may_ask: bool) -> Proxy:
    """Start `command`; only if it `may_ask` can it use our terminal. Raises OSError."""
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=PIPE,
                start_new_session=not may_ask,
            )
        except OSError:
            ours.close()
            raise
    return Proxy(process, ours)


class Connector:
    """Connects to one server, as often as needed.

    The host key of the first successful connection counts: later nobody is asked, and no other key is accepted.
    """

    def __init__(self, settings: SshConfig, ask: PassphrasePrompt) -> None:
        """Connect with `settings`; `ask` is used until the first connection is open. Raises ConnectRefused."""
        self._settings = settings
        self._ask = ask
        self._keys: list[Identity] | None = None
        """The keys of files, once they are read."""
        self._known = (
            *(() if settings.revoked is None else known_hosts.find_revoked_keys(settings.revoked)),
            *known_hosts.find_known_hosts(settings.all_known_hosts, settings.known_as, settings.known_port),
        )
        self._proxy: Proxy | None = None
        """The program of the newest connection."""
        self._trusted: asyncssh.SSHKey | None = None
        self._shown: asyncssh.SSHKey | None = None

    @property
    def adds_host_keys(self) -> bool:
        """Whether the settings say to add an unknown host's key without a question."""
        return self._settings.new_host_keys == "add"

    def trust(self) -> None:
        """Trust the key that the host has shown."""
        self._trusted = self._shown

    def save_host_key(self) -> None:
        """Add the key to the user's known_hosts. Raises OSError."""
        files = self._settings.known_hosts
        if files and self._trusted is not None:
            known_hosts.add_known_host(
                files[0], self._settings.known_as, self._settings.known_port, self._trusted
            )

    def end_proxy(self) -> None:
        """End the program that carries the connection, which might wait for ever for the end of ours."""
        if self._proxy is not None:
            self._proxy.end()

    async def call(self, *, as_guest: bool = True) -> ServerConnection:
        """Connect and log in, without a key only if `as_guest`. Raises ConnectFailed, ConnectRefused."""
        self._shown = None
        async with agent_keys(self._settings) as held:
            if not held and self._keys is None:
                # Once the app runs, the terminal can't be asked for a passphrase.
                self._keys = file_keys(self._settings, self._ask) if self._trusted is None else []
            options = self._options(held or self._keys or [], as_guest=as_guest)
            try:
                async with asyncio.timeout(LOGIN_SECONDS):
                    opened = await self._open(await self._connect(options))
            except asyncssh.HostKeyNotVerifiable:
                raise self._distrusted() from None
            except (OSError, ValueError, asyncssh.Error) as error:
                raise ConnectFailed(self._reason(error)) from None
        self._trusted = self._shown
        return opened

    def _options(self, keys: Sequence[Identity], *, as_guest: bool) -> asyncssh.SSHClientConnectionOptions:
        """Return the options of a connection, none of them from a file. Raises ConnectRefused."""
        try:
            return asyncssh.SSHClientConnectionOptions(
                config=None,
                username=self._settings.user,
                client_factory=partial(_SshClient, self._accept, as_guest=as_guest),
                client_keys=keys or None,
                agent_path=None,
                # `_accept` alone decides; the order of algorithms prefers known keys.
                known_hosts=([], [], []),
                server_host_key_algs=self._host_key_types(),
                preferred_auth="publickey,keyboard-interactive",
                password_auth=False,
                host_based_auth=False,
                gss_host=None,
                gss_auth=False,
                gss_kex=False,
                x509_trusted_certs=None,
                agent_forwarding=False,
                x11_forwarding=False,
                compression_algs=["none"],
                signature_algs=SIGNATURE_ALGORITHMS,
                keepalive_interval=KEEPALIVE_SECONDS,
                keepalive_count_max=2,
                login_timeout=LOGIN_SECONDS,
            )
        except (OSError, ValueError) as error:
            raise ConnectRefused(LazyMessage(BAD_SETTINGS, {"error": error})) from None

    async def _connect(self, options: asyncssh.SSHClientConnectionOptions) -> asyncssh.SSHClientConnection:
        """Connect, through a proxy if the settings name one. Raises ConnectFailed and what asyncssh raises."""
        host, port = self._settings.host, self._settings.port
        if not self._settings.proxy:
            return await asyncssh.connect(host, port, config=None, options=options)
        # Once the app runs, the terminal is its own.
        proxy = self._proxy = await start_proxy(self._settings.proxy, may_ask=self._trusted is None)
        try:
            connection = await asyncssh.connect(host, port, config=None, options=options, sock=proxy.socket)
        except asyncssh.HostKeyNotVerifiable:
            proxy.end()
            raise
        except (OSError, asyncssh.Error):
            words = _quote_server(await proxy.last_words())
            if not words:
                raise
            program = self._settings.proxy[0]
            raise ConnectFailed(
                LazyMessage(BAD_PROXY, {"host": host, "program": program, "words": words})
            ) from None
        except BaseException:
            proxy.end()
            raise
        proxy.end_after(connection)
        return connection

    async def _open(self, connection: asyncssh.SSHClientConnection) -> ServerConnection:
        opened = ServerConnection(connection)
        try:
            await connection.create_session(
                lambda: opened,
                None,
                subsystem=SUBSYSTEM,
                env=None,
                send_env=None,
                request_pty=False,
                x11_forwarding=False,
                encoding=None,
            )
        except BaseException:
            connection.abort()
            raise
        return opened

    def _accept(self, key: asyncssh.SSHKey) -> bool:
        self._shown = key
        if self._trusted is not None:
            return key == self._trusted
        return check_host_key(key, self._known).says == "known"

    def _host_key_types(self) -> list[str]:
        good = (entry.key for entry in self._known if not entry.revoked)
        first = [kind.decode() for key in good for kind in key.sig_algorithms]
        return [
            kind for kind in dict.fromkeys([*first, *SIGNATURE_ALGORITHMS]) if kind in SIGNATURE_ALGORITHMS
        ]

    def _distrusted(self) -> ConnectFailed:
        name = host_name(self._settings.known_as, self._settings.known_port)
        key = self._shown
        assert key is not None
        fingerprint = key.get_fingerprint()
        if self._trusted is not None:
            return ConnectRefused(
                lazy_gettext(
                    (
                        "The key of {name} ({fingerprint}) differs from the one at the start of this visit, so it may "
                        "be another machine. Nothing was sent to it."
                    ),
                    fingerprint=fingerprint,
                    name=name,
                )
            )
        verdict = check_host_key(key, self._known)
        if verdict.entry is None:
            # As people call it: ED25519, RSA, ECDSA.
            kind = key.get_algorithm().removeprefix("ssh-").split("-")[0].upper()
            if self._settings.new_host_keys == "refuse":
                places = {"name": name, "kind": kind, "fingerprint": fingerprint}
                return ConnectRefused(LazyMessage(KEY_UNKNOWN, places))
            return UnknownHostKey(name, kind, fingerprint)
        place = f"{verdict.entry.file}:{verdict.entry.line}"
        text = KEY_REVOKED if verdict.says == "revoked" else KEY_CHANGED
        return ConnectRefused(LazyMessage(text, {"name": name, "fingerprint": fingerprint, "place": place}))

    def _reason(self, error: Exception) -> LazyMessage:
        places: dict[str, object] = {"host": self._settings.host, "port": self._settings.port}
        match error:
            case TimeoutError():
                text = N_("{host} doesn't answer at port {port}. Check the port, or try again later.")
            case socket.gaierror():
                text = N_(
                    "There is no host {host}, or its address can't be looked up right now. Check the name."
                )
            case ConnectionResetError() | BrokenPipeError():
                text = N_("{host} closed the connection at port {port}. Is a Cartino server running there?")
            case OSError():
                text = N_(
                    "{host} can't be reached at port {port}. Check the port, and whether the server is running."
                )
            case asyncssh.PermissionDenied():
                text = N_(
                    "{host} accepts you neither with a key nor as a guest. Is a Cartino server running at port {port}?"
                )
            case asyncssh.ChannelOpenError():
                text = N_(
                    "There is no Cartino server at {host}, port {port}, or it doesn't support `cartino connect`. Use "
                    "ssh."
                )
            case _:
                words = _quote_server(str(error))
                text = N_("{host} closed the connection at port {port}: {words}.") if words else NO_REASON
                places["words"] = words
        return LazyMessage(text, places)


class _SshClient(asyncssh.SSHClient):
    """Checks the host's key, and logs in as a guest if wanted."""

    def __init__(self, accept: Callable[[asyncssh.SSHKey], bool], *, as_guest: bool) -> None:
        self._accept = accept
        self._as_guest = as_guest

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        return self._accept(key)

    def kbdint_auth_requested(self) -> str | None:
        return "" if self._as_guest else None

    def kbdint_challenge_received(
        self, name: str, instructions: str, lang: str, prompts: Sequence[tuple[str, bool]]
    ) -> list[str] | None:
        # Our server asks nothing.
        return None if prompts else []


def _quote_server(words: str) -> str:
    """Return an error message of the server, short and without control characters."""
    words = _ERROR_NUMBER.sub("", words)
    return "".join(char if char.isprintable() else " " for char in words)[:_MAX_QUOTED].strip(" .")
