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
from typing import Annotated, Final, TypeVar

import msgspec
import structlog
from msgspec import Meta

from cartino_protocol.base import game_name, parse_code
from cartino_protocol.exit_status import MISUSE
from cartino_protocol.text import N_, LazyMessage, LazyMessageError, lazy_gettext
from cartino_server.commands.console import CommandError, err, shorten
from cartino_server.files import read_file
from cartino_server.limits import AdmissionLimits, Retention, ServerConfig, SessionLimits
from cartino_server.networks import Networks
from cartino_server.operations.variables import (
    ENV_PREFIX,
    find_ignored_variables,
    is_platform_address,
    nearest_name,
)
from cartino_server.store.data_directory import DataError
from cartino_server.store.port import DamagedGame, StoredGame

_ERROR_POSITION: Final = re.compile(r"line (\d+), column \d+")
_DUPLICATE_KEY: Final = ("Cannot overwrite a value", "Cannot declare")
"""How tomllib's messages about a duplicate key begin; its other messages don't help."""
_MAX_KEY_SHOWN: Final = 40
"""Characters."""
MAX_TOML_CHARACTERS: Final = 65_536
_DEEP_KEY: Final = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){32}""")
"""A key of 32 parts or more, which tomllib reads in quadratic time."""
_KEY_START: Final = re.compile(r"""\s*\[*\s*(?:"([^"\n]*)"|'([^'\n]*)'|([\w-]+))\s*[=.\]]""")


class SettingError(LazyMessageError):
    """The text isn't valid TOML, or a value isn't valid; the message is a clause that says what is."""


def parse_toml(text: str) -> dict[str, object]:
    """Return the keys of `text` with their values. Raises SettingError."""
    if len(text) > MAX_TOML_CHARACTERS:
        raise SettingError(lazy_gettext("it is longer than {most} characters", most=MAX_TOML_CHARACTERS))
    if _DEEP_KEY.search(text):
        raise SettingError(lazy_gettext("it is nested too deeply"))
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise SettingError(lazy_gettext("it is nested too deeply")) from None
    except tomllib.TOMLDecodeError as error:
        raise SettingError(_explain_error(str(error), text)) from None
    except ValueError:
        raise SettingError(lazy_gettext("a number in it is too long")) from None


def find_line(text: str, key: str) -> int:
    """Return the line of a TOML `text` in which the key is first written, counted from 1; 0 if unknown."""
    for number, line in enumerate(text.split("\n"), 1):
        found = _KEY_START.match(line)
        if found is not None and key == next(filter(None, found.groups()), ""):
            return number
    return 0


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
        return lazy_gettext("{key} appears twice (line {number})", key=short, number=number)
    return lazy_gettext("line {number} isn't KEY = VALUE (text in quotes, numbers without)", number=number)


_log = structlog.get_logger(__name__)

MAX_GRACE = 4.0
"""Seconds; the rest of the shutdown has to fit into the ten that service managers allow."""

MAX_WORKERS: Final = 64
MAX_DEFAULT_WORKERS: Final = 8

_MAX_SHOWN: Final = 40
_LARGEST_SHOWN: Final = 10**18

_Seconds = Annotated[float, Meta(ge=0, description=N_("a number of seconds, 0 or more"))]
_Days = Annotated[float, Meta(ge=0, le=36_500, description=N_("a number of days from 0 (forever) to 36500"))]
_Port = Annotated[int, Meta(ge=0, le=65535, description=N_("a whole number from 0 to 65535"))]
_Limit = Annotated[int, Meta(ge=0, description=N_("a whole number, 0 for no limit"))]
_OneOrMore = Annotated[int, Meta(ge=1, description=N_("a whole number, 1 or more"))]
_Networks = Annotated[
    tuple[Annotated[str, Meta(pattern=r"^[0-9a-fA-F:.]+(/[0-9]{1,3})?\Z")], ...],
    Meta(description=N_("a list of addresses or networks, like 10.0.0.0/8")),
]
_Fingerprints = Annotated[
    tuple[Annotated[str, Meta(pattern=r"^SHA256:[A-Za-z0-9+/]{43}\Z")], ...],
    Meta(description=N_("a list of key fingerprints, as shown by ssh-keygen -l: SHA256:…")),
]
_ADMISSION: Final = AdmissionLimits()
_SESSION: Final = SessionLimits()
_LOBBY: Final = ServerConfig()
_RETENTION: Final = Retention()
ALL_NETWORKS: Final = ("0.0.0.0/0", "::/0")


