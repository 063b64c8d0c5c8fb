"""Admin commands are noted in the audit log, each a line on disk, before they are done and answered."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from cartino_protocol.exit_status import NOT_FOUND, REFUSED
from cartino_server.admin import listings
from cartino_server.admin.dispatch import (
    AUDIT_FILE,
    AUDITED_STRANGERS,
    MAX_WORD_LENGTH,
    MAX_WORDS,
    AuditEntry,
    AuditLog,
    truncate_words,
)
from cartino_tui.i18n import ENGLISH, translator_for
from tests.support.script import ScriptServer


def an_entry(word: str) -> AuditEntry:
    return AuditEntry("2026-01-01T00:00:00Z", "uid 1", (word,), "done", 'said "so"\nand so')


def noted(data: Path) -> list[tuple[str, str]]:
    """The words and the outcome of each line."""
    entries = [json.loads(line) for line in (data / AUDIT_FILE).read_text().splitlines()]
    return [(" ".join(entry["words"]), entry["outcome"]) for entry in entries]


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[ScriptServer]:
    opened = ScriptServer(tmp_path)
    yield opened
    await opened.close()


async def test_each_entry_is_a_line_behind_the_others(tmp_path: Path) -> None:
    log = AuditLog(tmp_path)
    await asyncio.gather(*(log.note(an_entry(str(n))) for n in range(20)))
    assert sorted(int(words) for words, _ in noted(tmp_path)) == list(range(20))
    assert (tmp_path / AUDIT_FILE).stat().st_mode & 0o777 == 0o600


async def test_it_is_on_disk_before_it_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda _: synced.append((tmp_path / AUDIT_FILE).stat().st_size))
    await AuditLog(tmp_path).note(an_entry("who"))
    assert synced == [(tmp_path / AUDIT_FILE).stat().st_size]


async def test_it_may_be_moved_away(tmp_path: Path) -> None:
    log = AuditLog(tmp_path)
    await log.note(an_entry("one"))
    (tmp_path / AUDIT_FILE).rename(tmp_path / "audit.log.1")
    await log.note(an_entry("two"))
    assert noted(tmp_path) == [("two", "done")]


async def test_it_follows_no_link(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.write_text("")
    (tmp_path / AUDIT_FILE).symlink_to(target)
    with pytest.raises(OSError, match="symbolic"):
        await AuditLog(tmp_path).note(an_entry("who"))
    assert target.read_text() == ""


async def test_half_a_line_spoils_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, write = AuditLog(tmp_path), os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda file, line: write(file, line[:10]))
        with pytest.raises(OSError, match="only 10 of"):
            await log.note(an_entry("half"))
    await log.note(an_entry("whole"))
    _, *rest = (tmp_path / AUDIT_FILE).read_text().splitlines()
    assert [json.loads(line)["words"] for line in rest] == [["whole"]]


def test_no_more_is_kept_of_what_was_said_than_there_is_room_for() -> None:
    words = truncate_words(["x" * 10_000, "\udce4\x9b2J\x1b]0;\u202e"] + ["y"] * 1000)
    assert len(words) == MAX_WORDS
    assert len(words[0]) == MAX_WORD_LENGTH
    assert words[1] == "??2J?]0;?"


async def test_what_is_done_is_noted_before_and_after_what_is_read_once(server: ScriptServer) -> None:
    for words in ("say hello", "who", "kick nobody", "nonsense", "help", "health"):
        await server.administer(words)
    assert noted(server.data) == [
        ("say hello", "asked"),
        ("say hello", "done"),
        ("who", "done"),
        ("kick nobody", "asked"),
        ("kick nobody", "failed"),
        ("nonsense", "refused"),
    ]


async def test_what_cannot_be_noted_is_not_done(server: ScriptServer) -> None:
    ann = await server.come("ann")
    (server.data / AUDIT_FILE).mkdir()
    assert "so nothing was done" in (await server.administer("kick ann")).stderr
    assert not ann.link.closed
    (server.data / AUDIT_FILE).rmdir()
    assert not (await server.administer("kick ann")).status


async def test_whoever_goes_away_has_it_done_and_noted_all_the_same(server: ScriptServer) -> None:
    ann = await server.come("ann")
    asking = asyncio.create_task(server.administer("kick ann"))
    await asyncio.sleep(0)
    asking.cancel()
    await ann.end()
    await server.administer("who")
    assert ("kick ann", "done") in noted(server.data)


async def test_strangers_fill_no_log(server: ScriptServer) -> None:
    with capture_logs() as logs:
        for n in range(AUDITED_STRANGERS + 20):
            reply = await server.dispatcher.refuse_stranger("guest", ["kick", "ann", str(n)], ENGLISH)
            assert (reply.stdout, reply.status) == ("", REFUSED)
            assert reply.stderr.startswith("Only admins of this server can do that.")
    assert [outcome for _, outcome in noted(server.data)] == ["refused"] * AUDITED_STRANGERS
    assert len([line for line in logs if line["event"] == "not an admin"]) == AUDITED_STRANGERS + 20


async def test_what_breaks_is_one_sentence_and_noted(
    server: ScriptServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def boom(*_: object) -> object:
        raise RuntimeError("a secret")

    monkeypatch.setattr(listings, "connection_rows", boom)
    with capture_logs() as logs:
        reply = await server.administer("who")
    assert reply.stderr == "Something went wrong; see the log for details.\n"
    assert "a secret" not in str(logs)
    assert noted(server.data) == [("who", "failed")]


async def test_admins_are_answered_in_their_language(server: ScriptServer) -> None:
    reply = await server.dispatcher.run_command("uid 0", ["kick", "nobody"], translator_for("de"))
    assert reply.status == NOT_FOUND
    assert reply.stderr.startswith("Niemand hier heißt")
