"""How objects are put together and named: no class takes many others, and none gets one from outside later."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PACKAGES = (
    "protocol/cartino_protocol",
    "engine/cartino_engine",
    "server/cartino_server",
    "cartino_tui",
    "games/cartino_games",
)
MODULES = {
    path.relative_to(ROOT).as_posix(): ast.parse(path.read_text())
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
}
CLASSES = [
    (module, node)
    for module, tree in MODULES.items()
    for node in ast.walk(tree)
    if isinstance(node, ast.ClassDef)
]
MOST_OBJECTS = 12
LITERALS = {
    ast.unparse(target)
    for tree in MODULES.values()
    for node in tree.body
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript)
    if ast.unparse(node.value.value) == "Literal"
    for target in node.targets
}
PLAIN = {"bool", "int", "float", "str", "bytes", "None", *LITERALS}
"""Values, which are no objects to work with."""
OURS = {node.name for _, node in CLASSES}
LIBRARIES = {
    "cartino_tui/terminal/textual_internals.py": "Textual",
    "server/cartino_server/ssh/asyncssh_internals.py": "asyncssh",
    "server/cartino_server/commands/game_options.py": "argparse",
    "server/cartino_server/commands/parser.py": "argparse",
    "server/cartino_server/commands/registry.py": "argparse",
    "server/cartino_server/cli/streams.py": "sys",
    "server/cartino_server/process.py": "ctypes",
}
"""Modules that set attributes of a library's objects."""


class Attribute(NamedTuple):
    """An attribute that a class declares or sets in its constructor, and whether it begins as a plain value."""

    module: str
    owner: str
    is_plain: bool


def constructor(node: ast.ClassDef) -> ast.FunctionDef | None:
    return next(
        (each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"), None
    )


def taken(init: ast.FunctionDef) -> list[str]:
    """The parameters that are objects."""
    found = []
    for parameter in [*init.args.posonlyargs, *init.args.args, *init.args.kwonlyargs][1:]:
        annotation = "" if parameter.annotation is None else ast.unparse(parameter.annotation)
        if not PLAIN.issuperset(annotation.split(" | ")):
            found.append(parameter.arg)
    return found


def made(init: ast.FunctionDef) -> list[str]:
    """The classes of ours of which the constructor makes objects."""
    names = (
        ast.unparse(node.func).partition("[")[0].rpartition(".")[2]
        for statement in init.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Call)
    )
    return [name for name in names if name in OURS]


def bases(node: ast.ClassDef) -> str:
    return " ".join(map(ast.unparse, node.bases))


def is_frozen(node: ast.ClassDef) -> bool:
    return "NamedTuple" in bases(node) or any(
        keyword.arg == "frozen" and ast.unparse(keyword.value) == "True" for keyword in node.keywords
    )


