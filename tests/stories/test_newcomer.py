"""The first minutes of somebody who doesn't know the game: they do what the screen says, and nothing else."""

import itertools
import re

import pytest

from tests.support.seen_table import cards
from tests.support.ssh_world import SshServer
from tests.support.terminals import Terminal

pytestmark = pytest.mark.e2e

_STONE = r"(?:10|[2-9JQKA])[♠♥♦♣]|★"
_LESSON = re.compile(r"Lesson (\d+) of (\d+)")
_TASK = re.compile(rf"^ (?:Pick|Lay|Start with|Now lay)[\w ]*? ({_STONE}).*", re.MULTILINE | re.DOTALL)
_SOME = re.compile(r"^ (?:Lay all five|Now lay the next|Lay the last)", re.MULTILINE)
_HALF = re.compile(r"(upper|lower) half")
_AS = re.compile(rf"lay it as ({_STONE})")
_PREVIEW = re.compile(rf"(?:{_STONE}) on the (upper|lower) half:")
_NO_PREVIEW = r"(?s)\A(?!.* half:)"
_PAGE_DOWN = "\x1b[6~"


_READY = "Your turn: pick a stone"
_UP = "Enter to lay"
_DONE = "Well done."
_TO_DO = r"PgDn next lesson|Enter to the table"
_LAID = rf"press e to end your turn|{_DONE}"
"""The status line after a stone was laid."""


class Newcomer:
    """Reads the screen, and presses the keys that it names."""

    def __init__(self, window: Terminal) -> None:
        self._window = window

    @property
    def lesson(self) -> int:
        """The number of the lesson, 0 in the lobby."""
        found = _LESSON.search(self._window.screen())
        return int(found[1]) if found else 0

    def learn(self) -> list[int]:
        """Follow the lessons to their end; return their numbers."""
        seen = [self.lesson]
        while seen[-1]:
            self._follow_instruction()
            if self.lesson != seen[-1]:
                seen.append(self.lesson)
        return seen[:-1]

    def _follow_instruction(self) -> None:
        words = self._words()
        if re.search(r"Press Enter for the next lesson|Enter: lobby", words):
            self._window.press("enter")
            self._window.sees(f"{_TO_DO}|You're ready")
        elif "Press e to end your turn." in words:
            self._window.press("e")
            self._window.sees(_DONE)
        elif task := _TASK.search(words):
            self._lay(task[1], words)
        else:
            assert _SOME.search(words), f"no instruction:\n{self._window.screen()}"
            self._pick("1")
            self._enter()

    def _words(self) -> str:
        """Return the text between the title and the board, or all of it at the end."""
        # The sentence that was waited for may come before the rest of the screen.
        self._window.paint_anew()
        rows = self._window.rows()
        board = next((y for y, row in enumerate(rows) if _is_board(row)), len(rows))
        return "\n".join(rows[1:board])

    def _lay(self, stone: str, words: str) -> None:
        """Pick the stone by its number, move it to the half in `words`, and lay it."""
        self._pick(self._number(stone))
        if joker := _AS.search(words):
            self._move(joker[1])
        wanted = _HALF.search(words.rpartition(stone)[2])
        half = self._window.sees(_PREVIEW.pattern)[1]
        if wanted is not None and wanted[1] != half:
            self._window.press("up" if wanted[1] == "upper" else "down")
            self._window.sees(f"on the {wanted[1]} half:")
        self._enter()

    def _number(self, stone: str) -> str:
        """Return the number before or above a stone of the hand."""
        rows = self._window.rows()
        for above, below in itertools.pairwise(rows):
            if re.match(" 1 .* 2 ", above) and stone in cards(below):
                return str(cards(below).index(stone) + 1)
        return next(
            found[1]
            for row in rows
            if not _is_board(row) and (found := re.search(rf"(\d) +{re.escape(stone)}(?: |$)", row))
        )

    def _move(self, card: str) -> None:
        """Move the joker to `card` with the arrows."""
        shown = re.compile(rf"★ as ({_STONE}) on the (?:upper|lower) half")
        while (here := self._window.sees(shown.pattern)[0]) and f"as {card} " not in here:
            (row, column), (to_row, to_column) = map(self._place, (_card(here), card))
            along = "right" if column < to_column else "left"
            self._window.press("down" if row < to_row else "up" if row > to_row else along)
            self._window.sees(rf"(?!{re.escape(here)}){shown.pattern}:")

    def _place(self, card: str) -> tuple[int, int]:
        """Return the row and column of a card on the board."""
        rows = enumerate(self._window.rows())
        return next((y, row.find(card)) for y, row in rows if _is_board(row) and card in row)

    def _pick(self, number: str) -> None:
        self._window.press(number)
        self._window.sees(_PREVIEW.pattern)

    def _enter(self) -> None:
        self._window.press("enter")
        self._window.sees(_NO_PREVIEW)


