"""Settings: each source over the one before, what is wrong with them (`settings.txt`), and the example file."""

import argparse
import os
import re
import tomllib
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from structlog.testing import capture_logs

from cartino_protocol.exit_status import MISUSE
from cartino_protocol.notices import News, Notice
from cartino_protocol.views import ChatLine, ChatView
from cartino_protocol.wire import MAX_ANSWER_BYTES, encode
from cartino_server.commands.console import CommandError
from cartino_server.limits import ServerConfig
from cartino_server.networks import Networks
from cartino_server.operations import settings as settings_module
from cartino_server.operations.settings import (
    MAX_DEFAULT_WORKERS,
    MAX_TOML_CHARACTERS,
    SETTING_NAMES,
    ServerSettings,
    SettingError,
    SettingsReloader,
    data_path,
    default_workers,
    find_line,
    find_settings,
    parse_toml,
    read_settings,
    session_limits,
    warn_of_old_name,
)
from cartino_server.operations.variables import find_ignored_variables
from cartino_server.table.chat import NOTICES_SHOWN, WORDS_SHOWN

DEFAULTS = ServerSettings()
WRONG = [
    line.encode("latin-1", "backslashreplace").decode("unicode_escape").split(" => ")
    for line in Path(__file__).with_name("settings.txt").read_text().splitlines()
    if line and not line.startswith("# ")
]
EXAMPLE = Path(__file__).parents[2] / "share" / "cartino.toml"
TEXT = EXAMPLE.read_text()
_SETTING = re.compile(r"^#(\w+) = .*$", re.MULTILINE)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cartino.toml"


def refused(file: str | None, options: dict[str, object], environ: dict[str, str]) -> str:
    """The sentence that refuses these settings."""
    with pytest.raises(CommandError) as error:
        read_settings(file, options, environ)
    assert error.value.code == MISUSE
    assert str(error.value).isprintable()
    return str(error.value)


@pytest.mark.parametrize(("given", "end"), WRONG)
def test_what_is_wrong_is_one_sentence(file: Path, given: str, end: str) -> None:
    name, _, value = given.partition(" ")
    if name.startswith("$"):
        sentence = refused(None, {}, {name[1:]: value})
    elif name.startswith("--"):
        sentence = refused(None, {name[2:]: value}, {})
    else:
        file.write_bytes(given.encode("latin-1"))
        sentence = refused(str(file), {}, {})
        assert sentence.startswith(f"The settings in {file} are invalid: ")
    end = re.escape(end).replace(r"\.\.\.", ".*").replace("SETTINGS", re.escape(", ".join(SETTING_NAMES)))
    assert re.search(f"{end}\\Z", sentence), sentence


@pytest.mark.parametrize("name", SETTING_NAMES)
def test_a_wrong_variable_is_named(name: str) -> None:
    wrong = "zwölf oder"
    if name in {"host", "data", "place"}:
        assert getattr(read_settings(None, {}, {f"CARTINO_{name.upper()}": "x"}), name) == "x"
        return
    sentence = refused(None, {}, {f"CARTINO_{name.upper()}": wrong})
    assert sentence.startswith(f"CARTINO_{name.upper()} must be ")
    assert sentence.endswith((f', not "{wrong}".', f'; "{wrong}" isn\'t valid.'))


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/dev/zero", "not a regular file"),
        ("/", "Is a directory"),
        ("/proc/self/mem", "Input/output error"),
        ("/nowhere.toml", "No such file or directory"),
    ],
)
def test_what_is_no_file_is_one_sentence(path: str, why: str) -> None:
    assert refused(path, {}, {}) == f"Can't read the settings in {path}: {why}."


def test_a_pipe_is_no_settings_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refused(str(tmp_path / "pipe"), {}, {}).endswith(": not a regular file.")


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("a = " + "9" * 5000, "a number in it is too long"),
        ("a = " + "[" * 5000, "it is nested too deeply"),
        ("a." * 5000 + "a = 1", "it is nested too deeply"),
        ("a = {" + "b . 'c'.\"d\"." * 2000 + "a = 1}", "it is nested too deeply"),
        ("#" * (MAX_TOML_CHARACTERS + 1), "it is longer than 65536 characters"),
    ],
)
def test_a_hostile_file_is_a_clause(text: str, clause: str) -> None:
    with pytest.raises(SettingError, match=clause):
        parse_toml(text)


