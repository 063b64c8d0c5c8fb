"""What a server asks whoever keeps it: of voices, names and keys, and what it has before anybody comes in."""

from pathlib import Path

import pytest

from cartino_protocol.accounts import AddKey, KeyCode, KeysView, Reported
from cartino_protocol.commands import Create, Hello, Join, Report, Say, Watch
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye, ChatView, TableView, Welcome
from cartino_protocol.wire import VERSION
from cartino_server.app.administration import Administration
from cartino_server.lobby.people.names import looks
from cartino_server.operations.login import ServerAuthenticator
from cartino_server.operations.settings import ServerSettings, SettingsChange
from cartino_server.server import Server
from cartino_server.store.moderation import BanList
from cartino_server.store.people import PersonKeys, open_people
from cartino_server.table import chat
from cartino_server.table.link import Person
from cartino_server.visitors import LoginRequest
from tests.support.game_server import QUICK, Guest, World, race_bots
from tests.support.race import Race

ANN, BO = "SHA256:ann", "SHA256:bo"
FOR_EVER = 4_000_000_000


class Kept:
    """A server, and whoever keeps it once it is told to."""

    def __init__(self, data: Path) -> None:
        self.people_db = open_people(data)
        self.bans = BanList(self.people_db, lambda: 1_000_000.0)
        self.server = Server(
            {"race": Race()}, race_bots(), QUICK, World().ports(), people_db=self.people_db, bans=self.bans
        )

        services = self.server.services
        self.keeper = ServerAuthenticator(
            PersonKeys(self.people_db),
            self.bans,
            services.connections,
            services.moderation,
            services.overview,
            ServerSettings(),
        )

    def keep(self) -> Administration:
        return Administration(
            self.server,
            self.keeper,
            self.people_db,
            self.bans,
            reread=lambda: SettingsChange((), ()),
            stop=lambda: None,
        )

    async def comes(self, connection: int, key: str, name: str, source: str = "192.0.2.1") -> Guest:
        verdict = await self.keeper.judge(LoginRequest(connection, source, key, name, "x"))
        return await self.is_here(Person(verdict.person, name, not key, key), connection)

    async def is_here(self, person: Person, connection: int = 0) -> Guest:
        guest = Guest(self.server.open_link(person, connection))
        await guest.ask(Hello(VERSION), Welcome)
        return guest

    async def close(self) -> None:
        await self.server.close()
        await self.people_db.close()


async def test_nobody_is_called_by_a_banned_name_at_a_table_from_before(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    slur, bo = await kept.is_here(Person(ANN, "Slur", key=ANN)), await kept.is_here(Person(BO, "Bo", key=BO))
    tables = [await guest.ask(Create("race"), TableView) for guest in (slur, bo)]
    assert [table.seats[0].name for table in tables] == ["Slur", "Bo"]
    for guest in (slur, bo):
        guest.link.close()
    await kept.bans.add("name", "\n".join(looks("Slur")), None, "", "x", "Slur")
    kept.keep()
    assert [kept.server.services.overview.name_of(person) for person in (ANN, BO)] == ["player", "Bo"]
    await kept.close()


async def test_a_muted_guest_and_a_key_that_moved_are_heard_of(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.keep()
    await kept.bans.add("voice", "guest:x\n192.0.2.1", FOR_EVER, "", "x", "~loud")
    guest = await kept.comes(1, "", "loud")
    assert (await guest.refused(Say("x"))).reason == "muted-until"
    source = "198.51.100.1"
    ann, bo = await kept.comes(2, ANN, "Ann", source), await kept.comes(3, BO, "Bo", source)
    assert await ann.refused(Say("x")) == Refusal("not-in-room")
    code = (await ann.ask(KeyCode(), KeysView)).code
    bo.say(AddKey(code))
    assert (await bo.end())[-1] == Bye("key-added")
    assert not kept.keeper.active.admits(3, BO), "nothing begins any more for who is nobody"
    assert kept.keeper.active.admits(2, ANN)
    await kept.close()


async def test_a_line_can_be_reported_though_many_from_one_place_say_a_word_each_behind_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One network of 48 bits has 65,536 of the kind that one person may have."""
    monkeypatch.setattr(chat, "KEPT", 8)
    kept = Kept(tmp_path)
    kept.keep()
    ann = await kept.comes(1, ANN, "Ann")
    code = (await ann.ask(Create("race", seats=3), TableView)).code
    bo = await kept.comes(2, BO, "Bo", "198.51.100.1")
    await bo.ask(Join(code), TableView)
    number = await _say(bo, "an insult")
    for word in ("more", "and more"):
        await _say(bo, word)
    for each in range(12):
        key, source = f"SHA256:{each}", f"2001:db8:7:{each:x}::1"
        stranger = await kept.comes(10 + each, key, f"stranger {each}", source)
        await stranger.ask(Watch(code), TableView)
        await _say(stranger, f"x{each}")
        assert await kept.server.services.remote_tables.do(key, code, Say("and from a shell")) is None
    assert await ann.ask(Report(number), Reported) == Reported(number, "Bo")
    await kept.close()


async def _say(guest: Guest, text: str) -> int:
    """Say it; the number of the line."""
    told = await guest.ask(Say(text), ChatView, lambda told: told.lines and told.lines[-1].text == text)
    return told.lines[-1].n
