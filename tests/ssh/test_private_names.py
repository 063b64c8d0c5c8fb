"""Whoever needs a private name of Textual or asyncssh says so in `inside.py`, where its tests are."""

import ast
import importlib
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {"cartino_tui": ROOT, "cartino_server": ROOT / "server"}
INSIDES = {"cartino_tui.terminal.textual_internals", "cartino_server.ssh.asyncssh_internals"}
THEIRS = {"asyncssh", "textual", "rich"}
PUBLIC = {"_exit"}
"""What Python's own documentation has under such a name."""


def modules() -> Iterator[tuple[str, Path]]:
    for package, above in PACKAGES.items():
        for path in sorted((above / package).rglob("*.py")):
            name = ".".join(path.relative_to(above).with_suffix("").parts).removesuffix(".__init__")
            if name not in INSIDES:
                yield name, path


MODULES = dict(modules())


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__") and name not in PUBLIC


def is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in {"self", "cls"}


def private_names(tree: ast.AST) -> Iterator[str]:
    """Private attributes of anything but `self`, and imports of private names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and not is_self(node.value):
            yield node.attr
        elif isinstance(node, ast.Import | ast.ImportFrom):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names = ".".join([*modules, *(alias.name for alias in node.names)]).split(".")
            yield from (name for name in names if is_private(name))


def own_private_names(tree: ast.AST) -> set[str]:
    """Private attributes and methods that a class has of its own, or uses as if it had."""
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and is_private(node.attr) and is_self(node.value)
    }
    defined = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and is_private(node.name)
    }
    return used | defined


@cache
def private_names_of(theirs: type) -> frozenset[str]:
    """Everything private that a class of theirs defines or sets on itself."""
    tree = ast.parse(Path(inspect.getfile(theirs)).read_text())
    [*found] = (
        node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == theirs.__name__
    )
    named = {name for name in (*vars(theirs), *vars(theirs).get("__annotations__", {})) if is_private(name)}
    return frozenset(named.union(*map(own_private_names, found)))


def inherited_names(ours: type, tree: ast.AST) -> set[str]:
    """What the class `ours`, whose text is `tree`, touches of the private parts of theirs that it derives from."""
    theirs = [base for base in ours.__mro__ if base.__module__.split(".")[0] in THEIRS]
    return own_private_names(tree) & frozenset[str]().union(*map(private_names_of, theirs))


def found_in(name: str, path: Path) -> list[str]:
    tree = ast.parse(path.read_text())
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    # An immutable value calls its class's private methods on the new values that it makes.
    own = {
        method.name
        for node in classes
        for method in node.body
        if isinstance(method, ast.FunctionDef) and is_private(method.name)
    }
    found = [name for name in private_names(tree) if name not in own]
    classes = [node for node in classes if node.bases]
    module = importlib.import_module(name) if classes else None
    for node in classes:
        ours = getattr(module, node.name, None)
        if isinstance(ours, type):
            found += sorted(inherited_names(ours, node))
    return found


def test_no_private_name_of_others() -> None:
    found = {name: found_in(name, path) for name, path in MODULES.items()}
    assert {name: names for name, names in found.items() if names} == {}


def test_every_layer_is_looked_at() -> None:
    assert {name.rsplit(".", 1)[0] for name in MODULES} >= {
        "cartino_tui",
        "cartino_tui.terminal",
        "cartino_tui.screens",
        "cartino_server.lobby",
        "cartino_server.ssh",
        "cartino_server.cli",
    }


def test_the_check_sees_private_names() -> None:
    found = private_names(ast.parse("from a._b import c, _d\nimport a._e\nself._mine = app._theirs"))
    assert sorted(found) == ["_b", "_d", "_e", "_theirs"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("        self._exception = None", ["_exception"]),
        ("        return self._driver", ["_driver"]),
        ("        self._close_messages_no_wait()", ["_close_messages_no_wait"]),
        ("        self._mine = 1", []),
    ],
)
def test_the_check_sees_what_is_inherited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, found: list[str]
) -> None:
    path = tmp_path / "made_up_for_this.py"
    path.write_text(f"from textual.app import App\n\nclass Ours(App):\n    def go(self):\n{line}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, path.stem, raising=False)
    assert found_in(path.stem, path) == found
    monkeypatch.delitem(sys.modules, path.stem)