def test_keys_come_with_their_lines() -> None:
    text = '# a = 0\na = 1\n"b" = """\na = 3\n"""\n\n  c.d = 4\n[e]\n'
    read = parse_toml(text)
    assert read == {"a": 1, "b": "a = 3\n", "c": {"d": 4}, "e": {}}
    assert [find_line(text, key) for key in read] == [2, 3, 7, 8]
    assert find_line('"\\u0061" = 1', "a") == 0, "written in a way that hides it"
    assert len(parse_toml(f"a = {['10.0.0.0/8'] * 100}")) == 1, "a long list is no deep key"


def test_each_source_goes_over_the_one_before(file: Path) -> None:
    file.write_text('port = 1\nhost = "file"\nbot_pause = 2\ndata = "file"\n')
    environ = {"CARTINO_PORT": "2", "CARTINO_HOST": "variable", "CARTINO_BOT_PAUSE": "0.5", "OTHER": "x"}
    settings = read_settings(str(file), {"port": 3, "host": None}, environ)
    assert settings == ServerSettings(host="variable", port=3, bot_pause=0.5, data="file")
    assert read_settings(None, {}, {"CARTINO_CONFIG": str(file)}).port == 1


@pytest.mark.parametrize("name", ["tables", "public", "config", "rooms"])
def test_without_anything_the_defaults_hold(name: str) -> None:
    assert read_settings(None, {}, {f"CARTINO_{name.upper()}": ""}) == DEFAULTS
    assert read_settings("/dev/null", {}, {}) == DEFAULTS


def test_old_names_are_read_for_one_release_with_a_warning(file: Path) -> None:
    file.write_text("rooms = 7\nkey_rate = 9\n")
    told: dict[str, str] = {}
    environ = {"CARTINO_ROOMS_EACH": "8", "CARTINO_CHAT_LENGTH": "many"}
    settings = read_settings(str(file), {}, environ, told.__setitem__)
    assert settings == ServerSettings(tables=7, tables_each=8)
    assert told == {"rooms": "tables", "rooms_each": "tables_each", "key_rate": "", "chat_length": ""}
    with capture_logs() as logs:
        for old, new in told.items():
            warn_of_old_name(old, new)
    assert {line["old"]: line.get("name", "") for line in logs} == told
    assert read_settings(None, {}, {"CARTINO_ROOMS": "7", "CARTINO_TABLES": "8"}).tables == 8
    assert read_settings(None, {"rooms": "9"}, {}).tables == 9


@pytest.mark.parametrize("text", [b"\xef\xbb\xbfport = 7\n", b"\xef\xbb\xbf\r\nport = 7\r\n"])
def test_a_byte_order_mark_is_no_setting(file: Path, text: bytes) -> None:
    file.write_bytes(text)
    assert read_settings(str(file), {}, {}).port == 7


NO_SUCH = "{} is ignored: there is no such setting."
PLATFORM = (
    "{} is ignored: a container platform has set it to tcp://10.0.0.1:80. Use --port, or the settings file."
)


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        ("CARTINO_PROT", "5", f"{NO_SUCH} Did you mean CARTINO_PORT?"),
        ("CARTINO_Data", "x", f"{NO_SUCH} Did you mean CARTINO_DATA?"),
        ("CARTINO_KEEPDAYS", "5", f"{NO_SUCH} Did you mean CARTINO_KEEP_DAYS?"),
        ("CARTINO_COLOUR", "5", NO_SUCH),
        ("CARTINO_", "5", NO_SUCH),
        ("CARTINO_PORT", "tcp://10.0.0.1:80", PLATFORM),
    ],
)
def test_a_variable_that_is_no_setting_is_ignored_with_a_sentence(
    variable: str, value: str, sentence: str
) -> None:
    assert read_settings(None, {}, {variable: value}) == DEFAULTS
    told = find_ignored_variables({variable: value}, SETTING_NAMES)
    assert [str(each) for each in told] == [sentence.format(variable)]


