"""A door that nobody keeps: for tests, and wherever everybody is welcome."""

import secrets
import time

from cartino_server.ssh.entrance import Entrance
from cartino_server.ssh.gate import Gate, GateLimits
from cartino_server.ssh.ports import Newcomer, Verdict


class OpenDoor:
    """A `Doorkeeper` who lets everybody in: their key is who they are, and without one they are a new guest."""

    async def judge(self, newcomer: Newcomer) -> Verdict:
        """See Doorkeeper."""
        return Verdict(newcomer.key or f"guest:{secrets.token_hex(8)}")

    def left(self, connection: int) -> None:
        """See Doorkeeper."""


def open_entrance() -> Entrance:
    """One by which everybody comes in, however many they are."""
    nobody_is_counted = GateLimits(
        unauthenticated=0, unauthenticated_each=0, connections_each=0, arrivals_each=0, penalties=0
    )
    return Entrance(OpenDoor(), Gate(nobody_is_counted, time.monotonic))
