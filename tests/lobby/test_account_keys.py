"""What people do with their keys, at a server: add, see, drop; and what they may not."""

import asyncio

import pytest

from cartino_protocol.accounts import (
    AddKey,
    DeleteAccount,
    DropKey,
    Ignored,
    Invited,
    KeyCode,
    KeyLine,
    Keys,
    KeysView,
)
from cartino_protocol.commands import Create, Hello, Ignore, Invite, Join, Leave, Rename, Stand
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye, Left, TableView, Welcome
from cartino_protocol.wire import VERSION
from cartino_server.lobby.key_codes import GOOD_FOR, TRIES
from cartino_server.server import Server
from cartino_server.store.moderation import BanList
from cartino_server.store.people import PeopleDatabase, load_names
from cartino_server.store.people import PersonKeys as KeptKeys
from cartino_server.table.link import Person
from tests.lobby.test_moderation import mute
from tests.support.game_server import NOW, QUICK, Guest, World, race_bots
from tests.support.race import Race

MODERATION, LAPTOP, PHONE = (f"SHA256:{name:_<43}" for name in ("desk", "laptop", "phone"))


async def come(server: Server, key: str, name: str, person: str = "") -> Guest:
    """Somebody by the key `key`, as the door lets them in: the person that it is."""
    guest = Guest(server.open_link(Person(person or key, name, not key, key)))
    await guest.ask(Hello(VERSION), Welcome)
    return guest


async def code_of(guest: Guest) -> str:
    view = await guest.ask(KeyCode(), KeysView)
    assert (view.done, view.minutes) == ("code", 10)
    return view.code


async def test_a_second_key_becomes_the_same_person(server: Server, people_db: PeopleDatabase) -> None:
    moderation, laptop = await come(server, MODERATION, "ann"), await come(server, LAPTOP, "ann")
    other = await come(server, LAPTOP, "ann")
    moved = server.services.connections.keys_moved
    assert await moderation.ask(Keys(), KeysView) == KeysView((KeyLine(MODERATION, here=True),))
    laptop.say(AddKey(await code_of(moderation)))
    # Nobody goes on as whom they are no more.
    for link in (laptop, other):
        assert (await link.end())[-1] == Bye("key-added")
    assert server.services.connections.keys_moved == moved + 1
    assert await KeptKeys(people_db).person_of(LAPTOP, 1) == MODERATION
    again = await come(server, LAPTOP, "ann", MODERATION)
    known = await again.ask(Keys(), KeysView)
    assert known == KeysView((KeyLine(MODERATION), KeyLine(LAPTOP, NOW, NOW, here=True)))
    assert not moderation.link.closed


async def test_who_came_before_their_key_was_added_to_somebody_can_do_nothing_with_keys(
    server: Server,
) -> None:
    moderation, laptop = await come(server, MODERATION, "ann"), await come(server, LAPTOP, "ann")
    laptop.say(AddKey(await code_of(moderation)))
    await laptop.end()
    # As if they had been let in before, and greeted after.
    late = await come(server, LAPTOP, "ann")
    assert (await late.refused(Keys())).reason == "key-moved"
    assert (await late.refused(KeyCode())).reason == "key-moved"


async def test_a_code_is_good_once_and_soon(server: Server, world: World) -> None:
    moderation, laptop, phone = [await come(server, key, "ann") for key in (MODERATION, LAPTOP, PHONE)]
    code = await code_of(moderation)
    laptop.say(AddKey(code))
    await laptop.end()
    assert (await phone.refused(AddKey(code))).reason == "bad-code"
    late = await code_of(moderation)
    world.skip(GOOD_FOR)
    assert (await phone.refused(AddKey(late))).reason == "bad-code"


async def test_who_tries_codes_is_stopped(server: Server) -> None:
    moderation, thief = await come(server, MODERATION, "ann"), await come(server, PHONE, "eve")
    code = await code_of(moderation)
    for _ in range(TRIES):
        assert (await thief.refused(AddKey("AAAAA-AAAAA"))).reason == "bad-code"
    assert (await thief.refused(AddKey(code))).reason == "too-many-tries"


async def test_ones_own_code_is_for_another_key(server: Server) -> None:
    moderation = await come(server, MODERATION, "ann")
    assert (await moderation.refused(AddKey(await code_of(moderation)))).reason == "key-yours"


