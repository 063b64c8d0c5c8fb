"""How often one connection may try to log in."""

from typing import Final

import asyncssh
from asyncssh.constants import DISC_NO_MORE_AUTH_METHODS_AVAILABLE

ASKED_FOR_EACH: Final = 4
"""Requests for each try that may fail: keys may also be shown, to ask whether they would do, and then not be used."""


class TooManyAttempts(asyncssh.DisconnectError):
    """Somebody has tried to log in too often."""

    def __init__(self) -> None:
        """What the client is told, in SSH's own terms."""
        super().__init__(DISC_NO_MORE_AUTH_METHODS_AVAILABLE, "Too many authentication failures")


class Attempts:
    """What was tried on one connection.

    Programs begin with the method `none`, to hear which there are; so the very first request is none that
    failed. What counts is each request that ends without success, whoever it was for.
    """

    def __init__(self, most: int) -> None:
        """At most `most` may fail."""
        self._most = most
        self._asked = 0
        self._failed = 0

    def ask(self) -> None:
        """One more request. Raises TooManyAttempts."""
        self._asked += 1
        if self._asked > ASKED_FOR_EACH * self._most:
            raise TooManyAttempts

    def fail(self) -> None:
        """A request has failed. Raises TooManyAttempts where that was the last that may."""
        if self._asked > 1:
            self._failed += 1
        if self._failed >= self._most:
            raise TooManyAttempts
