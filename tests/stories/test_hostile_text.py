"""Hostile text that somebody types and sends: what the terminals of others and the log get of it, byte by byte."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stories.conftest import STAYING
from tests.support.nasty import NASTY, faults_of
from tests.support.ssh_world import SshServer, open_server
from tests.support.terminals import Terminal

pytestmark = pytest.mark.e2e

_OURS = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1bP[^\x1b]*\x1b\\|\x1b[ -/]*[0-~]|[\r\n\x08\x0f]"
)
"""What the server itself says to a terminal."""
_OSC = re.compile(r"\x1b\]([^\x07\x1b]*)")


@pytest.fixture
def talkative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SshServer]:
    """A server in which one may talk as fast as ssh programs can be started."""
    monkeypatch.setenv("CARTINO_CHAT_LINES", "10000")
    with open_server(tmp_path, *STAYING) as (ssh_server, _):
        yield ssh_server


def unclean(raw: bytes) -> list[str]:
    """What a terminal was sent that the server would not say itself."""
    text = raw.decode("utf-8", "replace")
    titles = [title for title in _OSC.findall(text) if "owned" in title or "evil" in title]
    return titles + faults_of(_OURS.sub("", text).replace("\ufffd", ""), 10**9)


def is_clean(window: Terminal) -> None:
    """Hold it to that, once what was read last is not half of an order."""
    window.until(lambda: unclean(window.raw) == [], "nothing but what the server says itself")


def sends_it_all(ssh_server: SshServer, code: str) -> None:
    """Eve, who has a seat at the table, says every nasty text there, and whatever else words can be about."""
    for nasty in NASTY.values():
        if "\0" in nasty or len(nasty) > 4000:
            continue
        for words in (
            f"chat {code} {shlex.quote(nasty)}",
            f"profile {shlex.quote(nasty)}",
            shlex.quote(nasty),
        ):
            said = ssh_server.run("eve", words)
            assert said.status in {0, 1, 2, 3, 4, 5}
            for text in (said.out, said.err):
                assert [fault for line in text.split("\n") for fault in faults_of(line)] == [], words


@pytest.mark.timeout(200)
def test_nothing_of_it_reaches_the_terminals_of_others_or_the_log(talkative: SshServer) -> None:
    ann = talkative.visit("ann", "new", "--seats", "4")
    code = ann.sees(r"table ([A-Z0-9]{4})")[1]
    eve = talkative.visit(
        "eve", "join", code, term="ev\x1b[2Jil", env={"LC_ALL": "ev\u202eil", "TZ": "e\x9bvil"}
    )
    ann.sees("eve")
    bob = talkative.visit("bob", "plain", "watch", code)
    bob.sees("back to the lobby")
    sends_it_all(talkative, code)
    talkative.run("eve", f"chat {code} the last word")
    windows: tuple[Terminal, ...] = (ann, bob)
    for window in windows:
        window.sees("eve:? +the last word")
    names = ("[red]evil[/red]", "e" + "\u0301\u0316" * 20, "evil\u30fb\u3000x", "evil ~ann")
    for name in names:
        somebody = talkative.visit(name, "watch", code, key=f"somebody {names.index(name)}")
        somebody.sees("watching")
        is_clean(somebody)
        somebody.drop()
    for window in windows:
        is_clean(window)
        assert b"ev\x1b[2J" not in window.raw
    assert [fault for line in talkative.log().splitlines() for fault in faults_of(line)] == []
    assert "forged=1" not in re.sub(r"'[^']*'", "", talkative.log())
    for words in (
        "games",
        "games --json",
        f"show {code}",
        f"show {code} --json",
        "profile eve",
        "top --json",
    ):
        out = talkative.run("fay", words).out
        assert [fault for line in out.split("\n") for fault in faults_of(line, 10**6)] == [], words
    eve.close()
