"""What a person has chosen for themselves. It travels to the house by field, which keeps it without reading it."""

import contextlib
from collections.abc import Callable, Iterable
from typing import Any, Final, Literal

import msgspec

from cartino_tui.draw.roles import Deck
from cartino_tui.tongue import Language

ThemeName = Literal["auto", "dark", "light", "contrast", "own"]
"""`own`: the colours of the terminal itself; `auto`: dark or light, whichever its ground is, as far as it tells."""
Letters = Literal["auto", "en", "fr", "de"]
"""Letters of the court cards: A K Q J, A R D V, A K D B; `auto`: those of the language."""
Characters = Literal["auto", "unicode", "ascii"]
Motion = Literal["auto", "on", "off"]
"""`auto`: off on a slow line."""
Keymap = Literal["arrows", "vi", "wasd", "own"]


class Settings(msgspec.Struct, frozen=True, omit_defaults=True):
    """The choices, each with what holds until somebody chooses. An unknown field is of a newer client, and is let be.

    `language`: "auto" for the one that the terminal's LANG names. `own_keys`: for the keymap "own", key by action.
    `bell`, `title`, `notify` (OSC 9 and 777) call a person whose turn it is while their terminal isn't in front.
    `hints`: a beginner is told what could be done. `taught`: they have been to the lessons, or have played. `game`: the
    game they played last, "" for none.
    """

    language: Literal["auto"] | Language = "auto"
    letters: Letters = "auto"
    theme: ThemeName = "auto"
    deck: Deck = "four"
    characters: Characters = "auto"
    motion: Motion = "auto"
    keymap: Keymap = "arrows"
    own_keys: dict[str, str] = {}
    bell: bool = True
    title: bool = True
    notify: bool = True
    hints: bool = False
    taught: bool = False
    game: str = ""


def said_of(settings: Settings, names: Iterable[str]) -> msgspec.Raw:
    """The fields `names` of `settings` as `Prefer` says them: nil for one that is as if nobody had chosen it."""
    chosen, default = msgspec.structs.asdict(settings), msgspec.structs.asdict(Settings())
    fields = {name: None if chosen[name] == default[name] else chosen[name] for name in sorted(names)}
    return msgspec.Raw(msgspec.msgpack.encode(fields))


def read_settings(said: bytes) -> Settings:
    """What was kept as `said`: MessagePack of `Settings`, maybe of another version of it.

    Whatever in it is no value of ours is as if nobody had chosen it.
    """
    return _read(said, msgspec.msgpack.decode)


def read_settings_json(said: bytes) -> Settings:
    """The same where they were kept as JSON, which people may have written themselves."""
    return _read(said, msgspec.json.decode)


def _read(said: bytes, decode: Callable[..., Any]) -> Settings:
    try:
        fields: dict[str, msgspec.Raw] = decode(said, type=dict[str, msgspec.Raw])
    except _UNREADABLE:
        return Settings()
    known: dict[str, object] = {}
    for field in msgspec.structs.fields(Settings):
        if field.encode_name in fields:
            with contextlib.suppress(*_UNREADABLE):
                known[field.name] = decode(fields[field.encode_name], type=field.type)
    return msgspec.structs.replace(Settings(), **known)


_UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
