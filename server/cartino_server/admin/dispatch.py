"""Parse, audit, run and answer admin commands, one at a time.

Everything an admin does or tries is in the audit log, one JSON object per line, on disk before the answer.
"""

import asyncio
import contextvars
import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

import msgspec
import structlog

from cartino_protocol.exit_status import FAILURE, REFUSED
from cartino_protocol.text import N_, LazyMessage, lazy_gettext, legible
from cartino_server.admin.commands import ParsedCommand, parse_admin_command
from cartino_server.admin.context import AdminContext
from cartino_server.commands.console import CommandError
from cartino_server.commands.parser import HelpRequested
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.rate_limit import TokenBucket
from cartino_server.store.port import NotSaved
from cartino_server.visitors import Reply
from cartino_tui.i18n import ENGLISH, Translator
from cartino_tui.pages.page import pretty_json

AUDIT_FILE: Final = "audit.log"
MAX_WORDS: Final = 40
MAX_WORD_LENGTH: Final = 400
"""Words, and characters of each, that are logged."""

Outcome = Literal["asked", "done", "refused", "failed"]
"""`asked` is written before a command runs, `refused` if its words are wrong or not allowed."""


class AuditEntry(msgspec.Struct, frozen=True):
    """One line; `time` is RFC 3339 in UTC."""

    time: str
    who: str
    words: tuple[str, ...]
    outcome: Outcome
    said: str = ""


class AuditLog:
    """Appends to the file in the data directory. Opens it each time, so that it can be moved away."""

    def __init__(self, data: Path) -> None:
        """Log in the directory `data`."""
        self._path = data / AUDIT_FILE
        self._writing = asyncio.Lock()
        self._begin = b""
        """Precedes the next line: a newline if the last one may be incomplete."""

    async def note(self, entry: AuditEntry) -> None:
        """Write `entry` to disk. Raises OSError."""
        line = msgspec.json.encode(entry) + b"\n"
        async with self._writing:
            begin, self._begin = self._begin, b"\n"
            await asyncio.to_thread(_append, self._path, begin + line)
            self._begin = b""


def truncate_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return what the log keeps of `words`, safe to read at a terminal."""
    return tuple(legible(word[:MAX_WORD_LENGTH], "?") for word in words[:MAX_WORDS])


def _append(path: Path, line: bytes) -> None:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    file = os.open(path, flags, 0o600)
    try:
        written = os.write(file, line)
        if written != len(line):
            raise OSError(f"only {written} of {len(line)} bytes were written")
        os.fsync(file)
    finally:
        os.close(file)


INTERNAL_ERROR: Final = N_("Something went wrong; see the log for details.")
NOT_SAVED: Final = N_("The server can't save right now, so nothing was done. Check the disk.")
AUDIT_FAILED: Final = N_("The audit log can't be written ({why}), so nothing was done.")
AUDIT_FAILED_AFTER: Final = N_("It was done, but the audit log can't be written: {why}.")
NOT_AN_ADMIN: Final = lazy_gettext(
    "Only admins of this server can do that. The key you connected with isn't an admin's."
)

AUDITED_STRANGERS: Final = 10
STRANGERS_RATE: Final = 1 / 60
"""Tries of strangers that are logged: a burst, then a rate per second, so that they can't fill the log."""

_log = structlog.get_logger(__name__)


class AdminDispatcher:
    """Answers admins, one at a time."""

    def __init__(self, context: AdminContext, audit: AuditLog, clock: Callable[[], float]) -> None:
        """`clock` gives seconds that only rise."""
        self._context = context
        self._audit = audit
        self._clock = clock
        self._strangers = TokenBucket(STRANGERS_RATE, AUDITED_STRANGERS, clock())
        self._turn = asyncio.Lock()
        self._under_way: set[asyncio.Task[Reply]] = set()

    async def run_command(
        self, who: str, words: Sequence[str], translator: Translator, begin: str = "admin"
    ) -> Reply:
        """Run `words` for the admin `who`, even if they disconnect. `begin` precedes commands in help."""
        doing = asyncio.get_running_loop().create_task(
            self._answer(who, words, translator, begin), context=contextvars.Context()
        )
        self._under_way.add(doing)
        doing.add_done_callback(self._under_way.discard)
        return await asyncio.shield(doing)

    async def refuse_stranger(self, who: str, words: Sequence[str], translator: Translator) -> Reply:
        """Answer somebody who is no admin."""
        _log.warning("not an admin", who=who)
        if self._strangers.take_tokens(1, self._clock()):
            await self._note(who, words, "refused", str(NOT_AN_ADMIN))
        return Reply(stderr=f"{translator.render(NOT_AN_ADMIN)}\n", status=REFUSED)

    async def close(self) -> None:
        """Wait up to a second for running commands."""
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=1)

    async def _answer(self, who: str, words: Sequence[str], translator: Translator, begin: str) -> Reply:
        async with self._turn:
            try:
                parsed = parse_admin_command(words, translator, begin)
            except HelpRequested as asked:
                return Reply(stdout=asked.text)
            except CommandError as error:
                await self._note(who, words, "refused", str(error))
                return _error_reply(error.sentence, error.code, translator)
            try:
                return await self._do(parsed, who, words, translator)
            except Exception as error:
                _log.error("admin command crashed", where=summarize_error(error))
                await self._note(who, words, "failed", summarize_error(error))
                return _error_reply(LazyMessage(INTERNAL_ERROR), FAILURE, translator)

    async def _do(
        self, parsed: ParsedCommand, who: str, words: Sequence[str], translator: Translator
    ) -> Reply:
        if parsed.audited:
            why = await self._note(who, words, "asked")
            if why:
                return _error_reply(LazyMessage(AUDIT_FAILED, {"why": why}), FAILURE, translator)
        try:
            context = msgspec.structs.replace(self._context, by=who)
            told = await parsed.call.run(context, **parsed.call.arguments)
        except (CommandError, NotSaved) as error:
            sentence = error.sentence if isinstance(error, CommandError) else LazyMessage(NOT_SAVED)
            code = error.code if isinstance(error, CommandError) else FAILURE
            await self._note(who, words, "failed", str(sentence))
            return _error_reply(sentence, code, translator)
        # Only acts have a summary. Monitoring asks for health every few seconds.
        summary, why = told.say(ENGLISH).strip()[:1000] if parsed.audited else "", ""
        if parsed.name != "health":
            why = await self._note(who, words, "done", summary)
        late = f"{translator.gettext(AUDIT_FAILED_AFTER, why=why)}\n" if why else ""
        return Reply(pretty_json(told.data) if parsed.json else told.say(translator), late)

    async def _note(self, who: str, words: Sequence[str], outcome: Outcome, said: str = "") -> str:
        """Write to the audit log; return the error, "" for none."""
        time = datetime.fromtimestamp(self._context.now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        _log.info("admin command", who=who, verb=words[0][:20] if words else "", outcome=outcome)
        try:
            await self._audit.note(AuditEntry(time, who, truncate_words(words), outcome, said))
        except OSError as error:
            _log.error("the audit log can't be written", why=str(error))
            return error.strerror or str(error)
        return ""


def _error_reply(sentence: LazyMessage, code: int, translator: Translator) -> Reply:
    return Reply(stderr=f"{translator.render(sentence)}\n", status=code)
