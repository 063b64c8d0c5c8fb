"""How fast may be asked from shells, by one person and from one network, and that others don't feel a loop."""

from collections.abc import AsyncIterator, Sequence

import pytest

from cartino_protocol.commands import Hello
from cartino_protocol.exit_status import TOO_MANY
from cartino_protocol.views import Welcome
from cartino_protocol.wire import VERSION
from cartino_server.app.command_handler import REFUSAL_DELAY, TOO_FAST_MESSAGE, LocalBackend
from cartino_server.limits import ServerConfig
from cartino_server.lobby.rate_limit import NETWORK_FACTOR
from cartino_server.server import Server
from cartino_server.table.link import Person
from cartino_server.visitors import Reply, Visitor
from cartino_tui.i18n import Translator
from tests.support.game_server import Guest, World, connect
from tests.support.games import BOTS, GAMES

BURST = ServerConfig().burst
NETWORKS = {1: "192.0.2.1", 2: "192.0.2.1", 3: "192.0.2.3", 4: ""}


def somebody(connection: int, key: str = "") -> Visitor:
    person = f"SHA256:{key}" if key else f"guest:{connection}"
    return Visitor("1", person, "ann", not key, {}, connection, person if key else "")


class Asked:
    """A server of which is asked, and a note of how long those waited who asked too fast."""

    def __init__(self) -> None:
        self.world = World()
        self.server = Server(GAMES, BOTS, config=ServerConfig(), ports=self.world.ports())
        for number, address in NETWORKS.items():
            connect(self.server, address, number)
        self.waited: list[float] = []
        self.host = LocalBackend(self.server, wait=self.wait)

    async def wait(self, seconds: float) -> None:
        self.waited.append(seconds)

    async def answered(self, visitor: Visitor, words: str, times: int) -> int:
        """How many of so many questions are answered; all others have to be refused, in one sentence."""
        replies = [await self.host.run_command(visitor, words.split()) for _ in range(times)]
        refused = [reply for reply in replies if reply.status == TOO_MANY]
        assert all(reply == Reply(stderr=f"{TOO_FAST_MESSAGE}\n", status=TOO_MANY) for reply in refused)
        assert self.waited == [REFUSAL_DELAY] * len(refused)
        self.waited.clear()
        return len(replies) - len(refused)


@pytest.fixture
async def asked() -> AsyncIterator[Asked]:
    asked = Asked()
    yield asked
    await asked.server.close()


async def test_a_loop_is_answered_as_fast_as_a_person_may_send_commands(asked: Asked) -> None:
    ann = somebody(3, "ann")
    assert await asked.answered(ann, "games", 3 * BURST) == BURST
    asked.world.skip(0.5)
    assert await asked.answered(ann, "help", BURST) == ServerConfig().rate / 2
    assert await asked.answered(somebody(3, "bo"), "games", 1) == 1, "somebody else is answered"


@pytest.mark.parametrize(
    "words", ["games --finished", "games --fin --json", "top", "profile", "export K7QP-3", "review K7QP-3"]
)
async def test_what_is_more_work_counts_more(asked: Asked, words: str) -> None:
    assert await asked.answered(somebody(4, "ann"), words, BURST) == BURST // 5


async def test_what_is_wrong_counts_as_anything(asked: Asked) -> None:
    assert await asked.answered(somebody(4, "ann"), "gmaes", 2 * BURST) == BURST
    assert await asked.answered(somebody(4, "bo"), "games --help", 2 * BURST) == BURST


async def test_keys_that_are_made_for_it_are_counted_by_where_they_come_from(asked: Asked) -> None:
    got = [await asked.answered(somebody(1 + n % 2, f"{n}"), "games", BURST) for n in range(10)]
    assert sum(got) == NETWORK_FACTOR * BURST
    assert await asked.answered(somebody(3, "far"), "games", 1) == 1
    free = [await asked.answered(somebody(4, f"free {n}"), "games", BURST) for n in range(10)]
    assert free == [BURST] * 10, "where nobody is counted by it"


async def test_guests_are_counted_by_where_they_come_from_and_those_at_tables_feel_nothing(
    asked: Asked,
) -> None:
    assert await asked.answered(somebody(1), "games", 5 * BURST) == NETWORK_FACTOR * BURST
    assert await asked.answered(somebody(2), "games", 1) == 0
    assert await asked.answered(somebody(3), "games", 1) == 1
    guest = Guest(asked.server.open_link(Person("guest:2", "ann", guest=True), 2))
    await guest.ask(Hello(VERSION), Welcome)


class Hosts:
    """Knows everybody as a host."""

    def knows(self, visitor: Visitor) -> bool:
        return True

    async def run_command(self, visitor: Visitor, words: Sequence[str], translator: Translator) -> Reply:
        return Reply(stdout="done\n")


async def test_hosts_may_ask_as_often_as_they_like(asked: Asked) -> None:
    asked.host = LocalBackend(asked.server, admin=Hosts(), wait=asked.wait)
    for words in ("games", "top", "admin who"):
        assert await asked.answered(somebody(1, "ann"), words, 200) == 200
