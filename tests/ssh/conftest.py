"""A door with a fake reception behind it, and both clients in front: asyncssh's and the real ssh program."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import asyncssh
import pexpect
import pyte
import pytest

from cartino_protocol.link import FrameLink
from cartino_protocol.terminal import TerminalHandler
from cartino_protocol.text import LazyMessage
from cartino_server.limits import SessionLimits
from cartino_server.ssh.listener import Listener, ListenerConfig
from cartino_server.ssh.ports import CommandMode, TerminalChannel
from cartino_server.visitors import Reply, Visitor
from cartino_tui.terminal.textual_handler import TextualHandler
from tests.support.echo_app import EchoApp, EchoScreen
from tests.support.open_gate import listen
from tests.support.ports import own_port
from tests.support.steady import SteadyLoop


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Run what is marked so in a `SteadyLoop`."""
    return {"steady": SteadyLoop} if item.get_closest_marker("steady") else {"usual": asyncio.new_event_loop}


async def until(condition: Callable[[], object], seconds: float = 40) -> None:
    """Give the loop turns until `condition` holds. Raises TimeoutError."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


class TellApp(EchoApp):
    """Welcomes a visitor, and shows what reaches it."""

    def get_default_screen(self) -> EchoScreen:
        return EchoScreen("welcome", "second line")


class EchoFace:
    """A face without Textual: notes what it is told and runs until released."""

    def __init__(self, terminal: TerminalChannel) -> None:
        self.terminal = terminal
        self.crash: str | None = None
        self.told: list[object] = []
        self.status = 0
        self.over = asyncio.Event()

    async def run(self) -> int:
        self.terminal.write(b"face\r\n")
        await self.over.wait()
        return self.status

    def feed(self, data: bytes) -> None:
        if data:
            self.told.append(data)

    def resize(self, width: int, height: int) -> None:
        self.told.append((width, height))

    def stall(self) -> None:
        self.told.append("stall")

    def drained(self) -> None:
        self.told.append("drained")

    def hang_up(self) -> None:
        self.told.append("hang up")
        self.over.set()


class FakeReception:
    """Notes who comes; `make_face` and `reply` are for the test to set."""

    def __init__(self) -> None:
        self.visitors: list[Visitor] = []
        self.terminals: list[TerminalChannel] = []
        self.words: list[list[str]] = []
        self.faces: list[Any] = []
        self.links: list[FrameLink] = []
        self.make_face: Callable[[TerminalChannel], TerminalHandler] = EchoFace
        self.reply = Reply("told\n", "", 0)

    def mode(self, words: Sequence[str]) -> CommandMode:
        ways: dict[str, CommandMode] = {"": "screen", "join": "screen", "plain": "lines", "daily": "either"}
        return ways.get("".join(words[:1]), "answer")

    def handler(self, visitor: Visitor, terminal: TerminalChannel, words: Sequence[str]) -> TerminalHandler:
        self._note(visitor, words)
        self.terminals.append(terminal)
        face = self.make_face(terminal)
        self.faces.append(face)
        return face

    def link(self, visitor: Visitor) -> FrameLink:
        self._note(visitor, [])
        return self.links.pop()

    async def run_command(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        self._note(visitor, words)
        return self.reply

    def translate(self, sentence: LazyMessage, env: Mapping[str, str]) -> str:
        return f"{env['LANG']}: {sentence}" if "LANG" in env else str(sentence)

    def _note(self, visitor: Visitor, words: Sequence[str]) -> None:
        self.visitors.append(visitor)
        self.words.append(list(words))


def tell_face(terminal: TerminalChannel) -> TextualHandler:
    return TextualHandler(terminal, TellApp)


@pytest.fixture(scope="session")
def host_key() -> asyncssh.SSHKey:
    return asyncssh.generate_private_key("ssh-ed25519")


@pytest.fixture
def reception() -> FakeReception:
    return FakeReception()


@pytest.fixture
def limits() -> SessionLimits:
    """What may be done at the door; a test may have others."""
    return SessionLimits()


SHARED: Final = pytest.mark.parametrize("limits", [SessionLimits(sessions=4)])
"""Several sessions may share a connection."""


@pytest.fixture
async def listener(
    host_key: asyncssh.SSHKey, reception: FakeReception, limits: SessionLimits
) -> AsyncIterator[Listener]:
    # Its own also when it is closed, as tests look whether anybody listens there still.
    listener = await listen(ListenerConfig(port=own_port()), host_key, reception, limits)
    yield listener
    await listener.close()


class Guest(asyncssh.SSHClient):
    """A client that comes in without a key."""

    def kbdint_auth_requested(self) -> str:
        return ""


Connect = Callable[..., Any]


@pytest.fixture
def connect(listener: Listener) -> Connect:
    """Connect asyncssh's client: `connect("ann", key)`, a guest without a key."""

    def go(name: str = "ann", key: asyncssh.SSHKey | None = None, **options: Any) -> Any:
        return asyncssh.connect(
            "127.0.0.1",
            listener.port,
            config=None,
            username=name,
            known_hosts=None,
            client_keys=[key] if key else None,
            client_factory=Guest,
            agent_path=None,
            encoding=None,
            **options,
        )

    return go


