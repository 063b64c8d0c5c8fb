"""The server in this process, as its workers need it."""

from collections.abc import Sequence

from structlog.testing import capture_logs

from cartino_protocol.text import LazyMessage
from cartino_server.app.command_handler import LocalBackend
from cartino_server.app.worker_backend import COMMAND_CRASHED, WorkerServices
from cartino_server.server import Server
from cartino_server.ssh.authentication import LOGIN_FAILED as UNJUDGED
from cartino_server.ssh.authentication import LoginTracker
from cartino_server.visitors import LoginRequest, LoginResult, Reply, Visitor
from tests.support.games import BOTS, GAMES
from tests.support.open_gate import allow_everyone

CALLER = Visitor("s1", "SHA256:ann", "ann", guest=False, connection=4, key="SHA256:ann")
ENTRANCE = allow_everyone()


class MadeUp(LocalBackend):
    """A host that says `said` to whatever it is asked, or breaks where there is none."""

    def __init__(self, said: Reply | None) -> None:
        super().__init__(Server(GAMES, BOTS))
        self._said = said
        self.asked: list[tuple[Visitor, Sequence[str]]] = []

    async def run_command(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        self.asked.append((visitor, words))
        if self._said is None:
            raise RuntimeError("boom")
        return self._said


async def test_it_answers_as_its_host() -> None:
    host = MadeUp(Reply("out", "err", 2))
    assert await WorkerServices(host, ENTRANCE).run_command(CALLER, ("games",)) == Reply("out", "err", 2)
    assert host.asked == [
        (Visitor("s1", "SHA256:ann", "ann", guest=False, connection=4, key="SHA256:ann"), ("games",))
    ]
    home = WorkerServices(LocalBackend(Server(GAMES, BOTS)), ENTRANCE)
    assert (await home.run_command(CALLER, ("games",))).stdout.startswith("No tables yet")


async def test_a_link_is_of_whoever_has_come() -> None:
    home = WorkerServices(LocalBackend(Server(GAMES, BOTS)), ENTRANCE)
    assert home.open_link(CALLER).person == home.open_link(CALLER).person
    guest = home.open_link(Visitor("s2", "guest-7", "bob", guest=True)).person
    assert (guest.id, guest.name, guest.guest) == ("guest-7", "bob", True)


async def test_what_breaks_in_the_server_is_told_as_a_number() -> None:
    with capture_logs() as logs:
        told = await WorkerServices(MadeUp(None), ENTRANCE).run_command(CALLER, ("games",))
    assert told == Reply(stderr=f"{COMMAND_CRASHED.format(id='s1')}\n", status=1)
    assert [(line["event"], line["session"]) for line in logs] == [("a question broke", "s1")]


class Keeper:
    """Lets ann in, refuses bob, and breaks at anybody else."""

    def __init__(self) -> None:
        self.gone: list[int] = []

    async def judge(self, newcomer: LoginRequest) -> LoginResult:
        if newcomer == LoginRequest(1, "192.0.2.1", "SHA256:ann", "ann", "OpenSSH"):
            return LoginResult("SHA256:first")
        if newcomer.user == "bob":
            return LoginResult(refused=LazyMessage("Not you."))
        raise RuntimeError("boom")

    def forget_connection(self, connection: int) -> None:
        self.gone.append(connection)


async def test_who_has_logged_in_is_judged_and_leaves_once() -> None:
    keeper = Keeper()
    home = WorkerServices(LocalBackend(Server(GAMES, BOTS)), LoginTracker(keeper, allow_everyone().admission))
    judged = await home.judge(LoginRequest(1, "192.0.2.1", "SHA256:ann", "ann", "OpenSSH"))
    assert judged == LoginResult("SHA256:first")
    assert await home.judge(LoginRequest(2, "", "", "bob")) == LoginResult(refused=LazyMessage("Not you."))
    with capture_logs() as logs:
        judged = await home.judge(LoginRequest(3, "", "", "eve"))
    assert (judged.person, judged.refused) == ("", UNJUDGED)
    assert [line["log_level"] for line in logs] == ["error"]
    for connection in (3, 2, 1, 1, 4):
        home.record_connection_end(connection, "whatever")
    assert keeper.gone == [3, 2, 1]
