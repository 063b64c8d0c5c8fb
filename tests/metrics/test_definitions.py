"""The list of all figures: named as Prometheus wants it, and told apart by nothing that strangers choose."""

import re

from cartino_server.metrics.definitions import REGISTRY

UNITS = (
    "seconds",
    "bytes",
    "info",
    "tasks",
    "people",
    "rooms",
    "tables",
    "games",
    "sessions",
    "workers",
    "records",
)
"""What a name ends in: a base unit, or the things that are counted."""
CLOSED = {"kind", "reason", "game", "bot", "state", "role", "where", "why", "version", "protocol"}


def test_names_say_their_unit_and_their_kind() -> None:
    for family in REGISTRY.families:
        assert re.fullmatch(r"cartino(_[a-z]+)+", family.name)
        assert (family.kind == "counter") == family.name.endswith("_total"), family.name
        stem = family.name.removesuffix("_total")
        if family.kind != "counter":
            assert stem.endswith(UNITS), family.name
        if family.kind == "histogram":
            assert family.bounds == tuple(sorted(set(family.bounds)))
            assert stem.endswith("_seconds")


def test_each_has_a_sentence() -> None:
    for family in REGISTRY.families:
        assert re.fullmatch(r"[A-Z].*\.", family.help), family.name


def test_labels_are_those_of_closed_lists() -> None:
    assert {label for family in REGISTRY.families for label in family.labels} <= CLOSED


def test_nobody_watches_unasked() -> None:
    assert not REGISTRY.on