def default_workers() -> int:
    """Return the number of cores beyond the first, which the server uses, at most `MAX_DEFAULT_WORKERS`."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable - 1, MAX_DEFAULT_WORKERS)


class ServerSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a host can set; share/cartino.toml explains each.

    A name is a key of the TOML file and, in capitals, a CARTINO_* variable. A description says which values are valid,
    for error messages. Limits that nobody needs to change are fields of the `*Limits` and `ServerConfig` structs only.
    """

    host: Annotated[str, Meta(description=N_("an address or a host name, as text"))] = "127.0.0.1"
    port: _Port = 2222
    data: Annotated[str, Meta(description=N_("a directory, as text"))] = "~/.local/share/cartino"
    public: Annotated[
        str,
        Meta(
            pattern=r"^[\w.:-]*\Z",
            max_length=253,
            description=N_("an address or a host name, without spaces"),
        ),
    ] = ""
    place: Annotated[
        str,
        Meta(
            pattern=r"^[^\x00-\x1f\x7f]*\Z", max_length=40, description=N_("a name of at most 40 characters")
        ),
    ] = _LOBBY.place
    workers: Annotated[int, Meta(ge=0, le=MAX_WORKERS, description=N_("a whole number from 0 to 64"))] = (
        msgspec.field(default_factory=default_workers)
    )
    log: Annotated[str, Meta(pattern=r"^(text|json)\Z", description=N_('"text" or "json"'))] = "text"
    metrics: _Port = 0
    admins: _Fingerprints = ()

    tables: _OneOrMore = _LOBBY.tables
    tables_each: _OneOrMore = _LOBBY.tables_each
    bot_pause: Annotated[float, Meta(ge=0, le=60, description=N_("a number from 0 to 60"))] = _LOBBY.bot_pause
    empty_after: _Seconds = _LOBBY.empty_after
    unfinished_after: _Seconds = _LOBBY.unfinished_after
    grace: Annotated[float, Meta(ge=0, le=MAX_GRACE, description=N_("a number from 0 to 4"))] = 2.0

    unauthenticated: _Limit = _ADMISSION.unauthenticated
    unauthenticated_each: _Limit = _ADMISSION.unauthenticated_each
    logging_in: _Limit = _ADMISSION.logging_in
    logging_in_each: _Limit = _ADMISSION.logging_in_each
    connections: _Limit = 500
    connections_each: _Limit = _ADMISSION.connections_each
    connections_a_person: _Limit = 5
    penalties: Annotated[float, Meta(ge=0, le=86_400, description=N_("a number from 0 to 86400"))] = (
        _ADMISSION.penalties
    )
    exempt: _Networks = ()
    proxies: _Networks = ()
    guests: Annotated[bool, Meta(description=N_("true or false"))] = True
    login_grace: Annotated[float, Meta(ge=1, le=600, description=N_("a number from 1 to 600"))] = (
        _SESSION.login_grace
    )
    handshake_grace: Annotated[float, Meta(ge=1, le=600, description=N_("a number from 1 to 600"))] = (
        _SESSION.handshake_grace
    )
    sessions: Annotated[int, Meta(ge=1, le=16, description=N_("a whole number from 1 to 16"))] = (
        _SESSION.sessions
    )
    command_rate: _OneOrMore = round(_LOBBY.rate)
    chat_lines: _OneOrMore = _LOBBY.chat_lines

    keep_days: _Days = _RETENTION.keep_days
    keep_rated_days: _Days = _RETENTION.keep_rated_days
    keep_most: _Limit = _RETENTION.keep_most

    @property
    def rate(self) -> float:
        """The rate of `ServerConfig`."""
        return float(self.command_rate)

    @property
    def burst(self) -> int:
        """The burst of `ServerConfig`: two seconds' worth of commands."""
        return 2 * self.command_rate


_Part = TypeVar("_Part", AdmissionLimits, ServerConfig, Retention)


def part_of(settings: ServerSettings, part: type[_Part]) -> _Part:
    """Return the struct `part` with the values of `settings`, and its own defaults for fields that can't be set."""
    return msgspec.convert(settings, part, from_attributes=True)


def session_limits(settings: ServerSettings) -> SessionLimits:
    """Return the limits of a session; without a limit per source, everybody is exempt."""
    return SessionLimits(
        login_grace=settings.login_grace,
        handshake_grace=settings.handshake_grace,
        sessions=settings.sessions,
        exempt=settings.exempt if settings.connections_each else ALL_NETWORKS,
    )


_FIELDS: Final = {field.name: field.type for field in msgspec.structs.fields(ServerSettings)}
_DEFAULTS: Final = ServerSettings()
SETTING_NAMES = tuple(_FIELDS)
NEED_RESTART = ("host", "port", "data", "workers", "metrics")
"""Settings that only a restart changes; the others are applied when the server reloads them."""

