"""The way back to where one was, when there is a line again."""

from cartino_protocol.commands import Back, Command, Join, Watch
from cartino_protocol.views import Welcome
from cartino_tui.known import Known


class Returning:
    """From the moment a line is lost until one is where one was."""

    def __init__(self) -> None:
        """The line is there."""
        self._before: Known | None = None
        self._word = ""
        self._said_word = self._said_way = False

    @property
    def is_under_way(self) -> bool:
        """Whether one is not back yet."""
        return self._before is not None

    @property
    def code(self) -> str:
        """The code of the table where one was, "" in the lobby."""
        room = None if self._before is None else self._before.room
        return "" if room is None else room.code

    @property
    def is_awaited(self) -> bool:
        """Whether a table was asked for, whose view will be the end of it."""
        return self._before is not None and self._said_way

    def lost(self, known: Known) -> None:
        """The line is lost, by somebody who knew `known`; perhaps once more on the way back."""
        if self._before is None:
            self._before, self._word = known, ""
        welcome = known.welcome
        if welcome is not None and welcome.guest and welcome.word:
            self._word = welcome.word
        self._said_word = self._said_way = False

    def next(self, welcome: Welcome) -> Command | None:
        """What to say to the house, which greets with `welcome`; None where there is nothing more to say."""
        if self._word and not self._said_word:
            self._said_word = True
            return Back(self._word)
        room = None if self._before is None else self._before.room
        if room is None or self._said_way:
            return None
        self._said_way = True
        # Who looks on at a table where they have a seat sits on it; who joins an open one takes any.
        sits = room.you is not None and (welcome.back == room.code or room.state == "open")
        return Join(room.code, again=True) if sits else Watch(room.code, again=True)

    def is_back(self) -> None:
        """One is where one was, or as near as can be."""
        self._before = None
