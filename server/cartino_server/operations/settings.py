"""Server settings: defaults, a TOML file, CARTINO_* variables and options, each overriding the one before.

Errors name the file and line, the variable or the option, and say what is allowed. Settings can be reloaded while the
server runs, except those in `NEED_RESTART`. Also finds the data directory for commands that work beside a server.
"""

import argparse
import os
import re
import tomllib
import typing
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import msgspec
import structlog
from msgspec import Meta

from cartino_protocol.base import game_name, parse_code
from cartino_protocol.text import N_, LazyMessage, LazyMessageError, lazy_gettext
from cartino_server.commands.console import MISUSE, CommandError, shorten
from cartino_server.networks import Networks
from cartino_server.store.data_directory import DataError
from cartino_server.store.port import DamagedGame, StoredGame

_ERROR_POSITION: Final = re.compile(r"line (\d+), column \d+")
_DUPLICATE_KEY: Final = ("Cannot overwrite a value", "Cannot declare")
"""How the parser's messages begin where a key stands twice; of the others people would learn nothing."""
_MAX_KEY_SHOWN: Final = 40
"""Characters that are shown."""
MAX_TOML_CHARACTERS: Final = 65_536
"""Characters of a file."""
_DEEP_KEY: Final = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){32}""")
"""A key of so many parts: the parser takes the square of their number to read it."""
_KEY_START: Final = re.compile(r"""\s*\[*\s*(?:"([^"\n]*)"|'([^'\n]*)'|([\w-]+))\s*[=.\]]""")


class TomlError(LazyMessageError):
    """The text is no TOML; what is wrong with it is a clause, with the line."""


class TomlEntry(msgspec.Struct, frozen=True):
    """What stands behind a key; `line` counts from 1, 0 where the key was written in a way that hides it."""

    value: object
    line: int


def parse_toml(text: str) -> dict[str, TomlEntry]:
    """The keys of `text` and what they stand for. Raises TomlFault."""
    if len(text) > MAX_TOML_CHARACTERS:
        raise TomlError(lazy_gettext("it is longer than {most} characters", most=MAX_TOML_CHARACTERS))
    if _DEEP_KEY.search(text):
        raise TomlError(lazy_gettext("it is nested too deep"))
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise TomlError(lazy_gettext("it is nested too deep")) from None
    except tomllib.TOMLDecodeError as error:
        raise TomlError(_explain_error(str(error), text)) from None
    except ValueError:
        # What the parser hands to Python's own readers: a number of thousands of digits, say.
        raise TomlError(lazy_gettext("a number in it is too long")) from None
    lines = _key_lines(text)
    return {key: TomlEntry(value, lines.get(key, 0)) for key, value in table.items()}


def _explain_error(message: str, text: str) -> LazyMessage:
    lines = text.rstrip("\n").split("\n")
    found = _ERROR_POSITION.search(message)
    number = int(found[1]) if found else len(lines)
    if message.startswith(_DUPLICATE_KEY):
        # A value may go over some lines; its key stands in the first.
        written = next(
            line for line in reversed(lines[:number]) if "=" in line or line.lstrip().startswith("[")
        )
        key = written.split("=")[0].strip(" \t[]\"'")
        short = shorten(key, _MAX_KEY_SHOWN)
        return lazy_gettext("{key} stands there twice (line {number})", key=short, number=number)
    return lazy_gettext(
        "line {number} is not KEY = VALUE, with text in quotes and numbers without", number=number
    )


def _key_lines(text: str) -> dict[str, int]:
    """In which line each key is written first."""
    found: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        key = _KEY_START.match(line)
        if key is not None:
            found.setdefault(next(filter(None, key.groups()), ""), number)
    return found


ENV_PREFIX = "CARTINO_"
MAX_GRACE = 4.0
"""Seconds; what follows the grace has to fit into the ten that service managers give."""

MAX_WORKERS: Final = 64
MAX_DEFAULT_WORKERS: Final = 8
"""Workers that are started unasked, at most."""