class AnsweringScreen(pyte.Screen):
    """A screen that says where its cursor is when it is asked."""

    def __init__(self, width: int, height: int, answer: Callable[[str], object]) -> None:
        self._answer = answer
        super().__init__(width, height)

    def write_process_input(self, data: str) -> None:
        self._answer(data)


class Screen:
    """The real ssh program under a pseudo-terminal, with the screen that a person would see."""

    def __init__(
        self, command: list[str], width: int = 80, height: int = 24, term: str = "xterm-256color"
    ) -> None:
        environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "TERM": term}
        self.child = pexpect.spawn(
            command[0], command[1:], dimensions=(height, width), env=environment, timeout=0
        )
        self.raw = bytearray()
        self.ended = False
        self.pyte = AnsweringScreen(width, height, self.child.send)
        self._stream = pyte.ByteStream(self.pyte)

    def poll(self) -> None:
        if self.ended:
            return
        try:
            while data := self.child.read_nonblocking(65536, timeout=0):
                self.raw += data
                self._stream.feed(data)
        except pexpect.TIMEOUT:
            pass
        except pexpect.EOF:
            self.ended = True

    def resize(self, width: int, height: int) -> None:
        """The person makes the window another size; what it shows changes with it."""
        self.poll()
        self.pyte.resize(height, width)
        self.child.setwinsize(height, width)

    def text(self) -> str:
        self.poll()
        return "\n".join(line.rstrip() for line in self.pyte.display)

    async def shows(self, text: str) -> None:
        await until(lambda: text in self.text())

    async def exit_code(self) -> int:
        def gone() -> bool:
            self.poll()
            return self.ended

        await until(gone)
        self.child.close()
        return int(self.child.exitstatus if self.child.exitstatus is not None else -1)


class OpenSSH:
    """The real ssh program, told to look at nothing of this machine."""

    def __init__(self, listener: Listener, place: Path) -> None:
        self._listener, self._place = listener, place
        self._screens: list[Screen] = []

    def command(self, *arguments: str, name: str = "ann", key: Path | None = None) -> list[str]:
        options = {
            "StrictHostKeyChecking": "no",
            "UserKnownHostsFile": str(self._place / "known_hosts"),
            "GlobalKnownHostsFile": "/dev/null",
            "IdentitiesOnly": "yes",
            "IdentityAgent": "none",
            "IdentityFile": str(key) if key else "none",
            "LogLevel": "ERROR",
        }
        flags = [flag for item in options.items() for flag in ("-o", "=".join(item))]
        return ["ssh", "-F", "none", *flags, "-p", str(self._listener.port), "-l", name, *arguments]

    def screen(self, *arguments: str, name: str = "ann", key: Path | None = None, **size: Any) -> Screen:
        screen = Screen(self.command(*arguments, "127.0.0.1", name=name, key=key), **size)
        self._screens.append(screen)
        return screen

    async def run(
        self, *words: str, before: Sequence[str] = (), name: str = "ann", key: Path | None = None
    ) -> tuple[int, str, str]:
        """Status and both outputs of `ssh before… host words…`."""
        return await self.program(*self.command(*before, "127.0.0.1", *words, name=name, key=key))

    async def program(self, *command: str) -> tuple[int, str, str]:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(40):
            out, err = await process.communicate()
        return process.returncode or 0, out.decode(), err.decode()

    def end(self) -> None:
        for screen in self._screens:
            screen.child.close(force=True)


@pytest.fixture
def openssh(listener: Listener, tmp_path: Path) -> Any:
    client = OpenSSH(listener, tmp_path)
    yield client
    client.end()


@pytest.fixture
def user_key(tmp_path: Path) -> Path:
    key = asyncssh.generate_private_key("ssh-ed25519")
    path = tmp_path / "id_test"
    key.write_private_key(path)
    key.write_public_key(f"{path}.pub")
    path.chmod(0o600)
    return path
