"""Settings read again: what holds at once, what waits for a restart, and what is wrong and changes nothing."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from cartino_server.operations.settings import ServerSettings, SettingsReloader, read_settings


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "cartino.toml"
    path.write_text("bot_pause = 2\n")
    return path


class Applied:
    """Settings that are read from `file` again and again; `held` are those that were made to hold, in order."""

    def __init__(self, file: Path, **options: object) -> None:
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


def test_what_is_different_holds_at_once(file: Path) -> None:
    applied = Applied(file)
    file.write_text("bot_pause = 0.5\ntables = 7\n")
    assert applied.again() == [("info", "settings read again")]
    assert applied.logs[0]["changed"] == ["tables", "bot_pause"]
    assert applied.held == [ServerSettings(bot_pause=0.5, tables=7)]
    assert applied.reread.settings == applied.held[0]


def test_where_it_listens_and_keeps_its_data_waits_for_a_restart(file: Path) -> None:
    applied = Applied(file)
    file.write_text('bot_pause = 3\nhost = "::1"\nport = 7\ndata = "elsewhere"\n')
    told = [("warning", "only a restart changes these settings"), ("info", "settings read again")]
    assert applied.again() == told
    assert applied.logs[0]["settings"] == ["host", "port", "data"]
    assert applied.held == [ServerSettings(bot_pause=3)]
    assert applied.again() == told, "it is still so"


def test_an_option_still_goes_over_the_file(file: Path) -> None:
    applied = Applied(file, bot_pause=9.0)
    file.write_text("bot_pause = 1\nempty_after = 5\n")
    applied.again()
    assert applied.held == [ServerSettings(bot_pause=9.0, empty_after=5)]


@pytest.mark.parametrize("text", ["bot_pause = ", "bot_pause = 99", "bots = 1", None])
def test_a_wrong_file_is_one_line_and_changes_nothing(file: Path, text: str | None) -> None:
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