_MAX_SHOWN: Final = 40
"""Characters of a wrong value that are shown."""
_LARGEST_SHOWN: Final = 10**18

_Seconds = Annotated[float, Meta(ge=0, description=N_("a number of seconds, 0 or more"))]
_Days = Annotated[float, Meta(ge=0, le=36_500, description=N_("a number of days from 0 (for good) to 36500"))]
_Limit = Annotated[int, Meta(ge=0, description=N_("a whole number, 0 for no limit"))]
_OneOrMore = Annotated[int, Meta(ge=1, description=N_("a whole number, 1 or more"))]
_Networks = Annotated[
    tuple[Annotated[str, Meta(pattern=r"^[0-9a-fA-F:.]+(/[0-9]{1,3})?\Z")], ...],
    Meta(description=N_("a list of addresses or networks, as 10.0.0.0/8")),
]
_Fingerprints = Annotated[
    tuple[Annotated[str, Meta(pattern=r"^SHA256:[A-Za-z0-9+/]{43}\Z")], ...],
    Meta(description=N_("a list of keys' fingerprints, as ssh-keygen -l shows them: SHA256:…")),
]


def default_workers() -> int:
    """The cores that this process may use beyond the first, which is the house's own."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable - 1, MAX_DEFAULT_WORKERS)


class ServerSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a host may set; each name is a key of the TOML file and, in capitals, a CARTINO_* variable.

    host, port: where to listen, 0 for any free port; data: the directory with the host key and the journal;
    bot_pause: seconds between a bot's moves; empty_after: seconds until a table that everybody left is closed,
    unfinished_after the same where a game runs; rooms: the most tables at once; grace: seconds that play goes on
    once the house has said that it closes; log: "text" or "json" lines on stderr; public: the name or address by
    which players reach this machine, for the words that they pass on to friends; workers: the processes that speak
    SSH and draw, 0 where the house does it itself.

    Who may knock: unauthenticated, unauthenticated_each: connections that have not logged in, in all and of one source
    (an IPv4 address, or an IPv6 network of 64 bits); connections: all at once, beyond which those who are in no game
    make room; connections_each: those of one source; arrivals_each: how many of one source may come in a second, ten
    seconds' worth at once, before they wait for their turn; connections_a_person: of one person; login_grace: seconds
    to log in; auth_attempts: tries of it; penalties: the most seconds that a source which misbehaves is kept out, 0
    never; exempt: sources that none of these per-source limits concerns; proxies: from where the PROXY protocol is
    expected, and must be spoken; guests: whether people without a key may come in.

    What who is in may do: sessions: at once on a connection; columns, lines: the largest terminal that is drawn on;
    input_rate, input_burst: bytes typed a second, and at once, of which logging in takes some 4,000; key_rate: keys a
    second; command_rate: commands a second; chat_lines in chat_seconds, of chat_length characters; rooms_each: tables
    that a person may have opened, rooms_a_source: that people of one source may, of the networks around it two and
    four times as many; answer_bytes: of the answer to a command.

    What is kept: keep_days: days for which finished games are kept, keep_rated_days those of rated games between people
    who have played on several days, 0 for good; keep_most: finished games in all, of which strangers' go first;
    games_a_day: finished games that are kept a day of each person, and of all strangers of one source together.

    The host's own: admins: keys whose owners may say `ssh HOST admin`; metrics: the port on 127.0.0.1 that tells
    Prometheus how the house does, 0 for none.

    A field's description says what may stand there, for the sentence about what may not.
    """

    host: Annotated[str, Meta(description=N_("an address or a host's name, as text"))] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535, description=N_("a whole number from 0 to 65535"))] = 2222
    data: Annotated[str, Meta(description=N_("a directory, as text"))] = "~/.local/share/cartino"
    bot_pause: Annotated[float, Meta(ge=0, le=60, description=N_("a number from 0 to 60"))] = 1.0
    empty_after: _Seconds = 600.0
    unfinished_after: _Seconds = 259_200.0
    rooms: Annotated[int, Meta(ge=1, description=N_("a whole number, 1 or more"))] = 200
    grace: Annotated[float, Meta(ge=0, le=MAX_GRACE, description=N_("a number from 0 to 4"))] = 2.0
    log: Annotated[str, Meta(pattern=r"^(text|json)\Z", description=N_('"text" or "json"'))] = "text"
    public: Annotated[
        str,
        Meta(
            pattern=r"^[\w.:-]*\Z",
            max_length=253,
            description=N_("an address or a host's name, without blanks"),
        ),
    ] = ""
    workers: Annotated[int, Meta(ge=0, le=MAX_WORKERS, description=N_("a whole number from 0 to 64"))] = (
        msgspec.field(default_factory=default_workers)
    )

    unauthenticated: _Limit = 10
    unauthenticated_each: _Limit = 2
    connections: _Limit = 500
    connections_each: _Limit = 20
    arrivals_each: _Limit = 4
    connections_a_person: _Limit = 5
    login_grace: Annotated[float, Meta(ge=1, le=600, description=N_("a number from 1 to 600"))] = 20.0
    auth_attempts: Annotated[int, Meta(ge=1, le=100, description=N_("a whole number from 1 to 100"))] = 6
    penalties: Annotated[float, Meta(ge=0, le=86_400, description=N_("a number from 0 to 86400"))] = 600.0
    exempt: _Networks = ()
    proxies: _Networks = ()
    guests: Annotated[bool, Meta(description=N_("true or false"))] = True

    sessions: Annotated[int, Meta(ge=1, le=16, description=N_("a whole number from 1 to 16"))] = 1
    columns: Annotated[int, Meta(ge=60, le=300, description=N_("a whole number from 60 to 300"))] = 300
    lines: Annotated[int, Meta(ge=20, le=120, description=N_("a whole number from 20 to 120"))] = 120
    input_rate: Annotated[int, Meta(ge=4096, description=N_("a whole number, 4096 or more"))] = 32_768
    input_burst: Annotated[int, Meta(ge=8192, description=N_("a whole number, 8192 or more"))] = 65_536
    key_rate: _OneOrMore = 60
    command_rate: _OneOrMore = 20
    chat_lines: _OneOrMore = 5
    chat_seconds: Annotated[float, Meta(gt=0, le=3600, description=N_("a number above 0, to 3600"))] = 10.0
    chat_length: Annotated[int, Meta(ge=1, le=500, description=N_("a whole number from 1 to 500"))] = 300
    rooms_each: _OneOrMore = 5
    rooms_a_source: _Limit = 20
    answer_bytes: Annotated[
        int, Meta(ge=4096, le=1 << 20, description=N_("a whole number from 4096 to 1048576"))
    ] = 1 << 20

    keep_days: _Days = 365.0
    keep_rated_days: _Days = 0.0
    keep_most: _Limit = 200_000
    games_a_day: _Limit = 100

    admins: _Fingerprints = ()
    metrics: Annotated[int, Meta(ge=0, le=65535, description=N_("a whole number from 0 to 65535"))] = 0


