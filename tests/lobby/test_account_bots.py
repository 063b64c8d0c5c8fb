"""A key becomes a bot account before its first game and stays one; the mark of its name, and its ratings."""

from cartino_protocol.accounts import AccountView, AddKey, DeleteAccount, KeyCode, Keys, KeysView
from cartino_protocol.commands import Create, Join, Leaders, Profile, Rename, Summary
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import LeadersView, OnlineView, ProfileView, TableView, Welcome
from cartino_server.lobby.people.connections import ActiveConnection
from cartino_server.server import Server
from cartino_server.store.people import PeopleDatabase, PersonKeys
from cartino_server.table.link import Person
from cartino_server.visitors import BOT_PERSON_PREFIX, BecomeBot, is_bot_person
from tests.support.game_server import Guest, a_guest
from tests.support.journal import MemoryJournal
from tests.support.lasting import play, summed_up

ANN = Person("SHA256:ann", "ann", key="SHA256:ann")


async def become(server: Server, person: Person = ANN, typed: str = "ann") -> AccountView | Refusal:
    return await server.services.account_data.answer_account_query(person, "ann", BecomeBot(typed))


async def person_of(server: Server) -> str:
    """Whose key Ann's is."""
    assert server.people_db is not None
    return await PersonKeys(server.people_db).person_of(ANN.key, 0)


async def bot_of(server: Server) -> Guest:
    """The bot account of Ann's key, which has come in."""
    await become(server)
    return await a_guest(server, "ann", person=await person_of(server))


async def test_a_key_becomes_a_bots_for_good(server: Server) -> None:
    assert await become(server, typed="bob") == Refusal("account-name", "ann")
    assert await become(server) == AccountView("bot+ann", done="bot")
    bot = await person_of(server)
    assert is_bot_person(bot)
    person = Person(bot, "ann", key=ANN.key)
    assert await become(server, person) == Refusal("bot-account")
    answer = server.services.account_data.keys.answer_key_query
    for query in (KeyCode(), AddKey("X" * 10)):
        assert await answer(person, query) == Refusal("bot-account")
    assert isinstance(await answer(person, Keys()), KeysView)
    # Deleting it makes no person of the key.
    await server.services.account_data.answer_account_query(person, "bot+ann", DeleteAccount("bot+ann"))
    other = await person_of(server)
    assert is_bot_person(other)
    assert other != bot


async def test_its_links_are_ended(server: Server) -> None:
    server.services.connections.add(ActiveConnection(1, "192.0.2.1", ANN.id, ANN.key, "ann", "", 0.0))
    ann = await a_guest(server, "ann", person=ANN.id)
    await become(server)
    await ann.end()
    assert not server.services.connections.admits(1, ANN.id)


async def test_who_has_played_or_sits_stays_a_person(server: Server, journal: MemoryJournal) -> None:
    ann, bob = await a_guest(server, "ann", person=ANN.id), await a_guest(server, "bob")
    await ann.ask(Create("race"), TableView)
    assert await become(server) == Refusal("bot-late")
    await play(ann, bob)
    ann.link.close()
    assert await become(server) == Refusal("bot-late")
    assert await person_of(server) == ANN.id


async def test_guests_and_people_with_several_keys_are_refused(
    server: Server, people_db: PeopleDatabase
) -> None:
    assert await become(server, Person("guest:1", "ann", guest=True)) == Refusal("no-key")
    await PersonKeys(people_db).add(ANN.id, "SHA256:second", 1)
    assert await become(server) == Refusal("bot-late")


async def test_its_name_has_its_mark_everywhere(server: Server) -> None:
    bot, bob = await bot_of(server), await a_guest(server, "bob")
    welcome = next(each for each in bot.heard if isinstance(each, Welcome))
    assert (welcome.name, welcome.missed) == ("bot+ann", "")
    online = await bob.ask(Summary(), OnlineView)
    assert "bot+ann" in online.names
    table = await bot.ask(Create("race", clock="30s"), TableView)
    seen = await bob.ask(Join(table.code), TableView, lambda table: table.state == "playing")
    assert [seat.name for seat in seen.seats] == ["bot+ann", "bob"]
    renamed = await bot.ask(Rename("deep thinker two"), Welcome)
    assert renamed.name == "bot+deep thinker"
    assert (await bob.refused(Rename("bot+bob"))).reason == "bad-name"
    plain = await a_guest(server, "bot+eve", person="SHA256:eve")
    assert next(each.name for each in plain.heard if isinstance(each, Welcome)) == "eve"


async def test_a_bot_and_a_person_may_have_the_same_name(server: Server) -> None:
    await bot_of(server)
    ann = await a_guest(server, "ann", person="SHA256:other")
    assert next(each.name for each in ann.heard if isinstance(each, Welcome)) == "ann"


async def leaders(by: Guest) -> tuple[dict[str, int], dict[str, int]]:
    told = await by.ask(Leaders(), LeadersView)
    return {one.name: one.rating for one in told.people}, {one.name: one.rating for one in told.bots}


async def test_bots_are_rated_among_bots_alone(server: Server, journal: MemoryJournal) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    deep = await a_guest(server, "deep", person=f"{BOT_PERSON_PREFIX}1")
    blue = await a_guest(server, "blue", person=f"{BOT_PERSON_PREFIX}2")
    await play(ann, bob)
    await summed_up(journal)
    before, _ = await leaders(ann)
    # Against people, and against a bot of the server that a bot account could make look stronger or weaker.
    await play(deep, ann, clock="30s")
    await summed_up(journal)
    assert await leaders(ann) == (before, {})
    await play(deep, bots=("steady",), clock="30s")
    await summed_up(journal)
    people, bots = await leaders(ann)
    assert people == before
    assert list(bots) == ["bot+deep"]
    assert bots["bot+deep"] > 1000
    await play(blue, deep, clock="30s")
    await summed_up(journal)
    people, after = await leaders(ann)
    assert people == before
    assert after["bot+deep"] < bots["bot+deep"]
    assert after["bot+blue"] > 1000
    seen = await ann.ask(Profile("bot+deep"), ProfileView)
    assert (seen.name, seen.bot, seen.ratings[0].place) == ("bot+deep", True, 2)
