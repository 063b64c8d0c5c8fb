"""Log clients in: accepted keys and signatures, attempt limits, and the decision who may enter.

Anybody may log in. A key identifies its owner; clients without a key are guests.
"""

import unicodedata
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, Protocol

import asyncssh
import structlog
from asyncssh.constants import (
    DISC_AUTH_CANCELLED_BY_USER,
    DISC_BY_APPLICATION,
    DISC_HOST_KEY_NOT_VERIFIABLE,
    DISC_NO_MORE_AUTH_METHODS_AVAILABLE,
)
from asyncssh.packet import PacketDecodeError, SSHPacket

from cartino_protocol.text import lazy_gettext, legible
from cartino_server.metrics.definitions import CONNECTIONS_CLOSED
from cartino_server.ssh.admission import AdmissionControl
from cartino_server.ssh.negotiation import Missing, loggable
from cartino_server.visitors import Ending, LoginRequest, LoginResult, bare_user

LOGIN_FAILED: Final = lazy_gettext("Something went wrong, and you couldn't be let in. Please try again.")

_log = structlog.get_logger(__name__)

Authenticate = Callable[[LoginRequest], Awaitable[LoginResult]]
"""A function like `Authenticator.judge`."""


class Authenticator(Protocol):
    """Decides who may log in; runs in the main process."""

    async def judge(self, newcomer: LoginRequest) -> LoginResult:
        """Return who the client is, or why it is refused. Raises nothing."""

    def forget_connection(self, connection: int) -> None:
        """Note that the connection has ended; called once for each that was judged."""


MAX_KEY_BYTES: Final = 2200
"""Size of the largest accepted RSA key with its framing."""
MAX_SIGNATURE_BYTES: Final = 2200
"""Size of the largest accepted signature with its framing."""
RSA: Final = b"ssh-rsa"
KEY_TYPES: Final = frozenset(
    {
        RSA,
        b"ssh-ed25519",
        b"ecdsa-sha2-nistp256",
        b"ecdsa-sha2-nistp384",
        b"ecdsa-sha2-nistp521",
        b"sk-ssh-ed25519@openssh.com",
        b"sk-ecdsa-sha2-nistp256@openssh.com",
    }
)
"""Accepted key types. Certificates are excluded: their issuer would decide whom they name."""
SIGNATURE_ALGORITHMS: Final = (
    "ssh-ed25519",
    "sk-ssh-ed25519@openssh.com",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "sk-ecdsa-sha2-nistp256@openssh.com",
    "rsa-sha2-512",
    "rsa-sha2-256",
)
"""Signature algorithms that are offered and accepted; those with SHA-1 (ssh-rsa, ssh-dss) are excluded."""
MIN_RSA_BITS: Final = 2048
MAX_RSA_BITS: Final = 16_384
"""Bits of an RSA modulus."""
MAX_EXPONENT_BITS: Final = 64
"""Bits of an RSA exponent; verifying a signature takes time in proportion."""


def is_accepted_signature(signature: bytes) -> bool:
    """Return whether the encoded signature uses one of `SIGNATURE_ALGORITHMS`."""
    try:
        return SSHPacket(signature).get_string().decode("ascii", "replace") in SIGNATURE_ALGORITHMS
    except PacketDecodeError:
        return False


def key_fault(algorithm: str, blob: bytes) -> str:
    """Return what is wrong with a key that is offered for `algorithm`, "" if it can be used; does no cryptography.

    The person and the log read it: "ssh-dss", "RSA, 1024 bits" or "RSA, SHA-1".
    """
    is_accepted = is_accepted_key(blob)
    if is_accepted and algorithm in SIGNATURE_ALGORITHMS:
        return ""
    fault = loggable(algorithm)[:MAX_ALGORITHM] or "?"
    if is_accepted:
        return "RSA, SHA-1" if algorithm.encode() == RSA else fault
    packet = SSHPacket(blob)
    with suppress(PacketDecodeError):
        if packet.get_string() == RSA:
            packet.get_mpint()
            return f"RSA, {packet.get_mpint().bit_length()} bits"
    return fault


def is_accepted_key(blob: bytes) -> bool:
    """Return whether the encoded public key has an accepted type and size; does no cryptography."""
    if len(blob) > MAX_KEY_BYTES:
        return False
    packet = SSHPacket(blob)
    try:
        kind = packet.get_string()
        if kind != RSA:
            return kind in KEY_TYPES
        exponent, modulus = packet.get_mpint(), packet.get_mpint()
    except PacketDecodeError:
        return False
    return (
        exponent > 2
        and exponent.bit_length() <= MAX_EXPONENT_BITS
        and modulus > 0
        and MIN_RSA_BITS <= modulus.bit_length() <= MAX_RSA_BITS
        and bool(exponent & modulus & 1)
    )


MAX_ALGORITHM: Final = 64
"""Characters that are kept of an algorithm's name; RFC 4251 allows as many."""
MAX_UNUSABLE_KEYS: Final = 60
"""Keys of a connection that are refused by their kind alone, which costs next to nothing."""
REQUESTS_PER_FAILURE: Final = 4
"""Login requests allowed per failure; clients may ask whether a key would do without using it."""


class TooManyAttempts(asyncssh.DisconnectError):
    """The connection has used up its login attempts."""

    def __init__(self) -> None:
        super().__init__(DISC_NO_MORE_AUTH_METHODS_AVAILABLE, "Too many authentication failures")


_CLIENT_GOODBYES: Final = frozenset(
    {DISC_BY_APPLICATION, DISC_HOST_KEY_NOT_VERIFIABLE, DISC_AUTH_CANCELLED_BY_USER}
)
"""Disconnect codes that clients send when a person leaves or rejects an unknown host key."""


