"""A line to the house that leads nowhere."""

from cartino_server.workers.line import Line
from cartino_server.workers.messages import FromHouse, FromWorker, read_house


class NotedLine(Line[FromHouse]):
    """Keeps what is said."""

    def __init__(self) -> None:
        super().__init__(read_house, lambda _: None, lambda: None)
        self.said: list[FromHouse | FromWorker] = []

    def say(self, message: FromHouse | FromWorker) -> None:
        self.said.append(message)
