import pytest

from cartino_tui.terminal.drivers import LocalDriver
from cartino_tui.terminal.session_app import SessionApp
from tests.support.echo_app import EchoApp, EchoScreen


async def test_it_runs_under_textuals_own_pilot() -> None:
    app = EchoApp()
    async with app.run_test() as pilot:
        await pilot.press("a")
        assert isinstance(app.screen, EchoScreen)
        assert app.screen.told == "key a"
    assert app.crash is None


async def test_a_crash_is_kept_as_text_without_locals() -> None:
    app = EchoApp()
    with pytest.raises(RuntimeError, match="boom"):
        async with app.run_test() as pilot:
            await pilot.press("x")
    assert app.crash is not None
    assert "RuntimeError: boom" in app.crash
    assert app.return_code == 1


def test_the_servers_environment_means_nothing_to_a_session_and_all_to_local_play(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("COLORTERM", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert SessionApp[None]().session_depth == "256"
    assert SessionApp[None]().driver_class is LocalDriver
    monkeypatch.setenv("NO_COLOR", "1")
    assert SessionApp[None]().session_depth == "mono"
    assert SessionApp[None](depth="true").session_depth == "true"
