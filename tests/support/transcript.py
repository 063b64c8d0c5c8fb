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
`{name=PATTERN}` found before.
"""

import re
from pathlib import Path

from tests.support.ssh_world import Said, SshServer
from tests.support.terminals import Terminal

_TYPED = re.compile(r"(~?\w+)([$@<|=])(?: (.*))?")
_CAPTURE = re.compile(r"\{(\w+)=([^{}]*(?:\{[\d,]+\}[^{}]*)*)\}")


def run_transcript(path: Path, server: SshServer) -> None:
    """Run the transcript at `path` on `server`; an AssertionError names the line that isn't as expected."""
    _Transcript(path, server).run()


class _Transcript:
    def __init__(self, path: Path, server: SshServer) -> None:
        self._path = path
        self._server = server
        self._windows: dict[str, Terminal] = {}
        self._names: dict[str, str] = {}
        self._asked = ""
        self._said: Said | None = None
        self._expected: list[str] = []
        self._errors: list[str] = []
        self._status = 0

    def run(self) -> None:
        for number, line in enumerate(self._path.read_text("utf-8").splitlines(), 1):
            if line.startswith("#"):
                continue
            self._asked = self._asked if self._said else f"{self._path.name}:{number}: {line}"
            if found := _TYPED.fullmatch(line):
                self._compare()
                self._asked = f"{self._path.name}:{number}: {line}"
                self._do(found[1], found[2], self._filled(found[3] or ""))
            elif line.startswith("! "):
                self._errors.append(line[2:])
            elif line.startswith("? "):
                self._status = int(line[2:])
            elif line or self._expected:
                self._expected.append(line)
        self._compare()

    def _do(self, name: str, what: str, words: str) -> None:
        user, key = name.removeprefix("~"), not name.startswith("~")
        match what:
            case "$":
                self._said = self._server.run(user, words, key=key)
            case "@":
                self._windows[name] = self._server.visit(user, words, key=key)
            case "<":
                self._windows[name].type(words.encode().decode("unicode_escape"))
            case "|":
                captures = [found[1] for found in _CAPTURE.finditer(words)]
                seen = self._windows[name].sees(_CAPTURE.sub(lambda found: f"({found[2]})", words))
                self._names.update(zip(captures, seen.groups(), strict=True))
            case _:
                assert self._windows.pop(name).exit_status() == int(words), self._asked

    def _compare(self) -> None:
        """Compare what the last command wrote with what stands behind it, if there was one."""
        if self._said is not None:
            expected = "\n".join(self._expected).rstrip("\n")
            self._matches(expected, self._said.out)
            self._matches("\n".join(self._errors), self._said.err)
            assert self._said.status == self._status, (self._asked, self._said)
        self._said, self._expected, self._errors, self._status = None, [], [], 0

    def _matches(self, expected: str, text: str) -> None:
        wanted, found = expected.splitlines(), text.rstrip("\n").splitlines()
        failed = f"{self._asked}\nexpected:\n{expected}\nfound:\n{text}"
        skips = False
        for line in wanted:
            if line == "...":
                skips = True
                continue
            while skips and found and not self._match_line(line, found[0]):
                found.pop(0)
            assert found, failed
            assert self._match_line(line, found.pop(0)), failed
            skips = False
        assert skips or not found, failed

    def _match_line(self, line: str, text: str) -> bool:
        """Return whether a line is as expected; keep what it names."""
        parts, at, captures = [], 0, []
        for found in re.finditer(rf"\.\.\.|{_CAPTURE.pattern}|\{{(\w+)\}}", line):
            parts.append(re.escape(line[at : found.start()]))
            at = found.end()
            if found[1]:
                captures.append(found[1])
                parts.append(f"({found[2]})")
            else:
                parts.append(re.escape(self._names[found[3]]) if found[3] else ".*")
        same = re.fullmatch("".join(parts) + re.escape(line[at:]), text)
        if same is not None:
            self._names.update(zip(captures, same.groups(), strict=True))
        return same is not None

    def _filled(self, words: str) -> str:
        """Return typed words with what `{name}`s stand for."""
        return re.sub(r"\{([a-z]+)\}", lambda found: self._names[found[1]], words)
