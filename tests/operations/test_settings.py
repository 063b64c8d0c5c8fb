"""Settings: each source over the one before, and a sentence for each thing that is wrong with them."""

import os
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
from cartino_server.operations.settings import (
    MAX_DEFAULT_WORKERS,
    SETTING_NAMES,
    ServerSettings,
    default_workers,
    read_settings,
    warn_of_old_name,
)
from cartino_server.operations.variables import find_ignored_variables
from cartino_server.table.chat import NOTICES_SHOWN, WORDS_SHOWN


def test_each_source_goes_over_the_one_before(tmp_path: Path) -> None:
    file = tmp_path / "cartino.toml"
    file.write_text('port = 1\nhost = "file"\nbot_pause = 2\ndata = "file"\n')
    environ = {"CARTINO_PORT": "2", "CARTINO_HOST": "variable", "CARTINO_BOT_PAUSE": "0.5", "OTHER": "x"}
    settings = read_settings(str(file), {"port": 3, "host": None}, environ)
    assert settings == ServerSettings(host="variable", port=3, bot_pause=0.5, data="file")


def test_the_file_may_be_named_by_a_variable(tmp_path: Path) -> None:
    file = tmp_path / "cartino.toml"
    file.write_text("port = 7")
    assert read_settings(None, {}, {"CARTINO_CONFIG": str(file)}).port == 7


def test_without_anything_the_defaults_hold() -> None:
    assert read_settings(None, {}, {}) == ServerSettings()
    assert read_settings("/dev/null", {}, {}) == ServerSettings()


def test_old_names_are_read_for_one_release_with_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "cartino.toml"
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


def test_a_new_name_goes_over_the_old_one() -> None:
    assert read_settings(None, {}, {"CARTINO_ROOMS": "7", "CARTINO_TABLES": "8"}).tables == 8
    assert read_settings(None, {"rooms": "9"}, {}).tables == 9


@pytest.mark.parametrize("text", [b"\xef\xbb\xbfport = 7\n", b"\xef\xbb\xbf\r\nport = 7\r\n"])
def test_a_byte_order_mark_is_no_setting(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "cartino.toml"
    file.write_bytes(text)
    assert read_settings(str(file), {}, {}).port == 7


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        (
            "CARTINO_PROT",
            "5",
            "CARTINO_PROT is ignored: there is no such setting. Did you mean CARTINO_PORT?",
        ),
        (
            "CARTINO_Data",
            "x",
            "CARTINO_Data is ignored: there is no such setting. Did you mean CARTINO_DATA?",
        ),
        (
            "CARTINO_KEEPDAYS",
            "5",
            "CARTINO_KEEPDAYS is ignored: there is no such setting. Did you mean CARTINO_KEEP_DAYS?",
        ),
        ("CARTINO_COLOUR", "5", "CARTINO_COLOUR is ignored: there is no such setting."),
        ("CARTINO_", "5", "CARTINO_ is ignored: there is no such setting."),
        (
            "CARTINO_PORT",
            "tcp://10.0.0.1:80",
            "CARTINO_PORT is ignored: a container platform has set it to tcp://10.0.0.1:80. Use --port, or the "
            "settings file.",
        ),
    ],
)
def test_a_variable_that_is_no_setting_is_ignored_with_a_sentence(
    variable: str, value: str, sentence: str
) -> None:
    assert read_settings(None, {}, {variable: value}) == ServerSettings()
    assert [str(told) for told in find_ignored_variables({variable: value}, SETTING_NAMES)] == [sentence]


@pytest.mark.parametrize("name", ["tables", "public", "config", "rooms"])
def test_an_empty_variable_is_as_good_as_none(name: str) -> None:
    assert read_settings(None, {}, {f"CARTINO_{name.upper()}": ""}) == ServerSettings()


def test_a_pipe_is_no_settings_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CommandError) as error:
        read_settings(str(tmp_path / "pipe"), {}, {})
    assert str(error.value) == f"Can't read the settings in {tmp_path / 'pipe'}: not a regular file."


