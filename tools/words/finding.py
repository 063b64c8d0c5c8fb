"""Which sentences the code has people read, and where: whatever is marked (see `cartino_protocol/marking.py`)."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ONE = frozenset({"say", "N_", "later"})
"""Functions whose first argument is a sentence."""
COUNTED = frozenset({"count", "later_count"})
"""Those whose first two are one: of one thing, and of more."""
IN_CONTEXT = frozenset({"say_in"})
"""Those whose first is the context of the second."""

SOURCES = ("cartino_tui", "server", "protocol")
"""Where people's sentences stand, from the top of the tree."""


class Marked(NamedTuple):
    """A sentence as catalogues have it: its text, what it is of more than one thing ("" where it isn't counted)."""

    text: str
    many: str = ""
    context: str = ""


class Found(NamedTuple):
    """A sentence, and the file that it stands in."""

    marked: Marked
    file: str


class Unmarkable(Exception):
    """A sentence is put together where it is said, so that no catalogue can have it."""


def found_in(root: Path) -> Iterator[Found]:
    """Every sentence under `root`, file by file. Raises Unmarkable."""
    for source in SOURCES:
        for file in sorted((root / source).rglob("*.py")):
            name = file.relative_to(root).as_posix()
            yield from (Found(marked, name) for marked in sentences(file.read_text("utf-8"), name))


def sentences(code: str, name: str) -> Iterator[Marked]:
    """The sentences of the `code` in the file `name`, in their order. Raises Unmarkable."""
    calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        marked = _marked(call, name)
        if marked is not None and marked.text:
            yield marked


def _marked(call: ast.Call, name: str) -> Marked | None:
    function = _name(call.func)
    if function not in ONE | COUNTED | IN_CONTEXT:
        return None
    texts = [_text(argument) for argument in call.args[:2]]
    if call.args and isinstance(call.args[0], ast.JoinedStr) and (function != "count" or len(texts) == 2):
        raise Unmarkable(
            f"{name}:{call.lineno}: a sentence is said as it stands, its places are filled later"
        )
    match texts:
        case [str(text), *_] if function in ONE:
            return Marked(text)
        case [str(one), str(many)] if function in COUNTED:
            return Marked(one, many)
        case [str(context), str(text)] if function in IN_CONTEXT:
            return Marked(text, context=context)
        case _:
            return None


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _text(argument: ast.expr) -> str | None:
    """A text that stands there as it is."""
    value = argument.value if isinstance(argument, ast.Constant) else None
    return value if isinstance(value, str) else None


def by_sentence(found: Iterable[Found]) -> dict[Marked, list[str]]:
    """Each sentence once, with the files that it stands in."""
    files: dict[Marked, list[str]] = {}
    for marked, file in found:
        known = files.setdefault(marked, [])
        if file not in known:
            known.append(file)
    return files
