"""The window of one terminal: its title while it is ours, and given back as it was."""

from collections.abc import Callable

from cartino_tui.driver import signals


class Window:
    """What is said to a terminal beside what it shows. `write` sends; `term` is its TERM."""

    def __init__(self, term: str, write: Callable[[str], None]) -> None:
        """A window whose title is its own."""
        self.term = term
        self._write = write
        self.title = ""
        """The title that it was given, "" for its own."""

    def entitle(self, text: str) -> None:
        """Give it the title `text`; "" gives it back the one that it had. Nothing is sent for the one it has."""
        if text == self.title or not signals.knows_titles(self.term):
            return
        first = signals.PUSH if not self.title else ""
        self._write(first + signals.title(text) if text else signals.POP)
        self.title = text

    def ring(self) -> None:
        """Ring its bell."""
        self._write(signals.BELL)

    def note(self, heading: str, text: str) -> None:
        """Have its desktop show `text`, where it can."""
        said = signals.note(self.term, heading, text)
        if said:
            self._write(said)