def assigned(tree: ast.AST) -> Iterator[tuple[ast.Attribute, ast.expr | None]]:
    """Every attribute that is assigned in a tree, and its value, None if that isn't a single one."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=given):
                pairs: list[tuple[ast.expr, ast.expr | None]] = [(target, given) for target in targets]
            case ast.AnnAssign(target=annotated, value=maybe):
                pairs = [(annotated, maybe)]
            case ast.AugAssign(target=single) | ast.For(target=single) | ast.AsyncFor(target=single):
                pairs = [(single, None)]
            case ast.withitem(optional_vars=ast.expr() as bound):
                pairs = [(bound, None)]
            case ast.Delete(targets=targets):
                pairs = [(target, None) for target in targets]
            case _:
                continue
        while pairs:
            target, value = pairs.pop()
            match target, value:
                case ((ast.Tuple(elts=left) | ast.List(elts=left)), ast.Tuple(elts=right)):
                    pairs += zip(left, right, strict=True)
                case ((ast.Tuple(elts=left) | ast.List(elts=left)), _):
                    pairs += [(each, None) for each in left]
                case ast.Starred(value=inner), _:
                    pairs.append((inner, None))
                case ast.Attribute(), _:
                    yield target, value


def is_plain(value: ast.expr | None) -> bool:
    """Whether a value is a text, a number or a truth value: state, and no object, not even one to come."""
    match value:
        case ast.Constant(value=constant):
            return constant is not None
        case ast.UnaryOp(operand=operand):
            return is_plain(operand)
        case ast.Tuple(elts=[]):
            return True
        case _:
            return False


def attributes() -> dict[str, list[Attribute]]:
    """All attributes by name, except those of frozen classes."""
    found: dict[str, list[Attribute]] = {}
    for module, node in CLASSES:
        init = constructor(node)
        for target, value in () if init is None else assigned(init):
            if ast.unparse(target.value) == "self":
                found.setdefault(target.attr, []).append(Attribute(module, node.name, is_plain(value)))
        for each in () if is_frozen(node) else node.body:
            if isinstance(each, ast.AnnAssign) and "ClassVar" not in ast.unparse(each.annotation):
                declared = Attribute(module, node.name, is_plain(each.value))
                found.setdefault(ast.unparse(each.target), []).append(declared)
    return found


def setters() -> frozenset[str]:
    """The names of properties with a setter."""
    return frozenset(
        each.name
        for _, node in CLASSES
        for each in node.body
        if isinstance(each, ast.FunctionDef)
        and any(isinstance(one, ast.Attribute) and one.attr == "setter" for one in each.decorator_list)
    )


def replaced() -> Iterator[str]:
    """Every assignment from outside to an attribute that holds, or may hold, another object.

    Attributes are matched by name, whatever the object is. A private class may be changed in its own module.
    """
    known, exempt = attributes(), setters()
    for module, tree in MODULES.items():
        for target, _ in assigned(tree):
            if module in LIBRARIES or ast.unparse(target.value) in {"self", "cls"} or target.attr in exempt:
                continue
            owners = known.get(target.attr, [])
            is_here = any(each.module == module and each.owner.startswith("_") for each in owners)
            outside = [each for each in owners if not (each.is_plain or each.owner.startswith("_"))]
            if outside and not is_here:
                yield f"{module}:{target.lineno}: {ast.unparse(target)} of {outside[0].owner}"


def held(node: ast.ClassDef) -> list[str]:
    """The private fields of a struct that are given to it and objects: what its methods work with."""
    return [
        each.target.id
        for each in node.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and each.value is None
        if each.target.id.startswith("_") and not PLAIN.issuperset(ast.unparse(each.annotation).split(" | "))
    ]


def test_no_struct_holds_more_than_a_dozen_objects() -> None:
    many = {f"{module}: {node.name}": held(node) for module, node in CLASSES if "Struct" in bases(node)}
    assert {name: fields for name, fields in many.items() if len(fields) > MOST_OBJECTS} == {}


def test_no_constructor_gathers_more_than_a_dozen_objects() -> None:
    many = {
        f"{module}: {node.name}": (taken(init), made(init))
        for module, node in CLASSES
        if (init := constructor(node)) is not None and len(taken(init)) + len(made(init)) > MOST_OBJECTS
    }
    assert many == {}


def test_no_object_gets_another_one_from_outside_after_it_was_made() -> None:
    assert list(replaced()) == []


def test_every_attribute_has_a_value_once_its_object_is_made() -> None:
    """No constructor only declares an attribute, for another object to set."""
    bare = [
        f"{module}: {node.name}.{target.attr}"
        for module, node in CLASSES
        if (init := constructor(node)) is not None
        for each in ast.walk(init)
        if isinstance(each, ast.AnnAssign)
        and each.value is None
        and isinstance(target := each.target, ast.Attribute)
    ]
    assert bare == []


def test_no_attribute_begins_as_a_function_in_place_of_the_right_one() -> None:
    """A public lambda of a constructor is there to be replaced later; a default belongs in the signature."""
    placeholders = [
        f"{module}: {node.name}.{target.attr}"
        for module, node in CLASSES
        if (init := constructor(node)) is not None
        for target, value in assigned(init)
        if isinstance(value, ast.Lambda) and not target.attr.startswith("_")
    ]
    assert placeholders == []


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


def functions(node: ast.AST, owner: str = "") -> Iterator[tuple[str, str]]:
    """Yield the names of a module's functions and methods, each with its class; no inner functions."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield owner, name
            case ast.ClassDef():
                yield from functions(child, child.name)
            case _:
                yield from functions(child, owner)


def test_no_function_has_a_homonym_as_its_name() -> None:
    """Names of public functions and methods say what they do, so that a search finds their calls."""
    found = {
        (module, owner, name)
        for module, tree in MODULES.items()
        for owner, name in functions(tree)
        if name in HOMONYMS
    }
    assert found == STAY
