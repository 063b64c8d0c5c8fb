"""Ring the bell, set the window title and show desktop notes, on terminals that understand them."""

from collections.abc import Callable
from typing import Final

BELL: Final = "\x07"
_STRING_END: Final = "\x1b\\"
PUSH_TITLE: Final = "\x1b[22;0t"
"""Have the terminal remember the title of its window."""
POP_TITLE: Final = "\x1b[23;0t"
"""Have it show the title again that it remembers."""

_TITLE_TERMS: Final = (
    "alacritty",
    "contour",
    "foot",
    "ghostty",
    "gnome",
    "iterm",
    "kitty",
    "konsole",
    "mintty",
    "mlterm",
    "putty",
    "rxvt",
    "screen",
    "st-",
    "tmux",
    "vte",
    "wezterm",
    "xterm",
)
_ONLY_777: Final = ("foot", "rxvt")
_ONLY_9: Final = ("ghostty", "iterm", "kitty", "wezterm", "xterm-ghostty", "xterm-kitty")


def supports_titles(term: str) -> bool:
    """Whether a terminal with that TERM takes a title for its window, and drops sequences that it doesn't know."""
    name = term.lower()
    return name == "st" or name.startswith(_TITLE_TERMS)


def title_sequence(text: str) -> str:
    """Make `text`, which has no control characters, the title of the window."""
    return f"\x1b]2;{text}{_STRING_END}"


def note_sequence(term: str, heading: str, text: str) -> str:
    """Have the desktop show `text`; "" for a terminal that can't have it do so.

    There are two ways, OSC 9 and OSC 777. A terminal that says no more of itself than that it is like xterm may know
    either, or both, so it is told both; screen hands neither on, and tmux only what is wrapped for it.
    """
    name = term.lower()
    nine = f"\x1b]9;{text}{_STRING_END}"
    # A semicolon would end the heading, or the text.
    heading, body = (part.replace(";", ",") for part in (heading, text))
    seven = f"\x1b]777;notify;{heading};{body}{_STRING_END}"
    if not supports_titles(term) or name.startswith("screen"):
        return ""
    if name.startswith("tmux"):
        return "\x1bPtmux;" + nine.replace("\x1b", "\x1b\x1b") + _STRING_END
    if name.startswith(_ONLY_777):
        return seven
    return nine if name.startswith(_ONLY_9) else nine + seven


class TerminalWindow:
    """What is said to a terminal beside what it shows. `write` sends; `term` is its TERM."""

    def __init__(self, term: str, write: Callable[[str], None]) -> None:
        """A window whose title is its own."""
        self.term = term
        self._write = write
        self.title = ""
        """The title that it was given, "" for its own."""

    def set_title(self, text: str) -> None:
        """Give it the title `text`; "" gives it back the one that it had. Nothing is sent for the one it has."""
        if text == self.title or not supports_titles(self.term):
            return
        first = PUSH_TITLE if not self.title else ""
        self._write(first + title_sequence(text) if text else POP_TITLE)
        self.title = text

    def ring(self) -> None:
        """Ring its bell."""
        self._write(BELL)

    def note(self, heading: str, text: str) -> None:
        """Have its desktop show `text`, where it can."""
        said = note_sequence(self.term, heading, text)
        if said:
            self._write(said)
