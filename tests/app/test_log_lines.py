"""Every log line that is written anywhere: constant words, and nothing behind them that could tell of a secret."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOGGERS = {"_log", "log"}
LEVELS = {"debug", "info", "warning", "error", "exception", "critical", "bind", "log"}
KEYS = {
    # Who and where, for the host: ids, numbers, a fingerprint, an address.
    "session", "connection", "person", "peer", "source", "key", "table", "worker", "pid", "game", "seat", "bot",
    "number", "kind", "who", "client", "uid", "report", "deal",
    # What happened: closed words, places in the code, and clauses of the system.
    "why", "mend", "without", "where", "reason", "end", "outcome", "lost", "verb", "status", "command", "refused",
    # Facts in numbers and flags.
    "games", "tables", "moves", "damaged", "terminal", "native", "changed", "settings", "old", "more",
    "seconds", "within", "size",
    # What a client that didn't come in, or not as its owner, has instead of what it needs.
    "lacks", "offered", "unusable",
    # Names, which everybody sees.
    "name", "asked", "user",
    # Tracebacks, without their words.
    "crash", "exc_info",
}  # fmt: skip
FORBIDDEN = (
    "view",
    "memo",
    "hand",
    "card",
    "stone",
    "word",
    "token",
    "text",
    "frame",
    "secret",
    "password",
    "seed",
)
"""Parts of names whose values no line may have."""


def calls() -> Iterator[tuple[str, ast.Call, str]]:
    """Every call of a logger, where it stands, and its level."""
    for folder in ("server/cartino_server", "cartino_tui", "protocol/cartino_protocol"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                    continue
                on, level = node.func.value, node.func.attr
                name = on.id if isinstance(on, ast.Name) else on.attr if isinstance(on, ast.Attribute) else ""
                if name in LOGGERS and level in LEVELS:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", node, level


def faults(call: ast.Call, level: str) -> Iterator[str]:
    """What is wrong with a call: words that aren't constant, unknown facts, names that may hold a secret."""
    words = [argument.value if isinstance(argument, ast.Constant) else None for argument in call.args]
    if level != "bind" and (len(words) != 1 or not isinstance(words[0], str)):
        yield "has not one constant sentence"
    for fact in call.keywords:
        if fact.arg not in KEYS:
            yield f"has the unknown fact {fact.arg}"
        used = {node.id for node in ast.walk(fact.value) if isinstance(node, ast.Name)}
        used |= {node.attr for node in ast.walk(fact.value) if isinstance(node, ast.Attribute)}
        for name in sorted(used):
            if any(part in name.lower().split("_") for part in FORBIDDEN):
                yield f"uses {name}"


def test_every_line_has_constant_words_and_known_facts() -> None:
    found = list(calls())
    assert len(found) > 40
    assert [f"{where} {fault}" for where, call, level in found for fault in faults(call, level)] == []


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("_log.info(f'{name} sits down')", "has not one constant sentence"),
        ("_log.info('sits down', colour=3)", "has the unknown fact colour"),
        ("_log.info('sits down', name=person.hand)", "uses hand"),
        ("_log.bind(name=the_secret)", "uses the_secret"),
    ],
)
def test_what_is_wrong_with_a_line_is_found(line: str, fault: str) -> None:
    (statement,) = ast.parse(line).body
    assert isinstance(statement, ast.Expr)
    call = statement.value
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Attribute)
    assert list(faults(call, call.func.attr)) == [fault]
