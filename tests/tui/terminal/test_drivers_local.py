"""The driver of our own terminal; what a real one is left with is in tests/stories/test_local.py."""

from cartino_tui.terminal.drivers import LocalDriver
from cartino_tui.terminal.session_app import SessionApp


def test_an_app_without_a_driver_of_its_own_has_this_one() -> None:
    assert SessionApp[None]().driver_class is LocalDriver