_NO_EFFECT: Final = [
    "arrivals_each",
    "auth_attempts",
    "columns",
    "lines",
    "input_rate",
    "input_burst",
    "key_rate",
    "answer_bytes",
    "chat_seconds",
    "chat_length",
    "rooms_a_source",
    "games_a_day",
]
OLD_NAMES: Final = {"rooms": "tables", "rooms_each": "tables_each", **dict.fromkeys(_NO_EFFECT, "")}
"""Names of the first release, read until the next one: the new name, "" for settings that are constants now."""


def read_settings(
    file: str | None,
    options: Mapping[str, object],
    environ: Mapping[str, str] = os.environ,
    warn: Callable[[str, str], object] = lambda _old, _new: None,
) -> ServerSettings:
    """Return the settings of a TOML `file` (or the one that CARTINO_CONFIG names), `environ` and `options`.

    Options may be text as typed, and None if not given; an empty variable or /dev/null counts as none. Calls
    `warn(old, new)` for each of the `OLD_NAMES`. Raises CommandError with a message that names the file and line, the
    variable or the option, and the valid values.
    """
    file = file or environ.get(ENV_PREFIX + "CONFIG")
    given = _read_file(Path(file)) if file and file != os.devnull else {}
    for name in (*OLD_NAMES, *SETTING_NAMES):
        variable, option = ENV_PREFIX + name.upper(), options.get(name)
        value = environ.get(variable, "")
        if value and not is_platform_address(value):
            given[name] = _read_text(variable, name, value)
        if option is not None:
            given[name] = _read_text(f"--{name.replace('_', '-')}", name, option)
        if name in OLD_NAMES and name in given:
            warn(name, OLD_NAMES[name])
            old = given.pop(name)
            if OLD_NAMES[name]:
                given.setdefault(OLD_NAMES[name], old)
    return msgspec.convert(given, ServerSettings)


def ignored_variables() -> Iterator[LazyMessage]:
    """Yield a sentence about each of this process's variables that is no setting but looks like one."""
    return find_ignored_variables(os.environ, (*SETTING_NAMES, *OLD_NAMES, "config"))


def warn_of_old_name(old: str, new: str) -> None:
    """Log that the setting `old` has a `new` name, or no effect if that is empty."""
    if new:
        _log.warning("setting has a new name", old=old, name=new)
    else:
        _log.warning("setting has no effect any more", old=old)


_UNKNOWN: Final = N_("there is no setting {name}; the settings are {known}")
_UNKNOWN_AT_LINE: Final = N_("there is no setting {name} (line {line}); the settings are {known}")
_MISSPELT: Final = N_("there is no setting {name}; the nearest is {nearest}")
_MISSPELT_AT_LINE: Final = N_("there is no setting {name} (line {line}); the nearest is {nearest}")


def _read_file(path: Path) -> dict[str, object]:
    try:
        # Windows editors begin a file with a byte order mark.
        text = read_file(path, 4 * MAX_TOML_CHARACTERS).decode("utf-8-sig")
        return {
            name: _read_entry(name, value, find_line(text, name)) for name, value in parse_toml(text).items()
        }
    except OSError as error:
        wrong = lazy_gettext("Can't read the settings in {path}: {why}.", path=path, why=error.strerror)
    except UnicodeDecodeError:
        wrong = lazy_gettext("The settings in {path} are invalid: not UTF-8 text.", path=path)
    except SettingError as error:
        wrong = lazy_gettext("The settings in {path} are invalid: {error}.", path=path, error=error.sentence)
    raise CommandError(wrong, MISUSE)


def _read_entry(name: str, value: object, line: int) -> object:
    if name not in _FIELDS and name not in OLD_NAMES:
        unknown = {"name": shorten(name, _MAX_SHOWN), "line": line, "known": ", ".join(SETTING_NAMES)}
        if nearest := nearest_name(name, SETTING_NAMES):
            misspelt = _MISSPELT_AT_LINE if line else _MISSPELT
            raise SettingError(LazyMessage(misspelt, {**unknown, "nearest": nearest}))
        raise SettingError(LazyMessage(_UNKNOWN_AT_LINE if line else _UNKNOWN, unknown))
    try:
        return _convert(name, value, strict=True, source=name)
    except SettingError as error:
        if not line:
            raise
        raise SettingError(lazy_gettext("{error} (line {line})", error=error.sentence, line=line)) from None


def _read_text(source: str, name: str, text: object) -> object:
    try:
        return _convert(name, text, strict=False, source=source)
    except SettingError as error:
        raise CommandError(lazy_gettext("{error}.", error=error.sentence), MISUSE) from None