_FIELDS: Final = {field.name: field.type for field in msgspec.structs.fields(ServerSettings)}
_DEFAULTS: Final = ServerSettings()
SETTING_NAMES = tuple(_FIELDS)
NEED_RESTART = ("host", "port", "data", "workers", "metrics")
"""Those that hold until the server ends; the others change when it reads its settings again."""


def read_settings(
    file: str | None, options: Mapping[str, object], environ: Mapping[str, str] = os.environ
) -> ServerSettings:
    """The settings out of a TOML `file` (or the one CARTINO_CONFIG names), `environ` and the given `options`.

    Options may be text, as they were typed, and are left out where they are None. Raises CommandError with a
    sentence that names the file and line, the variable or the option that is wrong, and what may stand there.
    """
    file = file or environ.get(ENV_PREFIX + "CONFIG")
    given = _read_file(Path(file)) if file else {}
    for name in SETTING_NAMES:
        variable, option = ENV_PREFIX + name.upper(), options.get(name)
        if variable in environ:
            given[name] = _read_text(variable, name, environ[variable])
        if option is not None:
            given[name] = _read_text(f"--{name.replace('_', '-')}", name, option)
    return msgspec.convert(given, ServerSettings)


_UNKNOWN: Final = N_("there is no setting {name}; the settings are {known}")
_UNKNOWN_AT_LINE: Final = N_("there is no setting {name} (line {line}); the settings are {known}")


