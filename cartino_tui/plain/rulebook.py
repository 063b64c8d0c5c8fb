"""The rules of a game in lines: their headings, and each part at will; all at once are too much to listen to."""

from collections.abc import Sequence
from functools import partial

from cartino_tui.games.rules import Chapter
from cartino_tui.games.speech import Lines, find, folded
from cartino_tui.plain.floor import Floor
from cartino_tui.plain.topic import Choice, Topic
from cartino_tui.tongue import Tongue


def headings(chapters: Sequence[Chapter]) -> Lines:
    """The parts with the numbers that ask for them."""
    return tuple(f"{number}: {chapter.heading}" for number, chapter in enumerate(chapters, 1))


def read_out(chapters: Sequence[Chapter], wanted: str, tongue: Tongue) -> Lines:
    """The parts that `wanted` asks for: by number, by a word of a heading, else of the text, or "all" of them."""
    if find(("all", tongue.say_in("command", "all")), wanted) is not None:
        found = tuple(chapters)
    elif wanted.isascii() and wanted.isdigit():
        number = int(wanted[:4])
        found = tuple(chapters[number - 1 : number]) if number else ()
    else:
        word = folded(wanted)
        found = tuple(chapter for chapter in chapters if word in folded(chapter.heading))
        found = found or tuple(
            chapter for chapter in chapters if any(word in folded(line) for line in chapter.lines)
        )
    if not found:
        return (tongue.say("The rules have no part {wanted}.", wanted=wanted[:40]),)
    return tuple(line for chapter in found for line in (f"{chapter.heading}:", *chapter.lines))


class Rulebook(Topic):
    """The rules for somebody who is at no table."""

    def __init__(self, floor: Floor, title: str, chapters: Sequence[Chapter]) -> None:
        """The rules of the game that is called so, in parts."""
        super().__init__(floor)
        self._title = title
        self._chapters = chapters

    def opening(self) -> Sequence[str]:
        """What this is."""
        return (
            self.tongue.say(
                "The rules of {game}. Type the number of a part, a word of it, or all.", game=self._title
            ),
        )

    def choices(self) -> Sequence[Choice]:
        """The parts."""
        return [
            Choice(chapter.heading, partial(self._tell, str(number)))
            for number, chapter in enumerate(self._chapters, 1)
        ]

    def free(self, text: str) -> bool:
        """All of them, or those in which a word stands that means nothing else here."""
        if find(("all", self.tongue.say_in("command", "all")), text) is None:
            return False
        self._tell(text)
        return True

    def otherwise(self, text: str) -> None:
        """A word of the rules."""
        self._tell(text)

    def _tell(self, wanted: str) -> None:
        self.floor.tell(*read_out(self._chapters, wanted, self.tongue))
