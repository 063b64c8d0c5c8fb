"""What a client has shown of itself before its login: name, keys, attempts."""

import unicodedata
from typing import Final

from cartino_protocol.text import legible
from cartino_server.ssh.authentication import LoginAttempts
from cartino_server.ssh.negotiation import Missing
from cartino_server.visitors import bare_user

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
    """What a client has tried so far to log in. Exceptions raised here end its connection."""

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
        self._attempts = LoginAttempts(attempts)
        self._is_excused = False
        """Whether the current attempt is refused for its key."""

    def asked(self, user: bytes) -> None:
        """Begin an attempt: the client asks to log in as `user`. Raises TooManyAttempts."""
        if not self.is_over:
            self.name = display_name(user[:MAX_NAME_BYTES].decode("utf-8", "ignore"))
        self.offered = self.proven = ""
        self.was_tried, self._is_excused = True, False
        self._attempts.ask()

    def failed(self) -> None:
        """Count a failed attempt. Raises TooManyAttempts."""
        if self._is_excused:
            self._attempts.excuse()
        else:
            self._attempts.fail()

    def key_refused(self, fault: str, *, checked: bool = False) -> None:
        """Record that the attempt fails for its key; it counts only if cryptography `checked` the key."""
        self.unusable = self.unusable or fault
        self._is_excused = not checked

    def proved(self) -> None:
        """Record that the key asked about last has signed."""
        self.proven = self.offered
