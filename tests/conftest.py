"""Tests are of the app in English, whatever language the terminal of whoever runs them speaks, with no settings.

Examples are the same in each run of the same tests, so that what passed once passes for everybody; `make soak` looks
for new ones, and more. No example has a deadline, because a busy machine misses any.

Without `-m`, cases marked `soak` are left out. Of a test whose cases are all marked, the first one runs all the same,
with a false `long_run`: so every test runs in `make test`, and none can be broken unnoticed.
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


@pytest.fixture(scope="session")
def long_run(pytestconfig: pytest.Config) -> bool:
    """Whether marked tests were asked for, as `make soak` does; else a few rounds must do."""
    return bool(pytestconfig.option.markexpr)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the long cases unless `-m` selects, then choose the order."""
    if not config.option.markexpr:
        left_out = _long_cases(items)
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=list(left_out))
    _spread(items)
    if config.option.markexpr:
        # The longest first: the last one to end keeps the other workers waiting.
        items.sort(key=_timeout, reverse=True)


def _long_cases(items: list[pytest.Item]) -> set[pytest.Item]:
    """Return the cases marked `soak`, but for the first one of each test that has no other."""
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    long = {item for item in items if item.get_closest_marker("soak")}
    return long - {cases[0] for cases in tests.values() if long.issuperset(cases)}


def _timeout(item: pytest.Item) -> float:
    marker = item.get_closest_marker("timeout")
    return float(marker.args[0]) if marker is not None else 0.0


def _spread(items: list[pytest.Item]) -> None:
    """Spread the modules that run programs over most of the others: while some tests wait, others compute.

    None of them, which take longest, is among the last: the last one to end keeps the other processes waiting.
    """
    modules = [list(each) for _, each in groupby(items, key=lambda item: item.path)]
    waiting: list[list[pytest.Item]] = []
    computing: list[list[pytest.Item]] = []
    for module in modules:
        (waiting if any(item.get_closest_marker("e2e") for item in module) else computing).append(module)
    places = [
        (share * at / len(each), module)
        for share, each in ((0.8, waiting), (1.0, computing))
        for at, module in enumerate(each)
    ]
    places.sort(key=lambda place: place[0])
    items[:] = chain.from_iterable(module for _, module in places)


def pytest_collection_finish() -> None:
    """Keep the collected tests and all modules, which stay to the end, out of garbage collections."""
    gc.collect()
    gc.freeze()
