"""Strangers at the door of a real server: they hold few places and not for long, and whoever comes to play comes in."""

import asyncio
import resource
import signal
import socket
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from cartino_server.ssh.rejection import MESSAGES
from tests.support.crossing import until
from tests.support.knocks import GREETING, KEPT_OUT, NAME, NOISE, was_let_in
from tests.support.logged import connections, lines
from tests.support.ssh_world import CARTINO, Server, SshServer, troubles
from tests.support.terminals import Terminals

pytestmark = pytest.mark.e2e

COUNTED = {"CARTINO_EXEMPT": "", "CARTINO_UNAUTHENTICATED": "10", "CARTINO_LOGIN_GRACE": "10"}
# A server has workers mostly; one without any is for the long runs.
WORKERS = pytest.mark.parametrize("workers", [pytest.param("0", marks=pytest.mark.soak), "1"])
TURNED_AWAY = (*MESSAGES.values(), KEPT_OUT.decode())
BANNED = "You're banned from this server"
FEW_FILES = ("sh", "-c", 'ulimit -n 64; exec "$0" "$@"', *CARTINO)


@contextmanager
def new_server(
    place: Path, workers: str, *, program: tuple[str, ...] = CARTINO, **settings: str
) -> Iterator[tuple[SshServer, Server]]:
    """A server that counts who comes; it ends with status 0."""
    (place / "keys").mkdir()
    env = {**COUNTED, **{f"CARTINO_{name.upper()}": value for name, value in settings.items()}}
    if "config" in settings:
        del env["CARTINO_LOGIN_GRACE"]
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

    async def call(self, port: int, source: str, said: bytes = b"", drip: bytes = b"") -> None:
        """Be there until the other side ends it; of `drip` comes a byte now and then."""
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
            dripping = asyncio.create_task(self._drip(writer, drip))
            try:
                writer.write(said)
                while data := await reader.read(65536):
                    self.heard += data
            except OSError:
                pass
            finally:
                dripping.cancel()
                writer.close()
        self.over = True

    async def _drip(self, writer: asyncio.StreamWriter, drip: bytes) -> None:
        for byte in drip:
            writer.write(bytes([byte]))
            await asyncio.sleep(0.05)


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


@pytest.mark.soak
@pytest.mark.timeout(300)
@WORKERS
@pytest.mark.parametrize("said", [b"", NAME])
async def test_by_the_defaults_they_are_gone_within_twenty_five_seconds(
    tmp_path: Path, workers: str, said: bytes, long_run: bool
) -> None:
    grace, player, over = (20, 2, 5) if long_run else (1, 30, 30)
    with new_server(tmp_path, workers, login_grace=str(grace)) as (ssh_server, _):
        async with asyncio.timeout(grace + over), strangers(ssh_server.port, MANY, said) as came:
            async with asyncio.timeout(player):
                assert await plays(ssh_server)
            while not all(each.over for each in came):
                await asyncio.sleep(0.05)


KEX_BEGUN = b"SSH-2.0-x\r\n\0\0\x40\0\x0a\x14"


class Hesitant(asyncssh.SSHClient):
    """Begins to log in, and never goes on."""

    async def kbdint_auth_requested(self) -> str:
        await asyncio.Event().wait()
        return ""


async def log_in_half(port: int, source: str) -> None:
    with pytest.raises((asyncssh.Error, OSError)):
        await asyncssh.connect("127.0.0.1", port, client_factory=Hesitant, **guests(source))


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
async def test_however_far_they_come_who_does_not_log_in_is_gone_in_time(
    tmp_path: Path, workers: str
) -> None:
    with new_server(tmp_path, workers, login_grace="3") as (ssh_server, _):
        ways: list[tuple[bytes, ...]] = [
            (b"",),
            (b"", b"SSH-2.0-" + b"x" * 240),
            (KEX_BEGUN,),
            (KEX_BEGUN, bytes(999)),
        ]
        came = [Stranger() for _ in ways]
        async with asyncio.timeout(20):
            await asyncio.gather(
                log_in_half(ssh_server.port, "127.0.2.9"),
                *(
                    each.call(ssh_server.port, f"127.0.2.{number}", *way)
                    for number, (each, way) in enumerate(zip(came, ways, strict=True), 1)
                ),
            )
        assert all(each.was_held for each in came)
        await until(lambda: ssh_server.log().count("Login timeout expired") >= 2)
        assert await plays(ssh_server)


