"""Strangers at the door of a real server: they hold few places and not for long, and whoever comes to play comes in."""

import asyncio
import resource
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from cartino_server.ssh.rejection import MESSAGES
from tests.support.crossing import until
from tests.support.greetings import GREETING, KEPT_OUT, NAME, NOISE, was_let_in
from tests.support.logged import connections, lines
from tests.support.ssh_world import CARTINO, Server, SshServer, troubles
from tests.support.terminals import Terminals

pytestmark = pytest.mark.e2e

COUNTED = {"CARTINO_EXEMPT": "", "CARTINO_UNAUTHENTICATED": "10", "CARTINO_LOGIN_GRACE": "10"}
# A server has workers mostly; one without any is for the long runs.
WORKERS = pytest.mark.parametrize("workers", [pytest.param("0", marks=pytest.mark.soak), "1"])
TURNED_AWAY = (*MESSAGES.values(), KEPT_OUT.decode())
FEW_FILES = ("sh", "-c", 'ulimit -n 64; exec "$0" "$@"', *CARTINO)


@contextmanager
def new_server(
    place: Path, workers: str, *, program: tuple[str, ...] = CARTINO, **settings: str
) -> Iterator[tuple[SshServer, Server]]:
    """A server that counts who comes; it ends with status 0."""
    (place / "keys").mkdir()
    env = {**COUNTED, **{f"CARTINO_{name.upper()}": value for name, value in settings.items()}}
    server = Server(place, "--workers", workers, "--grace", "0", program=program, env=env)
    terminals = Terminals()
    try:
        yield SshServer(terminals, place / "keys", server.log, server.greeting), server
    finally:
        terminals.close()
        server.tell_to_end()
        assert server.exit_status() == 0, server.log.read_text()
        told = [each for each in troubles(server.log.read_text()) if "too many files" not in each]
        assert told == []


class Stranger:
    """A connection that says `said` and then nothing more, and what it was told."""

    def __init__(self) -> None:
        self.heard = b""
        self.over = False

    @property
    def was_held(self) -> bool:
        """Whether they were not turned away: they read our name, and nothing of why."""
        return self.heard.startswith(GREETING) and not any(
            words.encode() in self.heard for words in TURNED_AWAY
        )

    async def call(self, port: int, source: str, said: bytes = b"") -> None:
        """Be there until the other side ends it."""
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
            try:
                writer.write(said)
                while data := await reader.read(65536):
                    self.heard += data
            finally:
                writer.close()
        self.over = True


@asynccontextmanager
async def strangers(port: int, sources: list[str], *said: bytes) -> AsyncIterator[list[Stranger]]:
    """One from each source; they are there when the block begins, or have been sent away."""
    came = [Stranger() for _ in sources]
    calls = [
        asyncio.create_task(each.call(port, source, *said))
        for each, source in zip(came, sources, strict=True)
    ]
    await until(lambda: all(each.over or each.heard for each in came))
    try:
        yield came
    finally:
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)


async def make_noise(port: int, source: str, header: bytes = b"") -> None:
    """Say what is no SSH until that is too much: twice, or oftener where this machine is slow."""
    heard = b""
    for _ in range(6):
        async with strangers(port, [source], header + NOISE) as (noisy,):
            while not noisy.over:
                await asyncio.sleep(0.005)
        heard = noisy.heard
        if KEPT_OUT in heard:
            return
    pytest.fail(f"it is let in still: {heard!r}")


async def plays(ssh_server: SshServer, user: str = "ann") -> bool:
    """Whether somebody gets an answer through OpenSSH."""
    return (await asyncio.to_thread(ssh_server.run, user, "games")).status == 0


ONE = ["127.0.0.9"] * 200
MANY = [f"127.0.1.{each}" for each in range(1, 201)]


@WORKERS
@pytest.mark.parametrize(("sources", "held"), [(ONE, 2), pytest.param(MANY, 10, marks=pytest.mark.soak)])
async def test_of_two_hundred_that_fall_silent_few_are_held_and_a_player_comes_in(
    tmp_path: Path, workers: str, sources: list[str], held: int
) -> None:
    with new_server(tmp_path, workers, login_grace="5") as (ssh_server, _):
        async with strangers(ssh_server.port, sources) as came:
            assert await plays(ssh_server)
            await until(lambda: sum(not each.over for each in came) <= held)
            # Those who are left hear nothing but the greeting until their time is up.
            await until(lambda: all(each.over or each.heard == GREETING for each in came))
            assert sum(each.was_held for each in came) >= held
            await until(lambda: all(each.over for each in came))
        assert await plays(ssh_server)


def guests(source: str) -> dict[str, Any]:
    return {
        "local_addr": (source, 0),
        "config": None,
        "username": "eve",
        "known_hosts": None,
        "client_keys": None,
        "agent_path": None,
    }


