"""Accounts: seen and deleted with nothing left, their keys, and keys that become those of bots."""

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cartino_engine.replay import read_record, verify
from cartino_protocol.accounts import (
    Account,
    AccountView,
    AddKey,
    DeleteAccount,
    DropKey,
    Ignored,
    Invitations,
    Invited,
    KeyCode,
    KeyLine,
    Keys,
    KeysView,
    Reported,
)
from cartino_protocol.commands import (
    Create,
    Hello,
    History,
    Ignore,
    Invite,
    Join,
    Leaders,
    Leave,
    Prefer,
    Profile,
    Rename,
    Replay,
    Report,
    Say,
    Stand,
    Summary,
)
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import (
    Answer,
    Bye,
    ChatView,
    HistoryView,
    LeadersView,
    Left,
    OnlineView,
    ProfileView,
    ReplayView,
    TableView,
    Welcome,
)
from cartino_protocol.wire import VERSION
from cartino_server.environment import AuthorMarks
from cartino_server.limits import Retention
from cartino_server.lobby.key_codes import TRIES
from cartino_server.lobby.people.connections import ActiveConnection
from cartino_server.server import Server
from cartino_server.store.journal import DiskJournal
from cartino_server.store.maintenance import Upkeep
from cartino_server.store.moderation import BanList
from cartino_server.store.people import PeopleDatabase, PersonKeys, load_names, open_people
from cartino_server.store.port import DELETED_NAME, NotSaved
from cartino_server.table.link import Person
from cartino_server.table.restoring import packed_entry
from cartino_server.visitors import BOT_PERSON_PREFIX, BecomeBot, is_bot_person
from tests.lobby.test_moderation import mute
from tests.support.game_server import NOW, QUICK, Guest, World, a_guest, at_a_table, new_server, race_bots
from tests.support.journal import MemoryJournal
from tests.support.journals import opened
from tests.support.lasting import play, summed_up
from tests.support.race import Add, Race

NAME, ID = "zoltanka", "SHA256:zoltankasfingerprint"
ZOE = Person(ID, NAME, key=ID)
KEY = b"authors" * 5


async def settle(server: Server) -> None:
    """All games that are over are summed up."""
    while await server.journal.due(1):
        await server.journal.settings("")


@contextlib.asynccontextmanager
async def running(data: Path) -> AsyncIterator[Server]:
    """The server as a server opens it; it is closed as a server closes it."""
    async with opened(data, entries=2) as found:
        people_db = open_people(data)
        ports = msgspec.structs.replace(World().ports(), authors=AuthorMarks(KEY))
        names = await people_db.do(lambda db: load_names(db, 0))
        bans = BanList(people_db, lambda: 0.0)
        race, bots, journal = {"race": Race()}, race_bots(), found.journal
        server = Server(race, bots, QUICK, ports, journal, people_db=people_db, names=names, bans=bans)
        assert server.recover(found.kept) == ()
        try:
            # What the server has begun by itself is under way.
            await journal.settings("")
            yield server
        finally:
            await server.close()
            await people_db.close()


async def answer(
    server: Server, command: Account | DeleteAccount | BecomeBot, person: Person = ZOE, name: str = NAME
) -> AccountView | Refusal:
    return await server.services.account_data.answer_account_query(person, name, command)


async def account(server: Server) -> AccountView:
    """What is stored about Zoe."""
    view = await answer(server, Account())
    assert isinstance(view, AccountView)
    return view


def keys_of(server: Server) -> PersonKeys:
    assert server.people_db is not None
    return PersonKeys(server.people_db)


async def zoe_comes(server: Server) -> Guest:
    return await come(server, ID, NAME)