@WORKERS
async def test_a_source_that_makes_noise_is_kept_out_and_no_other(tmp_path: Path, workers: str) -> None:
    with new_server(tmp_path, workers) as (ssh_server, _):
        await make_noise(ssh_server.port, "127.0.3.1")
        async with strangers(ssh_server.port, ["127.0.3.1", "127.0.3.2"], NAME) as (known, other):
            await until(lambda: known.over)
            assert KEPT_OUT in known.heard
            await until(lambda: was_let_in(other.heard))
        assert await plays(ssh_server)
        await until(lambda: "reason=penalty" in ssh_server.log())


@WORKERS
async def test_a_loop_waits_for_its_turn_and_who_pushes_past_it_is_kept_out_and_no_other(
    tmp_path: Path, workers: str
) -> None:
    """Four a second may come, 40 at once; each that finds no place to wait counts a quarter of a second."""
    with new_server(
        tmp_path,
        workers,
        unauthenticated="0",
        unauthenticated_each="0",
        connections_each="0",
        penalties="6",
    ) as (ssh_server, _):
        heard = ""
        async with asyncio.timeout(60):
            # All of the first crowd are let in, as each is counted only when the server knows who they are.
            while KEPT_OUT.decode() not in heard:
                crowd = [a_player(ssh_server.port, "127.0.3.1") for _ in range(60)]
                for each in await asyncio.gather(*crowd, return_exceptions=True):
                    if isinstance(each, asyncssh.SSHClientConnection):
                        each.close()
                    else:
                        heard += str(each)
        await until(lambda: "reason=pace" in ssh_server.log())
        assert await plays(ssh_server)
        assert await admitted(lambda: a_player(ssh_server.port, "127.0.3.1"))


@WORKERS
async def test_who_is_banned_tries_as_often_as_they_like_and_nobody_at_home_suffers(
    tmp_path: Path, workers: str
) -> None:
    key = asyncssh.generate_private_key("ssh-ed25519")
    with new_server(tmp_path, workers) as (ssh_server, server):
        ban = [
            *CARTINO,
            "admin",
            "--data",
            str(server.data),
            "ban",
            "key",
            key.get_fingerprint(),
            "--for",
            "1d",
        ]
        assert (await asyncio.to_thread(subprocess.run, ban, capture_output=True)).returncode == 0
        for _ in range(12):
            async with await a_player(ssh_server.port, "127.0.3.1", key) as banned:
                said = await banned.run("games")
                assert (said.exit_status, str(said.stderr).split(" until ")[0]) == (1, BANNED)
        async with await a_player(ssh_server.port, "127.0.3.1") as sister:
            assert (await sister.run("games")).exit_status == 0


async def test_exempt_sources_are_kept_out_by_nothing_they_do(tmp_path: Path) -> None:
    with new_server(tmp_path, "0", exempt="127.0.3.0/24") as (ssh_server, _):
        for _ in range(4):
            async with strangers(ssh_server.port, ["127.0.3.1"], NOISE) as (noisy,):
                await until(lambda: noisy.over)
        async with strangers(ssh_server.port, ["127.0.3.1"] * 5, NAME) as came:
            await until(lambda: all(was_let_in(each.heard) for each in came))


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


class Slow(asyncssh.SSHClient):
    """Begins to log in, and goes on when they may."""

    def __init__(self) -> None:
        self.has_begun, self.may_go_on = asyncio.Event(), asyncio.Event()

    async def kbdint_auth_requested(self) -> str:
        self.has_begun.set()
        await self.may_go_on.wait()
        return ""


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


