"""Settings on one's own machine: in a file that people can read, and that nothing in it can break the start."""

from pathlib import Path

import msgspec
import pytest

from cartino_protocol.wire import encode_raw
from cartino_server.cli.play import LocalSettingsJournal
from cartino_server.commands.local_settings import read_local_settings, settings_path
from cartino_server.store.port import NotSaved
from cartino_tui.preferences import Settings, decode_settings

LIGHT = Settings(theme="light", bell=False)


@pytest.mark.parametrize(
    ("env", "path"),
    [
        ({"HOME": "/anns"}, "/anns/.config/cartino/settings.json"),
        ({"HOME": "/anns", "XDG_CONFIG_HOME": "/etc/ann"}, "/etc/ann/cartino/settings.json"),
        ({"HOME": "/anns", "XDG_CONFIG_HOME": "relative"}, "/anns/.config/cartino/settings.json"),
        ({}, None),
    ],
)
def test_they_lie_where_such_things_lie(env: dict[str, str], path: str | None) -> None:
    assert settings_path(env) == (None if path is None else Path(path))


async def test_they_are_there_the_next_time(tmp_path: Path) -> None:
    path = tmp_path / "config" / "cartino" / "settings.json"
    await LocalSettingsJournal(path).keep_settings("local", bytes(encode_raw(LIGHT)))
    assert decode_settings(await LocalSettingsJournal(path).settings("local")) == LIGHT
    assert read_local_settings(path) == LIGHT
    assert msgspec.json.decode(path.read_bytes()) == {"theme": "light", "bell": False}
    assert [file.name for file in path.parent.iterdir()] == ["settings.json"]


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ('{"theme": "light", "bell": false, "sound": 1}', LIGHT),
        ('{"theme": "violet", "bell": false}', Settings(bell=False)),
        ("theme = light", Settings()),
        ("[]", Settings()),
        ("\xff", Settings()),
        ("", Settings()),
    ],
)
def test_what_somebody_wrote_there_is_read_as_far_as_it_goes(
    tmp_path: Path, text: str, settings: Settings
) -> None:
    path = tmp_path / "settings.json"
    path.write_text(text, "latin-1")
    assert read_local_settings(path) == settings


def test_without_a_file_nothing_was_chosen(tmp_path: Path) -> None:
    assert (
        read_local_settings(tmp_path / "none")
        == read_local_settings(tmp_path)
        == read_local_settings(None)
        == Settings()
    )


async def test_where_it_cannot_be_written_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "cartino").write_text("in the way")
    with pytest.raises(NotSaved, match=r"settings\.json: "):
        await LocalSettingsJournal(tmp_path / "cartino" / "settings.json").keep_settings(
            "local", bytes(encode_raw(LIGHT))
        )


async def test_without_a_home_they_hold_for_the_visit() -> None:
    journal = LocalSettingsJournal(None)
    await journal.keep_settings("local", bytes(encode_raw(LIGHT)))
    assert decode_settings(await journal.settings("local")) == LIGHT