def ending_of(error: BaseException | None) -> Ending:
    """Return how a connection ended that asyncssh closed with `error`."""
    match error:
        case None:
            return "done"
        case TooManyAttempts():
            return "attempts"
        # A truncated packet in a key exchange: caused by a bad line or middlebox.
        case asyncssh.ConnectionLost() | OSError() | PacketDecodeError():
            return "lost"
        case asyncssh.DisconnectError(code=code) if code in _CLIENT_GOODBYES:
            return "done"
        case asyncssh.KeyExchangeFailed():
            return "mismatch"
        # asyncssh decodes some fields, such as the client version, without checking them.
        case asyncssh.Error() | UnicodeDecodeError():
            return "protocol"
        case _:
            return "crashed"


class LoginTracker:
    """Report logins to admission control, and the end of each judged connection to the authenticator, once."""

    def __init__(self, authenticator: Authenticator, admission: AdmissionControl) -> None:
        """Let `authenticator` decide about connections that `admission` admitted."""
        self._authenticator = authenticator
        self.admission = admission
        """Where all connections are counted."""
        self._judging: set[int] = set()
        self._judged: set[int] = set()

    async def judge(self, newcomer: LoginRequest) -> LoginResult:
        """Return the authenticator's decision; refuse if it fails.

        If the connection ends meanwhile, the authenticator learns that after its decision.
        """
        connection = newcomer.connection
        if self.admission.has_ended(connection):
            # It has already ended, so the authenticator would never hear of its end; the client can't read the
            # reason.
            return LoginResult(refused=LOGIN_FAILED)
        self.admission.logged_in(connection)
        self._judging.add(connection)
        try:
            return await self._authenticator.judge(newcomer)
        except Exception:
            # A server error must not let anybody in.
            _log.exception("deciding about a login failed", connection=connection)
            return LoginResult(refused=LOGIN_FAILED)
        finally:
            if connection in self._judging:
                self._judging.discard(connection)
                self._judged.add(connection)
            else:
                self._authenticator.forget_connection(connection)

    def record_connection_end(self, connection: int, why: Ending) -> None:
        """Record that the connection has ended; may be called twice."""
        if not self.admission.has_ended(connection):
            CONNECTIONS_CLOSED.add(why)
        self.admission.record_connection_end(connection, why)
        self._judging.discard(connection)
        if connection in self._judged:
            self._judged.discard(connection)
            self._authenticator.forget_connection(connection)


MAX_NAME: Final = 32
MAX_NAME_BYTES: Final = 1024
"""Bytes of a user name that are read."""
MAX_CLIENT_VERSION: Final = 64
"""Characters kept of the client's version string."""


def display_name(user: str) -> str:
    """Return the user name as others may see it, at most 32 characters; "guest" for none.

    Control and invisible characters become "?", which marks the name as invalid.
    """
    return _cleaned(bare_user(user), MAX_NAME, "?") or "guest"


def client_version(version: str) -> str:
    """Return a client's version string as the log and admins see it."""
    return _cleaned(version, MAX_CLIENT_VERSION)


def _cleaned(text: str, most: int, instead: str = "") -> str:
    # Cut first: normalising a thousand combining marks is slow.
    kept = legible(unicodedata.normalize("NFC", text[: 4 * most]), instead)
    return kept.strip()[:most].strip()


class LoginProgress:
    """What a client has tried so far to log in. Exceptions raised here end its connection.

    Clients begin with the method `none` to list the methods, so the first request never counts as a failure. Every
    later request that doesn't succeed counts, whatever user it names. Keys that can't be used are counted apart: an
    agent may hold many, and offers them before the one that can.
    """

    def __init__(self, attempts: int) -> None:
        """Allow `attempts` failures."""
        self.name = ""
        """The user name in the current attempt."""
        self.offered = ""
        """Fingerprint of the key asked about last, which needn't be the client's."""
        self.proven = ""
        """Fingerprint of the key that signed in the current attempt."""
        self.unusable = ""
        """What was wrong with the first key that can't be used, as `key_fault` says it."""
        self.was_tried = False
        self.is_over = False
        """Whether the client is logged in, so that its name stays."""
        self.missing: Missing | None = None
        """Why there is no key exchange with the client."""
        self._most = attempts
        self._asked = self._failed = self._unusable = 0
        self._is_excused = False
        """Whether the current attempt is refused for its key."""

    def begin_attempt(self, user: bytes) -> None:
        """Begin an attempt: the client asks to log in as `user`. Raises TooManyAttempts."""
        if not self.is_over:
            self.name = display_name(user[:MAX_NAME_BYTES].decode("utf-8", "ignore"))
        self.offered = self.proven = ""
        self.was_tried, self._is_excused = True, False
        self._asked += 1
        if self._asked > REQUESTS_PER_FAILURE * self._most:
            raise TooManyAttempts

    def failed(self) -> None:
        """Count a failed attempt. Raises TooManyAttempts if it was the last one allowed."""
        if self._is_excused:
            self._asked -= 1
            self._unusable += 1
        elif self._asked > 1:
            self._failed += 1
        if self._failed >= self._most or self._unusable >= MAX_UNUSABLE_KEYS:
            raise TooManyAttempts

    def key_refused(self, fault: str, *, checked: bool = False) -> None:
        """Record that the attempt fails for its key; it counts only if cryptography `checked` the key."""
        self.unusable = self.unusable or fault
        self._is_excused = not checked

    def proved(self) -> None:
        """Record that the key asked about last has signed."""
        self.proven = self.offered
