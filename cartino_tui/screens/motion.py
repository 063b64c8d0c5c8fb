"""What lets a screen show what just happened in a few pictures, and costs nothing before and after them."""

import asyncio
from collections.abc import Callable
from typing import Final

import msgspec

from cartino_tui.driver.session_app import SessionApp
from cartino_tui.settings import Motion as Wanted

PICTURE: Final = 0.15
"""Seconds that each picture stands."""
MOST_WATCHERS: Final = 50
"""Where more look on, they are shown no motion: the house would send all of them every picture."""


class Motion:
    """The pictures of a screen from one view to the next. `drawn` is called for each, and for what is left after them.

    It holds no timer but for the picture that is shown.
    """

    def __init__(self, drawn: Callable[[], None]) -> None:
        """Nothing moves."""
        self.before: msgspec.Struct | None = None
        """The view from which it goes on, None while nothing moves."""
        self.picture = 0
        """The number of the picture that is shown, from 0."""
        self._pictures = 0
        self._drawn = drawn
        self._next: asyncio.TimerHandle | None = None

    def begin(self, before: msgspec.Struct, pictures: int) -> None:
        """Show the first of so many pictures of what happened since `before`, when next something is drawn."""
        self.stop()
        if pictures > 0:
            self.before, self.picture, self._pictures = before, 0, pictures
            self._wait()

    def stop(self) -> None:
        """What is drawn next is the last picture, in which all has happened."""
        self.before = None
        if self._next is not None:
            self._next.cancel()
            self._next = None

    def _wait(self) -> None:
        self._next = asyncio.get_running_loop().call_later(PICTURE, self._go_on)

    def _go_on(self) -> None:
        self._next = None
        self.picture += 1
        if self.picture < self._pictures:
            self._wait()
        else:
            self.before = None
        self._drawn()


def may_move(app: object, wanted: Wanted, watchers: int, *, plays: bool) -> bool:
    """Whether to show motion to somebody who wants it so, at a table that so many watch; `plays`: they are a player.

    `auto` leaves it out where it would come late or could not be seen: on a line that was full once or takes long to
    answer, and on a terminal without colours.
    """
    if wanted == "off" or (not plays and watchers > MOST_WATCHERS):
        return False
    if wanted == "on" or not isinstance(app, SessionApp):
        return True
    return not app.is_slow and app.session_depth != "mono"
