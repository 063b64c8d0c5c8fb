"""Hearing no more of somebody: whatever they are called, at all terminals, after a restart, until it is taken back."""

import apsw
import pytest

from cartino_protocol.accounts import Ignored, IgnoredPerson, Invitation, Invitations, Invited
from cartino_protocol.commands import Create, Decline, Hello, Ignore, Invite, Join, Rename, Say
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView, LobbyView, TableView, Welcome
from cartino_protocol.wire import VERSION
from cartino_server.server import Server
from cartino_server.store.moderation import MAX_IGNORED_EACH
from cartino_server.store.people import PeopleDatabase
from cartino_server.table.environment import AuthorMarks
from cartino_server.table.link import Person
from tests.support.game_server import QUICK, Guest, World, a_guest, new_server
from tests.support.race import Race

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


async def test_never_again_from_an_invitation_is_on_the_list_too(server: Server) -> None:
    ann, eve = await a_guest(server, "ann"), await a_guest(server, "eve")
    code = (await eve.ask(Create("race"), TableView)).code
    await eve.ask(Invite("ann"), Invited)
    await ann.wait(Invitations)
    ann.say(Decline(code, for_good=True))
    await list_is(ann, "eve")
    assert (await ann.wait(Invitations)).lines == ()


async def test_what_makes_no_sense_is_refused(server: Server) -> None:
    ann = await a_guest(server, "ann")
    assert await ann.refused(Ignore(MARK("id-ann"), "x")) == Refusal("ignored-yourself")
    assert await ann.refused(Ignore(name="ann")) == Refusal("ignored-yourself")
    assert await ann.refused(Ignore(name="bot steady")) == Refusal("ignored-bot", "bot steady")
    assert await ann.refused(Ignore(name="nobody")) == Refusal("unknown-person", "nobody")
    for who in ("x", "x" * 9, "\x1b[2J1234", "abc d123"):
        assert await ann.refused(Ignore(who, "eve")) == Refusal("malformed")


async def test_who_was_never_here_takes_no_place_in_a_list(server: Server) -> None:
    ann = await a_guest(server, "ann")
    assert await ann.refused(Ignore("abcd1234", "eve")) == Refusal("unknown-person", "eve")


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
