"""What people have chosen for themselves comes back to them, wherever they come from, and to nobody else."""

import asyncio

import msgspec
import pytest

from cartino_protocol import wire
from cartino_protocol.commands import Back, Command, Hello, Join, Prefer, QuickPlay, Rename, SaveSelection
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ABSENT, SavedSelection, TableView, Welcome
from cartino_server.lobby.people.preferences import MAX_SETTINGS_BYTES, SettingsStore, merged
from cartino_server.server import Server
from cartino_server.store.port import JournalClosed, NotSaved
from cartino_server.table.link import Person
from tests.support.game_server import Guest, World, at_a_table
from tests.support.journal import MemoryJournal
from tests.support.lasting import ServerKeeper as Servers
from tests.support.lasting import killed, lasting


def said(choice: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.msgpack.encode(choice))


LIGHT, PLAIN = said({"theme": "light"}), said({"characters": "ascii"})


async def come(server: Server, name: str, *, guest: bool = False) -> tuple[Guest, msgspec.Raw]:
    """Somebody who has come in, and what they are told that they have chosen."""
    link = Guest(server.open_link(Person(f"id-{name}", name, guest)))
    return link, (await link.ask(Hello(wire.VERSION), Welcome)).settings


async def choose(link: Guest, settings: msgspec.Raw) -> Welcome:
    """Have them kept, and be told again who one is."""
    link.link.send(Prefer(settings))
    return await link.ask(Rename("other"), Welcome, lambda welcome: welcome.name.lstrip("~") == "other")


async def test_they_come_back_with_every_welcome(server: Server) -> None:
    ann, before = await come(server, "ann")
    assert before == ABSENT
    assert (await choose(ann, LIGHT)).settings == LIGHT
    ann.link.close()
    _, kept = await come(server, "ann")
    assert kept == LIGHT
    assert (await come(server, "bob"))[1] == ABSENT


async def test_another_terminal_of_the_same_person_has_them(server: Server) -> None:
    ann, _ = await come(server, "ann")
    await choose(ann, LIGHT)
    there, kept = await come(server, "ann")
    assert kept == LIGHT
    await choose(there, PLAIN)
    both = (await ann.ask(Rename("third"), Welcome, lambda welcome: welcome.name == "third")).settings
    assert both == said({"theme": "light", "characters": "ascii"}), "neither undoes the other's"


async def test_they_outlive_the_server(servers: Servers, world: World) -> None:
    journal = MemoryJournal()
    ann, _ = await come(lasting(servers, world, journal), "ann")
    await choose(ann, LIGHT)
    assert (await come(lasting(servers, world, killed(journal)), "ann"))[1] == LIGHT


async def test_a_guests_go_with_the_guest(server: Server, journal: MemoryJournal) -> None:
    bob, _ = await come(server, "bob", guest=True)
    assert (await choose(bob, LIGHT)).settings == LIGHT
    assert journal.chosen == {}
    bob.link.close()
    assert (await come(server, "bob", guest=True))[1] == ABSENT


async def test_a_guests_live_as_long_as_the_guests_word(server: Server, journal: MemoryJournal) -> None:
    bob, _ = await come(server, "bob", guest=True)
    await choose(bob, LIGHT)
    word = (await bob.ask(QuickPlay(), Welcome, lambda welcome: bool(welcome.word))).word
    await journal.until(lambda journal: journal.chosen == {"id-bob": bytes(LIGHT)})
    await choose(bob, PLAIN)
    both = said({"theme": "light", "characters": "ascii"})
    assert journal.chosen == {"id-bob": bytes(both)}
    bob.link.close()
    again, _ = await come(server, "somebody", guest=True)
    assert (await again.ask(Back(word), Welcome)).settings == both


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


async def test_at_a_table_they_can_be_chosen_too(server: Server) -> None:
    ann, _ = await come(server, "ann")
    await ann.ask(QuickPlay(), TableView)
    assert (await choose(ann, LIGHT)).settings == LIGHT


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


