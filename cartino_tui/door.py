"""The words that lead to the house from a terminal: by ssh, or by our own command."""

import msgspec

from cartino_protocol.marking import Sentence, later


class Door(msgspec.Struct, frozen=True):
    """`words` are what everything begins with ("ssh -t example.org").

    Without them nobody comes back: the house ends with the visit. `calls`: that is our own command, which takes
    as options what ssh takes as words.
    """

    words: str = ""
    calls: bool = False

    def join(self, code: str) -> str:
        """What brings a friend to the table `code`."""
        return f"{self.words} {self._option('join')} {code}".strip()

    def watch(self, code: str) -> str:
        """What stands in place of `join` and the code, for those who would look on."""
        return f"{self._option('watch')} {code}"

    def back(self, word: str) -> Sentence:
        """What brings a guest with `word` back, to be told: a command line, or one and what to type then."""
        if not self.calls:
            return Sentence("{command}", {"command": f"{self.words} back {word}".strip()})
        # Not as an option: a command line can be seen by everybody on a machine.
        return later("{command}, then b and {word}", command=self.words, word=word)

    def add_key(self, code: str) -> str:
        """What makes the key that it is typed with the person's who has `code`."""
        return f"{self._answers} keys add {code}"

    def export(self, game: str) -> str:
        """What writes the record of `game` to a file."""
        # Not `-t`: through a terminal the file's line ends would be changed.
        return f"{self._answers} export {game} > {game}.jsonl"

    @property
    def _answers(self) -> str:
        """What stands before a word that is answered without a terminal."""
        return self.words.replace("ssh -t ", "ssh ", 1) if self.words and not self.calls else "ssh HOST"

    def _option(self, verb: str) -> str:
        return f"--{verb}" if self.calls else verb
