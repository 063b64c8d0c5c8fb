import pytest
from textual.filter import LineFilter

from cartino_tui.terminal.colour_depth import FILTERS
from cartino_tui.terminal.session_app import SessionApp
from tests.tui.terminal.conftest import EchoApp


async def test_it_runs_under_textuals_own_pilot() -> None:
    app = EchoApp()
    async with app.run_test() as pilot:
        await pilot.press("a")
        assert str(app.query_one("#told").render()) == "key a"
    assert app.crash is None


def test_it_knows_what_its_terminal_shows() -> None:
    assert SessionApp[None](ascii=True).session_ascii
    assert not SessionApp[None]().session_ascii


async def test_a_crash_is_kept_as_text_without_locals() -> None:
    app = EchoApp()
    with pytest.raises(RuntimeError, match="boom"):
        async with app.run_test() as pilot:
            await pilot.press("x")
    assert app.crash is not None
    assert "RuntimeError: boom" in app.crash
    assert app.return_code == 1


def test_the_servers_environment_means_nothing_to_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = SessionApp[None](depth="true")
    assert not app.no_color
    assert list(app.get_line_filters()) == []
    assert app.console.color_system == "truecolor"


def test_local_play_asks_its_own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("COLORTERM", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert SessionApp[None]().session_depth == "256"
    monkeypatch.setenv("NO_COLOR", "1")
    app = SessionApp[None]()
    assert app.no_color
    expected: list[LineFilter] = [FILTERS["mono"]]
    assert list(app.get_line_filters()) == expected
