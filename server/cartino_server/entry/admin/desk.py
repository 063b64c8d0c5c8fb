"""Where hosts are answered: what they say is read, noted, done, noted again, and then told."""

import asyncio
import contextvars
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final

import structlog

from cartino_protocol.marking import N_, Sentence, later
from cartino_server.entry.admin.acting import Acts, Told
from cartino_server.entry.admin.audit import Audit, Entry, Outcome, kept
from cartino_server.entry.admin.listing import as_json
from cartino_server.entry.admin.reading import read_admin
from cartino_server.entry.admin.verbs import HARMLESS, Health, Help, Verb, help_text
from cartino_server.entry.errors import FAILURE, REFUSED, CommandError
from cartino_server.entry.words import Asked
from cartino_server.rooms.accounts import account
from cartino_server.rooms.bucket import TokenBucket
from cartino_server.ssh.ports import Reply
from cartino_server.store.port import NotSaved
from cartino_tui.tongue import ENGLISH, Tongue

BROKEN: Final = N_("Something broke here; the log has more.")
NOT_SAVED: Final = N_("The house can't save just now, so nothing was done; check the disk.")
NO_AUDIT: Final = N_("The audit log can't be written ({why}), so nothing was done.")
NOT_NOTED: Final = N_("It was done, but the audit log can't be written: {why}.")
NO_HOST: Final = later("That is for the hosts of this house; the key that you came with is none of theirs.")

NOTED_STRANGERS: Final = 10
STRANGERS_RATE: Final = 1 / 60
"""Tries of those who are no hosts that are noted at once, and then a second: the log must not be theirs to fill."""

_log = structlog.get_logger(__name__)


class Desk:
    """Answers hosts, one after the other."""

    def __init__(
        self, acts: Acts, audit: Audit, now: Callable[[], float], clock: Callable[[], float]
    ) -> None:
        """`now` is the wall clock in Unix seconds, `clock` gives seconds that only rise."""
        self._acts = acts
        self._audit = audit
        self._now = now
        self._strangers = TokenBucket(NOTED_STRANGERS, STRANGERS_RATE, clock)
        self._turn = asyncio.Lock()
        self._under_way: set[asyncio.Task[Reply]] = set()

    async def answer(self, who: str, words: Sequence[str], tongue: Tongue, begin: str = "admin") -> Reply:
        """What the host `who` gets for `words`, in `tongue`; `begin` is what stands before them. Raises nothing.

        Whoever goes away meanwhile has it done all the same, and noted.
        """
        doing = asyncio.get_running_loop().create_task(
            self._answer(who, words, tongue, begin), context=contextvars.Context()
        )
        self._under_way.add(doing)
        doing.add_done_callback(self._under_way.discard)
        return await asyncio.shield(doing)

    async def turn_away(self, who: str, words: Sequence[str], tongue: Tongue) -> Reply:
        """What somebody gets who is no host. Raises nothing."""
        _log.warning("no host", who=who)
        if self._strangers.take():
            await self._note(who, words, "refused", str(NO_HOST))
        return Reply(stderr=f"{tongue.tell(NO_HOST)}\n", status=REFUSED)

    async def close(self) -> None:
        """Let what is under way be done."""
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=1)

    async def _answer(self, who: str, words: Sequence[str], tongue: Tongue, begin: str) -> Reply:
        async with self._turn:
            try:
                verb, json = read_admin(words, self._now(), tongue)
            except Asked as asked:
                return Reply(stdout=asked.text)
            except CommandError as error:
                await self._note(who, words, "refused", str(error))
                return _sorry(error.sentence, error.code, tongue)
            if isinstance(verb, Help):
                return Reply(stdout=help_text(begin, tongue))
            try:
                return await self._do(verb, who, words, tongue, json=json)
            except Exception as error:
                _log.error("an act of a host broke", where=account(error))
                await self._note(who, words, "failed", account(error))
                return _sorry(Sentence(BROKEN), FAILURE, tongue)

    async def _do(self, verb: Verb, who: str, words: Sequence[str], tongue: Tongue, *, json: bool) -> Reply:
        if not isinstance(verb, HARMLESS):
            why = await self._note(who, words, "asked")
            if why:
                return _sorry(Sentence(NO_AUDIT, {"why": why}), FAILURE, tongue)
        try:
            told = await self._acts.do(verb, who)
        except (CommandError, NotSaved) as error:
            sentence = error.sentence if isinstance(error, CommandError) else Sentence(NOT_SAVED)
            code = error.code if isinstance(error, CommandError) else FAILURE
            await self._note(who, words, "failed", str(sentence))
            return _sorry(sentence, code, tongue)
        # How the house does is asked every few seconds by whatever watches it.
        why = "" if isinstance(verb, Health) else await self._note(who, words, "done", _in_short(verb, told))
        late = f"{tongue.say(NOT_NOTED, why=why)}\n" if why else ""
        return Reply(as_json(told.data) if json else told.say(tongue), late)

    async def _note(self, who: str, words: Sequence[str], outcome: Outcome, said: str = "") -> str:
        """Have it in the audit log; why not, "" where it is."""
        time = datetime.fromtimestamp(self._now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        _log.info("host", who=who, verb=words[0][:20] if words else "", outcome=outcome)
        try:
            await self._audit.note(Entry(time, who, kept(words), outcome, said))
        except OSError as error:
            _log.error("the audit log can't be written", why=str(error))
            return error.strerror or str(error)
        return ""


def _in_short(verb: Verb, told: Told) -> str:
    """What came of it; of lists only that they were read."""
    return "" if isinstance(verb, HARMLESS) else told.say(ENGLISH).strip()[:1000]


def _sorry(sentence: Sentence, code: int, tongue: Tongue) -> Reply:
    return Reply(stderr=f"{tongue.tell(sentence)}\n", status=code)
