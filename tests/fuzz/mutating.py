"""Makes hostile inputs out of honest ones: of their bytes, and of the trees that MessagePack and JSON stand for.

All of it comes from a `Random`, so that a seed is an input: whoever has the number has the bytes.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final, Literal

import msgspec

Form = Literal["msgpack", "json", "lines", "bytes"]
"""What an input is made of: a tree in one of two encodings, a tree of JSON in each line, or nothing but bytes."""

DEEP: Final = 10_000
"""So deep hostile input is nested."""
_LEAST, _MOST = -(1 << 63), (1 << 64) - 1
_EDGES: Final = tuple(
    sign * (1 << bits) + near for bits in (7, 8, 15, 16, 31, 32) for near in (-1, 0, 1) for sign in (-1, 1)
)
_FITTING: Final = (*_EDGES, _LEAST, -_LEAST - 1, -_LEAST, _MOST)
"""Numbers that MessagePack can write."""
_TEXTS: Final = (
    *("", "\0", "\x1b[2J", "\u202e\u200b\ufeff", "e\u0301" * 20, "ﷺ" * 40, "\U0010ffff", "[b]{n}%s{"),
    *("x" * 5000, "t", "type"),
)
_MSGPACK: Final = (
    b"\xc1",
    *(b"\xa3\xed\xa0\x80", b"\xa2\xff\xfe"),  # no UTF-8: a lone surrogate, and cut short
    *(b"\xcf" + b"\xff" * 8, b"\xd3\x80" + b"\0" * 7),  # the largest and the smallest number
    *(b"\xcb\x7f\xf8" + b"\0" * 6, b"\xcb\xff\xf0" + b"\0" * 6, b"\xca\x7f\x80\0\0"),  # NaN and infinities
    *(kind + b"\xff" * 4 for kind in (b"\xdb", b"\xdd", b"\xdf", b"\xc6", b"\xc9")),  # 4 GB, announced
    *(b"\xd6\xff\0\0\0\0", b"\xc7\x0c\xff" + b"\xff" * 12, b"\xc4\x02\xff\xff"),  # times, and bytes
    # Keys: nil, a list, and one that comes twice.
    *(b"\x81\xc0\xc0", b"\x81\x90\x90", b"\x82\xa1t\xa1t\xa1t\xa1t"),
    *(b"\x91" * DEEP + b"\xc0", b"\x81\xa1t" * DEEP + b"\xc0"),
)
_JSON: Final = (
    *b"NaN -Infinity 1e999 -0 1.0 1E5 123456789012345678901234567890 18446744073709551615".split(),
    *(b"-9223372036854775809", b"9" * 5000, b"0." + b"0" * 5000 + b"1"),
    *(b'"\\ud800"', b'"\xed\xa0\x80"', b'"\xff"', b'"\\u0000"', b'"\x00"', b'"\\'),
    b'{"type":"end","type":"end"}',
    *(b"[" * DEEP, b"[" * DEEP + b"]" * DEEP, b'{"type":' * DEEP + b"0" + b"}" * DEEP),
)
_BYTES: Final = (
    *(b"", b"\0", b"\n", b"\r\n", b"\x1b", b"\x1b[", b"\x7f", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"),
    *(b"\xff\xff\xff\xff", b"\x80\0\0\0", b"\0\0\0\x01", b"9" * 30, b"9" * 5000),
    *(text.encode() for text in ("\u202e", "\u200b", "e\u0301\u0301\u0301", "😀")),
    *b"-1 4294967296 1e999 nan {} %s%n".split(),
)


class Mutator:
    """Makes inputs like `seeds`, which are of one `form`, with `words` that mean something to whoever reads them."""

    def __init__(self, seeds: Sequence[bytes], form: Form, words: Sequence[bytes], most: int) -> None:
        """Of the bytes of what is made `most` are kept. Every seed has to be of the form."""
        self._seeds = tuple(map(bytes, seeds))
        self._most = most
        self._words = (*_BYTES, *words)
        self._hostile, self._encode = _FORMS[form]
        self._trees = tuple(tree for seed in self._seeds for tree in _trees_of(seed, form))
        self._leaves: dict[type, list[object]] = {}
        for leaf in (leaf for tree in self._trees for leaf in _leaves_of(tree)):
            self._leaves.setdefault(type(leaf), []).append(leaf)

    def make(self, chance: Random) -> bytes:
        """The next input."""
        return self._make(chance)[: self._most]

    def _make(self, chance: Random) -> bytes:
        sort = chance.random()
        if sort < 0.01:
            return chance.randbytes(chance.randrange(300))
        if self._trees and sort < 0.5:
            made = self._encode(self._changed(chance, chance.choice(self._trees)))
            return self._garbled(chance, made) if sort < 0.1 else made
        return self._garbled(chance, chance.choice(self._seeds))

    def _changed(self, chance: Random, tree: Any) -> Any:
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            tree = self._change(chance, tree)
        return tree

    def _change(self, chance: Random, tree: Any) -> Any:
        """`tree` with one node changed, not far from its root as a rule."""
        if isinstance(tree, dict) and tree and chance.random() < 0.8:
            key = chance.choice(list(tree))
            sort = chance.randrange(10)
            if sort == 0:
                return {name: value for name, value in tree.items() if name != key}
            if sort == 1:
                return {**tree, chance.choice(_TEXTS): tree[key]}
            if sort == 2:
                return {chance.choice(_TEXTS) if name == key else name: value for name, value in tree.items()}
            return {**tree, key: self._change(chance, tree[key])}
        if isinstance(tree, list) and tree and chance.random() < 0.8:
            at = chance.randrange(len(tree))
            sort = chance.randrange(10)
            if sort == 0:
                return tree[:at] + tree[at + 1 :]
            if sort == 1:
                return tree[:at] + [tree[at]] * chance.choice((2, 20, 300)) + tree[at:]
            return [*tree[:at], self._change(chance, tree[at]), *tree[at + 1 :]]
        return self._leaf(chance, tree)

    def _leaf(self, chance: Random, leaf: object) -> object:
        sort = chance.randrange(12)
        if sort >= 7 and type(leaf) in self._leaves:
            # Something that could stand here just as well, from elsewhere.
            return chance.choice(self._leaves[type(leaf)])
        if sort < 2 and self._hostile:
            return msgspec.Raw(chance.choice(self._hostile))
        if sort == 2 or isinstance(leaf, bool):
            return chance.choice((None, True, False, [], {}, [leaf], {"t": leaf}, 0.5, b"\0"))
        if isinstance(leaf, int) and sort < 6:
            return chance.choice(_FITTING) if sort == 3 else _near(leaf, chance.randrange(-3, 4))
        if isinstance(leaf, str) and sort < 6:
            return _word_like(chance, leaf)
        return chance.choice((chance.choice(_TEXTS), chance.choice(_FITTING), -1, 0, 1))

    def _garbled(self, chance: Random, made: bytes) -> bytes:
        for _ in range(chance.choice((1, 1, 2, 3, 6))):
            made = self._garble(chance, made)[: self._most]
        return made

    def _garble(self, chance: Random, made: bytes) -> bytes:
        at = chance.randrange(len(made) + 1)
        to = min(len(made), at + chance.choice((1, 1, 2, 4, 16)))
        match chance.randrange(9):
            case 0 if made:
                at = min(at, len(made) - 1)
                return made[:at] + bytes((made[at] ^ 1 << chance.randrange(8),)) + made[at + 1 :]
            case 1 if made:
                at = min(at, len(made) - 1)
                return made[:at] + bytes((chance.randrange(256),)) + made[at + 1 :]
            case 2:
                return made[:at]
            case 3:
                return made[:at] + made[to:]
            case 4:
                piece = made[at:to] * chance.choice((2, 3, 50, 1000))
                return made[:at] + piece + made[to:]
            case 5:
                other = chance.choice(self._seeds)
                return made[:at] + other[chance.randrange(len(other) + 1) :]
            case 6:
                return made[:at] + chance.choice(self._words) + made[to:]
            case 7 if self._hostile and chance.random() < 0.2:
                return made[:at] + chance.choice(self._hostile) + made[to:]
            case _:
                return made[:at] + chance.choice(self._words) + made[at:]


def _trees_of(seed: bytes, form: Form) -> list[object]:
    match form:
        case "msgpack":
            return [msgspec.msgpack.decode(seed)]
        case "json":
            return [msgspec.json.decode(seed)]
        case "lines":
            return [list(map(msgspec.json.decode, seed.splitlines()))]
        case "bytes":
            return []


def _leaves_of(tree: object) -> Iterator[object]:
    match tree:
        case dict():
            for value in tree.values():
                yield from _leaves_of(value)
        case list():
            for value in tree:
                yield from _leaves_of(value)
        case _:
            yield tree


def _in_lines(tree: object) -> bytes:
    lines = tree if isinstance(tree, list) else [tree]
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


_FORMS: Final[Mapping[Form, tuple[Sequence[bytes], Callable[[object], bytes]]]] = {
    "msgpack": (_MSGPACK, msgspec.msgpack.encode),
    "json": (_JSON, msgspec.json.encode),
    "lines": (_JSON, _in_lines),
    "bytes": ((), bytes),  # type: ignore[dict-item]
}
"""What is hostile in each form, and how its trees are written."""


def _near(number: int, away: int) -> int:
    """A number not far from `number` that MessagePack can write."""
    return min(max(number + away, _LEAST), _MOST)


def _word_like(chance: Random, word: str) -> str:
    at = chance.randrange(len(word) + 1)
    return chance.choice(
        (word[:at], word + word, word[:at] + chance.choice(_TEXTS) + word[at:], word.upper())
    )