@WORKERS
async def test_a_proxy_says_whom_it_brings(tmp_path: Path, workers: str) -> None:
    header = b"PROXY TCP4 203.0.113.9 10.0.0.1 40000 22\r\n"
    with new_server(tmp_path, workers, proxies="127.0.0.7") as (ssh_server, _):
        way = socket.create_connection(("127.0.0.1", ssh_server.port), source_address=("127.0.0.7", 0))
        way.sendall(header)
        way.setblocking(False)
        options = {**guests(""), "client_keys": [asyncssh.generate_private_key("ssh-ed25519")]}
        del options["local_addr"]
        async with asyncssh.connect(sock=way, **options) as connection:
            assert (await connection.run("games")).exit_status == 0
        await until(lambda: connections(ssh_server.log(), "203.0.113.9").left == {"1"})
        # Without a header nobody is let in from there, and with one nobody from elsewhere.
        async with strangers(ssh_server.port, ["127.0.0.7"], b"SSH-2.0-OpenSSH_9.6\r\n") as (bare,):
            await until(lambda: bare.over)
            assert MESSAGES["proxy"].encode() in bare.heard
        async with strangers(ssh_server.port, ["127.0.0.8"], header) as (liar,):
            await until(lambda: liar.over)
        await until(lambda: connections(ssh_server.log(), "127.0.0.8").left)
        told = [fields for _, fields in lines(ssh_server.log()) if fields.get("peer") == "203.0.113.9"]
        assert {fields["connection"] for fields in told} == {"1"}
        # What is noise behind a header counts against whom it brought.
        await make_noise(ssh_server.port, "127.0.0.7", header)
        async with strangers(ssh_server.port, ["127.0.0.7"], header) as (kept_out,):
            await until(lambda: kept_out.over)
            assert KEPT_OUT in kept_out.heard
        async with strangers(ssh_server.port, ["127.0.0.7"], header.replace(b".9 ", b".8 ") + NAME) as (
            other,
        ):
            await until(lambda: was_let_in(other.heard))


QUESTION = "continue connecting"


@WORKERS
@pytest.mark.parametrize("people", [8, pytest.param(3, marks=pytest.mark.soak)])
def test_people_at_one_address_who_read_the_host_key_question_all_get_in(
    tmp_path: Path, workers: str, people: int
) -> None:
    """Others log in meanwhile, from there and from elsewhere, and the time for a handshake passes."""
    with new_server(tmp_path, workers, login_grace="90", handshake_grace="3") as (ssh_server, _):
        team = [ssh_server.visit(f"reader{each}", "games", asks=True) for each in range(people)]
        for each in team:
            each.sees(QUESTION)
        with socket.create_connection(
            ("127.0.0.1", ssh_server.port), source_address=("127.0.0.9", 0)
        ) as silent:
            silent.settimeout(20)
            for user in ("ann", "ben"):
                assert ssh_server.run(user, "games").status == 0
            # It came after everybody in the team and is sent away before them.
            while silent.recv(1024):
                pass
        assert ssh_server.run("cyd", "games", key=False).status == 0
        for each in team:
            each.type("yes\r")
        for each in team:
            each.sees("No tables yet")
            assert each.exit_status() == 0
        assert "turned away" not in ssh_server.log()


async def a_player(
    port: int, source: str, key: asyncssh.SSHKey | None = None
) -> asyncssh.SSHClientConnection:
    key = key or asyncssh.generate_private_key("ssh-ed25519")
    return await asyncssh.connect("127.0.0.1", port, **{**guests(source), "client_keys": [key]})


@WORKERS
async def test_with_few_descriptors_players_go_on_and_others_come_in_again(
    tmp_path: Path, workers: str
) -> None:
    with new_server(tmp_path, workers, program=FEW_FILES, unauthenticated="0") as (ssh_server, _):
        player = await a_player(ssh_server.port, "127.0.5.250")
        there = []
        with pytest.raises((asyncssh.Error, OSError)):  # noqa: PT012 - whichever is the first too many
            for number in range(1, 64):
                there.append(await a_player(ssh_server.port, f"127.0.5.{number}"))
        assert len(there) > 16
        # They are turned away one after the other, and nobody waits for it.
        came = [Stranger() for _ in range(40)]
        async with asyncio.timeout(30):
            await asyncio.gather(*(each.call(ssh_server.port, "127.0.6.1") for each in came))
        assert (await player.run("games --json")).stdout == "[]\n"
        for each in there:
            each.close()
            await each.wait_closed()
        assert await admitted(lambda: a_player(ssh_server.port, "127.0.5.251"))
        assert (await player.run("games --json")).stdout == "[]\n"
        player.close()
        await player.wait_closed()
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 64


async def admitted(come: Callable[[], Any]) -> bool:
    """Somebody tries until they are let in: the server may not have closed yet what it was told to."""
    async with asyncio.timeout(20):
        while True:
            try:
                async with await come() as connection:
                    return bool((await connection.run("games")).exit_status == 0)
            except (asyncssh.Error, OSError):
                await asyncio.sleep(0.05)
