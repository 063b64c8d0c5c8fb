"""A server in another process, for the door's reception."""

import asyncio

from cartino_protocol.exit_status import BROKEN_OFF
from cartino_protocol.text import LazyMessage
from cartino_server.app.requests import SERVER_UNAVAILABLE, WorkerBackend
from cartino_server.limits import SessionLimits
from cartino_server.ssh.session import UNKNOWN_OUTCOME
from cartino_server.visitors import LoginRequest, LoginResult, Reply, Visitor
from cartino_server.workers.messages import (
    CommandAnswered,
    CommandRequest,
    Configure,
    LinkOpened,
    LoginAttempt,
    LoginDecision,
)
from tests.support.noted_line import NotedLine

ANN = Visitor("s1", "SHA256:ann", "ann", guest=False)
CALLER = Visitor("s1", "SHA256:ann", "ann", guest=False)


async def test_visitors_are_passed_on_as_they_are() -> None:
    line = NotedLine()
    host = WorkerBackend(line)
    host.open_link(ANN)
    asking = asyncio.create_task(host.run_command(ANN, ["games", "--json"]))
    await asyncio.sleep(0)
    assert line.said == [LinkOpened(1, CALLER), CommandRequest(2, CALLER, ("games", "--json"))]
    host.handle(CommandAnswered(2, Reply("out", "err", 2)))
    assert await asking == Reply("out", "err", 2)
    host.handle(Configure("text", "ssh there", SessionLimits()))
    assert host.connect_command == "ssh there"


async def test_without_a_server_there_is_a_sentence() -> None:
    host = WorkerBackend(NotedLine())
    host.lose()
    assert await host.run_command(ANN, ["games"]) == Reply(stderr=f"{UNKNOWN_OUTCOME}\n", status=BROKEN_OFF)


NEWCOMER = LoginRequest(7, "192.0.2.1", "SHA256:ann", "ann", "OpenSSH")


async def test_who_has_logged_in_is_judged_there() -> None:
    line = NotedLine()
    host = WorkerBackend(line)
    judging = asyncio.create_task(host.judge(NEWCOMER))
    await asyncio.sleep(0)
    assert line.said == [LoginAttempt(LoginRequest(7, "192.0.2.1", "SHA256:ann", "ann", "OpenSSH"))]
    host.handle(LoginDecision(8, LoginResult("SHA256:bob")))
    host.handle(LoginDecision(7, LoginResult("SHA256:first")))
    host.handle(LoginDecision(7, LoginResult("SHA256:again")))
    assert await judging == LoginResult("SHA256:first")


async def test_without_a_server_nobody_is_let_in() -> None:
    host = WorkerBackend(NotedLine())
    judging = asyncio.create_task(host.judge(NEWCOMER))
    await asyncio.sleep(0)
    host.lose()
    refused = LoginResult(refused=LazyMessage(SERVER_UNAVAILABLE), status=BROKEN_OFF)
    assert await judging == await host.judge(NEWCOMER) == refused
