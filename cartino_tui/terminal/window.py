"""Ring the bell, set the window title and show desktop notes, on terminals that understand them."""

from collections.abc import Callable
from typing import Final

BELL: Final = "\x07"
_STRING_END: Final = "\x1b\\"
PUSH_TITLE: Final = "\x1b[22;0t"
"""Have the terminal remember its window title."""
POP_TITLE: Final = "\x1b[23;0t"
"""Restore the remembered title."""

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
    """Return whether a terminal with this TERM takes a window title, and drops sequences it doesn't know."""
    name = term.lower()
    return name == "st" or name.startswith(_TITLE_TERMS)


def note_sequence(term: str, heading: str, text: str) -> str:
    """Return the sequence for a desktop notification, "" if the terminal can't show one.

    It is OSC 9 or OSC 777. A terminal that only claims to be like xterm may know either, so it gets both; screen passes
    neither on, and tmux only a wrapped one.
    """
    name = term.lower()
    nine = f"\x1b]9;{text}{_STRING_END}"
    # A semicolon would end a field.
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
    """Title, bell and desktop notifications of a terminal; `write` sends, `term` is its TERM."""

    def __init__(self, term: str, write: Callable[[str], None]) -> None:
        self.term = term
        self._write = write
        self.title = ""
        """The title set, "" for the terminal's own."""

    def set_title(self, text: str) -> None:
        """Set the title to `text`, without controls; "" restores the terminal's own. Sends nothing if it is set."""
        if text == self.title or not supports_titles(self.term):
            return
        first = PUSH_TITLE if not self.title else ""
        self._write(f"{first}\x1b]2;{text}{_STRING_END}" if text else POP_TITLE)
        self.title = text

    def ring(self) -> None:
        """Ring the bell."""
        self._write(BELL)

    def note(self, heading: str, text: str) -> None:
        """Show a desktop notification, where the terminal can."""
        said = note_sequence(self.term, heading, text)
        if said:
            self._write(said)
