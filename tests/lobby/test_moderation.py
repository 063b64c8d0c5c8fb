"""The host's hand in the server: said to all, tables closed, people muted and sent away, no new games at the end."""

import pytest

from cartino_protocol.commands import (
    Command,
    Create,
    Cut,
    Invite,
    Join,
    Leave,
    Pause,
    QuickPlay,
    Rematch,
    Rename,
    Report,
    Say,
    Sit,
    Start,
    Watch,
)
from cartino_protocol.notices import Announced
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye, ChatView, Left, LobbyView, TableView
from cartino_server.lobby import moderation as overview
from cartino_server.lobby.moderation import (
    MAX_NAMES_EACH,
    QUIET_AFTER,
    ConnectionUse,
    RecentVisitor,
    RecentVisitors,
)
from cartino_server.server import Server
from cartino_server.store.moderation import BanList
from tests.support.game_server import Guest, World, a_guest, at_a_table, texts

SAID = Announced("says", "we close at ten")
MOMENT = 1_769_860_800
"""2026-01-31 12:00 UTC."""


async def mute(bans: BanList, *persons: str, until: int | None = None) -> None:
    for person in persons:
        await bans.add("voice", person, until, "spam", "x", "")


async def test_what_is_said_to_all_is_heard_at_tables_and_in_the_lobby_by_nobody_twice(
    server: Server,
) -> None:
    ann, bo = await at_a_table(server, "Ann", "Bo")
    cy, other = [await a_guest(server, "Cy") for _ in range(2)]
    silent = Guest(server.open_link(ann.link.person))
    assert server.services.moderation.announce(SAID) == 3
    for guest in (ann, bo, cy, other):
        assert await guest.wait(Announced) == SAID
    silent.link.close()
    assert await silent.end() == [], "they haven't been greeted"
    assert server.services.moderation.announce(SAID, ["id-Bo"]) == 1
    await bo.wait(Announced)
    server.warn()
    warning = "The server restarts in a moment; your seat is kept."
    await ann.wait(ChatView, lambda chat: warning in texts(chat))
    assert sum(isinstance(said, Announced) for said in ann.heard) == 1


async def test_a_closed_table_sends_its_people_to_the_lobby_with_the_reason(server: Server) -> None:
    ann, bo = await at_a_table(server, "Ann", "Bo")
    cy = await a_guest(server, "Cy")
    code = ann.code
    await cy.ask(Watch(code), TableView)
    assert await server.services.moderation.close(code, "too loud")
    for guest in (ann, bo, cy):
        assert await guest.wait(Left) == Left("host", code, "too loud")
        await guest.wait(LobbyView)
    assert not await server.services.moderation.close(code, "")
    assert await cy.refused(Join(code)) == Refusal("unknown-code", code)


@pytest.mark.parametrize("command", [Say("hello"), Invite("Bo"), Rename("Hello"), Cut("hello")])
async def test_who_is_muted_says_nothing_that_others_read(
    server: Server, command: Command, bans: BanList
) -> None:
    ann, bo = await at_a_table(server, "Ann", "Bo")
    await mute(bans, "id-Ann", until=MOMENT)
    assert await ann.refused(command) == Refusal("muted-until", "2026-01-31 12:00")
    assert await server.services.remote_tables.do("id-Ann", ann.code, Say("hello")) == Refusal(
        "muted-until", "2026-01-31 12:00"
    )
    await mute(bans, "id-Bo")
    assert await bo.refused(command) == Refusal("muted")
    for ban in bans.all():
        await bans.lift(ban.id)
    await ann.ask(Say("again"), ChatView, lambda chat: "again" in texts(chat))
    chat = await bo.wait(ChatView, lambda chat: "again" in texts(chat))
    assert "hello" not in texts(chat)


async def test_who_is_muted_still_plays_pauses_and_reports(server: Server, bans: BanList) -> None:
    ann, bo = await at_a_table(server, "Ann", "Bo")
    await mute(bans, "id-Ann", "id-Bo")
    for command in (Pause(True), Leave(), Watch("AAAA"), Report(1)):
        assert server.services.moderation.refuses("id-Ann", command) is None
    bo.say(Pause(True))
    ann.say(Pause(True))
    await ann.wait(TableView, lambda view: view.paused)


async def test_who_is_sent_away_reads_why_and_the_seat_is_as_for_anybody_cut_off(server: Server) -> None:
    ann, bo = await at_a_table(server, "Ann", "Bo")
    again = Guest(server.open_link(bo.link.person, connection=7))
    bye = Bye("banned", "spam", "2026-01-31 12:00")
    server.services.moderation.send_away(lambda link: link.person.id == "id-Bo", bye)
    for guest in (bo, again):
        assert (await guest.end())[-1] == bye
    chat = await ann.wait(ChatView, lambda chat: "Bo lost the connection" in texts(chat))
    assert chat is not None
    assert [seen.name for seen in server.services.overview.list_online()] == ["Ann"]


async def test_it_sees_who_is_here_where_and_by_which_connections(server: Server) -> None:
    ann, _ = await at_a_table(server, "Ann", "Bo")
    link = server.open_link(ann.link.person, connection=9)
    cy = await a_guest(server, "Cy", person="guest:cy", guest=True)
    seen = {each.name: each for each in server.services.overview.list_online()}
    assert list(seen) == ["Ann", "Bo", "~Cy"]
    assert (seen["Ann"].tables, seen["Ann"].connections, seen["Ann"].guest) == (
        (ann.code,),
        (0,),
        False,
    )
    assert (seen["~Cy"].tables, seen["~Cy"].person, seen["~Cy"].guest) == ((), "guest:cy", True)
    assert (
        server.services.presence.people.person_called("ann"),
        server.services.presence.people.person_called("Nobody"),
    ) == ("id-Ann", None)
    assert (server.services.overview.name_of("id-Bo"), server.services.overview.name_of("id-Nobody")) == (
        "Bo",
        "",
    )
    link.close()
    cy.link.close()


