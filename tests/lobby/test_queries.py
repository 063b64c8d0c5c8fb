"""Invitations reach whom they are for, now or when they come, and no further; the course of a game can be asked for."""

import pytest
from structlog.testing import capture_logs

from cartino_protocol.accounts import Invitation, Invitations, Invited, Reported
from cartino_protocol.commands import (
    Back,
    Course,
    Create,
    Decline,
    Hello,
    Invite,
    Join,
    Leave,
    Report,
    Say,
    Watch,
)
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView, CourseView, Left, TableView, Welcome
from cartino_protocol.wire import VERSION
from cartino_server.lobby.queries import MOST_BY, MOST_EACH
from cartino_server.server import Server
from cartino_server.store.moderation import MAX_REPORTS_PER_HOUR, list_reports
from cartino_server.store.moderation import ChatReport as Written
from cartino_server.store.people import PeopleDatabase
from cartino_server.table.link import Person
from tests.support.game_server import NOW, Guest, World, a_guest, connect, new_server
from tests.support.journal import MemoryJournal
from tests.support.lasting import play, summed_up


async def a_host(server: Server, name: str = "ann") -> tuple[Guest, str]:
    """Somebody with a table, and its code."""
    host = await a_guest(server, name)
    return host, (await host.ask(Create("race"), TableView)).code


async def invited(guest: Guest) -> tuple[Invitation, ...]:
    return (await guest.wait(Invitations)).lines


async def test_somebody_who_is_here_hears_of_it_at_once_and_coming_answers_it(server: Server) -> None:
    bob = await a_guest(server, "bob")
    ann, code = await a_host(server)
    assert await ann.ask(Invite("BOB"), Invited) == Invited("BOB", here=True)
    assert await invited(bob) == (Invitation(code, "ann", "race"),)
    bob.say(Join(code))
    assert await invited(bob) == ()
    assert await ann.refused(Invite("bob")) == Refusal("already-here", "bob")


async def test_somebody_who_is_not_here_hears_of_it_when_they_come(
    server: Server, journal: MemoryJournal
) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    await play(ann, bob)
    await summed_up(journal)
    bob.say(Leave())
    bob.link.close()
    ann.say(Leave())
    code = (await ann.ask(Create("race"), TableView, lambda view: view.state == "open")).code
    assert await ann.ask(Invite("bob"), Invited) == Invited("bob", here=False)
    back = Guest(server.open_link(Person("id-bob", "bob")))
    await back.ask(Hello(VERSION), Welcome)
    assert await invited(back) == (Invitation(code, "ann", "race"),)


async def test_a_table_that_has_gone_invites_nobody(server: Server) -> None:
    bob = await a_guest(server, "bob")
    ann, code = await a_host(server)
    await ann.ask(Invite("bob"), Invited)
    assert await invited(bob)
    await server.services.moderation.close(code, "")
    assert await invited(bob) == ()


async def test_a_no_is_nobody_elses_business(server: Server) -> None:
    bob = await a_guest(server, "bob")
    ann, code = await a_host(server)
    await ann.ask(Invite("bob"), Invited)
    assert await invited(bob)
    assert await bob.ask(Decline(code), Invitations) == Invitations(())
    await ann.ask(Invite("bob"), Invited)
    assert await invited(bob) == (Invitation(code, "ann", "race"),)
    assert await bob.ask(Decline(code, for_good=True), Invitations) == Invitations(())
    # It looks to ann as ever, and bob hears nothing.
    assert await ann.ask(Invite("bob"), Invited) == Invited("bob", here=True)
    assert await bob.ask(Decline("ZZZZ"), Invitations) == Invitations(())
    assert [answer for answer in ann.heard if isinstance(answer, Invitations)] == []


async def test_what_makes_no_sense_is_refused(server: Server) -> None:
    ann = await a_guest(server, "ann")
    assert await ann.refused(Invite("bob")) == Refusal("not-at-table")
    await ann.ask(Create("race"), TableView)
    assert await ann.refused(Invite("bob")) == Refusal("unknown-person", "bob")
    assert await ann.refused(Invite("ann")) == Refusal("invited-yourself")


async def test_only_so_many_wait_for_one_person(server: Server) -> None:
    bob = await a_guest(server, "bob")
    for number in range(MOST_EACH):
        host, _ = await a_host(server, f"host{number}")
        await host.ask(Invite("bob"), Invited)
    last, _ = await a_host(server, "last")
    assert await last.refused(Invite("bob")) == Refusal("too-many-invitations", "bob")
    await bob.wait(Invitations, lambda told: len(told.lines) == MOST_EACH)


async def test_nothing_is_kept_for_guests_who_never_come_back(server: Server) -> None:
    ann, _ = await a_host(server)
    cards = server.services.queries.invitations
    for number in range(MOST_BY + 1):
        gus = await a_guest(server, f"gus{number}", guest=True)
        await ann.ask(Invite(f"gus{number}"), Invited)
        [asked] = await invited(gus)
        if number % 2:
            await gus.ask(Decline(asked.code, for_good=True), Invitations)
        gus.link.close()
    assert len(cards) == 0
    assert set(server.services.queries.mutes._known) == {"id-ann"}


