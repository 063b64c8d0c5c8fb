"""The SSH sessions and the apps don't know each other; each has to offer what the other asks for."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from cartino_protocol.terminal import Terminal, TerminalHandler
from cartino_server.ssh import ports as ssh_ports
from cartino_server.ssh.session_terminal import ChannelTerminal
from cartino_tui.plain.line_handler import PlainHandler
from cartino_tui.terminal.textual_handler import TextualHandler

HANDLERS: tuple[Callable[..., TerminalHandler], ...] = (TextualHandler, PlainHandler)
TERMINAL: Callable[..., ssh_ports.TerminalChannel] = ChannelTerminal
"""These lines are the proof for the type checker; the tests below are the one for everybody else."""


def members(contract: type) -> Mapping[str, Any]:
    """What a protocol asks for, by name: a signature for a method, the type for a property."""
    found = {}
    for name, member in vars(contract).items():
        if isinstance(member, property):
            assert member.fget is not None
            found[name] = inspect.signature(member.fget).return_annotation
        elif inspect.isfunction(member) and not name.startswith("_"):
            found[name] = (inspect.iscoroutinefunction(member), inspect.signature(member))
    return found


@pytest.mark.parametrize(
    ("offered", "contract"),
    [
        (TextualHandler, TerminalHandler),
        (PlainHandler, TerminalHandler),
        (ChannelTerminal, Terminal),
        (ChannelTerminal, ssh_ports.TerminalChannel),
    ],
    ids=lambda given: f"{given.__module__}.{given.__name__}",
)
def test_what_is_asked_for_is_offered(offered: type, contract: type) -> None:
    given = members(offered)
    assert members(contract)
    for name, asked in members(contract).items():
        if isinstance(asked, tuple):
            assert given[name] == asked, name
        else:
            # A property there, an attribute here; its type is the type checker's business.
            assert name in vars(offered) or f"self.{name}" in inspect.getsource(offered), name


def test_a_difference_would_be_seen() -> None:
    class Other:
        async def write(self, data: bytes) -> None: ...

        @property
        def facts(self) -> int:
            return 0

    asked = members(Terminal)
    assert {name for name in asked if members(Other).get(name) != asked[name]} == set(asked)
