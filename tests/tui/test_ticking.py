from collections.abc import Callable

from cartino_tui.visit.connection import TICK_SECONDS, RepeatingTimer


class Timers:
    """What is done how often."""

    def __init__(self) -> None:
        self.going: list[tuple[float, Callable[[], None]]] = []

    def __call__(self, seconds: float, act: Callable[[], None]) -> "Timers":
        self.going.append((seconds, act))
        return self

    def stop(self) -> None:
        self.going.clear()


def nothing() -> None:
    """What is done here."""


def test_there_is_one_timer_while_it_ticks_and_none_before_or_after() -> None:
    timers = Timers()
    ticking = RepeatingTimer(timers, nothing)
    assert timers.going == []
    assert ticking.begin()
    assert not ticking.begin()
    assert timers.going == [(TICK_SECONDS, nothing)]
    ticking.end()
    assert timers.going == []
    ticking.end()
    assert ticking.begin()
    assert timers.going == [(TICK_SECONDS, nothing)]