async def test_of_who_has_gone_before_being_greeted_nothing_stays(world: World) -> None:
    journal = MemoryJournal()
    choices = SettingsStore(journal)
    await choices.look_up("id-ann")
    assert choices.knows("id-ann")
    choices.forget("id-ann")
    assert not choices.knows("id-ann")


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


async def test_who_goes_while_they_are_looked_up_is_greeted_anew_the_next_time(
    servers: Servers, world: World
) -> None:
    journal = Slow()
    server = lasting(servers, world, journal)
    gone = Guest(server.open_link(Person("id-ann", "ann")))
    gone.say(Hello(wire.VERSION))
    await journal.asked.acquire()
    gone.link.close()
    journal.let.release()
    journal.chosen["id-ann"] = bytes(LIGHT)
    coming = asyncio.create_task(come(server, "ann"))
    await journal.asked.acquire()
    journal.let.release()
    assert (await coming)[1] == LIGHT


async def test_what_is_said_behind_the_greeting_waits_for_it(servers: Servers, world: World) -> None:
    journal = Slow()
    ann = Guest(lasting(servers, world, journal).open_link(Person("id-ann", "ann")))
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
        ({}, {"own": {"end": "x"}}, {"own": {"end": "x"}}),
    ],
)
def test_what_is_not_said_stays_and_nil_is_forgotten(before: object, changes: object, after: object) -> None:
    found = merged(bytes(said(before)), bytes(said(changes)))
    assert found == bytes(said(after))


def test_who_has_forgotten_all_has_nothing() -> None:
    assert merged(bytes(LIGHT), bytes(said({"theme": None, "bell": None}))) == b""


@pytest.mark.parametrize(
    "junk", [b"", b"\xc1", b"\x81", bytes(said("x")), bytes(said({1: 2})), b"\x81" * 5000]
)
def test_what_cannot_be_read_changes_nothing_and_is_itself_no_hindrance(junk: bytes) -> None:
    assert merged(bytes(LIGHT), junk) is None
    assert merged(junk, bytes(LIGHT)) == bytes(LIGHT)


def test_all_of_it_together_has_a_measure() -> None:
    half = {"a": "x" * (MAX_SETTINGS_BYTES // 2)}
    assert merged(bytes(said(half)), bytes(said({"b": "x" * (MAX_SETTINGS_BYTES // 2)}))) is None


async def settled() -> None:
    """Whatever can be done now is done."""
    for _ in range(50):
        await asyncio.sleep(0)


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
    await settled()
    for person in ("id-ann", "id-bob0", "id-bob2"):
        assert not server.services.account_data.settings.knows(person)


async def test_who_comes_again_before_it_is_saved_has_it(server: Server, journal: MemoryJournal) -> None:
    ann, _ = await come(server, "ann")
    journal.hold()
    ann.link.send(Prefer(LIGHT))
    ann.link.close()
    await settled()
    ann, kept = await come(server, "ann")
    assert kept == LIGHT
    journal.release()
    await journal.until(lambda journal: journal.chosen == {"id-ann": bytes(LIGHT)})
    assert (await choose(ann, PLAIN)).settings == said({"theme": "light", "characters": "ascii"})


@pytest.mark.parametrize(
    "first", [Prefer(LIGHT), SaveSelection(said("hand"))], ids=["choice first", "hand first"]
)
async def test_neither_a_choice_nor_what_is_in_hand_is_lost_behind_the_other(
    server: Server, journal: MemoryJournal, first: Command
) -> None:
    ann, bob = await at_a_table(server, "ann", "bob")
    assert bob.table is not None
    hand, choice = SaveSelection(said("hand")), Prefer(LIGHT)
    for command in (first, choice if first == hand else hand):
        ann.link.send(command)
    ann.link.close()
    await journal.until(lambda journal: journal.chosen.get("id-ann") == bytes(LIGHT))
    again, _ = await come(server, "ann")
    assert (await again.ask(Join(bob.table.code), SavedSelection)).selection == said("hand")
