"""The server's settings: defaults, a TOML file, CARTINO_* variables and options, each over the one before."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from cartino_server.entry.errors import MISUSE, CommandError

PREFIX = "CARTINO_"
LONGEST_GRACE = 4.0
"""Seconds; what follows the grace has to fit into the ten that service managers give."""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a host may set; each name is a key of the TOML file and, in capitals, a CARTINO_* variable.

    host, port: where to listen, 0 for any free port; data: the directory with the host key and the journal;
    bot_pause: seconds between a bot's moves; empty_after: seconds until a table that everybody left is closed,
    unfinished_after the same where a game runs; rooms: the most tables at once; grace: seconds that play goes on
    once the house has said that it closes; log: "text" or "json" lines on stderr; public: the name or address by
    which players reach this machine, for the words that they pass on to friends.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 2222
    data: str = "~/.local/share/cartino"
    bot_pause: Annotated[float, msgspec.Meta(ge=0, le=60)] = 1.0
    empty_after: Annotated[float, msgspec.Meta(ge=0)] = 600.0
    unfinished_after: Annotated[float, msgspec.Meta(ge=0)] = 259_200.0
    rooms: Annotated[int, msgspec.Meta(ge=1)] = 200
    grace: Annotated[float, msgspec.Meta(ge=0, le=LONGEST_GRACE)] = 2.0
    log: Annotated[str, msgspec.Meta(pattern="^(text|json)$")] = "text"
    public: Annotated[str, msgspec.Meta(pattern=r"^[\w.:-]*$", max_length=253)] = ""


NAMES = tuple(field.name for field in msgspec.structs.fields(Settings))
AT_START = ("host", "port", "data")
"""Those that hold until the server ends; the others change when it reads its settings again."""


def read_settings(
    file: str | None, options: Mapping[str, object], environ: Mapping[str, str] = os.environ
) -> Settings:
    """The settings out of a TOML `file` (or the one CARTINO_CONFIG names), `environ` and the given `options`.

    Raises CommandError with a sentence that names the file or variable and the key that is wrong.
    """
    file = file or environ.get(PREFIX + "CONFIG")
    merged: dict[str, object] = {}
    if file:
        merged |= msgspec.structs.asdict(_read_file(Path(file)))
    for name in NAMES:
        variable = PREFIX + name.upper()
        if variable in environ:
            merged[name] = _read_variable(variable, name, environ[variable])
    merged |= {name: value for name, value in options.items() if value is not None}
    try:
        return msgspec.convert(merged, Settings)
    except msgspec.ValidationError as error:
        raise CommandError(f"An option is wrong: {_plain(error)}.", MISUSE) from None


def _read_file(path: Path) -> Settings:
    try:
        return msgspec.toml.decode(path.read_bytes(), type=Settings)
    except OSError as error:
        raise CommandError(f"The settings in {path} can't be read: {error.strerror}.", MISUSE) from None
    except RecursionError:
        raise CommandError(f"The settings in {path} are wrong: they are nested too deep.", MISUSE) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CommandError(f"The settings in {path} are wrong: {_plain(error)}.", MISUSE) from None


def _read_variable(variable: str, name: str, text: str) -> Any:
    field = next(field for field in msgspec.structs.fields(Settings) if field.name == name)
    try:
        return msgspec.convert(text, field.type, strict=False)
    except msgspec.ValidationError as error:
        raise CommandError(f"The variable {variable} is wrong: {_plain(error)}.", MISUSE) from None


def _plain(error: Exception) -> str:
    """A decoder's message as a clause: without its own full stop, in one line."""
    return " ".join(str(error).split()).rstrip(".")
