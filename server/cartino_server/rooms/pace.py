"""How fast one link may say things: all commands together, and slower those that others hear of, or that are saved."""

from collections.abc import Callable

from cartino_protocol.commands import Command, Invite, Prefer, Rename, Say, Sit, Stand
from cartino_server.rooms.bucket import TokenBucket
from cartino_server.rooms.config import HouseConfig


class Pace:
    """One link's buckets."""

    def __init__(self, config: HouseConfig, clock: Callable[[], float]) -> None:
        """As `config` has it; `clock` gives seconds that only rise."""
        self._all = TokenBucket(config.burst, config.rate, clock)
        self._talk = TokenBucket(config.talk_burst, config.talk_rate, clock)
        self._seats = TokenBucket(config.seats_burst, config.seats_rate, clock)

    def allows_frame(self) -> bool:
        """Whether one more command may come at all; it counts."""
        return self._all.take()

    def allows(self, command: Command) -> bool:
        """Whether `command`, that came, may be served; it counts among its like."""
        match command:
            case Say() | Invite():
                return self._talk.take()
            case Sit() | Stand() | Rename() | Prefer():
                return self._seats.take()
            case _:
                return True