def _convert(name: str, value: object, *, strict: bool, source: str) -> object:
    """Return `value` as that of the setting `name`; text is converted unless `strict`. `source` is for messages."""
    name = OLD_NAMES.get(name, name)
    if not name:
        return value
    several = isinstance(value, str) and not strict and isinstance(getattr(_DEFAULTS, name), tuple)
    try:
        if isinstance(value, str):
            value.encode()
        return _read_value(name, _split_list(str(value)) if several else value, strict=strict)
    except ValueError:
        # msgspec.ValidationError, or UnicodeEncodeError for a variable that isn't UTF-8.
        _, meta = typing.get_args(_FIELDS[name])
        places = {"source": source, "wanted": LazyMessage(meta.description)}
        wrong = _first_invalid(name, _split_list(str(value)) if several else value)
        if wrong is None:
            text = N_("{source} must be {wanted}, not {value}")
            raise SettingError(LazyMessage(text, {**places, "value": _show_value(value)})) from None
        text = N_("{source} must be {wanted}; {value} isn't valid")
        raise SettingError(LazyMessage(text, {**places, "value": wrong})) from None


def _read_value(name: str, value: object, *, strict: bool) -> object:
    read: object = msgspec.convert(value, _FIELDS[name], strict=strict)
    if _FIELDS[name] is _Networks:
        Networks(typing.cast(tuple[str, ...], read))
    return read


def _first_invalid(name: str, value: object) -> str | LazyMessage | None:
    """Return the first invalid item of a list, as written; None if all are valid or `value` is no list."""
    if isinstance(value, list) and isinstance(getattr(_DEFAULTS, name), tuple):
        for part in value:
            try:
                _read_value(name, [part], strict=True)
            except ValueError:
                return _show_value(part)
    return None


def _split_list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _show_value(value: object) -> str | LazyMessage:
    match value:
        case str():
            return f'"{shorten(value, _MAX_SHOWN)}"'
        case bool():
            return str(value).lower()
        case int() if abs(value) >= _LARGEST_SHOWN:
            return lazy_gettext("such a large number")
        case list():
            return lazy_gettext("a list")
        case dict():
            return lazy_gettext("a table")
        case _:
            return str(value)


class SettingsChange(msgspec.Struct, frozen=True):
    """The settings that changed, and those that need a restart (`late`)."""

    changed: tuple[str, ...]
    late: tuple[str, ...]


class SettingsReloader:
    """Holds the current `settings` and reloads them when called."""

    def __init__(
        self,
        settings: ServerSettings,
        read: Callable[[], ServerSettings],
        apply: Callable[[ServerSettings], object],
    ) -> None:
        """Start with `settings`; `read()` returns new ones or raises CommandError, `apply` applies them."""
        self.settings = settings
        self._read = read
        self._apply = apply

    def __call__(self) -> None:
        """Reload the settings; wrong ones are logged and change nothing."""
        try:
            self.reload_settings()
        except CommandError as error:
            _log.error("settings stay as they are", why=str(error))

    def reload_settings(self) -> SettingsChange:
        """Reload the settings and return what changed. Raises CommandError and changes nothing if they are wrong."""
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
"""The settings of a server that runs as a system service."""


def find_settings(arguments: argparse.Namespace) -> ServerSettings:
    """Return the settings of the server that --config and --data of `arguments` name. Raises CommandError.

    Without them and without variables: the server in the user's own data directory, else the system's. Prints what is
    wrong with variables.
    """
    err(*ignored_variables())
    settings = read_settings(arguments.config, {"data": arguments.data})
    named = (
        arguments.config
        or arguments.data
        or any(os.environ.get(ENV_PREFIX + name) for name in ("CONFIG", "DATA"))
    )
    # Path.exists raises if a parent directory can't be read.
    if named or os.path.exists(data_path(settings)) or not SYSTEM_SETTINGS.is_file():
        return settings
    return read_settings(str(SYSTEM_SETTINGS), {})


def data_path(settings: ServerSettings) -> Path:
    """Return the data directory, which may not exist. Raises CommandError if its home directory is unknown."""
    try:
        return Path(settings.data).expanduser().absolute()
    except RuntimeError:
        raise CommandError(
            lazy_gettext(
                "{data!r} refers to a home directory that doesn't exist here; choose another directory.",
                data=settings.data,
            )
        ) from None


def stored_game_name(game: StoredGame | DamagedGame) -> str:
    """Return a game's name, as far as its table's code can be read."""
    return game_name(parse_code(game.code) or "????", game.game)


@contextmanager
def data_errors() -> Iterator[None]:
    """Raise CommandError for a DataError."""
    try:
        yield
    except DataError as error:
        raise CommandError(error.sentence) from None
