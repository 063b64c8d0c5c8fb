"""A line to the server that leads nowhere."""

from cartino_server.workers.messages import MessageStream, ServerMessage, WorkerMessage, decode_server_message


class NotedLine(MessageStream[ServerMessage]):
    """Keeps what is said."""

    def __init__(self) -> None:
        super().__init__(decode_server_message, lambda _: None, lambda: None)
        self.said: list[ServerMessage | WorkerMessage] = []

    def send(self, message: ServerMessage | WorkerMessage) -> None:
        self.said.append(message)
