"""What a server asks its administration: about mutes, names and keys, and what it has before anybody comes in."""

from collections.abc import AsyncIterator

import pytest

from cartino_protocol.accounts import AddKey, KeyCode, KeysView, Reported
from cartino_protocol.commands import Create, Join, Report, Say, Watch
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye, ChatView, TableView
from cartino_server.app.administration import Administration
from cartino_server.lobby.people.names import looks
from cartino_server.operations.settings import SettingsChange
from cartino_server.store.people import open_people
from cartino_server.table import chat
from tests.support.doorway import Doorway, doorway
from tests.support.game_server import Guest

ANN, BO = "SHA256:ann", "SHA256:bo"


@pytest.fixture
async def door() -> AsyncIterator[Doorway]:
    people = open_people(None)
    async with doorway(people) as door:
        yield door
    await people.close()


async def test_a_name_that_was_banned_is_at_no_table(door: Doorway) -> None:
    guests = [await door.come(name, key=key) for name, key in (("Slur", ANN), ("Bo", BO))]
    tables = [await guest.ask(Create("cartino"), TableView) for guest in guests]
    assert [table.seats[0].name for table in tables] == ["Slur", "Bo"]
    for guest in guests:
        guest.link.close()
    await door.bans.add("name", "\n".join(looks("Slur")), None, "", "x", "Slur")
    # As at the next start.
    Administration(
        door.server,
        door.keeper,
        door.people,
        door.bans,
        reread=lambda: SettingsChange((), ()),
        stop=lambda: None,
    )
    assert [door.server.services.overview.name_of(person) for person in (ANN, BO)] == ["player", "Bo"]


async def test_a_muted_guest_and_a_key_that_moved_are_noticed(door: Doorway) -> None:
    await door.mute("guest:x", "192.0.2.1")
    guest = await door.come("loud")
    assert (await guest.refused(Say("x"))).reason == "muted"
    source = "198.51.100.1"
    ann, bo = await door.come("Ann", source, ANN), await door.come("Bo", source, BO)
    assert await ann.refused(Say("x")) == Refusal("not-in-room")
    code = (await ann.ask(KeyCode(), KeysView)).code
    bo.say(AddKey(code))
    assert (await bo.end())[-1] == Bye("key-added")
    assert not door.keeper.active.admits(3, BO)
    assert door.keeper.active.admits(2, ANN)


async def test_a_line_can_be_reported_though_many_of_one_network_say_a_word_each(
    door: Doorway, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A network of 48 bits has 65,536 of the kind that one person may have."""
    monkeypatch.setattr(chat, "KEPT", 8)
    ann = await door.come("Ann", key=ANN)
    code = (await ann.ask(Create("cartino", seats=3), TableView)).code
    bo = await door.come("Bo", "198.51.100.1", BO)
    await bo.ask(Join(code), TableView)
    number = await _say(bo, "an insult")
    for word in ("more", "and more"):
        await _say(bo, word)
    for each in range(12):
        key = f"SHA256:{each}"
        stranger = await door.come(f"stranger {each}", f"2001:db8:7:{each:x}::1", key)
        await stranger.ask(Watch(code), TableView)
        await _say(stranger, f"x{each}")
        assert await door.server.services.remote_tables.do(key, code, Say("and from a shell")) is None
    assert await ann.ask(Report(number), Reported) == Reported(number, "Bo")


async def _say(guest: Guest, text: str) -> int:
    """Say it; return the number of the line."""
    view = await guest.ask(Say(text), ChatView, lambda view: view.lines and view.lines[-1].text == text)
    return view.lines[-1].n
