"""docs/architecture.md names files and functions: they exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/architecture.md").read_text()
ROWS = re.findall(r"^\| `([\w/.]+)` \| (`.+?`) \| (.+) \|$", PAGE, re.MULTILINE)


def functions(path: str) -> set[str]:
    """The functions of a module, and the methods of its classes as Class.method."""
    tree = ast.parse((ROOT / path).read_text())
    found = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            methods = (each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
            found |= {f"{node.name}.{method.name}" for method in methods}
    return found


@pytest.mark.parametrize(("path", "names"), [(path, names) for path, names, _ in ROWS])
def test_the_functions_of_each_row_are_in_its_file(path: str, names: str) -> None:
    assert set(re.findall(r"`([^`]+)`", names)) <= functions(path)


def test_whatever_is_named_elsewhere_on_the_page_is_in_a_row_or_a_file() -> None:
    named = set(re.findall(r"`([\w/.]+)`", PAGE))
    paths = {name for name in named if "/" in name}
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []
    methods = {name for name in named if re.fullmatch(r"[A-Z]\w+\.\w+", name)}
    in_rows = {name for path in {path for path, _, _ in ROWS} for name in functions(path)}
    assert methods <= in_rows
    assert len(ROWS) > 40, "the tables are read"
