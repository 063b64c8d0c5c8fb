"""Configure log lines on stderr, through structlog, as text or JSON.

Log lines never contain what an error says or what a variable held: that may be a player's hand. Unprintable characters
are escaped. Lines that strangers can cause are limited per kind and then summed up, so that 10,000 failed logins don't
hide everything else or fill the disk.
"""

import asyncio
import logging
import re
import time
from collections.abc import Callable, Mapping
from typing import Final, TextIO, cast

import structlog
from structlog.typing import EventDict, Processor

from cartino_protocol.text import MAX_COMBINING_MARKS, is_mark, is_visible
from cartino_server.operations.log_output import log_stderr

TRACEBACK_KEYS: Final = ("exception", "crash")
"""The keys behind which a traceback stands."""
_TRACEBACK_START: Final = "Traceback (most recent call last):"
_GROUP_START: Final = "Exception Group Traceback"
_CHAIN_LINES: Final = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
_ERROR_KIND: Final = re.compile(r"[A-Za-z_][\w.<>]*")
_FRAME_LINE: Final = re.compile(r'[\s|]*File "[^"]*", line \d+')


def redact_tracebacks(logger: object, method: str, event: EventDict) -> EventDict:
    """A structlog processor: of every traceback its places and kinds are left."""
    for key in TRACEBACK_KEYS:
        if isinstance(event.get(key), str):
            event[key] = redact_traceback(event[key])
    return event


def redact_traceback(traceback: str) -> str:
    """`traceback` without what the errors say, and without all that is no traceback."""
    if _GROUP_START in traceback:
        places = [
            found[0].strip(" |") for line in traceback.split("\n") if (found := _FRAME_LINE.match(line))
        ]
        return "\n".join([_GROUP_START, *places])
    kept: list[str] = []
    is_inside = False
    for line in traceback.split("\n"):
        if line == _TRACEBACK_START or line in _CHAIN_LINES:
            is_inside = line == _TRACEBACK_START
            kept.append(line)
        elif is_inside and line.startswith("  "):
            kept.append(line)
        elif is_inside:
            # Here ends what Python says of the places; the rest is the error's own.
            is_inside = False
            kind = _ERROR_KIND.match(line)
            kept.append(kind[0] if kind else "?")
    return "\n".join(kept) if kept else "?"


OUTSIDE_WINDOW: Final = 10.0
"""Seconds for which lines are counted together of those who have not logged in."""
INSIDE_WINDOW: Final = 60.0
"""And of those who have."""
MAX_OUTSIDE: Final = 20
"""Lines of a kind in a while of those who have not logged in."""
MAX_INSIDE: Final = 500
"""And of those who have: a whole house that comes back after a restart is told of person by person."""

INSIDE_KEYS: Final = frozenset({"person", "session", "room", "who"})
"""What only lines about those who have logged in have; `who` is what hosts, and who would be one, are called."""

KindKey = tuple[str, bool]


class _KindCount:
    """Lines of one kind in one while."""

    __slots__ = ("count", "level", "until")

    def __init__(self, level: str, until: float) -> None:
        self.level = level
        self.until = until
        self.count = 0


class LogRateLimiter:
    """A structlog processor; it goes where nothing is rendered yet."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock()` gives seconds that only rise."""
        self._clock = clock
        self._seen: dict[KindKey, _KindCount] = {}

    def __call__(self, logger: object, method: str, event: EventDict) -> EventDict:
        """The line, if it is to be written."""
        is_inside = not INSIDE_KEYS.isdisjoint(event)
        if "more" in event or not (is_inside or "peer" in event or "connection" in event):
            return event
        now, key = self._clock(), (str(event.get("event")), is_inside)
        seen = self._seen.get(key)
        if seen is not None and seen.until <= now:
            self._tell(key)
            seen = None
        if seen is None:
            seen = self._seen[key] = _KindCount(method, now + _window(is_inside))
        seen.count += 1
        most = MAX_INSIDE if is_inside else MAX_OUTSIDE
        if seen.count > most:
            if seen.count == most + 1:
                self._tell_later(key)
            raise structlog.DropEvent
        return event

    def tell(self) -> None:
        """Write all sums now: the process ends."""
        for key in tuple(self._seen):
            self._tell(key)

    def _tell_later(self, key: KindKey) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            # Then the next line of this kind tells of those before it.
            return
        seen = self._seen[key]
        loop.call_later(seen.until - self._clock(), self._tell_of, key, seen)

    def _tell_of(self, key: KindKey, seen: _KindCount) -> None:
        if self._seen.get(key) is seen:
            self._tell(key)

    def _tell(self, key: KindKey) -> None:
        seen = self._seen.pop(key)
        words, is_inside = key
        more = seen.count - (MAX_INSIDE if is_inside else MAX_OUTSIDE)
        if more > 0:
            getattr(structlog.get_logger(__name__), seen.level)(words, more=more, seconds=_window(is_inside))