async def lived(server: Server) -> tuple[Guest, str]:
    """Zoe plays a game to its end that is packed, one that stands finished, and one that runs: bob, its code.

    She also says something at each, chooses settings, ignores, reports and is invited.
    """
    bob, eve, _ = [await a_guest(server, name) for name in ("bob", "eve", "dan")]
    zoe = await zoe_comes(server)
    code = await play(zoe, bob)
    zoe.say(Say("zoltanka was here"))
    await bob.wait(ChatView, lambda view: any("zoltanka" in line.text for line in view.lines))
    await server.services.moderation.close(code, "")
    await settle(server)
    assert isinstance(server.journal, DiskJournal)
    await Upkeep(server.journal, packed_entry, lambda: Retention(0, 0, 0), lambda: 0.0).pack_all()
    await play(zoe, bob)
    await settle(server)
    runs = (
        await bob.ask(Create("race", options={"goal": "9"}), TableView, lambda view: view.state == "open")
    ).code
    zoe.say(Join(runs))
    for guest in (bob, zoe):
        await guest.wait(TableView, lambda view: view.state == "playing")
    zoe.say(Say("zoltanka again"))
    said = await bob.wait(ChatView, lambda view: any("zoltanka" in line.text for line in view.lines))
    bob.say(Say("hello zoe"))
    heard = await zoe.wait(ChatView, lambda view: any("hello" in line.text for line in view.lines))
    await zoe.ask(Report(heard.lines[-1].n), Reported)
    await bob.ask(Report(said.lines[-1].n), Reported)
    await eve.ask(Create("race"), TableView)
    await eve.ask(Invite(NAME), Invited)
    await zoe.wait(Invitations)
    await zoe.ask(Ignore(name="dan"), Ignored)
    zoe.say(Prefer(msgspec.Raw(msgspec.msgpack.encode({"motion": False}))))
    while not await server.journal.settings(ID):
        pass
    return bob, runs


OF_PEOPLE_DB = {"people.db", "people.db-wal"}
"""Where reports about somebody stand until the host closes them."""


def traces(data: Path, *words: bytes) -> set[tuple[str, bytes]]:
    """In which files which of the words stand."""
    files = [file for file in data.rglob("*") if file.is_file()]
    return {(file.name, word) for file in files for word in words if word in file.read_bytes()}


WORDS = (NAME.encode(), b"zoltankasfingerprint", AuthorMarks(KEY).mark(ID).encode())


async def test_nothing_of_somebody_is_left_and_others_keep_what_they_played(tmp_path: Path) -> None:
    async with running(tmp_path) as server:
        bob, runs = await lived(server)
        view = await account(server)
        assert (view.name, view.keys, view.games, view.ignored) == (NAME, (ID,), 2, ("dan",))
        assert [line.game for line in view.ratings] == ["race"]
        assert (view.settings, view.reports, view.reported, view.chat) == (1, 1, 1, 1)
        assert (runs in view.tables, len(view.invitations)) == (True, 1)
        before = await server.journal.leaders("race", "id-bob")
        again = await zoe_comes(server)
        again.say(DeleteAccount(NAME))
        assert (await again.end())[-1] == Bye("deleted")
        # She comes back as somebody new, as soon as it is done.
        while server.services.account_data.is_going(ID):
            await server.journal.settings("")
        view = await account(server)
        assert (view.games, view.ratings, view.settings, view.ignored, view.tables) == (0, (), 0, (), ())
        table = await bob.wait(TableView, lambda view: view.seats[1].name == DELETED_NAME)
        # A bot plays on at once, and the game comes to its end.
        while table.state == "playing":
            if table.turn == (0,):
                await bob.act(Add(5))
            table = await bob.wait(TableView)
        await settle(server)
        history = await bob.ask(History("mine"), HistoryView)
        assert [set(game.seats) for game in history.games] == [{"bob", DELETED_NAME}] * 3
        eve = await a_guest(server, "eva")
        for name in (NAME, DELETED_NAME):
            assert (await eve.ask(History("player", name), HistoryView)).games == ()
        assert (await eve.refused(Profile(NAME))).reason == "unknown-person"
        # What others have is as it was: only she is gone from the list.
        leaders = await bob.ask(Leaders("race"), LeadersView)
        assert [line.name for line in leaders.people] == ["bob"]
        assert before.you is not None
        assert leaders.you is not None
        assert leaders.you.rating == before.you.rating
        profile = await bob.ask(Profile(), ProfileView)
        assert sum(line.games for line in profile.scores) == 3
        for game in history.games:
            record = await server.services.remote_tables.record_of(game.name)
            assert (DELETED_NAME.encode() in record, NAME.encode() in record) == (True, False)
            verify(read_record(record, {"race": Race()}))
            seen = await bob.ask(Replay(game.name, 99), ReplayView)
            assert {seat.name for seat in seen.table.seats} == {"bob", DELETED_NAME}
    # The report about her stays until the host closes it, and the list of names is not written by who only comes.
    assert {name for name, _ in traces(tmp_path, *WORDS)} <= OF_PEOPLE_DB


