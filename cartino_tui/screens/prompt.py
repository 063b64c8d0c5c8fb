"""One line for text at the bottom of a screen: a name, a code, a cut, something to say.

It is always there and only shown when something is asked, because a key that follows in the same burst must find
it: mounting would take a turn of the loop.
"""

from collections.abc import Callable

import msgspec
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Label

from cartino_tui.typeahead import Press


class Ask(msgspec.Struct, frozen=True):
    """What is asked: the words before the line, the most characters, what stands there, what is done with it."""

    label: str
    most: int
    then: Callable[[str], None]
    value: str = ""
    keep: bool = False
    """Whether the line outlives its screen: talk goes on when the game begins."""


class Line(Input):
    """Textual's line for text, except that its owner decides what every key does."""

    class Typed(Message):
        """A key that was typed while the line had the focus."""

        def __init__(self, press: Press) -> None:
            """Tell of `press`."""
            super().__init__()
            self.press = press

    def on_key(self, event: events.Key) -> None:
        """Hand on the keys that end the line and those that write; the cursor's keys stay Textual's."""
        if event.is_printable or event.key in {"enter", "escape", "backspace", "ctrl+l"}:
            event.stop()
            event.prevent_default()
            self.post_message(self.Typed(Press(event.key, event.character if event.is_printable else None)))


class Prompt(Horizontal):
    """The line with its label. Enter does what was asked for, Esc gives up, as Backspace does in an empty line."""

    DEFAULT_CSS = """
    Prompt { display: none; dock: bottom; height: 1; padding: 0 1; background: #303030; color: #ffffff; }
    Prompt.-open { display: block; }
    Prompt Label { width: auto; color: #ffd7af; text-style: bold; }
    Prompt Line, Prompt Line:focus {
        width: 1fr; height: 1; border: none; padding: 0; background: #303030; background-tint: #303030 0%;
        color: #ffffff;
    }
    """

    def __init__(self) -> None:
        """Nothing is asked yet."""
        super().__init__()
        self._ask: Ask | None = None
        self._label = Label("", markup=False)
        self._line = Line(compact=True, select_on_focus=False)
        self._line.cursor_blink = False  # a blinking cursor would write to every idle line

    @property
    def open(self) -> bool:
        """Whether something is asked."""
        return self._ask is not None

    def compose(self) -> ComposeResult:
        """The label and the line."""
        yield self._label
        yield self._line

    def ask(self, ask: Ask) -> None:
        """Show the line and let it have the keys."""
        self._ask = ask
        self._label.update(ask.label + " ")
        self._line.max_length = ask.most
        self._line.value = ask.value
        self._line.cursor_position = len(ask.value)
        self.add_class("-open")
        self.screen.set_focus(self._line)

    def unfinished(self) -> str | None:
        """What stands in a line that is to be kept; None where there is none."""
        return self._line.value if self._ask is not None and self._ask.keep else None

    def press(self, press: Press) -> None:
        """Do what a key means in the line."""
        if self._ask is None:
            return
        if press.key == "enter":
            self._end(self._line.value)
        elif press.key == "escape" or (press.key == "backspace" and not self._line.value):
            self._end("")
        elif press.key == "backspace":
            self._line.action_delete_left()
        elif press.character is not None:
            self._line.insert_text_at_cursor(press.character)

    def _end(self, text: str) -> None:
        ask, self._ask = self._ask, None
        self.screen.set_focus(None)
        self.remove_class("-open")
        if ask is not None and text.strip():
            ask.then(text.strip())
