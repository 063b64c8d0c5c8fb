"""Between the gate and the doorkeeper, in the house's process: who has logged in is judged, who left forgotten."""

from cartino_server.metering.figures import CONNECTIONS_OVER
from cartino_server.ssh.access import BROKEN
from cartino_server.ssh.gate import Ending, Gate
from cartino_server.ssh.ports import Doorkeeper, Newcomer, Verdict


class Entrance:
    """Tells a gate who has logged in, and a doorkeeper of each who was judged that they left: once, and afterwards."""

    def __init__(self, keeper: Doorkeeper, gate: Gate) -> None:
        """`keeper` decides about those who came through `gate` and have logged in."""
        self._keeper = keeper
        self.gate = gate
        """Where they all knocked."""
        self._judging: set[int] = set()
        self._judged: set[int] = set()

    async def judge(self, newcomer: Newcomer) -> Verdict:
        """See Doorkeeper; somebody who leaves meanwhile has left once they are judged."""
        connection = newcomer.connection
        if self.gate.has_ended(connection):
            # It went in the same breath; judged now, it would be here for ever. Nobody is there to read why not.
            return Verdict(refused=BROKEN)
        self.gate.logged_in(connection)
        self._judging.add(connection)
        try:
            return await self._keeper.judge(newcomer)
        finally:
            if connection in self._judging:
                self._judging.discard(connection)
                self._judged.add(connection)
            else:
                self._keeper.left(connection)

    def left(self, connection: int, why: Ending) -> None:
        """The connection has ended, `why`; it may be told twice."""
        if not self.gate.has_ended(connection):
            CONNECTIONS_OVER.add(why)
        self.gate.ended(connection, why)
        self._judging.discard(connection)
        if connection in self._judged:
            self._judged.discard(connection)
            self._keeper.left(connection)
