"""A thinker that thinks nothing: it tells who is asked, and the test answers."""

from cartino_protocol.base import Seat
from cartino_server.table.bot_executor import ThreadExecutor
from cartino_server.table.jobs import BotQuestions


class Asked(BotQuestions):
    """Notes who is asked: (seat, number, pause), and which bot it was; and who goes on with a plan.

    The test answers for them.
    """

    def __init__(self) -> None:
        super().__init__(ThreadExecutor({}), "race", lambda *_: b"", 1, lambda _: None)
        self.thinks: set[Seat] = set()
        self.bots: list[str] = []
        self.planned: list[tuple[Seat, int, tuple[bytes, ...]]] = []
        self._notes: list[tuple[Seat, int, float]] = []

    def busy(self, seat: Seat) -> bool:
        return seat in self.thinks

    def begin(
        self, name: str, seat: Seat, number: int, view: bytes, pause: float, planned: tuple[bytes, ...] = ()
    ) -> None:
        self.thinks.add(seat)
        if planned:
            self.planned.append((seat, number, planned))
            return
        self.bots.append(name)
        self._notes.append((seat, number, pause))

    def notes(self) -> list[tuple[Seat, int, float]]:
        """Who was asked since the last time."""
        notes = list(self._notes)
        self._notes.clear()
        return notes