class _WrongValue(LazyMessageError):
    """A setting can't have that value; a clause that says what it may have."""


def _read_file(path: Path) -> dict[str, object]:
    try:
        entries = parse_toml(path.read_bytes().decode())
        return {name: _read_entry(name, entry) for name, entry in entries.items()}
    except OSError as error:
        raise CommandError(
            lazy_gettext("The settings in {path} can't be read: {why}.", path=path, why=error.strerror),
            MISUSE,
        ) from None
    except UnicodeDecodeError:
        raise CommandError(
            lazy_gettext("The settings in {path} are wrong: they are no UTF-8 text.", path=path), MISUSE
        ) from None
    except (TomlError, _WrongValue) as error:
        raise CommandError(
            lazy_gettext("The settings in {path} are wrong: {error}.", path=path, error=error.sentence),
            MISUSE,
        ) from None


def _read_entry(name: str, entry: TomlEntry) -> object:
    if name not in _FIELDS:
        unknown = {
            "name": shorten(name, _MAX_SHOWN),
            "line": entry.line,
            "known": ", ".join(SETTING_NAMES),
        }
        raise _WrongValue(LazyMessage(_UNKNOWN_AT_LINE if entry.line else _UNKNOWN, unknown))
    try:
        return _convert(name, entry.value, strict=True, source=name)
    except _WrongValue as error:
        if not entry.line:
            raise
        raise _WrongValue(
            lazy_gettext("{error} (line {line})", error=error.sentence, line=entry.line)
        ) from None


def _read_text(source: str, name: str, text: object) -> object:
    try:
        return _convert(name, text, strict=False, source=source)
    except _WrongValue as error:
        raise CommandError(lazy_gettext("{error}.", error=error.sentence), MISUSE) from None


def _convert(name: str, value: object, *, strict: bool, source: str) -> object:
    """`value` as that of the setting `name`; not `strict`, it may be text. `source` is what gave it."""
    several = isinstance(value, str) and not strict and isinstance(getattr(_DEFAULTS, name), tuple)
    try:
        if isinstance(value, str):
            value.encode()
        return _read_value(name, _split_list(str(value)) if several else value, strict=strict)
    except ValueError:
        # As msgspec's own are; another is for bytes that are no text, as the system hands over variables.
        _, meta = typing.get_args(_FIELDS[name])
        wanted = LazyMessage(meta.description)
        wrong = _first_invalid(name, _split_list(str(value)) if several else value)
        if wrong is not None:
            sentence = lazy_gettext(
                "{source} must be {wanted}; {value} is none", source=source, wanted=wanted, value=wrong
            )
        else:
            sentence = lazy_gettext(
                "{source} must be {wanted}, not {value}",
                source=source,
                wanted=wanted,
                value=_show_value(value),
            )
        raise _WrongValue(sentence) from None


def _read_value(name: str, value: object, *, strict: bool) -> object:
    """Raises ValueError."""
    read: object = msgspec.convert(value, _FIELDS[name], strict=strict)
    if _FIELDS[name] is _Networks:
        Networks(typing.cast(tuple[str, ...], read))
    return read


def _first_invalid(name: str, value: object) -> str | LazyMessage | None:
    """The first of several that can't stand in the setting `name`, as people wrote it; None where all can."""
    if isinstance(value, list) and isinstance(getattr(_DEFAULTS, name), tuple):
        for part in value:
            try:
                _read_value(name, [part], strict=True)
            except ValueError:
                return _show_value(part)
    return None