def test_what_container_platforms_set_is_no_mistake() -> None:
    """Kubernetes beside services named cartino and cartino-metrics, Docker beside a linked container."""
    environ = {
        "CARTINO_SERVICE_HOST": "10.0.0.1",
        "CARTINO_SERVICE_PORT_SSH": "80",
        "CARTINO_PORT_80_TCP": "tcp://10.0.0.1:80",
        "CARTINO_PORT_80_TCP_PROTO": "tcp",
        "CARTINO_METRICS_SERVICE_HOST": "10.0.0.2",
        "CARTINO_METRICS_PORT": "tcp://10.0.0.2:9090",
        "CARTINO_METRICS_PORT_9090_TCP_ADDR": "10.0.0.2",
        "CARTINO_NAME": "/web/cartino",
        "CARTINO_ENV_LANG": "C",
        "CARTINO_PLACE": "home",
        "PATH": "/bin",
    }
    assert read_settings(None, {}, environ) == ServerSettings(place="home")
    assert list(find_ignored_variables(environ, SETTING_NAMES)) == []


def test_what_may_stand_there_is_what_is_read() -> None:
    """The words about a setting name the very limits that it has."""
    for field in msgspec.structs.fields(ServerSettings):
        _, meta = get_args(field.type)
        for limit in (meta.ge, meta.le):
            assert limit is None or f"{limit:.12g}" in meta.description


@pytest.mark.parametrize(("cores", "workers"), [(1, 0), (2, 1), (4, 3), (64, MAX_DEFAULT_WORKERS)])
def test_a_worker_for_each_core_beyond_the_first(
    monkeypatch: pytest.MonkeyPatch, cores: int, workers: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)), raising=False)
    assert default_workers() == ServerSettings().workers == workers
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    assert default_workers() == workers


def test_without_a_limit_per_source_everybody_is_exempt() -> None:
    exempt = ("192.0.2.0/24",)
    assert session_limits(ServerSettings(exempt=exempt)).exempt == exempt
    everywhere = Networks(session_limits(ServerSettings(exempt=exempt, connections_each=0)).exempt)
    assert everywhere.has("198.51.100.7")
    assert everywhere.has("2001:db8::1")


def test_a_full_chat_fits_into_an_answer() -> None:
    longest = ServerConfig().chat_length
    line = ChatLine(10**6, "ä" * 16, "\U0001f600" * longest, "watchers", "a" * 8)
    notices = (Notice(10**6, News("replaced", line.name, line.name)),) * NOTICES_SHOWN
    assert len(encode(ChatView((line,) * WORDS_SHOWN, "watchers", notices))) < MAX_ANSWER_BYTES


class Applied:
    """Settings that are read from `file` again and again; `held` are those that were made to hold, in order."""

    def __init__(self, file: Path, **options: object) -> None:
        file.write_text("bot_pause = 2\n")
        self.held: list[ServerSettings] = []
        self.reread = SettingsReloader(
            read_settings(str(file), options, {}),
            lambda: read_settings(str(file), options, {}),
            self.held.append,
        )

    def again(self) -> list[tuple[str, str]]:
        """Read again; level and event of each log line."""
        with capture_logs() as logs:
            self.reread()
        self.logs = logs
        return [(entry["log_level"], entry["event"]) for entry in logs]


