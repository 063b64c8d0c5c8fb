"""Sample mutants of the code and count how many the tests kill: `python -m tools.mutants [--count 100] [--seed 1]`.

A mutant is the product with one small change: a comparison turned, `and` for `or`, a condition negated, a number one
higher, a truth value turned, a sum for a difference, a statement left out. Each is tried in a copy of the tree, first
against the tests named after its package, then, if it survives, against those of the packages around it. Exit status
1 if fewer than `--least` percent are killed. A survivor is either a missing test or an equivalent change; the list
says which lines to look at.
"""

import argparse
import ast
import concurrent.futures
import importlib.util
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
TIMEOUT: Final = 1200.0
"""Seconds for one run of the tests; a mutant that hangs is killed."""

_SOURCES: Final = {
    "server/cartino_server": ("tests/app",),
    "protocol/cartino_protocol": ("tests/protocol",),
    "engine/cartino_engine": ("tests/engine",),
    "games/cartino_games": ("tests/games",),
    "cartino_tui": ("tests/tui",),
}
"""Where the code of a distribution stands, and where its modules' tests do, besides tests/PACKAGE."""
_AROUND: Final = {
    "server/cartino_server": (
        "lobby",
        "table",
        "app",
        "commands",
        "operations",
        "store",
        "ssh",
        "workers",
        "client",
        "admin",
        "cli",
        "secrecy",
        "fuzz",
    ),
    "engine/cartino_engine": ("games", "table", "review", "deals", "secrecy", "fuzz"),
    "protocol/cartino_protocol": ("lobby", "table", "commands", "fuzz", "tui"),
    "games/cartino_games": (
        "games",
        "engine",
        "protocol",
        "bots",
        "oracle",
        "fuzz",
        "secrecy",
        "tui",
    ),
    "cartino_tui": ("tui", "games", "commands", "budget"),
}
_COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


@dataclass(frozen=True)
class Mutant:
    """`path`, relative to the tree, with bytes `start` to `end` of its source replaced by `text`."""

    path: Path
    line: int
    start: int
    end: int
    before: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before!r} -> {self.text!r}"


def _changed(node: ast.AST) -> ast.AST | None:
    """Return the node with one change that can matter, or None."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=comparators) if type(op) in _COMPARISONS:
            return ast.Compare(left, [_COMPARISONS[type(op)]()], comparators)
        case ast.BoolOp(op=op, values=values):
            return ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case ast.Constant(value=bool() as value):
            return ast.Constant(not value)
        case ast.Constant(value=int() as value):
            return ast.Constant(value + 1)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            return ast.BinOp(left, ast.Sub() if isinstance(op, ast.Add) else ast.Add(), right)
        case ast.Expr(value=ast.Call() | ast.Await()):
            return ast.Pass()
        case _:
            return None


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield nodes that do something, outermost first.

    Left out are decorators, options of classes, annotations, logging, and whether `zip` is strict.
    """
    for name, value in ast.iter_fields(node):
        if name in {"decorator_list", "annotation", "returns", "type_params"}:
            continue
        match name, node:
            case "keywords", ast.ClassDef() | ast.Call(func=ast.Name(id="zip")):
                continue
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, ast.AST) and not _logs(child):
                yield child
                yield from _nodes(child)


def _logs(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="log" | "_log" | "logger")))):
            return True
        case _:
            return False


def mutants(root: Path) -> Iterator[Mutant]:
    """Yield every mutant of the product under `root`, in the order of its files."""
    for source in _SOURCES:
        for file in sorted((root / source).rglob("*.py")):
            text = file.read_bytes()
            starts = [0]
            for line in text.splitlines(keepends=True):
                starts.append(starts[-1] + len(line))
            for node in _nodes(ast.parse(text)):
                changed = _changed(node)
                if changed is None or not isinstance(node, ast.expr | ast.stmt):
                    continue
                assert node.end_lineno is not None
                assert node.end_col_offset is not None
                start = starts[node.lineno - 1] + node.col_offset
                end = starts[node.end_lineno - 1] + node.end_col_offset
                replacement = ast.unparse(ast.fix_missing_locations(changed))
                if isinstance(changed, ast.expr):
                    replacement = f"({replacement})"
                yield Mutant(
                    file.relative_to(root), node.lineno, start, end, text[start:end].decode(), replacement
                )


