"""Run scripts of the command line: what is typed behind `cartino`, in this process, and what must come.

Their files are those of `tests/support/script.py`. `{tmp}` is an empty directory. A line begins with:

* `cartino$ WORDS`: run `cartino WORDS`, with what it prints and its exit status behind it;
* `data+ CODE SEED[:LINES]…`: make {tmp}/data with a game at each table: a random record, or its first lines;
* `table+ CODE SEED|ENTRY`: add a running game, or one with that single entry;
* `damage+ record|table SEED LINE`: flip a bit of that line of a record, or entry of a table;
* `sql+ FILE STATEMENT`, `write+ FILE TEXT`, `mode+ FILE OCTAL`, `rename+ FILE FILE`, `copy+ FILE FILE`,
  `mkdir+ FOLDER`: change files;
* `lock+ FOLDER`: as if a server ran on it, for the next command;
* `ls+ FOLDER`, `cat+ FILE`: what must be there.
"""

import shlex
import shutil
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import apsw
import pytest

from cartino_protocol.records import RecordLine, write_lines
from cartino_server.cli.main import main
from cartino_server.store.data_directory import lock_directory
from tests.support.cartino import random_record
from tests.support.data import damage, make_data
from tests.support.tables import keep, table_of
from tests.support.transcript import Matcher, Step, steps


def run_cli_script(lines: Sequence[str], place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Run the lines of a script with `place` as {tmp}; an AssertionError names the line that isn't as expected."""
    runner = CliScript(place, capfd)
    for step in steps("script", lines):
        out, err, status = runner.do(step)
        runner.matcher.compare(step, out, err, status)


class CliScript:
    """What a script has done in a directory."""

    def __init__(self, place: Path, capfd: pytest.CaptureFixture[str]) -> None:
        self.matcher = Matcher()
        self.matcher.names["tmp"] = str(place)
        self._place = place
        self._capfd = capfd
        self._locked: Path | None = None

    def do(self, step: Step) -> tuple[str, str, int]:
        """Do a step; return what it prints, and its exit status."""
        words = self.matcher.fill(step.words)
        name, _, rest = words.partition(" ")
        path, data = self._place / name, self._place / "data"
        match step.name:
            case "cartino":
                return self._run(words)
            case "data":
                pairs = zip(*[iter(words.split())] * 2, strict=True)
                make_data(data, [(code, _record(seed)) for code, seed in pairs])
            case "table":
                keep(data, (name, table_of(int(rest)) if rest.isdecimal() else [rest.encode()]))
            case "damage":
                seed, line = map(int, rest.split())
                record = [write_lines([each]).strip() for each in random_record(seed)]
                damage(data, record[line] if name == "record" else table_of(seed)[line])
            case "lock":
                self._locked = path
            case "ls":
                return "\n".join(sorted(each.name for each in path.iterdir())), "", 0
            case "cat":
                return path.read_text(), "", 0
            case _:
                other = str(self._place / rest) if step.name in {"rename", "copy"} else rest
                _change(step.name, path, other)
        return "", "", 0

    def _run(self, words: str) -> tuple[str, str, int]:
        locked, self._locked = self._locked, None
        self._capfd.readouterr()
        with nullcontext() if locked is None else lock_directory(locked):
            status = main(shlex.split(words))
        told = self._capfd.readouterr()
        return told.out, told.err, status


def _change(how: str, path: Path, rest: str) -> None:
    match how:
        case "sql":
            connection = apsw.Connection(str(path))
            connection.execute(rest)
            connection.close()
        case "write":
            path.write_text(rest)
        case "mode":
            path.chmod(int(rest, 8))
        case "rename":
            path.rename(rest)
        case "copy":
            shutil.copy(path, rest)
        case "mkdir":
            path.mkdir(parents=True)
        case _:
            raise ValueError(how)


def _record(text: str) -> list[RecordLine]:
    seed, _, length = text.partition(":")
    record = random_record(int(seed))
    return record[: int(length)] if length else record
