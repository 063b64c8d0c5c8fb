"""The timers of one table: what is to be done there in a while."""

import asyncio
import contextvars
from collections.abc import Callable


class Timers:
    """At most one timer of each name."""

    def __init__(self) -> None:
        """None runs."""
        self._handles: dict[str, asyncio.TimerHandle] = {}

    def __contains__(self, name: str) -> bool:
        """Whether a timer of that name was set, and not taken back: one that is over counts too."""
        return name in self._handles

    def set(self, name: str, seconds: float | None, due: Callable[[], object]) -> None:
        """Call `due` in so many seconds, at once where they are over, None for never."""
        self.clear(name)
        if seconds is not None:
            # A timer is the room's: it must not keep alive what belongs to whoever set it off.
            self._handles[name] = asyncio.get_running_loop().call_later(
                max(0.0, seconds), due, context=contextvars.Context()
            )

    def clear(self, name: str) -> None:
        """Take the timer back, where there is one."""
        handle = self._handles.pop(name, None)
        if handle is not None:
            handle.cancel()

    def stop(self) -> None:
        """Take back all of them."""
        for name in tuple(self._handles):
            self.clear(name)