def suites(path: Path, tests: Path) -> list[list[str]]:
    """Return the tests for a mutant of `path`: its package's own, then those of the packages around it and of none."""
    source = next(each for each in _SOURCES if path.is_relative_to(each))
    package = path.relative_to(source).parts[0].removesuffix(".py")
    places = [f"tests/{package}", *(f"{folder}/{package}" for folder in _SOURCES[source])]
    own = [each for each in dict.fromkeys(places) if (tests.parent / each).is_dir()] or list(_SOURCES[source])
    around = [f"tests/{name}" for name in _AROUND[source] if f"tests/{name}" not in own]
    around += [f"tests/{file.name}" for file in sorted(tests.glob("test_*.py"))]
    return [each for each in (own, around) if each]


def passes(folders: Sequence[str], tree: Path) -> bool:
    """Return whether all tests in `folders` of `tree` pass, against the code of that tree."""
    paths = [tree, *(tree / Path(source).parent for source in _SOURCES)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))}
    pytest = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        *folders,
    ]
    try:
        run = subprocess.run(
            pytest, cwd=tree, env=environment, capture_output=True, timeout=TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return run.returncode == 0


def survives(mutant: Mutant, tree: Path) -> bool:
    """Return whether no test fails with the mutant in `tree`; the tree is as before afterwards."""
    file = tree / mutant.path
    text = file.read_bytes()
    _replace(file, text[: mutant.start] + mutant.text.encode() + text[mutant.end :])
    try:
        return all(passes(folders, tree) for folders in suites(mutant.path, tree / "tests"))
    finally:
        _replace(file, text)


def _replace(file: Path, text: bytes) -> None:
    """Write `text`, and drop the bytecode, which can't tell two versions of one size and second apart."""
    file.write_bytes(text)
    Path(importlib.util.cache_from_source(str(file))).unlink(missing_ok=True)


def main(words: Sequence[str] | None = None) -> int:
    """Sample, try and tell."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.mutants", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--count", type=int, default=100, help="how many mutants (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (default: %(default)s)")
    parser.add_argument("--least", type=float, default=90, help="percent to be killed (default: %(default)s)")
    parser.add_argument("--only", default="", help="a part of the path that mutated files must have")
    options = parser.parse_args(words)
    every = [each for each in mutants(ROOT) if options.only in str(each.path)]
    sample = random.Random(options.seed).sample(every, min(options.count, len(every)))
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies = [Path(folder, str(number)) for number in range(options.jobs)]
        trees: SimpleQueue[Path] = SimpleQueue()
        for tree in copies:
            shutil.copytree(
                ROOT, tree, ignore=shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache")
            )
            trees.put(tree)
        folders = {
            folder for each in sample for suite in suites(each.path, ROOT / "tests") for folder in suite
        }
        if not passes(sorted(folders), copies[0]):
            parser.error("the tests fail without a mutant, so nothing can be learned")

        def tried(mutant: Mutant) -> bool:
            tree = trees.get()
            try:
                return survives(mutant, tree)
            finally:
                trees.put(tree)

        left = 0
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for mutant, survived in zip(sample, pool.map(tried, sample), strict=True):
                left += survived
                print("survived" if survived else "killed  ", mutant, flush=True)
    killed = 100 * (len(sample) - left) / len(sample)
    print(
        f"{len(sample) - left} of {len(sample)} killed ({killed:.0f} %), of {len(every):,} possible mutants"
    )
    return 0 if killed >= options.least else 1


if __name__ == "__main__":
    sys.exit(main())