async def test_once_the_server_drains_nothing_new_begins_and_only_who_plays_may_come(server: Server) -> None:
    overview, moderation = server.services.overview, server.services.moderation
    ann, _ = await at_a_table(server, "Ann", "Bo")
    cy, dan = await a_guest(server, "Cy"), await a_guest(server, "Dan")
    code = (await cy.ask(Create("race"), TableView)).code
    moderation.set_draining(True)
    for guest, command in (
        *((dan, command) for command in (Create("race"), QuickPlay(), Join(code))),
        *((cy, command) for command in (Start(), Sit(1))),
        (ann, Rematch()),
    ):
        assert await guest.refused(command) == Refusal("house-ends")
    may_come = [overview.may_come(person) for person in ("id-Ann", "id-Cy", "id-Dan", "guest:new")]
    assert may_come == [True, False, False, False]
    await dan.ask(Watch(code), TableView)
    moderation.set_draining(False)
    await dan.ask(Join(code), TableView, lambda view: view.state == "playing")


async def test_guests_may_come_while_one_of_them_plays_and_is_missed(server: Server, world: World) -> None:
    ann = await a_guest(server, "Ann")
    guest = await a_guest(server, "Guy", person="guest:1", guest=True)
    table = await ann.ask(Create("race"), TableView)
    await guest.ask(Join(table.code), TableView, lambda view: view.state == "playing")
    assert not server.services.overview.may_come("guest:2")
    world.time += QUIET_AFTER
    assert server.services.overview.may_come("guest:2"), "the line may have broken, and nobody knows yet"
    guest.say(Leave())
    assert not server.services.overview.may_come("guest:2")
    guest.link.close()
    assert server.services.overview.may_come("guest:2")


async def test_a_seat_is_worth_most_in_a_game_that_goes_on_with_others(server: Server) -> None:
    ann, bo = await at_a_table(server, "Ann", "Bo")
    assert server.services.overview.seat_of("id-Dan") == "none"
    await at_a_table(server, "Cy", "Dan", create=Create("race", clock="day"))
    assert server.services.overview.plays() == 1, "one by correspondence isn't waited for"
    await a_guest(server, "Eve")
    fay = await a_guest(server, "Fay")
    await fay.ask(Create("race", {"goal": "9"}, bots=("steady",)), TableView)
    assert [server.services.overview.seat_of(f"id-{name}") for name in ("Ann", "Cy", "Eve", "Fay")] == [
        *("game", "table", "none", "alone")
    ]
    await fay.ask(Leave(), Left)
    await fay.ask(Create("race"), TableView)
    assert server.services.overview.seat_of("id-Fay") == "alone", "the most of several"
    bo.link.close()
    await ann.ask(Pause(True), TableView, lambda view: view.paused)
    assert server.services.overview.seat_of("id-Ann") == server.services.overview.seat_of("id-Bo") == "table"


async def test_a_connection_is_whose_seat_it_stands_at(server: Server, world: World) -> None:
    ann, bo = await at_a_table(server, "Ann", "Bo")
    ann.link.connection, bo.link.connection = 1, 2
    world.time += 5
    lobby = await a_guest(server, "Ann")
    lobby.link.connection = 3
    world.time += 2
    assert server.services.overview.stays() == {
        1: ConnectionUse("id-Ann", "game", True, 7.0),
        2: ConnectionUse("id-Bo", "game", True, 7.0),
        3: ConnectionUse("id-Ann", "game", False, 2.0),
    }
    lobby.link.connection = 1
    assert server.services.overview.stays()[1] == ConnectionUse("id-Ann", "game", True, 2.0), (
        "by several links"
    )


async def test_a_game_is_waited_for_while_one_of_its_players_is_there_and_it_goes_on(server: Server) -> None:
    ann, bo = await at_a_table(server, "Ann", "Bo")
    assert server.services.overview.plays() == 1
    bo.link.close()
    assert ann.table is not None
    await ann.wait(ChatView, lambda chat: "Bo lost the connection" in texts(chat))
    assert server.services.overview.plays() == 1
    await ann.ask(Pause(True), TableView, lambda view: view.paused)
    assert server.services.overview.plays() == 0
    await ann.ask(Pause(False), TableView, lambda view: not view.paused)
    await ann.ask(Leave(), Left)
    assert server.services.overview.plays() == 0


def test_somebody_is_known_by_all_their_last_names() -> None:
    found = RecentVisitors()
    found.record_visit("id-ann", "Ann", "192.0.2.1")
    found.record_visit("id-ann", "Bea", "")
    found.record_visit("id-ann", "Ann", "")
    ann = RecentVisitor("id-ann", ("Bea", "Ann"), "192.0.2.1")
    assert found.get("id-ann") == ann
    assert ann.name == "Ann"
    assert found.called("BEA") == found.called("ann") == (ann,)
    assert found.called("Be") == ()
    for number in range(MAX_NAMES_EACH):
        found.record_visit("id-ann", f"name {number}", "192.0.2.9")
    assert found.called("Ann") == ()
    assert found.called("name 0")[0].source == "192.0.2.9"


def test_the_newest_are_remembered_and_told_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overview, "MAX_VISITORS", 2)
    found = RecentVisitors()
    for person in ("1", "2", "1", "3"):
        found.record_visit(person, "x", "")
    assert [each.person for each in found.called("x")] == ["3", "1"]
    assert found.get("2") is None
