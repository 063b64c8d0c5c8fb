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

from cartino_protocol.text import N_, LazyMessage, lazy_gettext, legible
from cartino_server.admin.actions import ActionResult, AdminActions
from cartino_server.admin.commands import READ_ONLY, AdminCommand, ShowAdminHelp, ShowHealth, admin_help
from cartino_server.admin.listings import pretty_json
from cartino_server.admin.parsing import parse_admin_command
from cartino_server.commands.console import FAILURE, REFUSED, CommandError
from cartino_server.commands.parser import HelpRequested
from cartino_server.lobby.rate_limit import TokenBucket
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.ssh.ports import Reply
from cartino_server.store.port import NotSaved
from cartino_tui.i18n import ENGLISH, Translator

AUDIT_FILE: Final = "audit.log"
MAX_WORDS: Final = 40
MAX_WORD_LENGTH: Final = 400
"""Words, and characters of each, that are kept of what was said."""

Outcome = Literal["asked", "done", "refused", "failed"]
"""Before something is done; it was done; it was not, for it could not be understood or allowed; it went wrong."""


class AuditEntry(msgspec.Struct, frozen=True):
    """One line: when (RFC 3339, UTC), `who`, what they said, what came of it, and in words how."""

    time: str
    who: str
    words: tuple[str, ...]
    outcome: Outcome
    said: str = ""


class AuditLog:
    """Appends to the file in the directory `data`. It is opened anew each time, so that it may be moved away."""

    def __init__(self, data: Path) -> None:
        """Nothing is written yet."""
        self._path = data / AUDIT_FILE
        self._writing = asyncio.Lock()
        self._begin = b""
        """What stands before the next line: a new one, where the last may have been written half."""

    async def note(self, entry: AuditEntry) -> None:
        """Have `entry` on disk. Raises OSError where it can't be."""
        line = msgspec.json.encode(entry) + b"\n"
        async with self._writing:
            begin, self._begin = self._begin, b"\n"
            await asyncio.to_thread(_append, self._path, begin + line)
            self._begin = b""


def truncate_words(words: Sequence[str]) -> tuple[str, ...]:
    """As much of `words` as the log keeps: strangers' too, and whoever keeps the house reads it at a terminal."""
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


INTERNAL_ERROR: Final = N_("Something broke here; the log has more.")
NOT_SAVED: Final = N_("The house can't save just now, so nothing was done; check the disk.")
AUDIT_FAILED: Final = N_("The audit log can't be written ({why}), so nothing was done.")
AUDIT_FAILED_AFTER: Final = N_("It was done, but the audit log can't be written: {why}.")
NOT_AN_ADMIN: Final = lazy_gettext(
    "That is for the hosts of this house; the key that you came with is none of theirs."
)

AUDITED_STRANGERS: Final = 10
STRANGERS_RATE: Final = 1 / 60
"""Tries of those who are no hosts that are noted at once, and then a second: the log must not be theirs to fill."""

_log = structlog.get_logger(__name__)


class AdminDispatcher:
    """Answers hosts, one after the other."""

    def __init__(
        self, acts: AdminActions, audit: AuditLog, now: Callable[[], float], clock: Callable[[], float]
    ) -> None:
        """`now` is the wall clock in Unix seconds, `clock` gives seconds that only rise."""
        self._acts = acts
        self._audit = audit
        self._now = now
        self._strangers = TokenBucket(AUDITED_STRANGERS, STRANGERS_RATE, clock)
        self._turn = asyncio.Lock()
        self._under_way: set[asyncio.Task[Reply]] = set()

    async def answer(
        self, who: str, words: Sequence[str], translator: Translator, begin: str = "admin"
    ) -> Reply:
        """What the host `who` gets for `words`, in `translator`; `begin` is what stands before them. Raises nothing.

        Whoever goes away meanwhile has it done all the same, and noted.
        """
        doing = asyncio.get_running_loop().create_task(
            self._answer(who, words, translator, begin), context=contextvars.Context()
        )
        self._under_way.add(doing)
        doing.add_done_callback(self._under_way.discard)
        return await asyncio.shield(doing)

    async def refuse_stranger(self, who: str, words: Sequence[str], translator: Translator) -> Reply:
        """What somebody gets who is no host. Raises nothing."""
        _log.warning("no host", who=who)
        if self._strangers.take():
            await self._note(who, words, "refused", str(NOT_AN_ADMIN))
        return Reply(stderr=f"{translator.render(NOT_AN_ADMIN)}\n", status=REFUSED)

    async def close(self) -> None:
        """Let what is under way be done."""
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=1)

    async def _answer(self, who: str, words: Sequence[str], translator: Translator, begin: str) -> Reply:
        async with self._turn:
            try:
                verb, json = parse_admin_command(words, self._now(), translator)
            except HelpRequested as asked:
                return Reply(stdout=asked.text)
            except CommandError as error:
                await self._note(who, words, "refused", str(error))
                return _error_reply(error.sentence, error.code, translator)
            if isinstance(verb, ShowAdminHelp):
                return Reply(stdout=admin_help(begin, translator))
            try:
                return await self._do(verb, who, words, translator, json=json)
            except Exception as error:
                _log.error("an act of a host broke", where=summarize_error(error))
                await self._note(who, words, "failed", summarize_error(error))
                return _error_reply(LazyMessage(INTERNAL_ERROR), FAILURE, translator)

    async def _do(
        self, verb: AdminCommand, who: str, words: Sequence[str], translator: Translator, *, json: bool
    ) -> Reply:
        if not isinstance(verb, READ_ONLY):
            why = await self._note(who, words, "asked")
            if why:
                return _error_reply(LazyMessage(AUDIT_FAILED, {"why": why}), FAILURE, translator)
        try:
            told = await self._acts.do(verb, who)
        except (CommandError, NotSaved) as error:
            sentence = error.sentence if isinstance(error, CommandError) else LazyMessage(NOT_SAVED)
            code = error.code if isinstance(error, CommandError) else FAILURE
            await self._note(who, words, "failed", str(sentence))
            return _error_reply(sentence, code, translator)
        # How the house does is asked every few seconds by whatever watches it.
        why = (
            ""
            if isinstance(verb, ShowHealth)
            else await self._note(who, words, "done", _audit_summary(verb, told))
        )
        late = f"{translator.gettext(AUDIT_FAILED_AFTER, why=why)}\n" if why else ""
        return Reply(pretty_json(told.data) if json else told.say(translator), late)

    async def _note(self, who: str, words: Sequence[str], outcome: Outcome, said: str = "") -> str:
        """Have it in the audit log; why not, "" where it is."""
        time = datetime.fromtimestamp(self._now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        _log.info("host", who=who, verb=words[0][:20] if words else "", outcome=outcome)
        try:
            await self._audit.note(AuditEntry(time, who, truncate_words(words), outcome, said))
        except OSError as error:
            _log.error("the audit log can't be written", why=str(error))
            return error.strerror or str(error)
        return ""


def _audit_summary(verb: AdminCommand, told: ActionResult) -> str:
    """What came of it; of lists only that they were read."""
    return "" if isinstance(verb, READ_ONLY) else told.say(ENGLISH).strip()[:1000]


def _error_reply(sentence: LazyMessage, code: int, translator: Translator) -> Reply:
    return Reply(stderr=f"{translator.render(sentence)}\n", status=code)
