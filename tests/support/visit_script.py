"""Run visit scripts: text files of what a visitor types, what the server tells, and what the screens show.

`test_visits = visits(__file__)` in `test_NAME.py` runs the cases of `NAME.txt` beside it. `== TITLE` begins a case;
before the first one, `NAME = EXPRESSION` and imports define names for all of them. A line that begins with blanks
continues the one before. The lines of a case begin with:

* `@ ARGUMENTS`: keyword arguments of `visit`; `each NAME VALUES`: run the case once for each value of the name, which
  the case has as `{NAME}`; `patch NAME VALUE`: set a module's attribute meanwhile;
* `> ANSWERS`: the server tells these; `< KEYS`: typed in one burst, `"words"` letter by letter, `key*3` three times;
* `click WORDS`, `click X,Y`, `wheel up`; `+ SECONDS`: time passes; `do EXPRESSION`;
* `: STATUS`: the status line; `_ HINTS`: the last row; `| TEXT`: on the screen, blanks and line ends counting as one
  blank; `! TEXT`: not there; `screen CLASS`: the one in front; `= COMMANDS`: all that was sent so far;
  `is EXPRESSION`: comes true; `ends STATUS`.

Expressions are Python's, with the names of the protocol and of `tests.support.visit`, `past` and `people`; `v` is the
visit.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cartino_protocol import accounts, base, commands, deals, link, notices, refusals, views
from cartino_protocol.wire import encode_raw
from cartino_tui import preferences
from cartino_tui.game_port import description
from cartino_tui.pages.contacts import MUTED_PAGE
from cartino_tui.pages.deals import DEAL_PAGE
from cartino_tui.pages.history import HISTORY_PAGE
from cartino_tui.visit import farewell, routes
from cartino_tui.widgets.app_screen import SendCommand
from tests.support import past, people, visit
from tests.support.visit import Visit

Lines = list[tuple[str, str]]
"""The lines of a case, each with its file and number."""

_NAMES: dict[str, Any] = {
    name: value
    for module in (
        *(
            preferences,
            description,
            farewell,
            routes,
            accounts,
            base,
            commands,
            deals,
            link,
            notices,
            refusals,
            views,
        ),
        *(visit, past, people),
    )
    for name, value in vars(module).items()
} | {"SendCommand": SendCommand, "encode_raw": encode_raw, "replace": msgspec.structs.replace}
_NAMES |= {"MUTED_PAGE": MUTED_PAGE, "DEAL_PAGE": DEAL_PAGE, "HISTORY_PAGE": HISTORY_PAGE}
_KEYS = re.compile(r'"([^"]*)"|([^\s*,]+)(?:\*(\d+))?')
_DEFINITION = re.compile(r"([A-Z_0-9]+) = (.*)")


def visits(module: str, **own_names: object) -> Callable[..., object]:
    """Return a test of each case in the script of the test module with that `__file__`, which has `own_names`, too."""
    path = Path(module)
    script = path.with_name(path.stem.removeprefix("test_") + ".txt")
    names, cases = _read(script, _NAMES | own_names)

    @pytest.mark.parametrize("lines", cases)
    async def test(visit: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, lines: Lines) -> None:
        seconds, arguments = [1000.0], dict[str, Any]()
        settings = [line for _, line in lines if line.startswith(("@ ", "patch "))]
        for line in settings:
            if line.startswith("@ "):
                arguments |= eval(f"dict({line[2:]})", names)
            else:
                _, name, value = line.split(" ", 2)
                monkeypatch.setattr(name, eval(value, names))
        if any(line.startswith("+ ") for _, line in lines):
            arguments["now"] = lambda: seconds[0]
        steps = iter([(where, line) for where, line in lines if line not in settings])
        async with visit(**arguments) as v:
            for where, line in steps:
                await _Step(v, names | {"v": v}, seconds, f"{where}: {line}").run(line)
                if line.startswith("ends "):
                    break
        for where, line in steps:
            await _Step(v, names | {"v": v}, seconds, f"{where}: {line}").run(line)

    return test  # type: ignore[no-any-return]


def _read(script: Path, names: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """Return `names` with those that `script` defines, and its cases."""
    found: list[tuple[str, Lines]] = []
    for number, line in enumerate(script.read_text("utf-8").splitlines(), 1):
        if line.startswith("from "):
            exec(line, names)
        elif line.startswith("== "):
            found.append((line[3:], []))
        elif found and line.startswith("  "):
            where, begun = found[-1][1].pop()
            found[-1][1].append((where, f"{begun} {line.strip()}"))
        elif found and line and not line.startswith("#"):
            found[-1][1].append((f"{script.name}:{number}", line))
        elif definition := _DEFINITION.fullmatch(line):
            names[definition[1]] = eval(definition[2], names)
    return names, [case for title, lines in found for case in _each(title, lines)]


def _each(title: str, lines: Lines) -> Iterator[Any]:
    """Yield the case once for each combination of its `each` lines."""
    words = [line.split(" ")[1:] for _, line in lines if line.startswith("each ")]
    rest = [(where, line) for where, line in lines if not line.startswith("each ")]
    names = [name for each in words for name in each[0].split("|")]
    for values in product(*(each[1:] for each in words)):
        places = dict(zip(names, "|".join(values).split("|"), strict=True)) if values else {}
        filled = [(where, _filled(line, places)) for where, line in rest]
        yield pytest.param(filled, id="-".join((title, *values)))


def _filled(line: str, places: dict[str, str]) -> str:
    for name, value in places.items():
        line = line.replace(f"{{{name}}}", value)
    return line


class _Step:
    """A line of a case as it is run; `why` names it in what fails."""

    def __init__(self, v: Visit, names: dict[str, Any], seconds: list[float], why: str) -> None:
        self._v, self._names, self._seconds, self._why = v, names, seconds, why

    async def run(self, line: str) -> None:
        kind, _, words = line.partition(" ")
        v = self._v
        match kind:
            case ">":
                await v.hears(*self._read(f"({words},)"))
            case "<":
                await v.types(*_keys(words))
            case "click" if place := re.fullmatch(r"(\d+),(\d+)", words):
                await v.pilot.click(offset=(int(place[1]), int(place[2])))
            case "click":
                await v.click(words)
            case "wheel":
                await v.wheel(down=words == "down")
            case "+":
                self._seconds[0] += float(words)
            case "do":
                self._read(words)
            case _:
                await self._check(kind, words)

    async def _check(self, kind: str, words: str) -> None:
        v, why = self._v, self._why
        match kind:
            case "=":
                wanted = list(self._read(f"({words},)" if words else "()"))
                await v.until(lambda: len(v.link.sent) >= len(wanted), why)
                assert v.link.sent == wanted, f"{why}\n{v.link.sent}"
            case "!":
                assert words not in v.text, f"{why}\n{v.text}"
            case "ends":
                while v.app.return_code is None:
                    await v.pilot.pause()
                assert v.app.return_code == int(words), why
            case "is" if v.app.return_code is not None:
                assert self._read(words), why
            case _:
                await v.until(partial(self._holds, kind, words), why)

    def _holds(self, kind: str, words: str) -> bool:
        """Return whether what the line says of the screen is so now."""
        text = self._v.text
        match kind:
            case ":":
                return self._v.status == words
            case "_":
                return text.splitlines()[-1].strip() == words
            case "|":
                return words in text or words in " ".join(text.split())
            case "screen":
                return type(self._v.app.screen).__name__ == words
            case "is":
                return bool(self._read(words))
        raise AssertionError(f"not a line of a script: {self._why}")

    def _read(self, expression: str) -> Any:
        return eval(expression, self._names)


def _keys(words: str) -> Iterator[str]:
    for letters, key, times in _KEYS.findall(words):
        yield from letters or [key] * int(times or 1)
