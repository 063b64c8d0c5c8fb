"""Resolve a name in the code to the texts it may stand for, so that unmarked ones are found.

Only what is written plainly is told: a name that a module or a function gives a value to, also one that is imported
from another module under `SOURCES`, and an entry of a mapping whose values are texts.
"""

import ast
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

Values = dict[str, list[ast.expr]]
"""What is assigned to each name of a scope; nothing to one that gets its value in another way."""

FOLDERS = ("server", "protocol")
"""Folders that are no part of a module's name."""


class Module(NamedTuple):
    """What a module gives its names: plain values, and (module, name) of another for each that is imported."""

    values: Values
    imports: Mapping[str, tuple[str, str]]


Modules = Mapping[str, Module]
"""Modules by their dotted names."""


def dotted(file: str) -> str:
    """Return the name of the module in `file`, a path from the top of the tree."""
    parts = PurePosixPath(file).with_suffix("").parts
    parts = parts[1:] if parts[0] in FOLDERS else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def module_of(tree: ast.Module) -> Module:
    """Return what the module `tree` gives its names."""
    imports = {
        alias.asname or alias.name: (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    return Module(values_of(tree), imports)


def values_of(scope: ast.AST) -> Values:
    """Return what is assigned to the names of `scope`, a module or a function."""
    values: Values = {}
    plain: set[ast.AST] = set()
    for node in _own(scope):
        targets = _targets(node)
        for target in targets:
            if isinstance(target, ast.Name):
                plain.add(target)
                values.setdefault(target.id, []).append(node.value)  # type: ignore[attr-defined]
    for node in _own(scope):
        if isinstance(node, ast.arg):
            values.setdefault(node.arg, [])
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node not in plain:
            values.setdefault(node.id, [])
    return values


def _targets(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Assign():
            return node.targets
        case ast.NamedExpr() | ast.AnnAssign(value=ast.expr()):
            return [node.target]
        case _:
            return []


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of `scope` without those of the functions and classes in it."""
    for node in ast.iter_child_nodes(scope):
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield from _own(node)


def values_named(expression: ast.expr, scopes: list[Values], at: Module, modules: Modules) -> list[ast.expr]:
    """Return what `expression`, a name or a mapping's entry, may be; nothing where that is unknown."""
    match expression:
        case ast.Name(id=name):
            for scope in (*reversed(scopes), at.values):
                if name in scope:
                    return scope[name]
            return _imported(at.imports.get(name), modules)
        case ast.Attribute(value=ast.Name(id=module), attr=name) if module in at.imports:
            return _imported((".".join(at.imports[module]), name), modules)
        case ast.Subscript(value=mapping) | ast.Call(func=ast.Attribute(value=mapping, attr="get")):
            found = values_named(mapping, scopes, at, modules)
            return [value for each in found if isinstance(each, ast.Dict) for value in each.values]
        case _:
            return []


def _imported(place: tuple[str, str] | None, modules: Modules) -> list[ast.expr]:
    if place is None or place[0] not in modules:
        return []
    return modules[place[0]].values.get(place[1], [])
