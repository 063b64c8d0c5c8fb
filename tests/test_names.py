"""Names of public functions and methods say what they do, so that a search finds their calls."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("protocol", "engine", "server", "cartino_tui", "games")
HOMONYMS = frozenset(
    (
        *("about", "again", "answer", "answered", "arrived", "asked", "at", "back", "begun"),
        *("came", "changed", "closed", "ended", "entered", "follow", "gone", "happened", "heard"),
        *("here", "kept", "known", "left", "lost", "meant", "missed", "news", "of", "otherwise"),
        *("over", "past", "refused", "said", "sat", "seen", "settled", "take", "taken", "then"),
        *("told", "without"),
    )
)
"""Words that could be a method of any class; `close`, `press` and other names of libraries aren't among them."""
STAY = {("server/cartino_server/workers/proxy.py", "MultiplexedLink", "closed")}
"""A property called like that of files and sockets."""


def functions(node: ast.AST, owner: str = "") -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield the functions of a module and the methods of its classes, each with its class; no inner functions."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield owner, child
            case ast.ClassDef():
                yield from functions(child, child.name)
            case _:
                yield from functions(child, owner)


def test_no_function_has_a_homonym_as_its_name() -> None:
    found = {
        (path.relative_to(ROOT).as_posix(), owner, function.name)
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        for owner, function in functions(ast.parse(path.read_text()))
        if function.name in HOMONYMS
    }
    assert found == STAY
