"""A mute holds by whatever key, name or way somebody comes next; the others of their network who play are heard."""

from collections.abc import AsyncIterator

import msgspec
import pytest

from cartino_protocol.accounts import AddKey, KeyCode, KeysView
from cartino_protocol.commands import Create, Cut, Invite, Join, Rename, Say, Watch
from cartino_protocol.exit_status import REFUSED, TOO_MANY
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView, TableView, Welcome
from cartino_server.store.people import open_people
from cartino_server.store.personal_data import DAY
from cartino_server.table.seating import Chair
from tests.support.doorway import NOW, Doorway, doorway
from tests.support.game_server import QUICK, Guest, texts

HERE, THERE = "192.0.2.1", "198.51.100.1"
ANN, EVE, FRESH = (f"SHA256:{name:_<43}" for name in ("ann", "eve", "fresh"))
MUTED = Refusal("muted")


@pytest.fixture
async def door() -> AsyncIterator[Doorway]:
    """A server that has muted Eve, who came from HERE."""
    people = open_people(None)
    async with doorway(people) as opened:
        await opened.mute(EVE, HERE)
        yield opened
    await people.close()


async def a_table(door: Doorway) -> str:
    """The code of a table of somebody else, elsewhere."""
    ann = await door.come("ann", THERE, ANN)
    return (await ann.ask(Create("caro", seats=2), TableView)).code


def name_of(guest: Guest) -> str:
    return next(answer.name for answer in reversed(guest.heard) if isinstance(answer, Welcome))


@pytest.mark.parametrize(
    ("key", "source"),
    [(EVE, HERE), (EVE, THERE), (FRESH, HERE), ("", HERE)],
    ids=["same", "away", "new key", "guest"],
)
async def test_a_mute_holds_for_every_command_that_others_read(door: Doorway, key: str, source: str) -> None:
    code = await a_table(door)
    eve = await door.come("rude words", source, key)
    assert name_of(eve).strip("~") == "player"
    await eve.ask(Join(code), TableView)
    for command in (Say("x"), Cut("x"), Rename("rude words"), Invite("ann")):
        assert await eve.refused(command) == MUTED


@pytest.mark.parametrize(("key", "source"), [(EVE, THERE), (FRESH, HERE)])
async def test_it_holds_in_the_shell(door: Doorway, key: str, source: str) -> None:
    visitor = await door.visitor("rude words", source, key)
    code = (await door.run(visitor, "challenge --game caro --json")).stdout.split('"')[3]
    reply = await door.run(visitor, f"chat {code} hello")
    assert (reply.status, "muted" in reply.stderr) == (REFUSED, True)
    ann = await door.come("ann", THERE, ANN)
    assert (await ann.ask(Watch(code), TableView)).seats[0].name == "player"
    other = await door.come("bob", THERE, f"SHA256:{'bob':_<43}")
    key_code = (await other.ask(KeyCode(), KeysView)).code
    await door.run(visitor, f"withdraw {code}")
    reply = await door.run(visitor, f"keys add {key_code}")
    assert (reply.status != 0, "muted" in reply.stderr) == (True, True)
    guest = door.call(visitor)
    assert guest.link.person.name == "player"


async def test_those_who_have_played_there_are_heard_and_so_is_everybody_elsewhere(
    door: Doorway, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = await a_table(door)
    book = door.server.services.presence.people.book
    book.store_seated_names([Chair("human", "zoe", "SHA256:zoe")], lambda *_: True, over=True)
    early = await door.come("zoe", HERE, "SHA256:zoe")
    await early.ask(Watch(code), TableView)
    assert await early.refused(Say("I played a moment ago")) == MUTED
    monkeypatch.setattr("tests.support.doorway.NOW", NOW + DAY)
    await door.mute(EVE, HERE)
    for name, source, key in (("zoe", HERE, "SHA256:zoe"), ("new", THERE, FRESH), ("gus", THERE, "")):
        guest = await door.come(name, source, key)
        assert name_of(guest).strip("~") == name
        await guest.ask(Watch(code), TableView)
        await guest.ask(Say(f"I am {name}"), ChatView, lambda chat, name=name: f"I am {name}" in texts(chat))  # type: ignore[misc]


async def test_a_muted_person_cannot_be_heard_by_another_account(door: Doorway) -> None:
    ann = await door.come("ann", THERE, ANN)
    eve = await door.come("eve", THERE, EVE)
    code = (await ann.ask(KeyCode(), KeysView)).code
    assert await eve.refused(AddKey(code)) == Refusal("account-muted")


async def test_a_report_leads_to_the_account_that_the_key_has_joined_since(door: Doorway) -> None:
    ann = await door.come("ann", THERE, ANN)
    bad = await door.come("bad", THERE, FRESH)
    bad.say(AddKey((await ann.ask(KeyCode(), KeysView)).code))
    await bad.end()
    found = await door.lookup.find("bad")
    assert (found.person, found.name) == (ANN, "ann")


async def test_changes_of_keys_count_as_much_in_the_shell() -> None:
    people = open_people(None)
    config = msgspec.structs.replace(QUICK, seats_burst=2)
    async with doorway(people, config=config) as door:
        visitor = await door.visitor("ann", HERE, ANN)
        replies = [await door.run(visitor, "keys code") for _ in range(3)]
        assert [reply.status for reply in replies] == [0, 0, TOO_MANY]
        # By whatever connection they come.
        other = await door.visitor("ann", HERE, ANN)
        assert (await door.run(other, "account delete --yes ann")).status == TOO_MANY
    await people.close()
