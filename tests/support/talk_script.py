"""Run scripts of plain mode: text files of what a player types, what the server tells, and which lines are read out.

`test_talks = talks(__file__)` in `test_NAME.py` runs the cases of `NAME.txt` beside it. `== TITLE` begins a case;
before the first one, `NAME = EXPRESSION` and imports define names for all of them. The lines of a case begin with:

* `@ ARGUMENTS`: keyword arguments of `Talk`; `> ANSWERS`: the server tells these; `< TEXT`: a line is typed;
* `| LINE`: the next line that is read out; `~ TEXT`: the next one with that text; `...`: any lines; `.`: no more;
* `= COMMAND`: what was sent last; `is EXPRESSION`: is true, `t` being the talk; `#`: a comment.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cartino_protocol import accounts, commands, deals, link, refusals, views
from cartino_protocol.wire import encode_raw
from tests.support import past, people, visit
from tests.support.plain import Talk

_NAMES: dict[str, Any] = {
    name: value
    for module in (accounts, commands, deals, link, refusals, views, visit, past, people)
    for name, value in vars(module).items()
} | {"encode_raw": encode_raw, "replace": msgspec.structs.replace}


def talks(module: str, **own_names: object) -> Callable[..., None]:
    """Return a test of each case in the script of the test module with that `__file__`, which has `own_names`, too."""
    path = Path(module)
    head, *cases = re.split(r"^== ", path.with_name(path.stem[5:] + ".txt").read_text("utf-8"), flags=re.M)
    names = _NAMES | own_names
    exec(head, names)

    @pytest.mark.parametrize("case", [pytest.param(case, id=case.partition("\n")[0]) for case in cases])
    def test(case: str) -> None:
        _run(case, dict(names))

    return test


def _run(case: str, names: dict[str, Any]) -> None:
    title, *lines = case.rstrip().split("\n")
    arguments = eval(f"dict({lines.pop(0)[2:]})", names) if lines[0].startswith("@ ") else {}
    talk = names["t"] = Talk(**arguments)
    told, skips = list[str](), False
    for line in lines:
        kind, _, text = line.partition(" ")
        why = f"{title}: {line}\n{told}"
        match kind:
            case ">":
                told, skips = talk.hears(*eval(f"({text},)", names)), False
            case "<":
                told, skips = talk.types(text), False
            case "...":
                skips = True
            case ".":
                assert not told, why
            case "=":
                assert talk.link.said[-1] == eval(text, names), f"{why}\n{talk.link.said[-1]}"
            case "is":
                assert eval(text, names), why
            case "|" | "~":
                while skips and told and not _is_told(kind, text, told[0]):
                    told.pop(0)
                assert told, why
                assert _is_told(kind, text, told.pop(0)), why
                skips = False
            case "#":
                pass
            case _:
                raise AssertionError(f"not a line of a script: {line}")


def _is_told(kind: str, text: str, line: str) -> bool:
    return text == line if kind == "|" else text in line
