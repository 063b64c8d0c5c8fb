"""The way back to a seat by key or resume code, at any terminal; promised seeds; tables that were evicted."""

import hashlib

import msgspec
import pytest

from cartino_protocol import wire
from cartino_protocol.commands import Back, Create, Hello, Join, Leave, QuickPlay, SaveSelection, Sit, Watch
from cartino_protocol.notices import Announced
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Left, LobbyView, Mine, SavedSelection, TableView, Welcome
from cartino_protocol.wire import VERSION, decode_shared
from cartino_server.lobby.login import MAX_TOLD_EACH, MAX_UNTOLD, EvictedTables
from cartino_server.lobby.people.connections import Connections
from cartino_server.lobby.people.directory import People
from cartino_server.lobby.people.presence import PresenceRegistry, SeatIndex
from cartino_server.server import Server
from cartino_server.store.port import NotSaved
from cartino_server.table.lifetime import EvictionLoss
from cartino_server.table.link import Person, ServerLink
from cartino_server.table.participants import rename
from cartino_server.table.state import SEAT_KEPT
from tests.support.game_server import QUICK, Guest, Noting, World, a_guest
from tests.support.journal import MemoryJournal
from tests.support.lasting import Starter, hush, play
from tests.support.race import Add
from tests.support.scene import turns, waiting_for_nothing

MEMO = msgspec.Raw(wire.encode(Add(5)))


async def welcomed(server: Server, name: str, *, guest: bool = False) -> tuple[Guest, Welcome]:
    """Somebody who has come in, and how they were welcomed."""
    link = Guest(server.open_link(Person(f"id-{name}", name, guest)))
    return link, await link.ask(Hello(wire.VERSION), Welcome)


async def called_again(server: Server, name: str, line: str) -> Guest:
    """Somebody whose `line` was lost and is there again."""
    link = Guest(server.open_link(Person(f"id-{name}", name)))
    await link.ask(Hello(wire.VERSION, line=line), Welcome)
    return link


async def two_at_a_table(server: Server, *, guest: bool = False) -> tuple[Guest, Guest, str]:
    """Ann and bob in a running game; bob, a guest if so, is on turn."""
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob", guest=guest)
    code = (await ann.ask(Create("race", {"goal": "9"}), TableView)).code
    await bob.ask(Join(code), TableView)
    await ann.wait(TableView, lambda view: view.state == "playing")
    await ann.act(Add(1))
    await bob.wait(TableView, lambda view: view.turn == (1,))
    return ann, bob, code


async def test_who_was_cut_off_is_led_to_the_table(server: Server) -> None:
    ann, bob, code = await two_at_a_table(server)
    before = bob.table
    bob.link.close()
    await ann.wait(TableView, lambda view: not view.seats[1].here)
    back, welcome = await welcomed(server, "bob")
    assert (welcome.back, welcome.over) == (code, False)
    assert await back.ask(Join(code), TableView) == before
    assert (await ann.wait(TableView, lambda view: view.seats[1].here)).state == "playing"


async def test_where_the_game_is_over_the_welcome_says_so(server: Server) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = await play(ann, bob)
    bob.link.close()
    _, welcome = await welcomed(server, "bob")
    assert (welcome.back, welcome.over) == (code, True)


async def test_who_left_a_finished_game_comes_to_the_lobby(server: Server) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob", guest=True)
    await play(ann, bob)
    word = await word_of(bob)
    await bob.ask(Leave(), Left)
    bob.link.close()
    assert (await welcomed(server, "bob", guest=True))[1].back == ""
    new, _ = await welcomed(server, "stranger", guest=True)
    welcome = await new.ask(Back(word), Welcome)
    assert (welcome.name, welcome.back) == ("~bob", "")


async def test_neither_spectators_nor_who_left_are_led_there(server: Server) -> None:
    _, bob, code = await two_at_a_table(server)
    eve = await a_guest(server, "eve")
    await eve.ask(Watch(code), TableView)
    for guest in (eve, bob):
        guest.link.close()
    assert (await welcomed(server, "eve"))[1].back == ""
    back, _ = await welcomed(server, "bob")
    await back.ask(Join(code), TableView)
    await back.ask(Leave(), Left)
    assert (await welcomed(server, "bob"))[1].back == ""