@WORKERS
def test_people_who_read_for_too_long_may_come_again_at_once(tmp_path: Path, workers: str) -> None:
    with new_server(tmp_path, workers, login_grace="4") as (ssh_server, _):
        team = [ssh_server.visit(f"reader{each}", "games", asks=True) for each in range(4)]
        for each in team:
            each.sees(QUESTION)
        ssh_server.terminals.until(
            lambda: ssh_server.log().count("Login timeout expired") == 4, "all were too slow"
        )
        for each in team:
            each.type("yes\r")
            assert each.exit_status() == 255
        again = [ssh_server.visit(f"reader{each}", "games", asks=True) for each in range(4)]
        for each in again:
            each.sees(QUESTION)
            each.type("yes\r")
        for each in again:
            assert each.exit_status() == 0
        assert "turned away" not in ssh_server.log()


FRESH = [f"127.{100 + each // 250}.0.{each % 250 + 1}" for each in range(60)]
NOT_KNOWN = NAME + (600).to_bytes(4) + b"\x04\x14" + bytes(594)
"""As much as begins a key exchange, and not all of it."""


@WORKERS
@pytest.mark.parametrize("said", [NAME, pytest.param(b"", marks=pytest.mark.soak)])
async def test_a_slow_player_is_not_put_out_for_strangers_however_many_come(
    tmp_path: Path, workers: str, said: bytes
) -> None:
    with new_server(tmp_path, workers, login_grace="60", handshake_grace="60") as (ssh_server, _):
        player, other = Slow(), Stranger()
        options = {**guests("127.0.60.1"), "client_factory": lambda: player}

        async def come() -> asyncssh.SSHClientConnection:
            return await asyncssh.connect("127.0.0.1", ssh_server.port, **options)

        coming = asyncio.create_task(come())
        beginning = asyncio.create_task(other.call(ssh_server.port, "127.0.60.2", NOT_KNOWN))
        await player.has_begun.wait()
        await until(lambda: other.heard)
        for begin in range(0, len(FRESH), 6):
            async with strangers(ssh_server.port, FRESH[begin : begin + 6], said):
                pass
        async with strangers(ssh_server.port, MANY, said) as came:
            # The player, who has our key exchange reply, takes none of the ten places.
            await until(lambda: sum(not each.over for each in came) <= 9)
            assert not other.over
            player.may_go_on.set()
            async with await coming as connection:
                assert (await connection.run("games")).exit_status == 0
        beginning.cancel()
        await asyncio.gather(beginning, return_exceptions=True)
        assert "peer=127.0.60.1" not in "".join(
            line for line in ssh_server.log().splitlines() if "turned away" in line
        )


@WORKERS
async def test_settings_of_the_door_hold_at_once_when_they_are_read_again(
    tmp_path: Path, workers: str
) -> None:
    file = tmp_path / "cartino.toml"
    file.write_text("unauthenticated_each = 3\nlogin_grace = 600\n")
    with new_server(tmp_path, workers, config=str(file)) as (ssh_server, server):
        async with strangers(ssh_server.port, ["127.0.3.1"] * 4, NAME) as came:
            await until(lambda: all(each.over or was_let_in(each.heard) for each in came))
            assert sum(MESSAGES["logging-in"].encode() in each.heard for each in came) == 1
            file.write_text("unauthenticated_each = 1\nlogin_grace = 8\n")
            server.tell(signal.SIGHUP)
            await until(lambda: "settings read again" in ssh_server.log())
            async with strangers(ssh_server.port, ["127.0.3.2"] * 2, NAME) as others:
                await until(lambda: all(each.over for each in others))
                assert sum(MESSAGES["logging-in"].encode() in each.heard for each in others) == 1
                assert sum(was_let_in(each.heard) for each in others) == 1
            # Who was there already has the time they were promised.
            assert sum(not each.over for each in came) == 3


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