async def test_a_guest_with_a_word_finds_what_waited_and_leaves_nothing_of_who_they_were(
    server: Server,
) -> None:
    ann, gus = await a_guest(server, "ann"), await a_guest(server, "gus", guest=True)
    before = (await ann.ask(Create("race"), TableView)).code
    await gus.ask(Join(before), TableView)
    word = (await gus.wait(Welcome, lambda told: told.word != "")).word
    gus.link.close()
    await ann.ask(Leave(), Left)
    code = (await ann.ask(Create("race"), TableView, lambda view: view.state == "open")).code
    assert await ann.ask(Invite("gus"), Invited) == Invited("gus", here=False)
    other = await a_guest(server, "other", guest=True)
    await ann.ask(Invite("other"), Invited)
    assert await invited(other)
    await other.ask(Back(word), Welcome, lambda told: told.name == "~gus")
    assert await invited(other) == (Invitation(code, "ann", "race"),)
    assert len(server.services.queries.invitations) == 1


async def test_whoever_invites_many_waits_for_their_answers(server: Server) -> None:
    ann, _ = await a_host(server)
    for number in range(MOST_BY):
        await a_guest(server, f"bob{number}")
        await ann.ask(Invite(f"bob{number}"), Invited)
    last = await a_guest(server, "last")
    assert await ann.refused(Invite("last")) == Refusal("too-many-invited", "last")
    eve, _ = await a_host(server, "eve")
    await eve.ask(Invite("last"), Invited)
    assert await invited(last)


async def test_in_a_server_full_of_invitations_those_of_whoever_sends_most_give_way(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cartino_server.lobby.queries.MOST", 3)
    ann, _ = await a_host(server)
    eve, _ = await a_host(server, "eve")
    bob, *others = [await a_guest(server, name) for name in ("bob", "joe", "jim", "jon")]
    await ann.ask(Invite("bob"), Invited)
    for name in ("joe", "jim", "jon"):
        await eve.ask(Invite(name), Invited)
    assert await invited(bob)
    assert await invited(others[2])
    # Nothing of the first one waits to be read: it was told anew before anybody read it.
    assert [bool(await invited(each)) for each in others[:2]] == [False, True]


async def test_the_course_of_a_game_that_is_over(server: Server, journal: MemoryJournal) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = await play(ann, bob)
    name = f"{code}-{max(journal.games)}"
    told = await bob.ask(Course(name), CourseView)
    assert told.game == name
    assert [(turn.seat, turn.step, turn.totals) for turn in told.turns] == [(0, 1, (3, 0))]
    assert await bob.refused(Course("AAAA-99")) == Refusal("no-past-game", "AAAA-99")


async def seated(server: Server, *names: str, seats: int = 2) -> tuple[str, list[Guest]]:
    guests = [await a_guest(server, name) for name in names]
    code = (await guests[0].ask(Create("race", seats=seats), TableView)).code
    for guest in guests[1:]:
        await guest.ask(Join(code), TableView)
    return code, guests


async def said(guest: Guest, *texts: str) -> int:
    """Say them; the number of the last."""
    number = 0
    for text in texts:
        guest.say(Say(text))
        while (chat := await guest.wait(ChatView)).lines[-1:] == () or chat.lines[-1].text != text:
            pass
        number = chat.lines[-1].n
    return number


async def test_the_host_reads_the_line_and_what_was_said_before(
    server: Server, people_db: PeopleDatabase
) -> None:
    connect(server, "192.0.2.1", 0)
    code, (ann, eve) = await seated(server, "ann", "eve", seats=3)
    await said(ann, *(f"line {number}" for number in range(6)))
    number = await said(eve, "a rude word")
    await said(ann, "and on")
    with capture_logs() as logs:
        assert await ann.ask(Report(number), Reported) == Reported(number, "eve")
    [written] = (await people_db.do(list_reports)).values()
    before = tuple(f"ann: line {number}" for number in range(1, 6))
    assert written == Written(
        1767268800, "id-ann", "ann", "id-eve", "eve", code, number, "a rude word", before, "192.0.2.1"
    )
    assert NOW == "2026-01-01T12:00:00Z"
    assert [log["event"] for log in logs] == ["a line of chat was reported"]
    assert "rude" not in str(logs)


async def test_only_what_one_may_read_can_be_reported(server: Server, people_db: PeopleDatabase) -> None:
    code, (ann, bob) = await seated(server, "ann", "bob")
    eve, kim = await a_guest(server, "eve"), await a_guest(server, "kim")
    for watcher in (eve, kim):
        await watcher.ask(Watch(code), TableView)
    secret = await said(eve, "a spectator's secret")
    assert await ann.refused(Report(secret)) == Refusal("no-such-line")
    assert await kim.ask(Report(secret), Reported) == Reported(secret, "eve")
    assert await bob.refused(Report(secret + 1)) == Refusal("no-such-line")
    assert await eve.refused(Report(secret)) == Refusal("reported-yourself")
    assert await (await a_guest(server, "far")).refused(Report(1)) == Refusal("not-in-room")


async def test_so_many_an_hour(server: Server) -> None:
    _, (ann, eve) = await seated(server, "ann", "eve", seats=3)
    numbers = [await said(eve, f"rude {number}") for number in range(MAX_REPORTS_PER_HOUR + 1)]
    for number in numbers[:-1]:
        await ann.ask(Report(number), Reported)
    assert await ann.refused(Report(numbers[-1])) == Refusal("too-many-reports")
    assert (await ann.ask(Report(numbers[0]), Reported)).line == numbers[0]


async def test_where_there_is_no_host_nothing_is_reported() -> None:
    server = new_server(World())
    _, (ann, eve) = await seated(server, "ann", "eve", seats=3)
    number = await said(eve, "hello")
    assert await ann.refused(Report(number)) == Refusal("no-such-line")
    await server.close()
