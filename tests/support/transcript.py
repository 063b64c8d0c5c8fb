"""Run transcripts: text files of what people type and what must come, after Go's testscript.

A line of a transcript begins with:

* `NAME$ WORDS`: run `ssh NAME@server WORDS` without a terminal (`~NAME` as a guest, without a key);
* `NAME@ WORDS`: open a window with `ssh -t NAME@server WORDS`, which then is NAME's;
* `NAME< TEXT`: type TEXT in NAME's window, with `\\r` and other escapes as in Python;
* `NAME| PATTERN`: wait until NAME's window shows the regular expression;
* `NAME= STATUS`: wait for the end of NAME's window with that exit status;
* `! SENTENCE`: what the command writes to stderr; `? STATUS`: its exit status if it isn't 0;
* `#`: a comment. Any other line is one that the command writes to stdout.

In expected output `...` stands for anything in a line, or alone for any lines; `{name}` stands for what
`{name=PATTERN}` found before. `tests/support/script.py` runs such files without ssh.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.support.ssh_world import Said, SshServer
from tests.support.terminals import Terminal

_TYPED = re.compile(r"(~?\w+)([-+$@<>|=])(?: (.*))?")
CAPTURE = re.compile(r"\{(\w+)=([^{}]*(?:\{[\d,]+\}[^{}]*)*)\}")


class Step(NamedTuple):
    """What NAME does, and what must come if it is a command."""

    line: str
    name: str
    what: str
    words: str
    out: list[str]
    err: list[str]
    status: list[int]


def steps(called: str, lines: Iterable[str]) -> Iterator[Step]:
    """Yield the steps in `lines` of the transcript `called`."""
    step: Step | None = None
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            continue
        if found := _TYPED.fullmatch(line):
            if step is not None:
                yield step
            step = Step(f"{called}:{number}: {line}", found[1], found[2], found[3] or "", [], [], [])
            continue
        if line and step is None:
            raise ValueError(f"{called}:{number}: nobody does that")
        if step is None:
            continue
        if line.startswith("! "):
            step.err.append(line[2:])
        elif line.startswith("? "):
            step.status.append(int(line[2:]))
        elif line or step.out:
            step.out.append(line)
    if step is not None:
        yield step


class Matcher:
    """Compares what comes with what is expected, and keeps what `{name=PATTERN}` finds."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def compare(self, step: Step, out: str, err: str, status: int) -> None:
        """Compare what a command wrote, and its exit status."""
        self._matches(step.line, "\n".join(step.out).rstrip("\n"), out)
        self._matches(step.line, "\n".join(step.err), err)
        assert [status] == (step.status or [0]), (step.line, out, err, status)

    def _matches(self, asked: str, expected: str, text: str) -> None:
        wanted, found = expected.splitlines(), text.rstrip("\n").splitlines()
        failed = f"{asked}\nexpected:\n{expected}\nfound:\n{text}"
        skips = False
        for line in wanted:
            if line == "...":
                skips = True
                continue
            while skips and found and not self.match_line(line, found[0]):
                found.pop(0)
            assert found, failed
            assert self.match_line(line, found.pop(0)), failed
            skips = False
        assert skips or not found, failed

    def match_line(self, line: str, text: str) -> bool:
        """Return whether a line is as expected; keep what it names."""
        parts, at, captures = [], 0, []
        for found in re.finditer(rf"\.\.\.|{CAPTURE.pattern}|\{{(\w+)\}}", line):
            parts.append(re.escape(line[at : found.start()]))
            at = found.end()
            if found[1]:
                captures.append(found[1])
                parts.append(f"({found[2]})")
            else:
                parts.append(re.escape(self.names[found[3]]) if found[3] else ".*")
        same = re.fullmatch("".join(parts) + re.escape(line[at:]), text)
        if same is not None:
            self.names.update(zip(captures, same.groups(), strict=True))
        return same is not None

    def fill(self, words: str) -> str:
        """Return typed words with what `{name}`s stand for."""
        return re.sub(r"\{([a-z]+)\}", lambda found: self.names[found[1]], words)


def run_transcript(path: Path, server: SshServer) -> None:
    """Run the transcript at `path` on `server`; an AssertionError names the line that isn't as expected."""
    matcher, windows = Matcher(), dict[str, Terminal]()
    for step in steps(path.name, path.read_text("utf-8").splitlines()):
        user, key, words = (
            step.name.removeprefix("~"),
            not step.name.startswith("~"),
            matcher.fill(step.words),
        )
        match step.what:
            case "$":
                said: Said = server.run(user, words, key=key)
                matcher.compare(step, said.out, said.err, said.status)
            case "@":
                windows[step.name] = server.visit(user, words, key=key)
            case "<":
                windows[step.name].type(words.encode().decode("unicode_escape"))
            case "|":
                captures = [found[1] for found in CAPTURE.finditer(words)]
                seen = windows[step.name].sees(CAPTURE.sub(lambda found: f"({found[2]})", words))
                matcher.names.update(zip(captures, seen.groups(), strict=True))
            case _:
                assert windows.pop(step.name).exit_status() == int(words), step.line
