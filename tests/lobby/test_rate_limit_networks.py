"""Strangers of one network are measured together, however often they come as somebody new."""

from collections.abc import AsyncIterator, Sequence

import pytest

from cartino_protocol.accounts import Reported
from cartino_protocol.commands import Command, Create, Hello, Rename, Report, Say, Watch
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Answer, ChatLine, ChatView, TableView, Welcome
from cartino_protocol.wire import VERSION
from cartino_server.limits import ServerConfig
from cartino_server.lobby.rate_limit import NETWORK_FACTOR
from cartino_server.operations.login import ServerAuthenticator
from cartino_server.server import Server
from cartino_server.store.moderation import MAX_REPORTS_PER_HOUR, BanList
from cartino_server.store.people import PersonKeys, StoredName, open_people
from cartino_server.table.link import Person
from cartino_server.visitors import LoginRequest
from tests.support.admission_settings import login_settings
from tests.support.game_server import Guest, World, race_bots, texts
from tests.support.race import Race

HERE, THERE = "192.0.2.1", "198.51.100.1"
CONFIG = ServerConfig(bot_pause=0, lobby_every=0, spectators_every=0, tables_each=2, tables_a_source=6)

PLAYED = StoredName("SHA256:old0", "old", ("old",), 0, played=True)


class Doors:
    """A server behind a doorkeeper who knows where everybody comes from."""

    def __init__(self) -> None:
        self.world = World()
        self.people_db = open_people(None)
        self.server = Server(
            {"race": Race()},
            race_bots(),
            CONFIG,
            self.world.ports(),
            people_db=self.people_db,
            names=[PLAYED],
        )
        self.keeper = ServerAuthenticator(
            PersonKeys(self.people_db),
            BanList(self.people_db, lambda: 0.0),
            self.server.services.connections,
            self.server.services.moderation,
            self.server.services.overview,
            login_settings(exempt=("203.0.113.0/24",)),
        )
        self._connections = 0

    async def comes(self, source: str, name: str = "eve", key: str = "") -> Guest:
        self._connections += 1
        number = self._connections
        verdict = await self.keeper.judge(LoginRequest(number, source, key, name))
        guest = Guest(self.server.open_link(Person(verdict.person, name, not key, key), number))
        await guest.ask(Hello(VERSION), Welcome)
        return guest

    def goes(self, guest: Guest) -> None:
        guest.link.close()
        self.keeper.forget_connection(guest.link.connection)


@pytest.fixture
async def doors() -> AsyncIterator[Doors]:
    opened = Doors()
    yield opened
    await opened.server.close()
    await opened.people_db.close()


async def asked(guest: Guest, command: Command, *kinds: type[Answer]) -> Answer:
    guest.say(command)
    while not isinstance(answer := await guest.next(), (*kinds, Refusal)):
        pass
    return answer


async def says(guest: Guest, text: str) -> bool:
    guest.say(Say(text))
    while True:
        answer = await guest.next()
        if isinstance(answer, Refusal):
            return False
        if isinstance(answer, ChatView) and text in texts(answer):
            return True


async def spoken(doors: Doors, code: str, sources: Sequence[str], key: str = "") -> int:
    """How many lines are heard of those who come from there in turn, say five lines, and go."""
    heard = 0
    for number, source in enumerate(sources):
        guest = await doors.comes(source, key=f"{key}{number}" if key else "")
        await guest.ask(Watch(code), TableView)
        heard += sum([await says(guest, f"{key} {source} {number} {line}".strip()) for line in range(5)])
        doors.goes(guest)
    return heard


async def test_talk(doors: Doors) -> None:
    ann = await doors.comes(THERE, "ann", "SHA256:ann")
    code = (await ann.ask(Create("race"), TableView)).code
    assert await spoken(doors, code, [HERE] * 8) == 5 * NETWORK_FACTOR
    # An address of IPv6 is one of 2 ** 64 that somebody has.
    assert (
        await spoken(doors, code, [f"2001:db8::{number:x}" for number in range(1, 9)]) == 5 * NETWORK_FACTOR
    )
    assert await spoken(doors, code, [f"203.0.113.{number}" for number in range(4)]) == 20
    assert await spoken(doors, code, [HERE] * 2, key="SHA256:") == 0
    assert await says(ann, "is it quiet again?")
    doors.world.time += 10
    assert await spoken(doors, code, [HERE] * 4) == 5 * NETWORK_FACTOR


async def test_talk_of_keys_that_are_made_for_it(doors: Doors) -> None:
    ann = await doors.comes(THERE, "ann", "SHA256:ann")
    code = (await ann.ask(Create("race"), TableView)).code
    assert await spoken(doors, code, [HERE] * 8, key="SHA256:new") == 5 * NETWORK_FACTOR
    assert await spoken(doors, code, [HERE], key="SHA256:old") == 5, "who has played before is no stranger"
    fresh = await doors.comes(HERE, "eve", "SHA256:eve")
    await fresh.ask(Watch(code), TableView)
    remote_tables, connection = doors.server.services.remote_tables, fresh.link.connection
    said = Refusal("too-much-talk")
    assert await remote_tables.do("SHA256:eve", code, Say("from a shell"), connection) == said
    doors.world.time += 10
    assert await remote_tables.do("SHA256:eve", code, Say("from a shell"), connection) is None


async def test_names_and_seats(doors: Doors) -> None:
    taken = 0
    for number in range(50):
        guest = await doors.comes(HERE)
        taken += isinstance(await asked(guest, Rename(f"eve {number}"), Welcome), Welcome)
        doors.goes(guest)
    assert taken == NETWORK_FACTOR * CONFIG.seats_burst


async def test_tables_with_somebody_at_them(doors: Doors) -> None:
    opened = []
    for _ in range(4 * CONFIG.tables_each):
        guest = await doors.comes(HERE)
        opened.append(isinstance(await asked(guest, Create("race"), TableView), TableView))
    assert sum(opened) == CONFIG.tables_a_source
    other = await doors.comes(THERE)
    assert isinstance(await asked(other, Create("race"), TableView), TableView)


async def test_reports(doors: Doors) -> None:
    ann = await doors.comes(THERE, "ann", "SHA256:ann")
    code = (await ann.ask(Create("race"), TableView)).code
    assert await says(ann, "abuse")
    kept = number = 0
    for _ in range(2 * NETWORK_FACTOR * MAX_REPORTS_PER_HOUR):
        guest = await doors.comes(HERE)
        chat = await guest.ask(Watch(code), ChatView)
        number = next(each.n for each in chat.talk if isinstance(each, ChatLine))
        kept += isinstance(await asked(guest, Report(number), Reported), Reported)
        doors.goes(guest)
    assert kept == NETWORK_FACTOR * MAX_REPORTS_PER_HOUR
    # Nobody else's reports are used up by it.
    other = await doors.comes("198.51.100.2")
    await other.ask(Watch(code), ChatView)
    assert isinstance(await asked(other, Report(number), Reported), Reported)
