"""A command that the server breaks off says that nobody knows what was done, and may be sent again."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import NamedTuple

import asyncssh
import msgspec
import pytest

from cartino_protocol.commands import Create, Join
from cartino_protocol.exit_status import BROKEN_OFF
from cartino_protocol.text import LazyMessage
from cartino_protocol.views import TableView
from cartino_server.app.command_handler import VISIT_ENDED, LocalBackend
from cartino_server.app.requests import SERVER_UNAVAILABLE, ServerRequestHandler, WorkerBackend
from cartino_server.app.shutdown import RESTART_MESSAGE
from cartino_server.server import Server
from cartino_server.ssh.listener import Listener, ListenerConfig
from cartino_server.ssh.session import Session
from cartino_server.store.port import JournalClosed
from cartino_server.visitors import LoginRequest, LoginResult
from tests.support.game_server import QUICK, World, a_guest
from tests.support.games import BOTS, GAMES
from tests.support.journal import MemoryJournal
from tests.support.noted_line import NotedLine
from tests.support.open_gate import listen
from tests.support.ports import own_port

UNKNOWN = "known whether anything was done"


class Scene(NamedTuple):
    """A table of ann and bob at a server whose journal can be held, and ann's line to it."""

    journal: MemoryJournal
    server: Server
    listener: Listener
    code: str
    name: str
    connect: Callable[..., Awaitable[asyncssh.SSHClientConnection]]
    """As whoever is on turn, or with another key."""


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    journal = MemoryJournal()
    server = Server(GAMES, BOTS, QUICK, World().ports(), journal)
    keys = {name: asyncssh.generate_private_key("ssh-ed25519") for name in ("ann", "bob")}
    guests = [await a_guest(server, name, person=key.get_fingerprint()) for name, key in keys.items()]
    table = await guests[0].ask(Create("cartino", {}), TableView)
    guests[1].say(Join(table.code))
    table = await guests[0].wait(TableView, lambda table: table.state == "playing")
    listener = await listen(
        ListenerConfig(port=own_port()),
        asyncssh.generate_private_key("ssh-ed25519"),
        ServerRequestHandler(LocalBackend(server)),
    )
    name = table.seats[table.turn[0]].name

    async def connect(key: asyncssh.SSHKey = keys[name]) -> asyncssh.SSHClientConnection:
        return await asyncssh.connect(
            "127.0.0.1", listener.port, config=None, known_hosts=None, username=name, client_keys=[key]
        )

    yield Scene(journal, server, listener, table.code, name, connect)
    journal.release()
    await listener.close()
    await server.close()


async def table(scene: Scene) -> tuple[int, str]:
    """The number of the state, and the first move of whoever is on turn."""
    async with await scene.connect() as line:
        told = msgspec.json.decode(str((await line.run(f"show {scene.code} --json", check=True)).stdout))
    return told["number"], told["moves"][0]["move"] if told["moves"] else ""


async def broken_off(
    scene: Scene, words: str, breaking: Callable[[], Coroutine[None, None, object]]
) -> asyncssh.SSHCompletedProcess:
    """What `words` come to if `breaking` happens while the first thing they change is being saved."""
    scene.journal.hold()
    async with await scene.connect() as line:
        asking = asyncio.create_task(line.run(words))
        await scene.journal.until(lambda journal: journal.held)
        breaking_off = asyncio.create_task(breaking())
        done = await asking
    scene.journal.release()
    await breaking_off
    return done


async def test_a_move_that_a_kick_breaks_off_is_not_said_to_be_done_and_can_be_sent_again(
    scene: Scene,
) -> None:
    number, move = await table(scene)
    words = f"move {scene.code} --number {number} {move} end"

    async def kick() -> None:
        for connection in range(1, 9):
            scene.listener.dismiss(connection, LazyMessage(VISIT_ENDED))

    done = await broken_off(scene, words, kick)
    assert done.exit_status == BROKEN_OFF
    assert UNKNOWN in str(done.stderr)
    assert done.stdout == ""
    assert (await table(scene))[0] == number + 1, "half was done"
    async with await scene.connect() as line:
        for _ in range(2):
            assert (await line.run(words)).exit_status == 0
    assert (await table(scene))[0] == number + 2


@pytest.mark.parametrize("words", ["move {code} {move} end", "chat {code} hello"])
async def test_whatever_the_end_of_the_server_breaks_off_has_that_status(scene: Scene, words: str) -> None:
    _, move = await table(scene)
    done = await broken_off(
        scene, words.format(code=scene.code, move=move), lambda: scene.listener.close(RESTART_MESSAGE)
    )
    assert done.exit_status == BROKEN_OFF
    assert UNKNOWN in str(done.stderr)
    assert str(RESTART_MESSAGE) in str(done.stderr)


async def test_so_has_what_a_lost_journal_breaks_off(scene: Scene) -> None:
    _, move = await table(scene)

    async def lose() -> None:
        scene.journal.dead = JournalClosed("the disk has gone")
        scene.journal.release()
        await scene.listener.close(RESTART_MESSAGE)

    done = await broken_off(scene, f"move {scene.code} {move} end", lose)
    assert done.exit_status == BROKEN_OFF
    assert UNKNOWN in str(done.stderr)


async def test_who_follows_a_table_hears_that_it_was_broken_off(scene: Scene) -> None:
    eve = asyncssh.generate_private_key("ssh-ed25519")
    async with (
        await scene.connect(eve) as line,
        line.create_process(f"watch {scene.code} --lines") as following,
    ):
        await following.stdout.readline()
        await scene.server.close()
        told = await following.stdout.read()
        done = await following.wait()
    assert done.exit_status == BROKEN_OFF
    assert "Connect again" in told


async def test_what_is_dismissed_before_its_first_step_has_that_status_too(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start_and_go(session: Session) -> None:
        start(session)
        session.dismiss(RESTART_MESSAGE)

    start = Session.session_started
    monkeypatch.setattr(Session, "session_started", start_and_go)
    async with await scene.connect() as line:
        done = await line.run(f"show {scene.code}")
    assert (done.exit_status, done.stdout, done.stderr) == (BROKEN_OFF, "", f"{RESTART_MESSAGE}\n")


async def test_who_comes_when_the_server_of_a_worker_has_gone_may_ask_again(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nobody_there(_: object, __: LoginRequest) -> LoginResult:
        return await lost.judge(LoginRequest(1, "", "", ""))

    lost = WorkerBackend(NotedLine())
    lost.lose()
    monkeypatch.setattr("cartino_server.ssh.authentication.LoginTracker.judge", nobody_there)
    listener = await listen(
        ListenerConfig(port=own_port()),
        asyncssh.generate_private_key("ssh-ed25519"),
        ServerRequestHandler(LocalBackend(scene.server)),
    )
    key = asyncssh.generate_private_key("ssh-ed25519")
    async with await asyncssh.connect(
        "127.0.0.1", listener.port, config=None, known_hosts=None, username="ann", client_keys=[key]
    ) as line:
        done = await line.run(f"move {scene.code} end")
    await listener.close()
    assert (done.exit_status, done.stderr) == (BROKEN_OFF, f"{SERVER_UNAVAILABLE}\n")
