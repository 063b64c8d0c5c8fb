"""How fast one person may say things, by however many links: all commands, and slower those that others hear of."""

from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final
from weakref import WeakValueDictionary

from cartino_protocol.commands import Command, Invite, Prefer, Rename, Say, Sit, Stand
from cartino_protocol.refusals import Reason
from cartino_server.rooms.bucket import TokenBucket
from cartino_server.rooms.config import HouseConfig

MOST_REMEMBERED: Final = 512
"""Persons who have gone and whose pace is still known, so that coming again is no new start."""


class Pace:
    """One person's measure."""

    def __init__(self, config: HouseConfig, clock: Callable[[], float]) -> None:
        """As `config` has it; `clock` gives seconds that only rise."""
        self._clock = clock
        self._talked: deque[float] = deque()
        self.configure(config)

    def configure(self, config: HouseConfig) -> None:
        """Go by `config` from now on."""
        self._all = TokenBucket(config.burst, config.rate, self._clock)
        self._seats = TokenBucket(config.seats_burst, config.seats_rate, self._clock)
        self._lines, self._seconds = config.chat_lines, config.chat_seconds

    def allows_frame(self) -> bool:
        """Whether one more command may come at all; it counts."""
        return self._all.take()

    def refuses(self, command: Command) -> Reason | None:
        """Why `command`, that came, may not be served just now, or None; what is served counts among its like."""
        match command:
            case Say() | Invite():
                return None if self._may_talk() else "too-much-talk"
            case Sit() | Stand() | Rename() | Prefer():
                return None if self._seats.take() else "busy"
            case _:
                return None

    def _may_talk(self) -> bool:
        """Whether one more line may be said: in no span of so many seconds there are more."""
        now = self._clock()
        while self._talked and self._talked[0] + self._seconds <= now:
            self._talked.popleft()
        if len(self._talked) >= self._lines:
            return False
        self._talked.append(now)
        return True


class Paces:
    """The pace of each person; all links of a person have the same, and so have those that come right after."""

    def __init__(self, config: HouseConfig, clock: Callable[[], float]) -> None:
        """As `config` has it; `clock` gives seconds that only rise."""
        self._config = config
        self._clock = clock
        self._used: WeakValueDictionary[str, Pace] = WeakValueDictionary()
        self._last: OrderedDict[str, Pace] = OrderedDict()

    def configure(self, config: HouseConfig) -> None:
        """Everybody goes by `config` from now on."""
        self._config = config
        for pace in self._used.values():
            pace.configure(config)

    def of(self, person: str) -> Pace:
        """The pace of the person of that id."""
        pace = self._used.get(person) or Pace(self._config, self._clock)
        self._used[person] = self._last[person] = pace
        self._last.move_to_end(person)
        if len(self._last) > MOST_REMEMBERED:
            self._last.popitem(last=False)
        return pace
