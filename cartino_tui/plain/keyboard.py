"""What is typed, byte by byte, made into lines; on a raw terminal also what it has to show of them.

A client with a terminal sends each key as it is pressed and shows nothing of it, so the house echoes: the letters, and
for a letter taken back the three bytes that every terminal's own line discipline sends. A client without one sends
whole lines, which its own terminal has shown already.
"""

import codecs
import unicodedata
from typing import Final

from rich.cells import cell_len

LONGEST: Final = 1000
"""Characters of a line; what is typed beyond is dropped."""
_ESCAPE: Final = "\x1b"
_BACKSPACES: Final = frozenset("\x08\x7f")
_KILL_LINE: Final = "\x15"
_KILL_WORD: Final = "\x17"
INTERRUPT: Final = "\x03"
END: Final = "\x04"


class Keyboard:
    """Lines as they come about. `lines` are those that are finished and not taken yet."""

    def __init__(self, *, raw: bool) -> None:
        """`raw`: each key comes by itself, and is to be echoed."""
        self.lines: list[str] = []
        self.ended = False
        """Whether nobody types any more: Ctrl-C or Ctrl-D on an empty line, or the end of what is piped in."""
        self._raw = raw
        self._text = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._sequence = ""
        self._after_return = False

    @property
    def is_typing(self) -> bool:
        """Whether a line has begun and is not finished: nothing else may be written now."""
        return self._raw and bool(self._text)

    def feed(self, data: bytes) -> str:
        """Take in what was typed; what is to be shown of it, "" where the terminal shows it itself."""
        shown = "".join(self._take(letter) for letter in self._decoder.decode(data))
        return shown if self._raw else ""

    def _take(self, letter: str) -> str:
        """One character. Lines end in CR, LF or both."""
        after_return, self._after_return = self._after_return, letter == "\r"
        if self._sequence or letter == _ESCAPE:
            return self._escape(letter)
        if letter in "\r\n":
            return "" if letter == "\n" and after_return else self._finish()
        if letter in _BACKSPACES:
            return self._take_back(len(self._text) - self._last_letter())
        if letter == _KILL_LINE:
            return self._take_back(0)
        if letter == _KILL_WORD:
            return self._take_back(len(self._text.rstrip().rpartition(" ")[0]))
        if letter in (INTERRUPT, END):
            return self._stop(letter)
        return self._put(" " if letter == "\t" else letter)

    def _put(self, letter: str) -> str:
        if unicodedata.category(letter) in {"Cc", "Cs", "Cf", "Zl", "Zp"} or len(self._text) >= LONGEST:
            return ""
        self._text += letter
        return letter

    def _finish(self) -> str:
        self.lines.append(self._text)
        self._text = ""
        return "\n"

    def _stop(self, letter: str) -> str:
        """Ctrl-C gives up the line that was begun; on an empty one it is the end, as Ctrl-D is."""
        if letter == END and not self._raw and self._text:
            # The last line of what is piped in has no end of its own.
            self._finish()
        if not self._text:
            self.ended = True
            return ""
        if letter == END:
            return ""
        self._text = ""
        return "\n"

    def _last_letter(self) -> int:
        """How many characters the last letter is: those that are drawn on it belong to it."""
        count = 1
        while count < len(self._text) and unicodedata.combining(self._text[-count]):
            count += 1
        return min(count, len(self._text))

    def _take_back(self, kept: int) -> str:
        gone, self._text = self._text[kept:], self._text[:kept]
        cells = cell_len(gone)
        return "\b" * cells + " " * cells + "\b" * cells

    def _escape(self, letter: str) -> str:
        """Swallow what an arrow or a function key sends: ESC and a letter, ESC O x, or ESC [ up to its last letter."""
        begun, self._sequence = self._sequence, ""
        if letter in "\r\n":
            return self._finish()
        if not begun:
            self._sequence = letter
        elif begun == _ESCAPE:
            self._sequence = _ESCAPE + letter if letter in "[O" else ""
        elif begun[-1] == "[" and not "@" <= letter <= "~":
            # What stands between is not kept: a sequence may have no end.
            self._sequence = begun
        return ""
