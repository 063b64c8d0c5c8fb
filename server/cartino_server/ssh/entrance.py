"""Between the gate and the doorkeeper, in the house's process: who has logged in is judged, who left forgotten."""

from cartino_server.ssh.gate import Ending
from cartino_server.ssh.ports import Doorkeeper, Newcomer, Verdict


class Entrance:
    """Tells a doorkeeper of everybody who left as often as it has judged them: once, and never before."""

    def __init__(self, keeper: Doorkeeper) -> None:
        """`keeper` decides about those who have logged in."""
        self._keeper = keeper
        self._judging: set[int] = set()
        self._judged: set[int] = set()

    async def judge(self, newcomer: Newcomer) -> Verdict:
        """See Doorkeeper; somebody who leaves meanwhile has left once they are judged."""
        connection = newcomer.connection
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
        self._judging.discard(connection)
        if connection in self._judged:
            self._judged.discard(connection)
            self._keeper.left(connection)
