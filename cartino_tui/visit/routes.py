"""Ways into a visit: where it starts, and which commands lead people here."""

import msgspec

from cartino_protocol.commands import Back, Create, Join, Replay, Watch
from cartino_protocol.deals import PlayDaily
from cartino_protocol.text import LazyMessage, lazy_gettext


class ToLesson(msgspec.Struct, frozen=True):
    """To the first lesson of `game`; "" asks which, where several games have lessons."""

    game: str = ""


class LocalTable(msgspec.Struct, frozen=True):
    """To a new `table`, or to `first` for people who have never played; lessons are offered before it."""

    table: Create
    first: Create


StartRoute = Create | Join | Watch | Back | PlayDaily | Replay | ToLesson | LocalTable | None
"""Where a visit goes first: what this command leads to, a lesson, a finished game, or (None) the lobby."""


class ShellCommands(msgspec.Struct, frozen=True):
    """Commands to show to people; each begins with `words`, as "ssh -t example.org".

    Without `words` nobody can come back: the server ends with the visit. `calls`: it is our own command, which takes
    options where ssh takes words.
    """

    words: str = ""
    calls: bool = False

    def join(self, code: str) -> str:
        """Return the command that leads a friend to the table `code`."""
        return f"{self.words} {self._option('join')} {code}".strip()

    def daily(self, game: str) -> LazyMessage:
        """Return how others play today's daily of `game`: a command, or a command and which key to press then."""
        if not self.calls:
            return LazyMessage("{command}", {"command": f"{self.words} daily --game {game}".strip()})
        return lazy_gettext("{command}, then press d", command=self.words)

    def watch(self, code: str) -> str:
        """Return the end of that command for spectators."""
        return f"{self._option('watch')} {code}"

    def describe_return(self, word: str) -> LazyMessage:
        """Return how a guest with the resume code `word` comes back: a command, or a command and what to type then."""
        if not self.calls:
            return LazyMessage("{command}", {"command": f"{self.words} back {word}".strip()})
        # Not as an option: a command line can be seen by everybody on a machine.
        return lazy_gettext("{command}, then press b and type {word}", command=self.words, word=word)

    def add_key(self, code: str) -> str:
        """Return the command that adds the key it is run with to the account that made `code`."""
        return f"{self._answers} keys add {code}"

    def export(self, game: str) -> str:
        """Return the command that writes the record of `game` to a file."""
        # Not `-t`: through a terminal the file's line ends would be changed.
        return f"{self._answers} export {game} > {game}.jsonl"

    @property
    def _answers(self) -> str:
        """What a command without a terminal begins with."""
        return self.words.replace("ssh -t ", "ssh ", 1) if self.words and not self.calls else "ssh HOST"

    def _option(self, verb: str) -> str:
        return f"--{verb}" if self.calls else verb
