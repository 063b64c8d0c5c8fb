"""Tests are of the app in English, whatever language the terminal of whoever runs them speaks, with no settings.

Examples are the same in each run of the same tests, so that what passed once passes for everybody; `make soak` looks
for new ones, and more. No example has a deadline, because a busy machine misses any.
"""

import gc
import os
import tempfile
from itertools import chain, groupby

import pytest
from hypothesis import settings

for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
    os.environ.pop(name, None)

_settings = tempfile.TemporaryDirectory(prefix="cartino-tests-")
os.environ["XDG_CONFIG_HOME"] = _settings.name

settings.register_profile("same", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("new", deadline=None, max_examples=400)
settings.load_profile("same")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spread the modules that run programs over all others: while some tests wait, others compute."""
    modules = [list(each) for _, each in groupby(items, key=lambda item: item.path)]
    waiting: list[list[pytest.Item]] = []
    computing: list[list[pytest.Item]] = []
    for module in modules:
        (waiting if any(item.get_closest_marker("e2e") for item in module) else computing).append(module)
    places = [(at / len(each), module) for each in (waiting, computing) for at, module in enumerate(each)]
    places.sort(key=lambda place: place[0])
    items[:] = chain.from_iterable(module for _, module in places)


def pytest_collection_finish() -> None:
    """Keep the collected tests and all modules, which stay to the end, out of garbage collections."""
    gc.collect()
    gc.freeze()
