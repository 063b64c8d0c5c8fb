"""Find the sentences in the code that are marked for translation (see `cartino_protocol/text.py`).

What is said and can't be in any catalogue is refused: a text that is put together where it is said, and a name that
stands, as far as the code tells, for a text that nobody marked.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tools.words.origins import Module, Modules, Values, dotted, module_of, values_named, values_of

ONE = frozenset({"gettext", "say", "N_", "lazy_gettext", "misuse", "failure", "not_found"})
"""Functions whose first argument is a sentence."""
COUNTED = frozenset({"ngettext", "count", "lazy_ngettext"})
"""Those whose first two are one: of one thing, and of more."""
IN_CONTEXT = frozenset({"pgettext"})
"""Those whose first is the context of the second."""
COMMANDS = frozenset({"command_words"})
"""Those whose arguments are commands that people type."""
MARKERS = frozenset({"N_", "lazy_gettext", "lazy_ngettext", "misuse", "failure", "not_found"})
"""Those that nothing but a sentence is given to, and that mark it."""

CATALOGUES = frozenset({"catalogue", "_whole"})
"""Attributes that hold a gettext catalogue: what is looked up in them was marked where it stands."""

SOURCES = ("cartino_tui", "engine", "games", "server", "protocol")
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
    """What is said is no sentence that stands somewhere as it is, so that no catalogue can have it."""


def found_in(root: Path) -> Iterator[Found]:
    """Yield every sentence under `root`, file by file. Raises Unmarkable."""
    trees = {
        file.relative_to(root).as_posix(): ast.parse(file.read_text("utf-8"))
        for source in SOURCES
        for file in sorted((root / source).rglob("*.py"))
    }
    modules = {dotted(name): module_of(tree) for name, tree in trees.items()}
    for name, tree in trees.items():
        yield from (Found(marked, name) for marked in _Reader(name, tree, modules).read())


def sentences(code: str, name: str) -> Iterator[Marked]:
    """Yield the sentences of the `code` in the file `name`, in their order. Raises Unmarkable."""
    yield from _Reader(name, ast.parse(code), {}).read()


class _Reader:
    """Reads one file."""

    def __init__(self, name: str, tree: ast.Module, modules: Modules) -> None:
        self._name = name
        self._tree = tree
        self._modules: Mapping[str, Module] = modules
        self._module = modules.get(dotted(name)) or module_of(tree)

    def read(self) -> Iterator[Marked]:
        for node in ast.walk(self._tree):
            if isinstance(node, ast.ImportFrom):
                self._require_own_names(node)
        calls = sorted(_calls(self._tree, []), key=lambda each: (each[0].lineno, each[0].col_offset))
        for call, scopes in calls:
            yield from (marked for marked in self._marked(call, scopes) if marked.text)

    def _require_own_names(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name in MARKERS and alias.asname not in {None, alias.name}:
                raise self._wrong(node, f"{alias.name} finds nothing under another name")

    def _marked(self, call: ast.Call, scopes: list[Values]) -> Iterator[Marked]:
        match call.func:
            case ast.Attribute(value=ast.Attribute(attr=attribute)) if attribute in CATALOGUES:
                return
        function = _function(call.func)
        given = call.args
        if function in ONE:
            if not given and (call.keywords or function in MARKERS):
                raise self._wrong(call, "a sentence stands first, without a name")
            # A tongue, a link and a table say things; only texts are sentences.
            for said in given[:1]:
                yield from map(Marked, self._texts(said, scopes, bare=function in MARKERS))
        elif function in IN_CONTEXT and len(given) > 1:
            # In a context nothing but the text itself is found; whoever says a name has marked it elsewhere.
            context, texts = _text(given[0]), self._texts(given[1], [], bare=False)
            if context is None:
                raise self._wrong(call, "a context stands there as it is")
            yield from (Marked(text, context=context) for text in texts)
        elif function in COMMANDS:
            for word in given:
                yield from (Marked(text, context="command") for text in self._texts(word, [], bare=True))
        elif function in COUNTED and len(given) > 1:
            one, many = ([*self._texts(each, scopes, bare=function in MARKERS)] for each in given[:2])
            if len(one) != len(many) or len(one) > 1:
                raise self._wrong(call, "what is counted is two sentences, as they stand")
            yield from map(Marked, one, many)

    def _texts(self, said: ast.expr, scopes: list[Values], *, bare: bool) -> Iterator[str]:
        """Yield the texts that stand in `said` as they are; where `bare`, nothing else may. Raises Unmarkable."""
        text = _text(said)
        if text is not None:
            yield text
            return
        match said:
            case ast.BoolOp(values=parts):
                ways = parts
            case ast.IfExp():
                ways = [said.body, said.orelse]
            case _:
                ways = []
        for way in ways:
            yield from self._texts(way, scopes, bare=bare)
        if ways:
            return
        if bare or not isinstance(said, ast.Name | ast.Attribute | ast.Subscript | ast.Call):
            raise self._wrong(said, "a sentence is said as it stands, its places are filled later")
        self._require_marked(said, scopes)

    def _require_marked(self, said: ast.expr, scopes: list[Values]) -> None:
        """Raise Unmarkable where `said` stands for a text that nobody marked."""
        if isinstance(said, ast.Call):
            if isinstance(said.func, ast.Attribute) and _is_text(said.func.value):
                raise self._wrong(said, "a sentence is said as it stands, its places are filled later")
            if _function(said.func) == "get" and any(map(_is_text, said.args[1:])):
                raise self._wrong(said, "what is said where nothing else is has no mark: N_")
        values = values_named(said, scopes, self._module, self._modules)
        if any(_is_text(way) for value in values for way in _ways(value)):
            raise self._wrong(said, f"{ast.unparse(said)} is a text without a mark: N_")

    def _wrong(self, node: ast.expr | ast.stmt, why: str) -> Unmarkable:
        return Unmarkable(f"{self._name}:{node.lineno}: {why}")


def _calls(node: ast.AST, scopes: list[Values]) -> Iterator[tuple[ast.Call, list[Values]]]:
    """Yield every call, with what the functions around it give their names."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call):
            yield child, scopes
        inner = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from _calls(child, [*scopes, values_of(child)] if inner else scopes)


def _function(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _text(argument: ast.expr) -> str | None:
    """Return a text that stands there as it is."""
    value = argument.value if isinstance(argument, ast.Constant) else None
    return value if isinstance(value, str) else None


def _is_text(value: ast.expr) -> bool:
    """Return whether `value` is a text with words in it, as it stands or put together."""
    match value:
        case ast.Constant(value=str(text)):
            return any(map(str.isalpha, text))
        case ast.JoinedStr(values=parts):
            return any(map(_is_text, parts))
        case ast.BinOp():
            return _is_text(value.left) or _is_text(value.right)
        case _:
            return False


def _ways(value: ast.expr) -> list[ast.expr]:
    """Return what `value` may come to."""
    match value:
        case ast.BoolOp(values=parts):
            return [way for part in parts for way in _ways(part)]
        case ast.IfExp():
            return [*_ways(value.body), *_ways(value.orelse)]
        case _:
            return [value]


def by_sentence(found: Iterable[Found]) -> dict[Marked, list[str]]:
    """Return each sentence once, with the files that it stands in."""
    files: dict[Marked, list[str]] = {}
    for marked, file in found:
        known = files.setdefault(marked, [])
        if file not in known:
            known.append(file)
    return files
