"""What calls a person who looks elsewhere: the bell, the title of the window, a note of the desktop.

The bell is understood by all. The others are sequences (OSC) that an old terminal would show as letters, or take for
something else, as the Linux console does: so they go only to those that are known to take them.
"""

from typing import Final

BELL: Final = "\x07"
_END: Final = "\x1b\\"
PUSH: Final = "\x1b[22;0t"
"""Have the terminal remember the title of its window."""
POP: Final = "\x1b[23;0t"
"""Have it show the title again that it remembers."""

_KNOWING: Final = (
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


def knows_titles(term: str) -> bool:
    """Whether a terminal with that TERM takes a title for its window, and drops sequences that it doesn't know."""
    name = term.lower()
    return name == "st" or name.startswith(_KNOWING)


def title(text: str) -> str:
    """Make `text`, which has no control characters, the title of the window."""
    return f"\x1b]2;{text}{_END}"


def note(term: str, heading: str, text: str) -> str:
    """Have the desktop show `text`; "" for a terminal that can't have it do so.

    There are two ways, OSC 9 and OSC 777. A terminal that says no more of itself than that it is like xterm may know
    either, or both, so it is told both; screen hands neither on, and tmux only what is wrapped for it.
    """
    name = term.lower()
    nine = f"\x1b]9;{text}{_END}"
    # A semicolon would end the heading, or the text.
    heading, body = (part.replace(";", ",") for part in (heading, text))
    seven = f"\x1b]777;notify;{heading};{body}{_END}"
    if not knows_titles(term) or name.startswith("screen"):
        return ""
    if name.startswith("tmux"):
        return "\x1bPtmux;" + nine.replace("\x1b", "\x1b\x1b") + _END
    if name.startswith(_ONLY_777):
        return seven
    return nine if name.startswith(_ONLY_9) else nine + seven
