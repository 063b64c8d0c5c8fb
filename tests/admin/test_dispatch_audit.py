"""The audit log: one line each, for its owner's eyes, on disk, and followable nowhere else."""

import asyncio
import json
import os
from pathlib import Path

import pytest

from cartino_server.admin.dispatch import (
    AUDIT_FILE,
    MAX_WORD_LENGTH,
    MAX_WORDS,
    AuditEntry,
    AuditLog,
    truncate_words,
)


def an_entry(word: str) -> AuditEntry:
    return AuditEntry("2026-01-01T00:00:00Z", "uid 1", (word,), "done", 'said "so"\nand so')


def lines(data: Path) -> list[str]:
    return [json.loads(line)["words"][0] for line in (data / AUDIT_FILE).read_text().splitlines()]


async def test_each_entry_is_a_line_behind_the_others(tmp_path: Path) -> None:
    log = AuditLog(tmp_path)
    await asyncio.gather(*(log.note(an_entry(str(n))) for n in range(20)))
    assert sorted(map(int, lines(tmp_path))) == list(range(20))
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
    assert lines(tmp_path) == ["two"]


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
    await log.note(an_entry("next"))
    _, *rest = (tmp_path / AUDIT_FILE).read_text().splitlines()
    assert [json.loads(line)["words"] for line in rest] == [["whole"], ["next"]]


def test_no_more_is_kept_of_what_was_said_than_there_is_room_for() -> None:
    words = truncate_words(["x" * 10_000, "\udce4\x9b2J\x1b]0;\u202e"] + ["y"] * 1000)
    assert len(words) == MAX_WORDS
    assert len(words[0]) == MAX_WORD_LENGTH
    assert words[1] == "??2J?]0;?"
