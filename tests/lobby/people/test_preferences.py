"""Settings come back to who chose them, and to nobody else; people who mute somebody hear no more of them."""

import asyncio

import apsw
import msgspec
import pytest

from cartino_protocol import wire
from cartino_protocol.accounts import Ignored, IgnoredPerson, Invitation, Invitations, Invited
from cartino_protocol.commands import (
    Back,
    Command,
    Create,
    Hello,
    Ignore,
    Invite,
    Join,
    Prefer,
    QuickPlay,
    Rename,
    SaveSelection,
    Say,
)
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ABSENT, ChatView, LobbyView, SavedSelection, TableView, Welcome
from cartino_protocol.wire import VERSION
from cartino_server.environment import AuthorMarks
from cartino_server.lobby.people.preferences import MAX_SETTINGS_BYTES, SettingsStore, merged
from cartino_server.server import Server
from cartino_server.store.moderation import MAX_IGNORED_EACH
from cartino_server.store.people import PeopleDatabase
from cartino_server.store.personal_data import put_settings
from cartino_server.store.port import JournalClosed, NotSaved
from cartino_server.table.link import Person
from tests.support.game_server import QUICK, Guest, World, a_guest, at_a_table, new_server
from tests.support.journal import MemoryJournal
from tests.support.lasting import Starter
from tests.support.race import Race
from tests.support.scene import turns


def said(choice: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.msgpack.encode(choice))


LIGHT, PLAIN = said({"theme": "light"}), said({"characters": "ascii"})
BOTH = said({"theme": "light", "characters": "ascii"})


async def come(server: Server, name: str, *, guest: bool = False) -> tuple[Guest, msgspec.Raw]:
    """Somebody who has come in, and what they are told that they have chosen."""
    link = Guest(server.open_link(Person(f"id-{name}", name, guest)))
    return link, (await link.ask(Hello(wire.VERSION), Welcome)).settings


async def choose(link: Guest, settings: msgspec.Raw) -> Welcome:
    """Have them kept, and be told again who one is."""
    link.link.send(Prefer(settings))
    return await link.ask(Rename("other"), Welcome, lambda welcome: welcome.name.lstrip("~") == "other")


async def test_they_come_back_with_every_welcome_at_every_terminal(server: Server) -> None:
    ann, before = await come(server, "ann")
    assert before == ABSENT
    assert (await choose(ann, LIGHT)).settings == LIGHT
    ann.link.close()
    ann, kept = await come(server, "ann")
    assert kept == LIGHT
    assert (await come(server, "bob"))[1] == ABSENT
    there, kept = await come(server, "ann")
    assert kept == LIGHT
    await choose(there, PLAIN)
    both = (await ann.ask(Rename("third"), Welcome, lambda welcome: welcome.name == "third")).settings
    assert both == BOTH, "neither undoes the other's"


async def test_they_outlive_the_server(start: Starter) -> None:
    ann, _ = await come(start(), "ann")
    await choose(ann, LIGHT)
    assert (await come(start.after_kill(), "ann"))[1] == LIGHT


async def test_a_guests_live_as_long_as_the_guests_word(server: Server, journal: MemoryJournal) -> None:
    for _ in range(2):
        bob, before = await come(server, "bob", guest=True)
        assert before == ABSENT, "without a word they go with the guest"
        assert (await choose(bob, LIGHT)).settings == LIGHT
        assert journal.chosen == {}
        bob.link.close()
    bob, _ = await come(server, "bob", guest=True)
    await choose(bob, LIGHT)
    word = (await bob.ask(QuickPlay(), Welcome, lambda welcome: bool(welcome.word))).word
    await journal.until(lambda journal: journal.chosen == {"id-bob": bytes(LIGHT)})
    await choose(bob, PLAIN)
    assert journal.chosen == {"id-bob": bytes(BOTH)}
    bob.link.close()
    again, _ = await come(server, "somebody", guest=True)
    assert (await again.ask(Back(word), Welcome)).settings == BOTH


async def test_too_many_are_refused_and_the_old_ones_stay(server: Server) -> None:
    ann, _ = await come(server, "ann")
    await choose(ann, LIGHT)
    refusal = await ann.ask(Prefer(said({"own": "x" * MAX_SETTINGS_BYTES})), Refusal)
    assert refusal == Refusal("malformed", to="Prefer")
    assert (await come(server, "ann"))[1] == LIGHT


async def test_what_cannot_be_saved_is_said_so_and_holds_for_the_visit(
    server: Server, journal: MemoryJournal
) -> None:
    ann, _ = await come(server, "ann")
    journal.fail = NotSaved("the disk is full")
    assert await ann.ask(Prefer(LIGHT), Refusal) == Refusal("not-saved", to="Prefer")
    assert (await come(server, "ann"))[1] == LIGHT


