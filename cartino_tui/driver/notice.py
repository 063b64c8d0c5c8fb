"""A face that says one sentence and goes: for terminals on which nothing can be drawn."""

from cartino_tui.driver.terminal import Terminal


class Notice:
    """A `Face` that runs no app."""

    crash: str | None = None

    def __init__(self, terminal: Terminal, sentence: str, code: int) -> None:
        """Say `sentence` on `terminal`; `run` gives `code`."""
        self._terminal = terminal
        self._sentence = sentence
        self._code = code

    async def run(self) -> int:
        """Say it."""
        self._terminal.write(f"{self._sentence}\r\n".encode())
        return self._code

    def feed(self, data: bytes) -> None:
        """Nothing is read."""

    def resize(self, width: int, height: int) -> None:
        """The sentence wraps by itself."""

    def stall(self) -> None:
        """One sentence always fits."""

    def drained(self) -> None:
        """It has been said."""

    def hang_up(self) -> None:
        """It ends by itself."""
