"""Peers: how they are compared, and what is told of those that are not here or break off."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncssh
import pytest

from bench.figures import Figure
from bench.peers import beside, nethack
from bench.peers.gambit import NAMED, gambit
from bench.peers.openssh import NotHereError
from bench.peers.peer import COMPARED, ENTRY, ENTRY_CPU, KEY, LOGIN, Peer, advantage
from bench.scale import QUICK, Scale
from bench.server import BenchError, MeasuredServer
from bench.visitors import CIPHER, KEX, connect


def figures(**other: float) -> tuple[Figure, ...]:
    """Each of what is compared is 2, but what `other` says."""
    names = [name for group in COMPARED for name in group]
    return tuple(Figure(name, other.get(name, 2.0), "") for name in names)


@pytest.mark.parametrize(
    ("other", "times"),
    [
        ({LOGIN: 2.0 * 64}, 64 ** (1 / 6)),
        ({ENTRY: 2.0 * 64, ENTRY_CPU: 2.0 / 64}, 1),  # the time and the work of an entry are one kind
        ({ENTRY: 2.0 * 64, KEY: 2.0 / 8}, 1),
    ],
)
def test_each_kind_of_figure_counts_alike(other: dict[str, float], times: float) -> None:
    assert advantage(figures(), figures(**other)) == pytest.approx(times)


def test_nothing_is_told_of_what_was_not_measured_in_all() -> None:
    assert advantage(figures(), figures()[1:]) is None
    assert advantage(figures(), figures(**{LOGIN: 0.0})) is None


async def test_a_program_that_is_missing_is_not_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(NAMED, str(tmp_path / "none"))
    with pytest.raises(NotHereError, match="GAMBIT"):
        await gambit(()).__aenter__()
    monkeypatch.setattr(nethack, "PLACES", str(tmp_path))
    with pytest.raises(NotHereError, match="no nethack"):
        await nethack.nethack(()).__aenter__()


async def test_one_that_breaks_off_leaves_the_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(NAMED, str(tmp_path / "none"))

    @asynccontextmanager
    async def well(cores: tuple[int, ...]) -> AsyncIterator[Peer]:
        yield Peer(beside.OURS, MeasuredServer(0, 0), "", b"")

    @asynccontextmanager
    async def breaks(cores: tuple[int, ...]) -> AsyncIterator[Peer]:
        yield Peer("breaks", MeasuredServer(0, 0), "", b"")

    async def measure(peer: Peer, scale: Scale) -> tuple[Figure, ...]:
        if peer.name == "breaks":
            raise BenchError("it fell")
        return (Figure("bytes", 7, "B"),)

    monkeypatch.setattr(beside, "measure_peer", measure)
    monkeypatch.setattr(beside, "PEERS", (breaks, gambit, well))
    section = await beside.measure(QUICK)
    assert section.figures == (Figure("ours: bytes", 7, "B"),)
    assert section.broken == "breaks: it fell"
    assert "not here: there is no gambit" in section.how


async def test_alike_is_one_key_exchange_and_cipher() -> None:
    class Anybody(asyncssh.SSHServer):
        def begin_auth(self, username: str) -> bool:
            return False

    async def cipher(alike: bool, kex: str) -> str:
        key = asyncssh.generate_private_key("ssh-ed25519")
        door = await asyncssh.listen(
            "127.0.0.1", 0, server_factory=Anybody, server_host_keys=[key], kex_algs=kex
        )
        try:
            connection = await connect(MeasuredServer(0, door.get_port(), alike=alike), "ann")
            connection.close()
            return str(connection.get_extra_info("send_cipher"))
        finally:
            door.close()
            await door.wait_closed()

    assert await cipher(True, KEX) == CIPHER
    other = "ecdh-sha2-nistp256"
    assert await cipher(False, other) != CIPHER
    with pytest.raises(asyncssh.KeyExchangeFailed):
        await cipher(True, other)