@pytest.mark.parametrize("step", range(10))
async def test_a_kill_at_any_step_is_made_good_at_the_next_start(
    tmp_path: Path, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, image = tmp_path / "data", tmp_path / "image"
    data.mkdir()
    async with running(data) as server:
        await lived(server)
        steps = 0

        async def cut(
            self: DiskJournal,
            work: Callable[..., Any],
            *args: object,
            original: Any = DiskJournal.transact,
        ) -> Any:
            nonlocal steps
            if steps == step and not image.exists():
                shutil.copytree(data, image)
            steps += 1
            return await original(self, work, *args)

        monkeypatch.setattr(DiskJournal, "transact", cut)
        await answer(server, DeleteAccount(NAME))
        if not image.exists():
            shutil.copytree(data, image)
        monkeypatch.undo()
    begun = True
    async with running(image) as server:
        begun = bool(await server.journal.erasing())
        await server.services.account_data.finish()
        assert await server.journal.erasing() == []
        games = await server.journal.count_games(ID)
        view = await account(server)
        # Before it was begun all is there; from then on all is gone.
        is_there = step == 0 and not begun
        assert (games, view.settings, view.reports, view.ignored) == (
            (2, 1, 1, ("dan",)) if is_there else (0, 0, 0, ())
        )
    if not is_there:
        assert {name for name, _ in traces(image, *WORDS)} <= OF_PEOPLE_DB


async def test_a_table_where_bots_alone_are_left_closes(tmp_path: Path) -> None:
    async with running(tmp_path) as server:
        zoe = await zoe_comes(server)
        bots = Create("race", options={"goal": "9"}, bots=("steady",))
        await zoe.ask(bots, TableView, lambda view: view.state == "playing")
        await answer(server, DeleteAccount(NAME))
        while server.services.remote_tables.tables_for(""):
            await server.journal.settings("")
        # At the next start it isn't there either.
    async with running(tmp_path) as server:
        assert server.services.remote_tables.tables_for("") == ()


async def test_who_types_another_name_or_is_muted_keeps_the_account(tmp_path: Path) -> None:
    async with running(tmp_path) as server:
        assert await answer(server, DeleteAccount("zoltan")) == Refusal("account-name", NAME)
        assert server.bans is not None
        await server.bans.add("voice", ID, None, "", "host", NAME)
        assert await answer(server, DeleteAccount(NAME)) == Refusal("account-muted")


async def test_a_guest_has_no_account_and_without_a_database_nothing_is_stored(server: Server) -> None:
    gus = Person("guest:1", "~gus", guest=True)
    assert await answer(server, Account(), gus, "~gus") == AccountView("~gus", guest=True)
    assert await answer(server, DeleteAccount("~gus"), gus, "~gus") == Refusal("no-key")
    assert await answer(new_server(World()), Account()) == AccountView(NAME)


async def test_a_full_disk_refuses_and_asking_again_finishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as server:
        await lived(server)

        async def full(self: DiskJournal, person: str) -> None:
            raise NotSaved("full")

        monkeypatch.setattr(DiskJournal, "erased", full)
        with pytest.raises(NotSaved):
            await answer(server, DeleteAccount(NAME))
        monkeypatch.undo()
        view = await answer(server, DeleteAccount(NAME))
        assert view == AccountView(NAME, done="deleted")
        assert await server.journal.erasing() == []


async def test_keys_of_a_deleted_account_are_nobodys_but_a_dropped_one_stays_shut_out(tmp_path: Path) -> None:
    async with running(tmp_path) as server:
        keys = keys_of(server)
        await keys.add(ID, "SHA256:second", 1)
        await keys.add(ID, "SHA256:third", 1)
        # Whoever has the first key is somebody new, and deletes their account: they must not become zoltanka by that.
        await keys.drop(ID, ID, "key:thief", 2)
        thief = Person("key:thief", "thief", key=ID)
        await answer(server, DeleteAccount("thief"), thief, "thief")
        assert await keys.whose(ID) not in {ID, "key:thief"}
        assert await keys.whose("SHA256:second") == ID
        owner = Person(ID, NAME, key="SHA256:second")
        await answer(server, DeleteAccount(NAME), owner)
        assert await keys.whose("SHA256:second") == "SHA256:second"
        assert await keys.whose("SHA256:third") == "SHA256:third"


async def test_a_deletion_is_written_to_no_table_of_others(tmp_path: Path) -> None:
    async with running(tmp_path) as server:
        [ann, _] = await at_a_table(server, "ann", "bob")
        task = server.services.registry.get(ann.code)
        assert task is not None
        before = task.table
        await zoe_comes(server)
        assert isinstance(await answer(server, DeleteAccount(NAME)), AccountView)
        assert task.table is before


DESK, LAPTOP, PHONE = (f"SHA256:{name:_<43}" for name in ("desk", "laptop", "phone"))


async def come(server: Server, key: str, name: str, person: str = "") -> Guest:
    """Somebody by the key `key`, as the door lets them in: the person that it is."""
    guest = Guest(server.open_link(Person(person or key, name, not key, key)))
    await guest.ask(Hello(VERSION), Welcome)
    return guest


async def code_of(guest: Guest) -> str:
    view = await guest.ask(KeyCode(), KeysView)
    assert (view.done, view.minutes) == ("code", 10)
    return view.code


async def join(guest: Guest, owner: Guest) -> Answer:
    """Add the guest's key to the account of `owner`; the last answer that the guest gets."""
    guest.say(AddKey(await code_of(owner)))
    return (await guest.end())[-1]


async def test_a_second_key_becomes_the_same_person(server: Server, people_db: PeopleDatabase) -> None:
    desk, laptop = await come(server, DESK, "ann"), await come(server, LAPTOP, "ann")
    other = await come(server, LAPTOP, "ann")
    moved = server.services.connections.keys_moved
    assert await desk.ask(Keys(), KeysView) == KeysView((KeyLine(DESK, here=True),))
    laptop.say(AddKey(await code_of(desk)))
    # Nobody goes on as whom they are no more.
    for link in (laptop, other):
        assert (await link.end())[-1] == Bye("key-added")
    assert server.services.connections.keys_moved == moved + 1
    assert await keys_of(server).person_of(LAPTOP, 1) == DESK
    again = await come(server, LAPTOP, "ann", DESK)
    known = await again.ask(Keys(), KeysView)
    assert known == KeysView((KeyLine(DESK), KeyLine(LAPTOP, NOW, NOW, here=True)))
    assert not desk.link.closed


async def test_who_came_before_their_key_was_added_to_somebody_can_do_nothing_with_keys(
    server: Server,
) -> None:
    desk, laptop = await come(server, DESK, "ann"), await come(server, LAPTOP, "ann")
    await join(laptop, desk)
    # As if they had been let in before, and greeted after.
    late = await come(server, LAPTOP, "ann")
    assert (await late.refused(Keys())).reason == "key-moved"
    assert (await late.refused(KeyCode())).reason == "key-moved"


async def test_who_tries_codes_is_stopped(server: Server) -> None:
    desk, thief = await come(server, DESK, "ann"), await come(server, PHONE, "eve")
    code = await code_of(desk)
    for _ in range(TRIES):
        assert (await thief.refused(AddKey("AAAAA-AAAAA"))).reason == "bad-code"
    assert (await thief.refused(AddKey(code))).reason == "too-many-tries"


async def test_ones_own_code_is_for_another_key(server: Server) -> None:
    desk = await come(server, DESK, "ann")
    assert (await desk.refused(AddKey(await code_of(desk)))).reason == "key-yours"


async def test_who_sits_at_a_table_has_to_leave_it_first(server: Server) -> None:
    desk, laptop = await come(server, DESK, "ann"), await come(server, LAPTOP, "bob")
    code = await code_of(desk)
    await laptop.ask(Create("race"), TableView)
    assert (await laptop.refused(AddKey(code))).reason == "key-seated"
    other = await come(server, LAPTOP, "bob")
    assert (await other.refused(AddKey(code))).reason == "key-seated"


async def test_a_dropped_key_is_out_at_once_and_the_others_stay(
    server: Server, people_db: PeopleDatabase
) -> None:
    desk, laptop = await come(server, DESK, "ann"), await come(server, LAPTOP, "ann")
    await join(laptop, desk)
    moved = server.services.connections.keys_moved
    again, twice = (
        await come(server, LAPTOP, "ann", DESK),
        await come(server, LAPTOP, "ann", DESK),
    )
    # The lost one is the first, whose name the person bears.
    left = await again.ask(DropKey("desk____"), KeysView)
    assert ([key.fingerprint for key in left.keys], left.done) == ([LAPTOP], "dropped")
    assert (await desk.end())[-1] == Bye("key")
    assert server.services.connections.keys_moved == moved + 1
    assert (await twice.ask(Keys(), KeysView)).keys == left.keys
    stranger = await keys_of(server).person_of(DESK, 1)
    assert stranger.startswith("key:")
    # Whoever has it is somebody new, and can't do anything to the keys of whom it was.
    thief = await come(server, DESK, "ann", stranger)
    assert [key.fingerprint for key in (await thief.ask(Keys(), KeysView)).keys] == [DESK]
    assert (await thief.refused(DropKey(LAPTOP))).reason == "unknown-key"
    assert (await again.refused(DropKey(LAPTOP))).reason == "last-key"


async def test_a_key_is_named_by_enough_of_it(server: Server) -> None:
    desk, laptop = await come(server, DESK, "ann"), await come(server, LAPTOP, "ann")
    await join(laptop, desk)
    for typed in ("desk", "SHA256:", "SHA256:desk", "phone___", "", "________"):
        assert await desk.refused(DropKey(typed)) == Refusal("unknown-key", typed)


async def test_guests_have_none_and_are_told_how_to_get_one(server: Server) -> None:
    guest = await come(server, "", "gus", "guest:1")
    for command in (Keys(), KeyCode(), AddKey("x"), DropKey("SHA256:abcdefgh")):
        refusal = await guest.refused(command)
        assert refusal.reason == "no-key"
        assert "ssh-keygen" in refusal.sentence()


async def test_the_name_of_who_is_nobody_any_more_is_free(server: Server, people_db: PeopleDatabase) -> None:
    desk = await come(server, DESK, "root")
    laptop = await come(server, LAPTOP, "ann")
    table = await laptop.ask(Create("race", seats=3), TableView)
    assert table.seats[0].name == "ann"
    laptop.link.close()
    laptop = await come(server, LAPTOP, "ann")
    await laptop.ask(Join(table.code), TableView)
    await laptop.ask(Stand(), TableView, lambda view: view.you is None)
    await laptop.ask(Leave(), Left)
    assert (await desk.refused(Rename("ann"))).reason == "name-taken"
    await join(laptop, desk)
    assert (await desk.ask(Rename("ann"), Welcome)).name == "ann"
    kept = await people_db.do(lambda db: load_names(db, 0))
    assert [(each.person, each.name) for each in kept] == [(DESK, "ann")]


async def deleted(server: Server, guest: Guest, name: str) -> None:
    guest.say(DeleteAccount(name))
    await guest.end()
    while server.services.account_data.is_going(guest.link.person.id):
        await asyncio.sleep(0)


async def test_a_code_ends_with_its_account(server: Server, people_db: PeopleDatabase) -> None:
    desk, laptop = await come(server, DESK, "ann"), await come(server, LAPTOP, "eve")
    code = await code_of(desk)
    await deleted(server, desk, "ann")
    assert (await laptop.refused(AddKey(code))).reason == "bad-code"
    assert await keys_of(server).person_of(LAPTOP, 1) == LAPTOP


async def test_a_code_ends_when_a_key_of_its_owner_joins_or_leaves(server: Server) -> None:
    desk, laptop, phone = [await come(server, key, "ann") for key in (DESK, LAPTOP, PHONE)]
    # Nobody is left who could take in the owner of the second code.
    first, second = await code_of(desk), await code_of(laptop)
    laptop.say(AddKey(first))
    await laptop.end()
    assert (await phone.refused(AddKey(second))).reason == "bad-code"
    # The dropped key may have asked for the code.
    again = await come(server, LAPTOP, "ann", DESK)
    third = await code_of(again)
    await desk.ask(DropKey("laptop__"), KeysView)
    assert (await phone.refused(AddKey(third))).reason == "bad-code"


async def test_who_is_muted_neither_joins_an_account_nor_splits_one(server: Server, bans: BanList) -> None:
    desk, laptop = await come(server, DESK, "ann"), await come(server, LAPTOP, "eve")
    code = await code_of(desk)
    await mute(bans, LAPTOP)
    assert await laptop.refused(AddKey(code)) == Refusal("account-muted")
    await bans.lift(bans.all()[0].id)
    laptop.say(AddKey(code))
    await laptop.end()
    await mute(bans, DESK)
    assert await desk.refused(DropKey("laptop__")) == Refusal("account-muted")
    # To be joined by another key ends no mute.
    assert await code_of(desk)


async def test_those_who_mute_somebody_mute_the_account_that_their_key_joins_or_leaves(
    server: Server, people_db: PeopleDatabase
) -> None:
    desk, eve = await come(server, DESK, "ann"), await come(server, LAPTOP, "eve")
    bob, zoe = await come(server, PHONE, "bob"), await come(server, f"SHA256:{'zoe':_<43}", "zoe")
    for each in (bob, zoe):
        await each.ask(Ignore(name="eve"), Ignored)
    zoe.link.close()
    await join(eve, desk)
    mark = server.services.queries.authors.mark
    told = await bob.wait(Ignored, lambda view: len(view.people) == 2)
    assert {each.who for each in told.people} == {mark(LAPTOP), mark(DESK)}
    assert await server.services.queries.mutes.is_ignored(zoe.link.person.id, DESK)
    # The first key becomes somebody new when it is dropped, and so does each key of an account that is deleted.
    again = await come(server, LAPTOP, "ann", DESK)
    await again.ask(DropKey("desk____"), KeysView)
    fresh = await keys_of(server).person_of(DESK, 1)
    assert await server.services.queries.mutes.is_ignored(bob.link.person.id, fresh)
    await deleted(server, again, "ann")
    assert await server.services.queries.mutes.is_ignored(bob.link.person.id, LAPTOP)


async def test_invitations_of_who_is_nobody_any_more_end(server: Server) -> None:
    desk, eve, bob = [
        await come(server, key, name) for key, name in ((DESK, "ann"), (LAPTOP, "eve"), (PHONE, "bob"))
    ]
    await bob.ask(Create("race", seats=3), TableView)
    await bob.ask(Invite("eve"), Invited)
    await join(eve, desk)
    assert len(server.services.queries.invitations) == 0


ANN = Person("SHA256:ann", "ann", key="SHA256:ann")


async def become(server: Server, person: Person = ANN, typed: str = "ann") -> AccountView | Refusal:
    return await answer(server, BecomeBot(typed), person, "ann")


async def person_of(server: Server) -> str:
    """Whose key Ann's is."""
    return await keys_of(server).person_of(ANN.key, 0)


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
    await keys_of(server).add(ANN.id, "SHA256:second", 1)
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