def test_what_container_platforms_set_is_no_mistake() -> None:
    """Kubernetes beside services named cartino and cartino-metrics, Docker beside a linked container."""
    environ = {
        "CARTINO_SERVICE_HOST": "10.0.0.1",
        "CARTINO_SERVICE_PORT": "80",
        "CARTINO_SERVICE_PORT_SSH": "80",
        "CARTINO_PORT_80_TCP": "tcp://10.0.0.1:80",
        "CARTINO_PORT_80_TCP_PROTO": "tcp",
        "CARTINO_PORT_80_TCP_PORT": "80",
        "CARTINO_PORT_80_TCP_ADDR": "10.0.0.1",
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


KNOWN = ", ".join(SETTING_NAMES)
NO_SUCH = f"there is no setting {{}}; the settings are {KNOWN}."
NO_LINE = "line {} isn't KEY = VALUE (text in quotes, numbers without)."


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("port = ", NO_LINE.format(1)),
        ("port = 1\nlog = text\n", NO_LINE.format(2)),
        ("port = 1\n\nbot_pause = 2\nport = 3", "port appears twice (line 4)."),
        ("colour = 3", NO_SUCH.format("colour (line 1)")),
        ("tabels = 5", "there is no setting tabels (line 1); the nearest is tables."),
        ('"\\u0074abels" = 5', "there is no setting tabels; the nearest is tables."),
        ('\n\nbot_pause = "fast"', 'bot_pause must be a number from 0 to 60, not "fast" (line 3).'),
        ("bot_pause = nan", "bot_pause must be a number from 0 to 60, not nan (line 1)."),
        ("port = 99999", "port must be a whole number from 0 to 65535, not 99999 (line 1)."),
        ('port = "2222"', 'port must be a whole number from 0 to 65535, not "2222" (line 1).'),
        ("port = true", "port must be a whole number from 0 to 65535, not true (line 1)."),
        ("[port]\nx = 1", "port must be a whole number from 0 to 65535, not a table (line 1)."),
        ("tables = [1]", "tables must be a whole number, 1 or more, not a list (line 1)."),
        (
            "port = 0x" + "f" * 9000,
            "port must be a whole number from 0 to 65535, not such a large number (line 1).",
        ),
        (
            'exempt = "::1"',
            'exempt must be a list of addresses or networks, like 10.0.0.0/8, not "::1" (line 1).',
        ),
        (
            'proxies = ["10.0.0.0/33"]',
            'proxies must be a list of addresses or networks, like 10.0.0.0/8; "10.0.0.0/33" isn\'t valid (line 1).',
        ),
        (
            'exempt = ["::1", 7, "x"]',
            "exempt must be a list of addresses or networks, like 10.0.0.0/8; 7 isn't valid (line 1).",
        ),
        ('admins = ["ann"]', 'as shown by ssh-keygen -l: SHA256:…; "ann" isn\'t valid (line 1).'),
        ('log = "loud"', 'log must be "text" or "json", not "loud" (line 1).'),
        ('log = "text\\n"', 'log must be "text" or "json", not "text?" (line 1).'),
        ('public = "' + "x " * 50 + '"', f'not "{"x " * 20}…" (line 1).'),
        ("\xff", "not UTF-8 text."),
        ("a = " + "[" * 5000, "it is nested too deeply."),
    ],
)
def test_a_broken_file_is_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "cartino.toml"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(CommandError) as error:
        read_settings(str(file), {}, {})
    assert str(error.value).startswith(f"The settings in {file} are invalid: ")
    assert str(error.value).endswith(sentence)
    assert str(error.value).isprintable()
    assert error.value.code == MISUSE