def _window(is_inside: bool) -> float:
    return INSIDE_WINDOW if is_inside else OUTSIDE_WINDOW


MULTILINE_KEYS: Final = frozenset({"exception", "stack", "crash"})
"""What we write ourselves in more than one line."""
MAX_VALUE: Final = 500
"""Characters of anything else: a client may say on a hundred pages why it goes."""


def configure_logging(style: str, **everywhere: object) -> None:
    """Log lines of `style` "text" or "json" from now on, ours and those of the libraries (errors only).

    What is `everywhere` stands in each of ours, whichever task writes it.
    Tracebacks are plain: they never show what a variable held, nor what an error says, which may be somebody's hand.
    What strangers bring about by the thousand is told in sums (see `log_sums`). What can't be written, as on a full
    disk or behind a reader that has gone, is lost: to whoever says it, it makes no difference. In processes that serve,
    neither does a reader that takes its time (see `log_stream.never_waiting`).
    """
    structlog.configure(
        processors=[
            # Before it is counted: what is bound to a context tells whose line it is.
            structlog.contextvars.merge_contextvars,
            LogRateLimiter(),
            _add_fields(everywhere),
            *_shared_processors(),
            _renderer(style),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        # It asks for no more of a file than there is, and writes each line at once.
        logger_factory=structlog.WriteLoggerFactory(cast(TextIO, log_stderr())),
    )
    _configure_libraries(style)


def set_log_style(style: str) -> None:
    """Log lines of the other `style` from now on, also from loggers that have written lines already."""
    # Loggers share this list; a new one would reach none of them.
    structlog.get_config()["processors"][-1] = _renderer(style)
    _configure_libraries(style)


def flush_summaries() -> None:
    """Write what was counted instead of written until now: the process ends."""
    for processor in structlog.get_config()["processors"]:
        if isinstance(processor, LogRateLimiter):
            processor.tell()


def _add_fields(everywhere: Mapping[str, object]) -> Processor:
    def add(logger: object, method: str, event: EventDict) -> EventDict:
        return {**event, **everywhere}

    return add


def _shared_processors() -> list[Processor]:
    return [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        # Here already, so that the words of an exception are made printable as all others are.
        structlog.processors.format_exc_info,
        redact_tracebacks,
        make_printable,
    ]


def _renderer(style: str) -> Processor:
    if style == "json":
        return structlog.processors.JSONRenderer()
    return structlog.dev.ConsoleRenderer(
        colors=log_stderr().isatty(),
        pad_event_to=0,
        exception_formatter=structlog.dev.plain_traceback,
    )


def _configure_libraries(style: str) -> None:
    handler = logging.StreamHandler(cast(TextIO, log_stderr()))
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=_shared_processors(),
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _renderer(style)],
        )
    )
    # Our sessions say what asyncssh says at lower levels, and hostile input is no news.
    logging.basicConfig(handlers=[handler], level=logging.ERROR, force=True)


def make_printable(logger: object, method: str, event: EventDict) -> EventDict:
    """A structlog processor: what strangers sent must not steer the terminal of whoever reads the log, nor fill it.

    Unprintable characters of all texts become escapes; new lines too, but for our own tracebacks.
    """
    for key, value in event.items():
        if isinstance(value, str):
            lines = value.split("\n") if key in MULTILINE_KEYS else [_truncate(value)]
            event[key] = "\n".join(map(_escape, lines))
    return event


def _truncate(text: str) -> str:
    return text if len(text) <= MAX_VALUE else text[:MAX_VALUE] + "…"


def _escape(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    shown: list[str] = []
    marks = 0
    for char in text:
        marks = marks + 1 if is_mark(char) else 0
        shown.append(char if is_visible(char) and marks <= MAX_COMBINING_MARKS else ascii(char)[1:-1])
    return "".join(shown)