async def test_who_sits_at_a_table_has_to_leave_it_first(server: Server) -> None:
    moderation, laptop = await come(server, MODERATION, "ann"), await come(server, LAPTOP, "bob")
    code = await code_of(moderation)
    await laptop.ask(Create("race"), TableView)
    assert (await laptop.refused(AddKey(code))).reason == "key-seated"
    other = await come(server, LAPTOP, "bob")
    assert (await other.refused(AddKey(code))).reason == "key-seated"


async def test_a_dropped_key_is_out_at_once_and_the_others_stay(
    server: Server, people_db: PeopleDatabase
) -> None:
    moderation, laptop = await come(server, MODERATION, "ann"), await come(server, LAPTOP, "ann")
    laptop.say(AddKey(await code_of(moderation)))
    await laptop.end()
    moved = server.services.connections.keys_moved
    again, twice = (
        await come(server, LAPTOP, "ann", MODERATION),
        await come(server, LAPTOP, "ann", MODERATION),
    )
    # The lost one is the first, whose name the person bears.
    left = await again.ask(DropKey("desk____"), KeysView)
    assert ([key.fingerprint for key in left.keys], left.done) == ([LAPTOP], "dropped")
    assert (await moderation.end())[-1] == Bye("key")
    assert server.services.connections.keys_moved == moved + 1
    assert (await twice.ask(Keys(), KeysView)).keys == left.keys
    stranger = await KeptKeys(people_db).person_of(MODERATION, 1)
    assert stranger.startswith("key:")
    # Whoever has it is somebody new, and can't do anything to the keys of whom it was.
    thief = await come(server, MODERATION, "ann", stranger)
    assert [key.fingerprint for key in (await thief.ask(Keys(), KeysView)).keys] == [MODERATION]
    assert (await thief.refused(DropKey(LAPTOP))).reason == "unknown-key"
    assert (await again.refused(DropKey(LAPTOP))).reason == "last-key"


@pytest.mark.parametrize("typed", ["desk", "SHA256:", "SHA256:desk", "phone___", "", "________"])
async def test_a_key_is_named_by_enough_of_it(server: Server, typed: str) -> None:
    moderation, laptop = await come(server, MODERATION, "ann"), await come(server, LAPTOP, "ann")
    laptop.say(AddKey(await code_of(moderation)))
    await laptop.end()
    assert await moderation.refused(DropKey(typed)) == Refusal("unknown-key", typed)


async def test_guests_have_none_and_are_told_how_to_get_one(server: Server) -> None:
    guest = await come(server, "", "gus", "guest:1")
    for command in (Keys(), KeyCode(), AddKey("x"), DropKey("SHA256:abcdefgh")):
        refusal = await guest.refused(command)
        assert refusal.reason == "no-key"
        assert "ssh-keygen" in refusal.sentence()


async def test_the_name_of_who_is_nobody_any_more_is_free(server: Server, people_db: PeopleDatabase) -> None:
    moderation = await come(server, MODERATION, "root")
    laptop = await come(server, LAPTOP, "ann")
    table = await laptop.ask(Create("race", seats=3), TableView)
    assert table.seats[0].name == "ann"
    laptop.link.close()
    laptop = await come(server, LAPTOP, "ann")
    await laptop.ask(Join(table.code), TableView)
    await laptop.ask(Stand(), TableView, lambda view: view.you is None)
    await laptop.ask(Leave(), Left)
    assert (await moderation.refused(Rename("ann"))).reason == "name-taken"
    laptop.say(AddKey(await code_of(moderation)))
    await laptop.end()
    assert (await moderation.ask(Rename("ann"), Welcome)).name == "ann"
    kept = await people_db.do(lambda db: load_names(db, 0))
    assert [(each.person, each.name) for each in kept] == [(MODERATION, "ann")]


async def test_what_somebody_is_called_outlives_the_server(
    server: Server, world: World, people_db: PeopleDatabase
) -> None:
    ann = await come(server, MODERATION, "root")
    await ann.ask(Rename("Ann"), Welcome)
    await server.close()
    names = await people_db.do(lambda db: load_names(db, 0))
    later = Server({"race": Race()}, race_bots(), QUICK, world.ports(), people_db=people_db, names=names)
    other = Guest(later.open_link(Person(LAPTOP, "ann", key=LAPTOP)))
    welcome = await other.ask(Hello(VERSION), Welcome)
    assert (welcome.name, welcome.missed, welcome.missed_for) == ("ann2", "ann", "name-taken")
    back = Guest(later.open_link(Person(MODERATION, "somebody", key=MODERATION)))
    welcome = await back.ask(Hello(VERSION), Welcome)
    assert (welcome.name, welcome.missed) == ("Ann", "")
    await later.close()


