"""A person sees what is kept of them and deletes it: nothing is left, others keep what they played."""

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
    DeleteAccount,
    Ignored,
    Invitations,
    Invited,
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
    Prefer,
    Profile,
    Replay,
    Report,
    Say,
)
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import (
    Bye,
    ChatView,
    HistoryView,
    LeadersView,
    ProfileView,
    ReplayView,
    TableView,
    Welcome,
)
from cartino_protocol.wire import VERSION
from cartino_server.limits import Retention, ServerConfig
from cartino_server.server import Server
from cartino_server.store.journal import DiskJournal
from cartino_server.store.maintenance import Upkeep
from cartino_server.store.moderation import BanList
from cartino_server.store.people import PeopleDatabase, PersonKeys, load_names, open_people
from cartino_server.store.port import DELETED_NAME, HistoryQuery, NotSaved
from cartino_server.table.environment import AuthorMarks
from cartino_server.table.link import Person
from cartino_server.table.restoring import packed_entry
from tests.support.game_server import QUICK, Guest, World, a_guest, new_server, race_bots
from tests.support.journals import opened
from tests.support.race import Add, Race

NAME, ID = "zoltanka", "SHA256:zoltankasfingerprint"
ZOE = Person(ID, NAME, key=ID)
KEY = b"authors" * 5
TWO = Create("race", options={"goal": "9"})


class Running:
    """A server on a data directory."""

    def __init__(
        self, server: Server, journal: DiskJournal, people_db: PeopleDatabase, bans: BanList
    ) -> None:
        self.server = server
        self.bans = bans
        self.journal = journal
        self.people_db = people_db

    async def settle(self) -> None:
        """All games that are over are summed up."""
        while await self.journal.due(1):
            await self.journal.settings("")

    async def pack(self) -> None:
        """Finished games of closed tables are kept as their packed records."""
        await self.settle()
        await Upkeep(self.journal, packed_entry, lambda: Retention(0, 0, 0), lambda: 0.0).pack_all()


@contextlib.asynccontextmanager
async def running(data: Path, config: ServerConfig = QUICK) -> AsyncIterator[Running]:
    """The server as a server opens it; it is closed as a server closes it."""
    async with opened(data, entries=2) as found:
        people_db = open_people(data)
        bans = BanList(people_db, lambda: 0.0)
        ports = msgspec.structs.replace(World().ports(), authors=AuthorMarks(KEY))
        names = await people_db.do(lambda db: load_names(db, 0))
        server = Server(
            {"race": Race()},
            race_bots(),
            config,
            ports,
            found.journal,
            people_db=people_db,
            names=names,
            bans=bans,
        )
        assert server.recover(found.kept) == ()
        try:
            # What the server has begun by itself is under way.
            await found.journal.settings("")
            yield Running(server, found.journal, people_db, bans)
        finally:
            await server.close()
            await people_db.close()


async def zoe_comes(server: Server) -> Guest:
    guest = Guest(server.open_link(ZOE))
    await guest.ask(Hello(VERSION), Welcome)
    return guest


async def sit_down(server: Server, *guests: Guest, create: Create = TWO) -> str:
    """The first opens a table, the others join; its code."""
    # The table that they left may still be told what its game came to.
    code = (await guests[0].ask(create, TableView, lambda view: view.state == "open")).code
    for guest in guests[1:]:
        guest.say(Join(code))
    for guest in guests:
        await guest.wait(TableView, lambda view: view.state == "playing")
    return code


async def lived(it: Running) -> tuple[Guest, Guest, str]:
    """Zoe plays a game to its end that is packed, one that stands finished, and one that runs: bob, zoe, its code.

    She also says something at each, chooses settings, ignores, reports and is invited.
    """
    server = it.server
    bob, eve, _ = [await a_guest(server, name) for name in ("bob", "eve", "dan")]
    zoe = await zoe_comes(server)
    code = await sit_down(server, zoe, bob)
    zoe.say(Say("zoltanka was here"))
    await bob.wait(ChatView, lambda view: any("zoltanka" in line.text for line in view.lines))
    await zoe.act(Add(5))
    await bob.wait(TableView, lambda view: view.turn == (1,))
    await bob.act(Add(1))
    await zoe.wait(TableView, lambda view: view.turn == (0,))
    await zoe.act(Add(5))
    await bob.wait(TableView, lambda view: view.state == "finished")
    await server.services.moderation.close(code, "")
    await it.pack()
    await sit_down(server, zoe, bob)
    await zoe.act(Add(5))
    await bob.wait(TableView, lambda view: view.turn == (1,))
    await bob.act(Add(5))
    await zoe.wait(TableView, lambda view: view.turn == (0,))
    await zoe.act(Add(5))
    await bob.wait(TableView, lambda view: view.state == "finished")
    await it.settle()
    runs = await sit_down(server, bob, zoe)
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
    while not await it.journal.settings(ID):
        pass
    return bob, zoe, runs