async def test_nobody_stays_outside_where_they_cannot_be_read(server: Server, journal: MemoryJournal) -> None:
    journal.dead = JournalClosed("it was closed")
    assert (await come(server, "ann"))[1] == ABSENT


class Late(MemoryJournal):
    """Reads slowly: somebody is quicker."""

    def __init__(self, choices: list[SettingsStore]) -> None:
        super().__init__()
        self.choices = choices

    async def settings(self, person: str) -> bytes:
        self.choices[0].choose(person, bytes(LIGHT))
        return bytes(PLAIN)


async def test_what_is_said_meanwhile_is_newer_than_what_is_read() -> None:
    there: list[SettingsStore] = []
    there.append(SettingsStore(Late(there)))
    await there[0].look_up("id-ann")
    assert there[0].settings_of("id-ann") == bytes(LIGHT)


class Slow(MemoryJournal):
    """Reads when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Semaphore(0)
        self.let = asyncio.Semaphore(0)

    async def settings(self, person: str) -> bytes:
        self.asked.release()
        await self.let.acquire()
        return await super().settings(person)


async def test_who_goes_while_they_are_looked_up_is_greeted_anew_the_next_time(start: Starter) -> None:
    journal = start.journal = Slow()
    server = start()
    gone = Guest(server.open_link(Person("id-ann", "ann")))
    gone.say(Hello(wire.VERSION))
    await journal.asked.acquire()
    gone.link.close()
    journal.let.release()
    put_settings(journal.connection, "id-ann", bytes(LIGHT))
    coming = asyncio.create_task(come(server, "ann"))
    await journal.asked.acquire()
    journal.let.release()
    assert (await coming)[1] == LIGHT


async def test_what_is_said_behind_the_greeting_waits_for_it(start: Starter) -> None:
    journal = start.journal = Slow()
    ann = Guest(start().open_link(Person("id-ann", "ann")))
    ann.say(Hello(wire.VERSION), Rename("other"))
    await journal.asked.acquire()
    journal.let.release()
    # The newest of two welcomes is the one that is read.
    assert (await ann.wait(Welcome)).name == "other"


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        ({"theme": "light", "newer": [1]}, {"theme": "own"}, {"theme": "own", "newer": [1]}),
        ({"theme": "light", "bell": False}, {"bell": None}, {"theme": "light"}),
        ({"theme": "light"}, {"theme": None, "bell": None}, {}),
        ({}, {"own": {"end": "x"}}, {"own": {"end": "x"}}),
    ],
)
def test_what_is_not_said_stays_and_nil_is_forgotten(before: object, changes: object, after: object) -> None:
    found = merged(bytes(said(before)), bytes(said(changes)))
    assert found == (bytes(said(after)) if after else b"")


@pytest.mark.parametrize(
    "junk", [b"", b"\xc1", b"\x81", bytes(said("x")), bytes(said({1: 2})), b"\x81" * 5000]
)
def test_what_cannot_be_read_changes_nothing_and_is_itself_no_hindrance(junk: bytes) -> None:
    assert merged(bytes(LIGHT), junk) is None
    assert merged(junk, bytes(LIGHT)) == bytes(LIGHT)


def test_all_of_it_together_has_a_measure() -> None:
    half = {"a": "x" * (MAX_SETTINGS_BYTES // 2)}
    assert merged(bytes(said(half)), bytes(said({"b": "x" * (MAX_SETTINGS_BYTES // 2)}))) is None


async def test_what_is_said_while_hanging_up_is_kept_and_leaves_nothing_behind(
    server: Server, journal: MemoryJournal
) -> None:
    for number in range(3):
        bob, _ = await come(server, f"bob{number}", guest=True)
        bob.link.send(Prefer(LIGHT))
        bob.link.close()
    ann, _ = await come(server, "ann")
    ann.link.send(Prefer(LIGHT))
    ann.link.close()
    await journal.until(lambda journal: journal.chosen == {"id-ann": bytes(LIGHT)})
    await turns()
    for person in ("id-ann", "id-bob0", "id-bob2"):
        assert not server.services.account_data.settings.knows(person)


async def test_who_comes_again_before_it_is_saved_has_it(server: Server, journal: MemoryJournal) -> None:
    ann, _ = await come(server, "ann")
    journal.hold()
    ann.link.send(Prefer(LIGHT))
    ann.link.close()
    await turns()
    ann, kept = await come(server, "ann")
    assert kept == LIGHT
    journal.release()
    await journal.until(lambda journal: journal.chosen == {"id-ann": bytes(LIGHT)})
    assert (await choose(ann, PLAIN)).settings == BOTH


@pytest.mark.parametrize(
    "first", [Prefer(LIGHT), SaveSelection(said("hand"))], ids=["choice first", "hand first"]
)
async def test_neither_a_choice_nor_what_is_in_hand_is_lost_behind_the_other(
    server: Server, journal: MemoryJournal, first: Command
) -> None:
    ann, bob = await at_a_table(server, "ann", "bob")
    hand, choice = SaveSelection(said("hand")), Prefer(LIGHT)
    for command in (first, choice if first == hand else hand):
        ann.link.send(command)
    ann.link.close()
    await journal.until(lambda journal: journal.chosen.get("id-ann") == bytes(LIGHT))
    again, _ = await come(server, "ann")
    assert (await again.ask(Join(bob.code), SavedSelection)).selection == said("hand")


MARK = AuthorMarks(b"world").mark


def was_here(server: Server, *persons: str) -> None:
    """The server has told readers of these, whoever they are, so that they may name them."""
    for person in persons:
        server.services.queries.authors.mark(person)


def ignored(*names: str) -> Ignored:
    return Ignored(tuple(IgnoredPerson(MARK(f"id-{name}"), name) for name in names))


async def list_is(guest: Guest, *names: str) -> None:
    """Wait until these are all whom somebody ignores, as they were told."""
    await guest.wait(Ignored, lambda told: told == ignored(*names))


async def test_a_line_says_who_said_it_under_every_name(server: Server) -> None:
    ann, eve = await a_guest(server, "ann"), await a_guest(server, "eve")
    code = (await ann.ask(Create("race", seats=3), TableView)).code
    await eve.ask(Join(code), TableView)
    await eve.ask(Say("one"), ChatView, lambda chat: chat.lines)
    eve.say(Rename("other"))
    await eve.ask(Say("two"), ChatView, lambda chat: len(chat.lines) == 2)
    chat = await ann.ask(Say("three"), ChatView, lambda chat: len(chat.lines) == 3)
    assert [line.who for line in chat.lines] == [MARK("id-eve"), MARK("id-eve"), MARK("id-ann")]
    assert "id-" not in str(chat)


async def test_one_ignores_by_mark_or_name_at_all_terminals_and_takes_it_back(server: Server) -> None:
    ann, same = await a_guest(server, "ann"), await a_guest(server, "ann")
    await a_guest(server, "eve")
    was_here(server, "id-bob")
    ann.say(Ignore(MARK("id-bob"), "bob"))
    await list_is(ann, "bob")
    await list_is(same, "bob")
    assert await ann.ask(Ignore(name="EVE"), Ignored, lambda told: len(told.people) == 2) == Ignored(
        (*ignored("bob").people, IgnoredPerson(MARK("id-eve"), "eve"))
    )
    ann.say(Ignore(name="eve", on=False))
    await list_is(ann, "bob")
    same.say(Ignore(MARK("id-bob"), on=False))
    await list_is(ann)
    await list_is(same)
    await ann.ask(Ignore(name="nobody", on=False), Ignored, lambda told: not told.people)


async def test_who_has_a_key_finds_the_list_again_and_a_guest_does_not(
    server: Server, people_db: PeopleDatabase
) -> None:
    was_here(server, "id-eve")
    for guest in (False, True):
        ann = await a_guest(server, "ann", person=f"p{guest}", guest=guest)
        ann.say(Ignore(MARK("id-eve"), "eve"))
        await list_is(ann, "eve")
        ann.link.close()
    assert not server.services.queries.mutes._known
    after = Server({"race": Race()}, {}, QUICK, World().ports(), people_db=people_db)
    ann = Guest(after.open_link(Person("pFalse", "ann")))
    await ann.ask(Hello(VERSION), Welcome)
    await list_is(ann, "eve")
    was_here(after, "id-bob")
    gus = await a_guest(after, "gus", person="pTrue", guest=True)
    gus.say(Ignore(MARK("id-bob"), "bob"))
    await list_is(gus, "bob")
    await after.close()


async def test_it_is_known_before_the_lobby_is_shown(server: Server) -> None:
    ann = Guest(server.open_link(Person("id-ann", "ann")))
    await ann.ask(Hello(VERSION), LobbyView)
    assert [type(answer) for answer in ann.heard] == [Welcome, Ignored, LobbyView]


async def test_invitations_of_who_is_ignored_never_come_and_they_are_not_told(server: Server) -> None:
    ann, eve = await a_guest(server, "ann"), await a_guest(server, "eve")
    code = (await eve.ask(Create("race"), TableView)).code
    await eve.ask(Invite("ann"), Invited)
    assert (await ann.wait(Invitations)).lines == (Invitation(code, "eve", "race"),)
    ann.say(Ignore(MARK("id-eve"), "eve"))
    assert (await ann.wait(Invitations)).lines == ()
    await eve.ask(Rename("eva"), Welcome)
    assert await eve.ask(Invite("ann"), Invited) == Invited("ann", here=True)
    ann.link.close()
    again = await a_guest(server, "ann")
    assert await eve.ask(Invite("ann"), Invited) == Invited("ann", here=True)
    bob = await a_guest(server, "bob")
    other = (await bob.ask(Create("race"), TableView)).code
    await bob.ask(Invite("ann"), Invited)
    assert (await again.wait(Invitations)).lines == (Invitation(other, "bob", "race"),)


async def test_an_invitation_to_who_is_away_asks_their_list_first(server: Server) -> None:
    ann, eve = await a_guest(server, "ann"), await a_guest(server, "eve")
    code = (await eve.ask(Create("race", seats=3), TableView)).code
    await ann.ask(Join(code), TableView)
    was_here(server, "id-eve")
    ann.say(Ignore(MARK("id-eve"), "eve"))
    await list_is(ann, "eve")
    ann.link.close()
    await eve.wait(TableView, lambda table: not table.seats[1].here)
    assert await eve.ask(Invite("ann"), Invited) == Invited("ann", here=False)
    again = Guest(server.open_link(Person("id-ann", "ann")))
    await again.ask(Hello(VERSION), Welcome)
    await again.wait(Ignored)
    assert not server.services.queries.invitations.invitations_of("id-ann").lines


async def test_what_makes_no_sense_is_refused(server: Server) -> None:
    ann = await a_guest(server, "ann")
    assert await ann.refused(Ignore(MARK("id-ann"), "x")) == Refusal("ignored-yourself")
    assert await ann.refused(Ignore(name="ann")) == Refusal("ignored-yourself")
    assert await ann.refused(Ignore(name="bot steady")) == Refusal("ignored-bot", "bot steady")
    assert await ann.refused(Ignore(name="nobody")) == Refusal("unknown-person", "nobody")
    assert await ann.refused(Ignore("abcd1234", "eve")) == Refusal("unknown-person", "eve"), "never here"
    for who in ("x", "x" * 9, "\x1b[2J1234", "abc d123"):
        assert await ann.refused(Ignore(who, "eve")) == Refusal("malformed")


async def test_whose_line_one_reads_may_be_named_though_the_server_began_anew_since(server: Server) -> None:
    ann, eve = await a_guest(server, "ann"), await a_guest(server, "eve")
    code = (await ann.ask(Create("race", seats=3), TableView)).code
    await eve.ask(Join(code), TableView)
    line = (await eve.ask(Say("one"), ChatView, lambda chat: chat.lines)).lines[-1]
    # As after a restart.
    server.services.queries.authors._persons.clear()
    ann.say(Ignore(line.who, "eve"))
    await list_is(ann, "eve")
    server.services.queries.authors._persons.clear()
    await ann.ask(Ignore(line.who, "evelyn"), Ignored, lambda told: told.people[0].name == "evelyn")


@pytest.mark.parametrize("guest", [False, True])
async def test_there_is_a_most(server: Server, guest: bool) -> None:
    ann = await a_guest(server, "ann", guest=guest)
    was_here(server, "more", *map(str, range(MAX_IGNORED_EACH)))
    for number in range(MAX_IGNORED_EACH):
        mark = MARK(str(number))
        await ann.ask(Ignore(mark, "x"), Ignored, lambda told, n=number: len(told.people) == n + 1)  # type: ignore[misc]
    assert await ann.refused(Ignore(MARK("more"), "x")) == Refusal("too-many-ignored", str(MAX_IGNORED_EACH))


async def test_what_can_t_be_saved_is_refused_and_what_can_t_be_read_keeps_nobody_out(
    server: Server, people_db: PeopleDatabase
) -> None:
    def lose(connection: apsw.Connection) -> None:
        connection.execute("DROP TABLE ignores")

    ann = await a_guest(server, "ann")
    was_here(server, "id-eve")
    await people_db.do(lose)
    assert await ann.refused(Ignore(MARK("id-eve"), "eve")) == Refusal("not-saved")
    bob = await a_guest(server, "bob")
    assert (await bob.ask(Create("race"), TableView)).you == 0


async def test_a_server_without_a_people_db_keeps_it_while_one_is_here() -> None:
    server = new_server(World())
    was_here(server, "id-eve")
    ann = await a_guest(server, "ann")
    ann.say(Ignore(MARK("id-eve"), "eve"))
    await list_is(ann, "eve")
    await server.close()
