"""Table codes as people type them; and what travels and what records hold, which peers of other versions read."""

import importlib
import pkgutil
from collections.abc import Iterator

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

import cartino_games
import cartino_protocol
from cartino_protocol.base import Message, Part, Row, parse_code


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("K7QP", "K7QP"),
        (" k7-qp ", "K7QP"),
        ("k7qp wx3m", "K7QPWX3M"),
        ("K7Q", None),
        ("K7Q0", None),
        ("K7QPW", None),
        ("K7QPWX3MA", None),
    ],
)
def test_a_code_is_read_kindly(typed: str, code: str | None) -> None:
    assert parse_code(typed) == code


def structs(base: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for each in base.__subclasses__():
        if each.__module__.startswith((cartino_protocol.__name__, cartino_games.__name__)):
            yield each
        yield from structs(each)


def default(value: object, *, str_keys: bool) -> object:
    """msgspec describes no default that is raw bytes."""
    return (
        bytes(value).hex()
        if isinstance(value, msgspec.Raw)
        else msgspec.to_builtins(value, str_keys=str_keys)
    )


def test_names_types_bounds_and_defaults_change_only_on_purpose(
    snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("msgspec._json_schema.to_builtins", default)
    for package in (cartino_protocol, cartino_games):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    every = {each for base in (Message, Part, Row) for each in structs(base)}
    _, parts = msgspec.json.schema_components(every, ref_template="{name}")
    lines = []
    for name, part in sorted(parts.items()):
        part.pop("description", None)
        lines.append(f"{name}: {msgspec.json.encode(part, order='deterministic').decode()}")
    assert "\n".join(lines) == snapshot
