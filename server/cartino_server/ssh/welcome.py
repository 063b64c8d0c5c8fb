"""A door that nobody keeps: for tests, and wherever everybody is welcome."""

import secrets

from cartino_server.ssh.ports import Newcomer, Verdict


class OpenDoor:
    """A `Doorkeeper` who lets everybody in: their key is who they are, and without one they are a new guest."""

    async def judge(self, newcomer: Newcomer) -> Verdict:
        """See Doorkeeper."""
        return Verdict(newcomer.key or f"guest:{secrets.token_hex(8)}")

    def left(self, connection: int) -> None:
        """See Doorkeeper."""