SSHD = "Port 22\nPermitRootLogin no\nMatch User ann\n  X11Forwarding no\n"
CARGO = '[package]\nname = "x"\nversion = "0.1.0"\n[dependencies]\nserde = { version = "1", features = ["derive"] }\n'
YAML = "version: 3\nservices:\n  web:\n    image: x\n"
INI = "[server]\nport=2222\n; a comment\n"
JSON = '{"port": 2222, "host": "x"}\n'
ENV = "export CARTINO_PORT=2222\n"
SHELL = "#!/bin/sh\nexec cartino serve\n"
NGINX = "server {\n  listen 80;\n}\n"


@pytest.mark.parametrize("text", [SSHD, CARGO, YAML, INI, JSON, ENV, SHELL, NGINX])
@pytest.mark.parametrize("times", [1, 500])
def test_a_file_of_another_program_is_one_sentence(tmp_path: Path, text: str, times: int) -> None:
    file = tmp_path / "cartino.toml"
    file.write_text(text * times)
    with pytest.raises(CommandError) as error:
        read_settings(str(file), {}, {})
    said = str(error.value)
    assert said.startswith(f"The settings in {file} are invalid: ")
    assert "\n" not in said
    assert said.isprintable()


@pytest.mark.parametrize(
    ("file", "why"),
    [("/dev/zero", "not a regular file"), ("/", "Is a directory"), ("/proc/self/mem", "Input/output error")],
)
def test_what_is_no_file_is_one_sentence(file: str, why: str) -> None:
    with pytest.raises(CommandError) as error:
        read_settings(file, {}, {})
    assert str(error.value) == f"Can't read the settings in {file}: {why}."


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"Can't read the settings in .*nowhere\.toml: No such file"):
        read_settings(str(tmp_path / "nowhere.toml"), {}, {})


@pytest.mark.parametrize("name", SETTING_NAMES)
def test_a_wrong_variable_is_named(name: str) -> None:
    wrong = {"host": None, "data": None, "place": None}.get(name, "zwölf oder")
    if wrong is None:
        assert getattr(read_settings(None, {}, {f"CARTINO_{name.upper()}": "x"}), name) == "x"
        return
    with pytest.raises(
        CommandError,
        match=f'^CARTINO_{name.upper()} must be .*(, not "{wrong}"|; "{wrong}" isn\'t valid)\\.$',
    ):
        read_settings(None, {}, {f"CARTINO_{name.upper()}": wrong})


@pytest.mark.parametrize("name", ["port", "grace", "workers", "data", "host", "exempt"])
def test_a_variable_in_bytes_that_are_no_text_is_a_wrong_one(name: str) -> None:
    with pytest.raises(
        CommandError, match=f'^CARTINO_{name.upper()} must be .*(, not "1\\?"|; "1\\?" isn\'t valid)\\.$'
    ):
        read_settings(None, {}, {f"CARTINO_{name.upper()}": "1\udcc3"})


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("port", -1, "--port must be a whole number from 0 to 65535, not -1."),
        ("port", "many", '--port must be a whole number from 0 to 65535, not "many".'),
        ("bot_pause", "61", '--bot-pause must be a number from 0 to 60, not "61".'),
        ("rooms", "0", '--rooms must be a whole number, 1 or more, not "0".'),
    ],
)
def test_a_wrong_option_is_one_sentence(name: str, value: object, sentence: str) -> None:
    with pytest.raises(CommandError) as error:
        read_settings(None, {name: value}, {})
    assert str(error.value) == sentence
    assert error.value.code == MISUSE


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


def test_a_full_chat_fits_into_an_answer() -> None:
    longest = ServerConfig().chat_length
    line = ChatLine(
        10**6, "\N{LATIN SMALL LETTER A WITH DIAERESIS}" * 16, "\U0001f600" * longest, "watchers", "a" * 8
    )
    notices = (Notice(10**6, News("replaced", line.name, line.name)),) * NOTICES_SHOWN
    assert len(encode(ChatView((line,) * WORDS_SHOWN, "watchers", notices))) < MAX_ANSWER_BYTES