async def test_after_the_server_was_killed_everybody_is(start: Starter) -> None:
    _, bob, code = await two_at_a_table(start())
    server = start.after_kill()
    stranger = Guest(server.open_link(Person("id-other", "bob")))
    assert (await stranger.ask(Hello(wire.VERSION), Welcome)).name == "bob2"
    for name in ("ann", "bob"):
        welcome = (await welcomed(server, name))[1]
        assert (welcome.name, welcome.back) == (name, code)
    assert (await welcomed(server, "eve"))[1].back == ""
    assert bob.table is not None


async def test_who_went_while_the_seat_was_being_saved_has_it(start: Starter, journal: MemoryJournal) -> None:
    server = start()
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = (await ann.ask(Create("race", seats=3), TableView)).code
    journal.hold()
    bob.say(Join(code))
    await journal.until(lambda journal: journal.held == 1)
    bob.link.close()
    journal.release()
    seated = await ann.wait(TableView, lambda view: view.seats[1].kind == "human")
    if seated.seats[1].here:
        seated = await ann.wait(TableView, lambda view: not view.seats[1].here)
    assert seated.seats[1].name == "bob"
    assert (await welcomed(server, "bob"))[1].back == code


async def test_a_seat_waits_a_minute_for_who_was_cut_off(start: Starter, world: World) -> None:
    server = start()
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = (await ann.ask(Create("race", seats=3), TableView)).code
    await bob.ask(Join(code), TableView)
    bob.link.close()
    assert (await ann.wait(TableView, lambda view: not view.seats[1].here)).seats[1].name == "bob"
    world.skip(SEAT_KEPT - 1)
    await waiting_for_nothing_but(ann)
    world.skip(1)
    assert (await ann.wait(TableView)).seats[1].kind == "empty"
    assert (await welcomed(server, "bob"))[1].back == ""


async def waiting_for_nothing_but(guest: Guest) -> None:
    """Whatever was said before is read, and nothing else comes."""
    await turns()
    await hush(guest)
    await waiting_for_nothing(guest)


async def test_the_seat_moves_and_the_old_terminal_is_told(server: Server) -> None:
    ann, bob, code = await two_at_a_table(server)
    await waiting_for_nothing_but(ann)
    new, welcome = await welcomed(server, "bob")
    assert welcome.back == code
    assert (await new.ask(Join(code), TableView)).you == 1
    assert await bob.wait(Left) == Left("moved", code)
    assert (await bob.wait(Mine)).tables[0].code == code
    assert (await bob.refused(Sit(0))).reason == "not-in-room"
    bob.link.close()
    # Nobody else notices: bob was there all the time.
    await waiting_for_nothing_but(ann)
    await new.act(Add(1))
    assert (await new.wait(TableView)).number == 3


async def test_its_own_dead_call_is_no_other_terminal(server: Server) -> None:
    ann, _, code = await two_at_a_table(server)
    dead = await called_again(server, "bob", "a line")
    await dead.ask(Join(code), TableView)
    await waiting_for_nothing_but(ann)
    back = await called_again(server, "bob", "a line")
    assert (await back.ask(Join(code, again=True), TableView)).you == 1
    assert await dead.wait(Left) == Left("moved", code)
    await waiting_for_nothing_but(ann)


@pytest.mark.parametrize("way", [Join, Watch])
@pytest.mark.parametrize("other", ["", "another line"])
async def test_it_takes_the_seat_from_no_other(server: Server, way: type[Join | Watch], other: str) -> None:
    ann, bob, code = await two_at_a_table(server)
    if other:
        bob = await called_again(server, "bob", other)
        await bob.ask(Join(code), TableView)
    await waiting_for_nothing_but(ann)
    back = await called_again(server, "bob", "a line")
    assert await back.refused(way(code, again=True)) == Refusal("elsewhere", code)
    await waiting_for_nothing_but(bob)
    await bob.act(Add(1), 2)
    assert (await bob.wait(TableView)).number == 3
    assert (await back.ask(way(code), TableView)).you == 1, "the person's own wish counts"
    assert await bob.wait(Left) == Left("moved", code)


