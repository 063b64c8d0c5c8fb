"""Find every container that objects hold, by the class and attribute that hold it, to see what grows and stays."""

import functools
import sys
import types
from asyncio import AbstractEventLoop
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

Containers = dict[str, int]
"""The largest length of the containers at each place, such as "RateLimiter._buckets"."""

_KINDS = (dict, list, set, deque, WeakKeyDictionary, WeakSet, WeakValueDictionary)
_LEAVES = (str, bytes, bytearray, int, float, bool, type(None), type, types.ModuleType, AbstractEventLoop)


def containers(packages: tuple[str, ...], *roots: object) -> Containers:
    """Return what `roots` hold, and the modules of `packages`; objects of other packages are followed, not named."""
    found: Containers = {}
    modules = [module for name, module in sys.modules.items() if _is_of(name, packages)]
    walk = _Walk(packages, found)
    for root in roots:
        walk.follow(root, type(root).__name__)
    for module in modules:
        for name, value in vars(module).items():
            if not name.startswith("__"):
                walk.follow(value, f"{module.__name__}.{name}")
    walk.run()
    return found


class _Walk:
    """A walk over objects, each seen once."""

    def __init__(self, packages: tuple[str, ...], found: Containers) -> None:
        self._packages = packages
        self._found = found
        self._seen: dict[int, object] = {}
        self._due: deque[tuple[object, str]] = deque()

    def follow(self, value: object, place: str) -> None:
        """Visit `value`, which is at `place`, later."""
        if not isinstance(value, _LEAVES) and id(value) not in self._seen:
            self._seen[id(value)] = value
            self._due.append((value, place))

    def run(self) -> None:
        """Visit all."""
        while self._due:
            self._visit(*self._due.popleft())

    def _visit(self, value: object, place: str) -> None:
        if isinstance(value, _KINDS):
            self._found[place] = max(len(value), self._found.get(place, 0))
        for name, part in _parts(value):
            owner = type(value)
            named = name and _is_of(owner.__module__, self._packages)
            self.follow(part, f"{owner.__name__}.{name}" if named else place)
        if isinstance(value, functools._lru_cache_wrapper):
            info = value.cache_info()
            self._found[f"{place} (cache)"] = 0 if info.maxsize is not None else info.currsize


def _parts(value: Any) -> Iterator[tuple[str, object]]:
    """Yield what an object holds, with the names of attributes."""
    match value:
        case Mapping():
            for key, each in list(value.items()):
                yield "", key
                yield "", each
        case list() | tuple() | set() | frozenset() | deque() | WeakSet():
            for each in list(value):
                yield "", each
        case functools.partial():
            yield from (("", each) for each in (value.func, *value.args, *value.keywords.values()))
        case types.MethodType():
            yield "", value.__self__
            yield "", value.__func__
        case types.FunctionType():
            for cell in value.__closure__ or ():
                yield "", _content(cell)
        case _:
            yield from getattr(value, "__dict__", {}).items()
            for kind in type(value).__mro__:
                slots = kind.__dict__.get("__slots__", ())
                for name in (slots,) if isinstance(slots, str) else slots:
                    yield name, getattr(value, name, None)
            for name in getattr(value, "__struct_fields__", ()):
                yield name, getattr(value, name, None)


def _content(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _is_of(name: str, packages: tuple[str, ...]) -> bool:
    return name.partition(".")[0] in packages
