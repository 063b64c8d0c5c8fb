"""A terminal of one's own is asked before anything is drawn, and left as it was."""

import os
import pty
import termios
import threading

import pytest

from cartino_tui.terminal import probe
from cartino_tui.terminal.probe import query_local_background


def answered(answers: bytes) -> tuple[str | None, bytes]:
    """What is found out of a terminal that answers so, and what it was asked."""
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    asked = bytearray()

    def answer() -> None:
        while not asked.endswith(b"\x1b[c"):
            asked.extend(os.read(master, 64))
        os.write(master, answers)

    thread = threading.Thread(target=answer)
    thread.start()
    try:
        found = query_local_background(os.ttyname(slave))
        thread.join()
        assert termios.tcgetattr(slave) == before
        return found, bytes(asked)
    finally:
        os.close(slave)
        os.close(master)


def test_its_ground_is_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "LOCAL_PROBE_TIMEOUT", 60)
    found, asked = answered(b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?62;c")
    assert (found, asked) == ("light", probe.BACKGROUND_QUERY + b"\x1b[c")


def test_nobody_waits_for_one_that_does_not_know_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "LOCAL_PROBE_TIMEOUT", 60)
    assert answered(b"\x1b[?1;2c")[0] is None


def test_one_that_says_nothing_is_not_waited_for_for_ever() -> None:
    assert answered(b"")[0] is None


def test_where_there_is_no_terminal_nothing_is_known(tmp_path: object) -> None:
    assert query_local_background(f"{tmp_path}/none") is None
    assert query_local_background(os.devnull) is None