async def test_a_guest_who_said_the_word_is_told_apart_as_well(start: Starter) -> None:
    server = start()
    ann, dead = await a_guest(server, "ann"), Guest(server.open_link(Person("id-bob", "bob", guest=True)))
    await dead.ask(Hello(wire.VERSION, line="a line"), Welcome)
    code = (await ann.ask(Create("race"), TableView)).code
    dead.say(Join(code))
    word = (await dead.wait(Welcome, lambda welcome: welcome.word)).word
    back = Guest(server.open_link(Person("id-somebody", "guest", guest=True)))
    await back.ask(Hello(wire.VERSION, line="a line"), Welcome)
    await back.ask(Back(word), Welcome)
    assert (await back.ask(Join(code, again=True), TableView)).you == 1


async def test_who_only_looks_on_in_two_places_does_so(server: Server) -> None:
    _, _, code = await two_at_a_table(server)
    first, second = await called_again(server, "eve", "one"), await called_again(server, "eve", "two")
    await first.ask(Watch(code), TableView)
    await second.ask(Watch(code, again=True), TableView)


async def test_the_new_terminal_gets_what_the_old_one_had_and_nobody_else(server: Server) -> None:
    ann, bob, code = await two_at_a_table(server)
    eve = await a_guest(server, "eve")
    await eve.ask(Watch(code), TableView)
    bob.say(SaveSelection(MEMO))
    await hush(bob)
    others = [await a_guest(server, name) for name in ("ann", "eve")]
    await others[0].ask(Join(code), TableView)
    await others[1].ask(Watch(code), TableView)
    for guest in (ann, eve, *others):
        await hush(guest)
        assert not any(isinstance(heard, SavedSelection) for heard in guest.heard)
    new, _ = await welcomed(server, "bob")
    assert (await new.ask(Join(code), SavedSelection)).selection == MEMO


async def test_only_who_sits_has_anything_in_hand_and_not_much(server: Server) -> None:
    _, bob, code = await two_at_a_table(server)
    eve = await a_guest(server, "eve")
    assert (await eve.refused(SaveSelection(MEMO))).reason == "not-in-room"
    await eve.ask(Watch(code), TableView)
    assert (await eve.refused(SaveSelection(MEMO))).reason == "not-seated"
    large = msgspec.Raw(msgspec.msgpack.encode(b"x" * 300))
    assert (await bob.refused(SaveSelection(large))).reason == "malformed"


async def test_it_is_never_written_and_ends_with_the_server(start: Starter, journal: MemoryJournal) -> None:
    server = start()
    _, bob, code = await two_at_a_table(server)
    written = len(journal.writes)
    bob.say(SaveSelection(MEMO))
    await hush(bob)
    assert len(journal.writes) == written
    await server.close()
    again = start.after_kill()
    back, welcome = await welcomed(again, "bob")
    assert welcome.back == code
    await back.ask(Join(code), TableView)
    await hush(back)
    assert not any(isinstance(heard, SavedSelection) for heard in back.heard)


async def word_of(guest: Guest) -> str:
    """The word that the guest has been told, or is told next."""
    told = [heard.word for heard in guest.heard if isinstance(heard, Welcome) and heard.word]
    return told[-1] if told else (await guest.wait(Welcome, lambda welcome: welcome.word)).word


async def test_a_guest_with_a_seat_is_given_one_and_nobody_else(server: Server) -> None:
    ann, bob, _ = await two_at_a_table(server, guest=True)
    assert await word_of(bob)
    eve = await a_guest(server, "eve", guest=True)
    for guest in (ann, eve):
        await hush(guest)
        assert not any(isinstance(heard, Welcome) and heard.word for heard in guest.heard)


