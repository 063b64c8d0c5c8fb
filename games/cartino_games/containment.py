"""Contains what the code of other people's games does to the process that runs it: a fault costs one table.

An installed game is trusted code in the server's process, so this is about mistakes, not attacks: `sys.exit()` in a
rule must not end the server, and a call that takes very long must not do so again and again: after one, this process
makes no further call of that game. Whatever a method of a port raises becomes an `Exception`, which closes the table,
or ends the session that drew it.
"""

import signal
import time
from collections.abc import Callable, Iterator
from copy import copy
from functools import wraps
from inspect import getattr_static, isfunction
from types import new_class
from typing import Any, Final, TypeVar

from cartino_engine.port import Game, GameTooSlowError
from cartino_games.package import GamePackage
from cartino_tui.game_port.screen import GameScreen
from cartino_tui.game_port.speech import GameSpeech

PartT = TypeVar("PartT")
Method = Callable[..., Any]

MOST_SECONDS: Final = 5.0
"""A call that takes longer is a fault: meanwhile everybody else on the server, or in the worker, had to wait."""


class GameFaultError(RuntimeError):
    """A game's method tried to end the program."""


class _Pace:
    """Whether a method of the game took too long."""

    def __init__(self) -> None:
        self.is_slow = False


def contain(package: GamePackage) -> GamePackage:
    """Return `package` with rules, screen and speech whose methods raise nothing but an `Exception`."""
    pace = _Pace()
    return GamePackage(
        _contained(package.rules, Game, pace),
        _contained(package.screen, GameScreen, pace),
        _contained(package.speech, GameSpeech, pace),
        package.bots,
    )


def _contained(part: PartT, port: type, pace: _Pace) -> PartT:
    """Return a copy of `part` as an object of a subclass in which the methods of `port` are guarded."""
    kind = type(part)
    names = {name for each in port.__mro__ for name in vars(each) if not name.startswith("_")}
    methods = {name: getattr_static(kind, name) for name in names}
    guarded = {name: _guarded(method, pace) for name, method in methods.items() if isfunction(method)}
    parts = {"__module__": kind.__module__, "__slots__": (), **guarded}
    twin = copy(part)
    object.__setattr__(
        twin, "__class__", new_class(kind.__name__, (kind,), exec_body=lambda it: it.update(parts))
    )
    return twin


def _guarded(method: Method, pace: _Pace) -> Method:
    @wraps(method)
    def call(*args: Any, **places: Any) -> Any:
        if pace.is_slow:
            raise GameTooSlowError("an earlier call took too long")
        begun = time.perf_counter()
        try:
            found = method(*args, **places)
        except BaseException as error:
            if _is_harmless(error):
                raise
            raise GameFaultError(type(error).__name__).with_traceback(error.__traceback__) from None
        took = time.perf_counter() - begun
        if took > MOST_SECONDS:
            pace.is_slow = True
            raise GameTooSlowError(f"{took:.1f} s")
        return _guarded_items(found, pace) if isinstance(found, Iterator) else found

    return call


def _guarded_items(items: Iterator[Any], pace: _Pace) -> Iterator[Any]:
    step = _guarded(items.__next__, pace)
    while True:
        try:
            item = step()
        except StopIteration:
            return
        yield item


def _is_harmless(error: BaseException) -> bool:
    """Return whether `error` ends nothing, or is the Ctrl-C of the person at the terminal.

    Servers have their own handler of that signal, so there nobody but the game raises KeyboardInterrupt.
    """
    pressed = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return isinstance(error, Exception) or (isinstance(error, KeyboardInterrupt) and pressed)
