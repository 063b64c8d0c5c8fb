"""Whoever needs a private name of Textual or asyncssh says so in `inside.py`, where its tests are."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("cartino_tui/driver", "server/cartino_server/ssh", "server/cartino_server/store")
MODULES = [
    path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.py")) if path.name != "inside.py"
]


def private_names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.endswith("__"):
            if not (isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}):
                yield node.attr
        elif isinstance(node, ast.ImportFrom):
            names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            yield from (name for name in names if name.startswith("_"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_private_name_of_others(path: Path) -> None:
    assert list(private_names(ast.parse(path.read_text()))) == []


def test_the_check_sees_private_names() -> None:
    found = private_names(ast.parse("from textual._x import y\nself._mine = app._theirs"))
    assert list(found) == ["_x", "_theirs"]