def _split_list(text: str) -> list[str]:
    """What stands between the commas of `text`."""
    return [part.strip() for part in text.split(",") if part.strip()]


def _show_value(value: object) -> str | LazyMessage:
    """A wrong value as people wrote it, about."""
    match value:
        case str():
            return f'"{shorten(value, _MAX_SHOWN)}"'
        case bool():
            return str(value).lower()
        case int() if abs(value) >= _LARGEST_SHOWN:
            return lazy_gettext("so large a number")
        case list():
            return lazy_gettext("a list")
        case dict():
            return lazy_gettext("a table")
        case _:
            return str(value)


_log = structlog.get_logger(__name__)


class SettingsChange(msgspec.Struct, frozen=True):
    """Which settings have changed, and which would only with a restart (`late`)."""

    changed: tuple[str, ...]
    late: tuple[str, ...]


class SettingsReloader:
    """The settings as they are now; each call reads them again. `settings` are those that hold."""

    def __init__(
        self,
        settings: ServerSettings,
        read: Callable[[], ServerSettings],
        apply: Callable[[ServerSettings], object],
    ) -> None:
        """Begin with `settings`; `read()` gives the new ones or raises CommandError, `apply` makes them hold.

        While it does, `settings` are still the old ones.
        """
        self.settings = settings
        self._read = read
        self._apply = apply

    def __call__(self) -> None:
        """Read, and let what is different hold from now on. Settings that are wrong change nothing."""
        try:
            self.again()
        except CommandError as error:
            _log.error("settings stay as they are", why=str(error))

    def again(self) -> SettingsChange:
        """Do that, and tell what has changed. Raises CommandError where they are wrong, and changes nothing."""
        fresh = self._read()
        changed = [name for name in SETTING_NAMES if getattr(fresh, name) != getattr(self.settings, name)]
        late = [name for name in changed if name in NEED_RESTART]
        if late:
            _log.warning("only a restart changes these settings", settings=late)
            fresh = msgspec.structs.replace(fresh, **{name: getattr(self.settings, name) for name in late})
        self._apply(fresh)
        self.settings = fresh
        now = tuple(name for name in changed if name not in late)
        _log.info("settings read again", changed=list(now))
        return SettingsChange(now, tuple(late))


SYSTEM_SETTINGS: Final = Path("/etc/cartino/cartino.toml")
"""The settings of the house that a machine runs as a service."""


def find_settings(arguments: argparse.Namespace) -> ServerSettings:
    """The settings of the house that is meant by the --config and --data of `arguments`. Raises CommandError.

    Where neither is given, and no variable names one, it is the house in the user's own data directory, or, where
    there is none, the machine's.
    """
    settings = read_settings(arguments.config, {"data": arguments.data})
    named = (
        arguments.config
        or arguments.data
        or any(ENV_PREFIX + name in os.environ for name in ("CONFIG", "DATA"))
    )
    # Path.exists raises where somebody else's home is in the way.
    if named or os.path.exists(data_path(settings)) or not SYSTEM_SETTINGS.is_file():
        return settings
    return read_settings(str(SYSTEM_SETTINGS), {})


def data_path(settings: ServerSettings) -> Path:
    """The data directory that `settings` name, there or not. Raises CommandError."""
    try:
        return Path(settings.data).expanduser().absolute()
    except RuntimeError:
        raise CommandError(
            lazy_gettext(
                "{data!r} is in the home of nobody here; name another directory.", data=settings.data
            )
        ) from None


def stored_game_name(game: StoredGame | DamagedGame) -> str:
    """What a game is called, as far as its table's code can still be read."""
    return game_name(parse_code(game.code) or "????", game.game)


@contextmanager
def data_errors() -> Iterator[None]:
    """What is wrong with the data becomes a sentence of the command line: CommandError for DataError."""
    try:
        yield
    except DataError as error:
        raise CommandError(error.sentence) from None
