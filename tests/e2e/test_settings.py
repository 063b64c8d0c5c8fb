"""What somebody chose is there again when they come back: from another terminal, and after a restart."""

import pytest

from tests.support.ssh_world import Server, SshServer

pytestmark = pytest.mark.e2e

LIGHT = "e4e4e4"
"""The light ground, as near as 256 colours come."""


def test_a_look_is_chosen_once(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann", key="choosy")
    ann.sees("you are ann")
    ann.press("o")
    ann.sees("Settings")
    ann.type("jj")
    ann.sees("auto: felt")
    ann.type("lll")
    ann.sees("◄ light ►")
    ann.until(lambda: ann.is_on(LIGHT), "the screen is light")
    ann.press("escape")
    ann.sees("you are ann")
    assert ann.quit() == 0
    again = ssh_server.visit("ann", key="choosy")
    again.sees("you are ann")
    again.until(lambda: again.is_on(LIGHT), "the screen is light")
    other = ssh_server.visit("bob", key="another")
    other.sees("you are bob")
    assert not other.is_on(LIGHT)


def test_it_outlives_the_server(own_server: tuple[SshServer, Server]) -> None:
    ssh_server, server = own_server
    ann = ssh_server.visit("ann")
    ann.sees("you are ann")
    ann.type("ojjlll")
    ann.sees("◄ light ►")
    ann.press("escape")
    ann.sees("you are ann")
    assert ann.quit() == 0
    server.kill()
    server.start_again()
    again = ssh_server.visit("ann")
    again.sees("you are ann")
    again.until(lambda: again.is_on(LIGHT), "the screen is light")
