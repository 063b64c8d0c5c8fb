"""Log lines on stderr, through structlog: for people, or as JSON for machines."""

import logging
from collections.abc import Mapping
from typing import Final, TextIO, cast

import structlog
from structlog.typing import EventDict, Processor

from cartino_protocol.legible import MOST_MARKS, is_mark, is_visible
from cartino_server.entry.log_stream import stderr
from cartino_server.entry.log_sums import Summing
from cartino_server.entry.log_words import wordless

IN_LINES: Final = frozenset({"exception", "stack", "crash"})
"""What we write ourselves in more than one line."""
LONGEST: Final = 500
"""Characters of anything else: a client may say on a hundred pages why it goes."""


def set_up_logs(style: str, **everywhere: object) -> None:
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
            Summing(),
            _adding(everywhere),
            *_shared(),
            _renderer(style),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        # It asks for no more of a file than there is, and writes each line at once.
        logger_factory=structlog.WriteLoggerFactory(cast(TextIO, stderr())),
    )
    _set_up_libraries(style)


def restyle(style: str) -> None:
    """Log lines of the other `style` from now on, also from loggers that have written lines already."""
    # Loggers share this list; a new one would reach none of them.
    structlog.get_config()["processors"][-1] = _renderer(style)
    _set_up_libraries(style)


def tell_sums() -> None:
    """Write what was counted instead of written until now: the process ends."""
    for processor in structlog.get_config()["processors"]:
        if isinstance(processor, Summing):
            processor.tell()


def _adding(everywhere: Mapping[str, object]) -> Processor:
    def add(logger: object, method: str, event: EventDict) -> EventDict:
        return {**event, **everywhere}

    return add


def _shared() -> list[Processor]:
    return [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        # Here already, so that the words of an exception are made printable as all others are.
        structlog.processors.format_exc_info,
        wordless,
        printable,
    ]


def _renderer(style: str) -> Processor:
    if style == "json":
        return structlog.processors.JSONRenderer()
    return structlog.dev.ConsoleRenderer(
        colors=stderr().isatty(),
        pad_event_to=0,
        exception_formatter=structlog.dev.plain_traceback,
    )


def _set_up_libraries(style: str) -> None:
    handler = logging.StreamHandler(cast(TextIO, stderr()))
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=_shared(),
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _renderer(style)],
        )
    )
    # Our sessions say what asyncssh says at lower levels, and hostile input is no news.
    logging.basicConfig(handlers=[handler], level=logging.ERROR, force=True)


def printable(logger: object, method: str, event: EventDict) -> EventDict:
    """A structlog processor: what strangers sent must not steer the terminal of whoever reads the log, nor fill it.

    Unprintable characters of all texts become escapes; new lines too, but for our own tracebacks.
    """
    for key, value in event.items():
        if isinstance(value, str):
            lines = value.split("\n") if key in IN_LINES else [_bounded(value)]
            event[key] = "\n".join(map(_escaped, lines))
    return event


def _bounded(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def _escaped(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    shown: list[str] = []
    marks = 0
    for char in text:
        marks = marks + 1 if is_mark(char) else 0
        shown.append(char if is_visible(char) and marks <= MOST_MARKS else ascii(char)[1:-1])
    return "".join(shown)
