"""Processes of the load are started, told, heard, and gone with their block."""

import socket

import pytest

from bench import process
from bench.load.many import loading
from bench.placing import ALLOWED
from bench.server import BenchError, MeasuredServer

pytestmark = pytest.mark.e2e
ONE_CORE = tuple(sorted(ALLOWED)[:1])


@pytest.fixture
def nobody() -> MeasuredServer:
    """A port where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return MeasuredServer(0, port)


async def test_two_processes_share_what_is_to_be_done(nobody: MeasuredServer) -> None:
    async with loading(nobody, ONE_CORE * 2) as load:
        storm = await load.storm(40, 0.1)
        assert (len(storm.waits), storm.failed) == (0, 4)
        assert len(storm.late) == 4
        seen = await load.settle(0)
        assert seen.counts == seen.last == []
        assert load.cpu > 0


async def test_what_goes_wrong_there_is_told_here_and_nobody_stays_behind(nobody: MeasuredServer) -> None:
    async with loading(nobody) as load:
        pids = list(load.pids)
        with pytest.raises(BenchError, match="the load broke off"):
            await load.enter(3, "new", b"leave")
        # It obeys on.
        assert (await load.settle(0)).counts == []
    assert pids
    assert [process.cpu(pid) for pid in pids] == [0] * len(pids)