def _is_board(row: str) -> bool:
    """Return whether a row of the screen is one of the board's, with its eight cards."""
    return len(re.findall(_STONE, row)) >= 8


def _card(preview: str) -> str:
    return preview.split()[2]


_MOST_WORDS = 60


class Eyes:
    """Counts the words that a screen shows for the first time: text that stays is read once.

    Words are runs of two or more letters, also in titles, names, hints and notices. Cards, the table's code, the
    response time and the log of a bot that had the first turn don't count.
    """

    def __init__(self, window: Terminal) -> None:
        self._window = window
        self._read: set[str] = set()
        self.words: list[str] = []

    def look(self) -> None:
        """Read what is new on the screen."""
        self._window.paint_anew()
        for row in self._window.rows():
            for piece in re.split(r" {2,}|[│╭╮╰╯─]+", row):
                if piece.strip() and piece.strip() not in self._read:
                    self._read.add(piece.strip())
                    bare = re.sub(r"\d+ ms|\b(?=[A-Z\d]{4,}\b)[A-Z\d]+|beginner laid.*", "", piece)
                    self.words += re.findall(r"[^\W\d_]{2,}", bare)

    def have_read_little(self) -> None:
        assert len(self.words) <= _MOST_WORDS, " ".join(self.words)


def test_few_words_lead_into_the_lessons_which_lead_to_a_game(ssh_server: SshServer) -> None:
    window = ssh_server.visit("newt", key=False)
    eyes = Eyes(window)
    window.sees("Enter  learn Cartino .3 minutes")
    eyes.look()
    window.press("enter")
    window.sees("Lesson 1 of 10")
    eyes.look()
    window.press("4")
    window.sees(_PREVIEW.pattern)
    eyes.look()
    window.press("enter")
    window.sees(_DONE)
    eyes.have_read_little()
    assert Newcomer(window).learn() == list(range(1, 11))
    window.sees("You're ready. Press p to play.")
    window.press("p")
    window.sees("Your turn|Waiting for")
    assert window.quit() == 0


def test_few_words_lead_to_the_first_stone_of_a_game(ssh_server: SshServer) -> None:
    window = ssh_server.visit("newt", key=False)
    eyes = Eyes(window)
    window.sees("p +play an easy bot")
    eyes.look()
    window.press("p")
    window.sees(f"{_READY}|{_LAID}")
    assert "beginner" in window.screen()
    assert "i hint" in window.screen()
    eyes.look()
    window.press("1")
    window.sees(_UP)
    eyes.look()
    window.press("enter")
    window.sees("upper|lower")
    eyes.have_read_little()
    assert window.quit() == 0


def test_a_declined_offer_and_the_lesson_reached_are_remembered(ssh_server: SshServer) -> None:
    window = ssh_server.visit("newt")
    window.sees("Esc +skip")
    window.press("escape")
    window.sees("No tables are open yet")
    assert window.quit() == 0
    window = ssh_server.visit("newt", "learn cartino")
    window.sees("Lesson 1 of 10")
    window.press(_PAGE_DOWN)
    window.sees("Lesson 2 of 10")
    window.press("q")
    window.sees("Leave the lessons")
    window.press("y")
    window.sees("you are newt ")
    assert window.quit() == 0
    again = ssh_server.visit("newt")
    again.sees("No tables are open yet")
    assert "Esc    skip" not in again.screen()
    again.press("h")
    again.sees("Lessons: which game")
    again.press("enter")
    again.sees("Lesson 2 of 10")
    assert again.quit() == 0