async def deleted(server: Server, guest: Guest, name: str) -> None:
    guest.say(DeleteAccount(name))
    await guest.end()
    while server.services.account_data.is_going(guest.link.person.id):
        await asyncio.sleep(0)


async def test_a_code_ends_with_its_account(server: Server, people_db: PeopleDatabase) -> None:
    desk, laptop = await come(server, MODERATION, "ann"), await come(server, LAPTOP, "eve")
    code = await code_of(desk)
    await deleted(server, desk, "ann")
    assert (await laptop.refused(AddKey(code))).reason == "bad-code"
    assert await KeptKeys(people_db).person_of(LAPTOP, 1) == LAPTOP


async def test_a_code_ends_when_a_key_of_its_owner_joins_or_leaves(server: Server) -> None:
    desk, laptop, phone = [await come(server, key, "ann") for key in (MODERATION, LAPTOP, PHONE)]
    # Nobody is left who could take in the owner of the second code.
    first, second = await code_of(desk), await code_of(laptop)
    laptop.say(AddKey(first))
    await laptop.end()
    assert (await phone.refused(AddKey(second))).reason == "bad-code"
    # The dropped key may have asked for the code.
    again = await come(server, LAPTOP, "ann", MODERATION)
    third = await code_of(again)
    await desk.ask(DropKey("laptop__"), KeysView)
    assert (await phone.refused(AddKey(third))).reason == "bad-code"


async def test_who_is_muted_neither_joins_an_account_nor_splits_one(server: Server, bans: BanList) -> None:
    desk, laptop = await come(server, MODERATION, "ann"), await come(server, LAPTOP, "eve")
    code = await code_of(desk)
    await mute(bans, LAPTOP)
    assert await laptop.refused(AddKey(code)) == Refusal("account-muted")
    await bans.lift(bans.all()[0].id)
    laptop.say(AddKey(code))
    await laptop.end()
    await mute(bans, MODERATION)
    assert await desk.refused(DropKey("laptop__")) == Refusal("account-muted")
    # To be joined by another key ends no mute.
    assert await code_of(desk)


async def test_those_who_mute_somebody_mute_the_account_that_their_key_joins_or_leaves(
    server: Server, people_db: PeopleDatabase
) -> None:
    desk, eve = await come(server, MODERATION, "ann"), await come(server, LAPTOP, "eve")
    bob, zoe = await come(server, PHONE, "bob"), await come(server, f"SHA256:{'zoe':_<43}", "zoe")
    for each in (bob, zoe):
        await each.ask(Ignore(name="eve"), Ignored)
    zoe.link.close()
    eve.say(AddKey(await code_of(desk)))
    await eve.end()
    mark = server.services.queries.authors.mark
    told = await bob.wait(Ignored, lambda view: len(view.people) == 2)
    assert {each.who for each in told.people} == {mark(LAPTOP), mark(MODERATION)}
    assert await server.services.queries.mutes.is_ignored(zoe.link.person.id, MODERATION)
    # The first key becomes somebody new when it is dropped, and so does each key of an account that is deleted.
    again = await come(server, LAPTOP, "ann", MODERATION)
    await again.ask(DropKey("desk____"), KeysView)
    fresh = await KeptKeys(people_db).person_of(MODERATION, 1)
    assert await server.services.queries.mutes.is_ignored(bob.link.person.id, fresh)
    await deleted(server, again, "ann")
    assert await server.services.queries.mutes.is_ignored(bob.link.person.id, LAPTOP)


async def test_invitations_of_who_is_nobody_any_more_end(server: Server) -> None:
    desk, eve, bob = [
        await come(server, key, name) for key, name in ((MODERATION, "ann"), (LAPTOP, "eve"), (PHONE, "bob"))
    ]
    await bob.ask(Create("race", seats=3), TableView)
    await bob.ask(Invite("eve"), Invited)
    eve.say(AddKey(await code_of(desk)))
    await eve.end()
    assert len(server.services.queries.invitations) == 0