async def test_it_brings_back_the_guest_from_anywhere(server: Server) -> None:
    _, bob, code = await two_at_a_table(server, guest=True)
    word = await word_of(bob)
    bob.link.close()
    new, _ = await welcomed(server, "stranger", guest=True)
    welcome = await new.ask(Back(word.upper().replace("-", " ")), Welcome)
    assert (welcome.name, welcome.back, welcome.guest) == ("~bob", code, True)
    assert welcome.word not in {"", word}
    assert (await new.ask(Join(code), TableView)).you == 1
    await new.act(Add(1))
    assert (await new.wait(TableView)).number == 3


async def test_a_wrong_one_is_refused(server: Server) -> None:
    ann, _ = await welcomed(server, "ann")
    for typed in ("", "batiko-nuvaro-zeline", "x" * 64, "💥"):
        assert (await ann.refused(Back(typed))).reason == "bad-word"


async def test_at_a_table_it_is_not_taken(server: Server) -> None:
    _, bob, _ = await two_at_a_table(server, guest=True)
    word = await word_of(bob)
    eve, _ = await welcomed(server, "eve", guest=True)
    await eve.ask(QuickPlay(), TableView)
    assert (await eve.refused(Back(word))).reason == "in-room"
    await eve.ask(Leave(), Left)
    assert (await eve.ask(Back(word), Welcome)).name == "~bob"


async def test_when_it_can_t_be_saved_nothing_is_changed(server: Server, journal: MemoryJournal) -> None:
    _, bob, _ = await two_at_a_table(server, guest=True)
    word = await word_of(bob)
    new, _ = await welcomed(server, "stranger", guest=True)
    journal.fail = NotSaved("the disk is full")
    assert (await new.refused(Back(word))).reason == "not-saved"
    journal.fail = None
    assert (await new.ask(Back(word), Welcome)).name == "~bob"


async def test_who_hung_up_before_it_was_answered_may_use_it_again(
    server: Server, journal: MemoryJournal
) -> None:
    _, bob, _ = await two_at_a_table(server, guest=True)
    word = await word_of(bob)
    for held in (True, False):
        lost, _ = await welcomed(server, "lost", guest=True)
        journal.hold()
        lost.say(Back(word))
        if held:
            await journal.until(lambda journal: journal.held == 1)
        lost.link.close()
        journal.release()
        await turns()
    new, _ = await welcomed(server, "stranger", guest=True)
    assert (await new.ask(Back(word), Welcome)).name == "~bob"


async def test_it_is_given_once_it_can_be_saved(start: Starter, journal: MemoryJournal) -> None:
    config = msgspec.structs.replace(QUICK, retry=0)
    server = start(config)
    bob = await a_guest(server, "bob", guest=True)
    journal.hold()
    bob.say(Create("race", seats=3))
    await journal.until(lambda journal: journal.held == 1)
    journal.release()
    await bob.wait(TableView)
    assert await journal.redeem_resume_code(await word_of(bob), "fresh")


async def test_guests_of_a_server_that_did_not_mark_them_are_marked_from_the_next_start_on(
    start: Starter,
) -> None:
    server = start()
    ann, bob, code = await two_at_a_table(server, guest=True)
    task = server.services.registry.get(code)
    assert task is not None
    task.change(lambda table: rename(table, "id-bob", "bob"))
    await ann.wait(TableView, lambda view: view.seats[1].name == "bob")
    # It is saved with the next move.
    await bob.act(Add(1))
    await bob.wait(TableView, lambda view: view.number == 3)
    back = await a_guest(start.after_kill(), "ann")
    seats = (await back.ask(Join(code), TableView)).seats
    assert [seat.name for seat in seats] == ["ann", "~bob"]


