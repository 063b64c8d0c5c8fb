"""What is said at a table: one channel for all, and one for spectators that players hear when the game is over."""

from collections import deque
from heapq import merge

from cartino_protocol.commands import Channel
from cartino_protocol.views import ChatLine, ChatView

KEPT = 100
"""Lines kept, a channel."""
SHOWN = 20
"""Lines in a view."""
LONGEST = 300
"""Characters in a line."""


class Chat:
    """The last lines of both channels.

    The channels are kept apart, so that much talk among spectators never pushes out a line of the players.
    """

    def __init__(self) -> None:
        """Nothing was said yet."""
        self._table: deque[ChatLine] = deque(maxlen=KEPT)
        self._watchers: deque[ChatLine] = deque(maxlen=KEPT)
        self._count = 0

    def say(self, name: str, text: str, channel: Channel) -> None:
        """`name` says `text` (clean already) on `channel`."""
        self._count += 1
        lines = self._table if channel == "table" else self._watchers
        lines.append(ChatLine(self._count, name, text, channel))

    def notice(self, text: str) -> None:
        """A line of nobody's, for the whole table."""
        self.say("", text, "table")

    def reveal(self) -> None:
        """The game is over: what spectators said so far is everybody's, and stays so in the next game."""
        self._table = deque(merge(self._table, self._watchers, key=lambda line: line.n), maxlen=KEPT)
        self._watchers.clear()

    def view(self, spectator: bool, channel: Channel) -> ChatView:
        """The newest lines that a spectator or a player may read, and the `channel` of their own words."""
        heard = merge(self._table, self._watchers, key=lambda line: line.n) if spectator else self._table
        return ChatView(tuple(heard)[-SHOWN:], channel)