OF_PEOPLE_DB = {"people.db", "people.db-wal"}
"""Where reports about somebody stand until the host closes them."""


def traces(data: Path, *words: bytes) -> set[tuple[str, bytes]]:
    """In which files which of the words stand."""
    files = [file for file in data.rglob("*") if file.is_file()]
    return {(file.name, word) for file in files for word in words if word in file.read_bytes()}


WORDS = (NAME.encode(), b"zoltankasfingerprint", AuthorMarks(KEY).mark(ID).encode())


async def test_what_is_kept_of_somebody_is_told(tmp_path: Path) -> None:
    async with running(tmp_path) as it:
        _, _, runs = await lived(it)
        view = await it.server.services.account_data.answer_account_query(ZOE, NAME, Account())
        assert isinstance(view, AccountView)
        assert (view.name, view.keys, view.games, view.ignored) == (NAME, (ID,), 2, ("dan",))
        assert [line.game for line in view.ratings] == ["race"]
        assert (view.settings, view.reports, view.reported, view.chat) == (1, 1, 1, 1)
        assert runs in view.tables
        assert len(view.invitations) == 1


async def test_nothing_of_somebody_is_left_and_others_keep_what_they_played(tmp_path: Path) -> None:
    async with running(tmp_path) as it:
        bob, zoe, _ = await lived(it)
        server = it.server
        before = await it.journal.leaders("race", "id-bob")
        for past in await it.server.services.queries.history.find_finished_games(HistoryQuery(ID)):
            seen = await bob.ask(Replay(past.name, 99), ReplayView)
            assert NAME in {seat.name for seat in seen.table.seats}
        zoe.say(DeleteAccount(NAME))
        rest = await zoe.end()
        assert rest[-1] == Bye("deleted")
        # She comes back as somebody new, as soon as it is done.
        while server.services.account_data.is_going(ID):
            await it.journal.settings("")
        view = await bob.wait(TableView, lambda view: any(seat.name == DELETED_NAME for seat in view.seats))
        assert [seat.name for seat in view.seats] == ["bob", DELETED_NAME]
        # A bot plays on at once, and the game comes to its end.
        for _ in range(3):
            while bob.table is not None and bob.table.state == "playing" and bob.table.turn != (0,):
                await bob.wait(TableView)
            if bob.table is not None and bob.table.state == "playing":
                await bob.act(Add(5))
                await bob.wait(TableView)
        if bob.table is not None and bob.table.state == "playing":
            await bob.wait(TableView, lambda view: view.state == "finished")
        await it.settle()
        history = await bob.ask(History("mine"), HistoryView)
        assert [set(game.seats) for game in history.games] == [{"bob", DELETED_NAME}] * 3
        eve = await a_guest(server, "eva")
        assert (await eve.ask(History("player", NAME), HistoryView)).games == ()
        assert (await eve.ask(History("player", DELETED_NAME), HistoryView)).games == ()
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
            assert DELETED_NAME.encode() in record
            assert NAME.encode() not in record
            verify(read_record(record, {"race": Race()}))
            seen = await bob.ask(Replay(game.name, 99), ReplayView)
            assert {seat.name for seat in seen.table.seats} == {"bob", DELETED_NAME}
        again = await zoe_comes(server)
        view2 = await server.services.account_data.answer_account_query(ZOE, NAME, Account())
        assert isinstance(view2, AccountView)
        assert (view2.games, view2.ratings, view2.settings, view2.ignored, view2.tables) == (0, (), 0, (), ())
        assert (await again.ask(Profile(), ProfileView)).scores == ()
        again.link.close()
    # The report about her stays until the host closes it, and the list of names is not written by who only comes.
    assert {name for name, _ in traces(tmp_path, *WORDS)} <= OF_PEOPLE_DB