class Losses(EvictedTables):
    """Evicted tables whose people come for a moment to be told."""

    def __init__(self) -> None:
        people: People[ServerLink] = People()
        self.presence = PresenceRegistry(people, SeatIndex(), Connections())
        super().__init__(self.presence)

    def told(self, person: str) -> tuple[str, ...]:
        """The tables that the person is told of."""
        link = Noting(person)
        self.presence.arrive(link)
        self.tell(person)
        self.presence.depart(link)
        found = link.next_answer()
        if found is None:
            return ()
        answer = decode_shared(found[1])
        assert isinstance(answer, Announced)
        assert answer.word == "lost"
        return tuple(answer.text.split(", "))


@pytest.fixture
def losses() -> Losses:
    return Losses()


def test_each_is_told_once_games_first(losses: Losses) -> None:
    losses.note(["ann"], "AAAA", EvictionLoss.DEAL)
    losses.note(["ann"], "BBBB", EvictionLoss.OWN_GAME)
    losses.note(["bob"], "CCCC", EvictionLoss.DEAL)
    losses.note(["ann"], "DDDD", EvictionLoss.NOTHING)
    assert losses.told("ann") == ("BBBB", "AAAA")
    assert losses.told("ann") == ()
    assert losses.told("bob") == ("CCCC",)


def test_a_flood_has_nobody_forgotten_who_lost_a_game_and_takes_no_more_than_its_place(
    losses: Losses,
) -> None:
    losses.note(["ann"], "AAAA", EvictionLoss.OWN_GAME)
    for number in range(3 * MAX_UNTOLD):
        losses.note([f"flood{number}"], "BBBB", EvictionLoss.DEAL)
    assert sum(bool(losses.told(f"flood{number}")) for number in range(3 * MAX_UNTOLD)) == MAX_UNTOLD
    assert losses.told("ann") == ("AAAA",)


def test_of_many_the_newest_are_told(losses: Losses) -> None:
    for code in "ABCDEFGH":
        losses.note(["ann"], code * 4, EvictionLoss.OWN_GAME)
    told = losses.told("ann")
    assert len(told) == MAX_TOLD_EACH
    assert told[-1] == "HHHH"


async def promised(server: Server, name: str) -> tuple[Guest, str]:
    """Somebody who has come in, and what they are promised."""
    guest, welcome = await welcomed(server, name)
    return guest, welcome.promise


async def test_a_table_that_is_dealt_as_it_opens_was_promised_before(server: Server) -> None:
    ann, promise = await promised(server, "ann")
    for order in (QuickPlay(), Create("race", seats=3, bots=("steady", "steady"))):
        next_promise = (await ann.ask(order, Welcome)).promise
        table = await ann.wait(TableView)
        assert (table.state, table.commitment) == ("playing", promise)
        assert len(next_promise) == 64
        assert next_promise != promise
        promise = next_promise


async def test_the_seed_that_was_promised_is_the_one_that_is_told(server: Server) -> None:
    ann, promise = await promised(server, "ann")
    await ann.ask(QuickPlay(), TableView)
    await ann.act(Add(3))
    over = await ann.wait(TableView, lambda view: view.state == "finished")
    assert hashlib.sha256(bytes.fromhex(over.seed)).hexdigest() == promise


async def test_a_promise_stands_until_it_is_used(server: Server) -> None:
    ann, promise = await promised(server, "ann")
    assert (await ann.refused(Create("chess"))).reason == "unknown-game"
    assert (await ann.ask(Hello(VERSION), Welcome)).promise == promise
    assert (await ann.ask(Create("race"), TableView)).commitment == promise


async def test_every_link_is_promised_a_seed_of_its_own(server: Server) -> None:
    promises = [(await promised(server, name))[1] for name in ("ann", "ann", "bob")]
    assert len(set(promises)) == 3


async def test_who_takes_the_last_seat_saw_it_in_the_list(server: Server) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    table = await ann.ask(Create("race"), TableView)
    (line,) = (await bob.wait(LobbyView, lambda view: len(view.tables) == 1)).tables
    dealt = await bob.ask(Join(table.code), TableView)
    assert (dealt.state, dealt.commitment) == ("playing", line.commitment)
    eve = await a_guest(server, "eve")
    assert (await eve.wait(LobbyView)).tables[0].commitment == line.commitment
