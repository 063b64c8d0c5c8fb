"""Configure log lines on stderr, through structlog, as text or JSON.

Log lines never contain what an error says or what a variable held: that may be a player's hand. Unprintable characters
are escaped. Lines that strangers can cause are limited per kind and then summed up, so that 10,000 failed logins don't
hide everything else or fill the disk.
"""

import asyncio
import contextlib
import logging
import re
import time
from collections.abc import Callable
from typing import Final, TextIO, cast

import msgspec
import structlog
from structlog.typing import EventDict, Processor

from cartino_protocol.text import MAX_COMBINING_MARKS, is_mark, is_visible
from cartino_server.operations.log_output import log_stderr

TRACEBACK_KEYS: Final = ("exception", "crash")
"""Keys whose value is a traceback."""
_TRACEBACK_START: Final = "Traceback (most recent call last):"
_GROUP_START: Final = "Exception Group Traceback"
_CHAIN_LINES: Final = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
_ERROR_KIND: Final = re.compile(r"[A-Za-z_][\w.<>]*")
_FRAME_LINE: Final = re.compile(r'[\s|]*File "[^"]*", line \d+')


def redact_tracebacks(logger: object, method: str, event: EventDict) -> EventDict:
    """Redact every traceback; a structlog processor."""
    for key in TRACEBACK_KEYS:
        if isinstance(event.get(key), str):
            event[key] = redact_traceback(event[key])
    return event


def redact_traceback(traceback: str) -> str:
    """Return only the places and error types of `traceback`, without messages."""
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
            # The first line after the frames names the error; the rest is its message.
            is_inside = False
            kind = _ERROR_KIND.match(line)
            kept.append(kind[0] if kind else "?")
    return "\n".join(kept) if kept else "?"


OUTSIDE_WINDOW: Final = 10.0
"""Seconds over which lines about clients before login are counted."""
INSIDE_WINDOW: Final = 60.0
"""Seconds over which lines about logged-in people are counted."""
MAX_OUTSIDE: Final = 20
"""Lines of a kind in a window about clients before login."""
MAX_INSIDE: Final = 500
"""The same about logged-in people; enough for everybody to reconnect after a restart."""

INSIDE_KEYS: Final = frozenset({"person", "session", "table", "who"})
"""Keys that only lines about logged-in people have; `who` names people who use admin commands."""

KindKey = tuple[str, bool]


class _KindCount(msgspec.Struct):
    level: str
    until: float
    count: int = 0


class LogRateLimiter:
    """Drop lines above the limit of their kind and log their number later; a structlog processor."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Use `clock()` (monotonic seconds)."""
        self._clock = clock
        self._seen: dict[KindKey, _KindCount] = {}

    def __call__(self, logger: object, method: str, event: EventDict) -> EventDict:
        """Return the event, or raise DropEvent."""
        is_inside = not INSIDE_KEYS.isdisjoint(event)
        if "more" in event or not (is_inside or "peer" in event or "connection" in event):
            return event
        now, key = self._clock(), (str(event.get("event")), is_inside)
        seen = self._seen.get(key)
        if seen is not None and seen.until <= now:
            self._tell(key, seen)
            seen = None
        if seen is None:
            seen = self._seen[key] = _KindCount(method, now + _window(is_inside))
        seen.count += 1
        most = MAX_INSIDE if is_inside else MAX_OUTSIDE
        if seen.count > most:
            if seen.count == most + 1:
                # Without a loop, the next line of this kind logs the count.
                with contextlib.suppress(RuntimeError):
                    asyncio.get_running_loop().call_later(seen.until - now, self._tell, key, seen)
            raise structlog.DropEvent
        return event

    def tell(self) -> None:
        """Log all counts now."""
        for key, seen in tuple(self._seen.items()):
            self._tell(key, seen)

    def _tell(self, key: KindKey, seen: _KindCount) -> None:
        if self._seen.get(key) is not seen:
            return
        del self._seen[key]
        event, is_inside = key
        more = seen.count - (MAX_INSIDE if is_inside else MAX_OUTSIDE)
        if more > 0:
            getattr(structlog.get_logger(__name__), seen.level)(event, more=more, seconds=_window(is_inside))


def _window(is_inside: bool) -> float:
    return INSIDE_WINDOW if is_inside else OUTSIDE_WINDOW


MULTILINE_KEYS: Final = frozenset({"exception", "stack", "crash"})
"""Keys whose values may have several lines."""
MAX_VALUE: Final = 500
"""Longest other value, in characters."""


def configure_logging(style: str, **everywhere: object) -> None:
    """Log in `style` "text" or "json", with the fields `everywhere` in each line; of libraries, only errors.

    Lines that can't be written are lost, and never raise.
    """
    structlog.configure(
        processors=[
            # First: the limiter looks at context variables.
            structlog.contextvars.merge_contextvars,
            LogRateLimiter(),
            lambda logger, method, event: {**event, **everywhere},
            *_shared_processors(),
            _renderer(style),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.WriteLoggerFactory(cast(TextIO, log_stderr())),
    )
    _configure_libraries(style)


def set_log_style(style: str) -> None:
    """Change the style of all loggers, also of those already in use."""
    # Loggers share this list; a new one would reach none of them.
    structlog.get_config()["processors"][-1] = _renderer(style)
    _configure_libraries(style)


def flush_summaries() -> None:
    """Log the counts of all dropped lines, before the process ends."""
    for processor in structlog.get_config()["processors"]:
        if isinstance(processor, LogRateLimiter):
            processor.tell()


def _shared_processors() -> list[Processor]:
    return [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        # Before make_printable, so that it applies to tracebacks.
        structlog.processors.format_exc_info,
        redact_tracebacks,
        make_printable,
    ]


def _renderer(style: str) -> Processor:
    if style == "json":
        return structlog.processors.JSONRenderer()
    return structlog.dev.ConsoleRenderer(
        colors=log_stderr().isatty(), pad_event_to=0, exception_formatter=structlog.dev.plain_traceback
    )


def _configure_libraries(style: str) -> None:
    handler = logging.StreamHandler(cast(TextIO, log_stderr()))
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=_shared_processors(),
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _renderer(style)],
        )
    )
    # Sessions log what matters themselves.
    logging.basicConfig(handlers=[handler], level=logging.ERROR, force=True)


def make_printable(logger: object, method: str, event: EventDict) -> EventDict:
    """Escape unprintable characters and shorten long values; a structlog processor.

    New lines are escaped, too, except in our own tracebacks.
    """
    for key, value in event.items():
        if isinstance(value, str):
            lines = (
                value.split("\n")
                if key in MULTILINE_KEYS
                else [value if len(value) <= MAX_VALUE else f"{value[:MAX_VALUE]}…"]
            )
            event[key] = "\n".join(map(_escape, lines))
    return event


def _escape(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    shown: list[str] = []
    marks = 0
    for char in text:
        marks = marks + 1 if is_mark(char) else 0
        shown.append(char if is_visible(char) and marks <= MAX_COMBINING_MARKS else ascii(char)[1:-1])
    return "".join(shown)
