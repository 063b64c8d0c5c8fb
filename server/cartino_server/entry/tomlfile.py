"""A flat TOML file as people write it: its keys with their lines, and in plain words why it can't be read."""

import re
import tomllib
from typing import Final

import msgspec

from cartino_protocol.marking import Sentence, SentenceError, later
from cartino_server.entry.errors import in_one_line

_POSITION: Final = re.compile(r"line (\d+), column \d+")
_REPEATED: Final = ("Cannot overwrite a value", "Cannot declare")
"""How the parser's messages begin where a key stands twice; of the others people would learn nothing."""
_MOST_OF_A_KEY: Final = 40
"""Characters that are shown."""
MOST: Final = 65_536
"""Characters of a file."""
_DEEP: Final = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){32}""")
"""A key of so many parts: the parser takes the square of their number to read it."""
_KEY: Final = re.compile(r"""\s*\[*\s*(?:"([^"\n]*)"|'([^'\n]*)'|([\w-]+))\s*[=.\]]""")


class TomlFault(SentenceError):
    """The text is no TOML; what is wrong with it is a clause, with the line."""


class Entry(msgspec.Struct, frozen=True):
    """What stands behind a key; `line` counts from 1, 0 where the key was written in a way that hides it."""

    value: object
    line: int


def read_entries(text: str) -> dict[str, Entry]:
    """The keys of `text` and what they stand for. Raises TomlFault."""
    if len(text) > MOST:
        raise TomlFault(later("it is longer than {most} characters", most=MOST))
    if _DEEP.search(text):
        raise TomlFault(later("it is nested too deep"))
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise TomlFault(later("it is nested too deep")) from None
    except tomllib.TOMLDecodeError as error:
        raise TomlFault(_in_words(str(error), text)) from None
    except ValueError:
        # What the parser hands to Python's own readers: a number of thousands of digits, say.
        raise TomlFault(later("a number in it is too long")) from None
    lines = _lines_of(text)
    return {key: Entry(value, lines.get(key, 0)) for key, value in table.items()}


def _in_words(message: str, text: str) -> Sentence:
    lines = text.rstrip("\n").split("\n")
    found = _POSITION.search(message)
    number = int(found[1]) if found else len(lines)
    if message.startswith(_REPEATED):
        # A value may go over some lines; its key stands in the first.
        written = next(
            line for line in reversed(lines[:number]) if "=" in line or line.lstrip().startswith("[")
        )
        key = written.split("=")[0].strip(" \t[]\"'")
        short = in_one_line(key, _MOST_OF_A_KEY)
        return later("{key} stands there twice (line {number})", key=short, number=number)
    return later("line {number} is not KEY = VALUE, with text in quotes and numbers without", number=number)


def _lines_of(text: str) -> dict[str, int]:
    """In which line each key is written first."""
    found: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        key = _KEY.match(line)
        if key is not None:
            found.setdefault(next(filter(None, key.groups()), ""), number)
    return found
