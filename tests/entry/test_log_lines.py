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
    "session", "connection", "person", "peer", "source", "key", "room", "worker", "pid", "game", "seat", "bot",
    "number", "kind", "who", "client", "uid", "report",
    # What happened: closed words, places in the code, and clauses of the system.
    "why", "where", "reason", "end", "outcome", "lost", "verb", "status", "command", "refused",
    # Facts in numbers and flags.
    "games", "tables", "moves", "damaged", "terminal", "at_home", "changed", "settings", "old", "more",
    "seconds", "within", "size",
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


CALLS = list(calls())


def test_they_are_found() -> None:
    assert len(CALLS) > 40


@pytest.mark.parametrize(("call", "level"), [pytest.param(c, lv, id=at) for at, c, lv in CALLS])
def test_a_line_has_constant_words_and_known_facts(call: ast.Call, level: str) -> None:
    if level != "bind":
        [words] = call.args
        assert isinstance(words, ast.Constant)
        assert isinstance(words.value, str)
    for fact in call.keywords:
        assert fact.arg in KEYS
        used = {node.id for node in ast.walk(fact.value) if isinstance(node, ast.Name)}
        used |= {node.attr for node in ast.walk(fact.value) if isinstance(node, ast.Attribute)}
        assert not [name for name in used if any(part in name.lower().split("_") for part in FORBIDDEN)], used
