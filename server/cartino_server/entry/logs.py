"""Log lines on stderr, through structlog: for people, or as JSON for machines."""

import logging
import sys

import structlog
from structlog.typing import Processor


def set_up_logs(style: str) -> None:
    """Log lines of `style` "text" or "json" from now on, ours and those of the libraries (errors only).

    Tracebacks are plain: they never show what a variable held, which may be somebody's hand.
    """
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    last: Processor = structlog.processors.JSONRenderer()
    if style == "json":
        shared.append(structlog.processors.format_exc_info)
    else:
        last = structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(),
            pad_event_to=0,
            exception_formatter=structlog.dev.plain_traceback,
        )
    structlog.configure(
        processors=[*shared, last],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, last],
        )
    )
    # Our sessions say what asyncssh says at lower levels, and hostile input is no news.
    logging.basicConfig(handlers=[handler], level=logging.ERROR, force=True)