@pytest.mark.parametrize("step", range(10))
async def test_a_kill_at_any_step_is_made_good_at_the_next_start(
    tmp_path: Path, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, image = tmp_path / "data", tmp_path / "image"
    data.mkdir()
    async with running(data) as it:
        await lived(it)
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
        await it.server.services.account_data.answer_account_query(ZOE, NAME, DeleteAccount(NAME))
        if not image.exists():
            shutil.copytree(data, image)
        monkeypatch.undo()
    begun = True
    async with running(image) as it:
        begun = bool(await it.journal.erasing())
        await it.server.services.account_data.finish()
        assert await it.journal.erasing() == []
        games = await it.journal.count_games(ID)
        view = await it.server.services.account_data.answer_account_query(ZOE, NAME, Account())
        assert isinstance(view, AccountView)
        # Before it was begun all is there; from then on all is gone.
        is_there = step == 0 and not begun
        assert (games, view.settings, view.reports, view.ignored) == (
            (2, 1, 1, ("dan",)) if is_there else (0, 0, 0, ())
        )
    if not is_there:
        assert {name for name, _ in traces(image, *WORDS)} <= OF_PEOPLE_DB


async def test_a_table_where_bots_alone_are_left_closes(tmp_path: Path) -> None:
    async with running(tmp_path) as it:
        zoe = await zoe_comes(it.server)
        bots = Create("race", options={"goal": "9"}, bots=("steady",))
        await zoe.ask(bots, TableView, lambda view: view.state == "playing")
        await it.server.services.account_data.answer_account_query(ZOE, NAME, DeleteAccount(NAME))
        while it.server.services.remote_tables.tables_for(""):
            await it.journal.settings("")
        # At the next start it isn't there either.
    async with running(tmp_path) as it:
        assert it.server.services.remote_tables.tables_for("") == ()


async def test_who_types_another_name_or_is_muted_keeps_the_account(tmp_path: Path) -> None:
    async with running(tmp_path) as it:
        answer = it.server.services.account_data.answer_account_query
        assert await answer(ZOE, NAME, DeleteAccount("zoltan")) == Refusal("account-name", NAME)
        await it.bans.add("voice", ID, None, "", "host", NAME)
        assert await answer(ZOE, NAME, DeleteAccount(NAME)) == Refusal("account-muted")


async def test_a_guest_has_no_account(tmp_path: Path) -> None:
    async with running(tmp_path) as it:
        gus = Person("guest:1", "~gus", guest=True)
        assert await it.server.services.account_data.answer_account_query(
            gus, "~gus", Account()
        ) == AccountView("~gus", guest=True)
        assert await it.server.services.account_data.answer_account_query(
            gus, "~gus", DeleteAccount("~gus")
        ) == Refusal("no-key")


async def test_without_a_data_directory_nothing_is_kept() -> None:
    assert await new_server(World()).services.account_data.answer_account_query(
        ZOE, NAME, Account()
    ) == AccountView(NAME)


async def test_a_full_disk_refuses_and_asking_again_finishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as it:
        await lived(it)

        async def full(self: DiskJournal, person: str) -> None:
            raise NotSaved("full")

        monkeypatch.setattr(DiskJournal, "erased", full)
        with pytest.raises(NotSaved):
            await it.server.services.account_data.answer_account_query(ZOE, NAME, DeleteAccount(NAME))
        monkeypatch.undo()
        view = await it.server.services.account_data.answer_account_query(ZOE, NAME, DeleteAccount(NAME))
        assert view == AccountView(NAME, done="deleted")
        assert await it.journal.erasing() == []


async def test_keys_of_a_deleted_account_are_nobodys_but_a_dropped_one_stays_shut_out(tmp_path: Path) -> None:
    async with running(tmp_path) as it:
        keys = PersonKeys(it.people_db)
        await keys.add(ID, "SHA256:second", 1)
        await keys.add(ID, "SHA256:third", 1)
        # Whoever has the first key is somebody new, and deletes their account: they must not become zoltanka by that.
        await keys.drop(ID, ID, "key:thief", 2)
        thief = Person("key:thief", "thief", key=ID)
        await it.server.services.account_data.answer_account_query(thief, "thief", DeleteAccount("thief"))
        assert await keys.whose(ID) not in {ID, "key:thief"}
        assert await keys.whose("SHA256:second") == ID
        owner = Person(ID, NAME, key="SHA256:second")
        await it.server.services.account_data.answer_account_query(owner, NAME, DeleteAccount(NAME))
        assert await keys.whose("SHA256:second") == "SHA256:second"
        assert await keys.whose("SHA256:third") == "SHA256:third"


async def test_a_deletion_is_written_to_no_table_of_others(tmp_path: Path) -> None:
    async with running(tmp_path) as it:
        bob, eve = [await a_guest(it.server, name) for name in ("bob", "eve")]
        task = it.server.services.registry.get(await sit_down(it.server, bob, eve))
        assert task is not None
        before = task.table
        await zoe_comes(it.server)
        assert isinstance(
            await it.server.services.account_data.answer_account_query(ZOE, NAME, DeleteAccount(NAME)),
            AccountView,
        )
        assert task.table is before