class TestReloading:
    def test_what_is_different_holds_at_once(self, file: Path) -> None:
        applied = Applied(file)
        file.write_text("bot_pause = 0.5\ntables = 7\n")
        assert applied.again() == [("info", "settings read again")]
        assert applied.logs[0]["changed"] == ["tables", "bot_pause"]
        assert applied.held == [applied.reread.settings] == [ServerSettings(bot_pause=0.5, tables=7)]

    def test_where_it_listens_and_keeps_its_data_waits_for_a_restart(self, file: Path) -> None:
        applied = Applied(file)
        file.write_text('bot_pause = 3\nhost = "::1"\nport = 7\ndata = "elsewhere"\n')
        told = [("warning", "only a restart changes these settings"), ("info", "settings read again")]
        assert applied.again() == told
        assert applied.logs[0]["settings"] == ["host", "port", "data"]
        assert applied.held == [ServerSettings(bot_pause=3)]
        assert applied.again() == told, "it is still so"

    def test_an_option_still_goes_over_the_file(self, file: Path) -> None:
        applied = Applied(file, bot_pause=9.0)
        file.write_text("bot_pause = 1\nempty_after = 5\n")
        applied.again()
        assert applied.held == [ServerSettings(bot_pause=9.0, empty_after=5)]

    @pytest.mark.parametrize("text", ["bot_pause = ", "bot_pause = 99", "bots = 1", None])
    def test_a_wrong_file_is_one_line_and_changes_nothing(self, file: Path, text: str | None) -> None:
        applied = Applied(file)
        if text is None:
            file.unlink()
        else:
            file.write_text(text)
        assert applied.again() == [("error", "settings stay as they are")]
        assert "cartino.toml" in applied.logs[0]["why"]
        assert "\n" not in applied.logs[0]["why"]
        assert applied.held == []
        assert applied.reread.settings == ServerSettings(bot_pause=2)


class TestDataPath:
    """Which server is meant by commands that work beside one."""

    @pytest.fixture(autouse=True)
    def machine(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """The settings of a server that the machine runs; the user has a home without one."""
        file = tmp_path / "etc.toml"
        file.write_text('data = "/var/lib/cartino"\n')
        monkeypatch.setattr(settings_module, "SYSTEM_SETTINGS", file)
        monkeypatch.setenv("HOME", str(tmp_path))
        for name in ("CARTINO_CONFIG", "CARTINO_DATA"):
            monkeypatch.delenv(name, raising=False)
        return file

    def place(self, config: str | None = None, named: str | None = None) -> str:
        return str(data_path(find_settings(argparse.Namespace(config=config, data=named))))

    def test_ones_own_server_is_meant_before_the_machines(self, machine: Path, tmp_path: Path) -> None:
        assert self.place() == "/var/lib/cartino"
        own = tmp_path / ".local" / "share" / "cartino"
        own.mkdir(parents=True)
        assert self.place() == str(own)
        own.rmdir()
        machine.unlink()
        assert self.place() == str(own)

    def test_one_that_is_named_is_meant(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        other = tmp_path / "other.toml"
        other.write_text('data = "/srv/other"\n')
        assert self.place(named="/srv/x") == "/srv/x"
        assert self.place(config=str(other)) == "/srv/other"
        monkeypatch.setenv("CARTINO_CONFIG", str(other))
        assert self.place() == "/srv/other"
        monkeypatch.setenv("CARTINO_DATA", "/srv/y")
        assert self.place() == "/srv/y"


class TestExample:
    """share/cartino.toml has each setting, explained, with the value that holds where it is left out."""

    def test_as_it_is_it_changes_nothing(self) -> None:
        assert tomllib.loads(TEXT) == {}
        assert read_settings(str(EXAMPLE), {}, {}) == DEFAULTS
        assert max(map(len, TEXT.splitlines())) <= 120

    def test_it_has_every_setting_once_with_the_value_that_holds(self, file: Path) -> None:
        assert sorted(_SETTING.findall(TEXT)) == sorted(SETTING_NAMES)
        file.write_text(re.sub(r"^#(?=\w+ = )", "", TEXT, flags=re.MULTILINE))
        shown = read_settings(str(file), {}, {})
        # The example has the workers of another machine.
        differ = {name for name in SETTING_NAMES if getattr(shown, name) != getattr(DEFAULTS, name)}
        assert differ <= {"workers"}

    @pytest.mark.parametrize("name", SETTING_NAMES)
    def test_each_is_explained_at_the_head_of_its_paragraph(self, name: str) -> None:
        [paragraph] = [part for part in TEXT.split("\n\n") if f"\n#{name} = " in part]
        assert re.match(r"# (?!--)", paragraph)
        assert len(_SETTING.findall(paragraph)) <= 3, "a few settings may share one"
        _, found = msgspec.json.schema_components([ServerSettings])
        least = found["ServerSettings"]["properties"][name].get("minimum", 0)
        assert least <= 1 or re.search(rf"\b{least}\b.* at least", paragraph)
