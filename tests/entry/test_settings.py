"""Settings: each source over the one before, and a sentence for each thing that is wrong with them."""

from pathlib import Path

import pytest

from cartino_server.entry.errors import MISUSE, CommandError
from cartino_server.entry.settings import NAMES, Settings, read_settings


def test_each_source_goes_over_the_one_before(tmp_path: Path) -> None:
    file = tmp_path / "cartino.toml"
    file.write_text('port = 1\nhost = "file"\nbot_pause = 2\ndata = "file"\n')
    environ = {"CARTINO_PORT": "2", "CARTINO_HOST": "variable", "CARTINO_BOT_PAUSE": "0.5", "OTHER": "x"}
    settings = read_settings(str(file), {"port": 3, "host": None}, environ)
    assert settings == Settings(host="variable", port=3, bot_pause=0.5, data="file")


def test_the_file_may_be_named_by_a_variable(tmp_path: Path) -> None:
    file = tmp_path / "cartino.toml"
    file.write_text("port = 7")
    assert read_settings(None, {}, {"CARTINO_CONFIG": str(file)}).port == 7


def test_without_anything_the_defaults_hold() -> None:
    assert read_settings(None, {}, {}) == Settings()


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("port = ", "wrong"),
        ("port = 99999", "$.port"),
        ('port = "2222"', "$.port"),
        ("prot = 2222", "prot"),
        ('log = "loud"', "$.log"),
        ("\xff", "wrong"),
        ("a = " + "[" * 5000, "too deep"),
    ],
)
def test_a_broken_file_is_one_sentence(tmp_path: Path, text: str, hint: str) -> None:
    file = tmp_path / "cartino.toml"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(CommandError, match=r"cartino\.toml") as error:
        read_settings(str(file), {}, {})
    assert hint in str(error.value)
    assert "\n" not in str(error.value)
    assert error.value.code == MISUSE


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"nowhere\.toml can't be read: No such file"):
        read_settings(str(tmp_path / "nowhere.toml"), {}, {})


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_variable_is_named(name: str) -> None:
    wrong = {"host": None, "data": None}.get(name, "zwölf oder")
    if wrong is None:
        assert getattr(read_settings(None, {}, {f"CARTINO_{name.upper()}": "x"}), name) == "x"
        return
    with pytest.raises(CommandError, match=f"CARTINO_{name.upper()}"):
        read_settings(None, {}, {f"CARTINO_{name.upper()}": wrong})


def test_a_wrong_option_is_one_sentence() -> None:
    with pytest.raises(CommandError, match="An option is wrong") as error:
        read_settings(None, {"port": -1}, {})
    assert error.value.code == MISUSE
