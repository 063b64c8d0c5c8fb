"""What is kept for players who are away, and for how long: the name, the seat, a challenge."""

import pytest

from cartino_protocol.commands import Create, Hello, Join, Leave, QuickPlay, Rename
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Left, TableView, Welcome
from cartino_protocol.wire import VERSION
from cartino_server.server import Server
from cartino_server.table.link import Person
from cartino_server.table.state import CHALLENGE_KEPT, SEAT_KEPT
from cartino_server.table.time_control import TimeControl
from cartino_server.table.views import table_line
from tests.support.game_server import Guest, World, a_guest, at_a_table
from tests.support.race import Add
from tests.support.race_table import RaceTable

DAY = TimeControl("day")


def challenge(
    comes: str = "joins", leaves: str = "leaves", *, seats: int = 2, control: TimeControl = DAY
) -> RaceTable:
    """A table that ann has opened and gone from."""
    return RaceTable(seats, goal="9", time_control=control).play(f"ann {comes}, ann {leaves}")


@pytest.mark.parametrize("leaves", ["leaves", "vanishes"])
def test_a_challenge_keeps_the_seat_of_its_absent_player_for_fourteen_days(leaves: str) -> None:
    table = challenge(leaves=leaves)
    line = table_line(table.table)
    assert (line.state, line.clock, line.is_challenge, line.away) == ("open", "day", True, (0,))
    table.skip(CHALLENGE_KEPT - 1)
    assert (table.names(), table.is_overdue) == (["ann", ""], False)
    table.skip(1)
    assert (table.names(), table.is_overdue) == (["", ""], True)


def test_whoever_takes_the_last_seat_begins_the_game() -> None:
    table = challenge(seats=3).play("bob joins, bob leaves")
    assert table_line(table.table).away == (0, 1)
    table.play("ann joins")
    assert (table.state, table.names()) == ("open", ["ann", "bob", ""]), "nobody takes a second seat"
    assert table.play("ann leaves, eve joins").state == "playing"
    table.play("eve leaves, ann joins, ann adds 1")


async def test_its_time_goes_on_over_a_restart() -> None:
    table = challenge()
    await table.save()
    for seconds in (CHALLENGE_KEPT / 2, CHALLENGE_KEPT / 2 - SEAT_KEPT):
        table.skip(seconds)
        await table.restart()
        assert table_line(table.table).away == (0,)
    table.skip(SEAT_KEPT)
    assert table.names() == ["", ""]


def test_no_other_open_table_keeps_a_seat() -> None:
    clocks = (challenge(control=TimeControl(clock)) for clock in ("none", "120s"))
    for table in (challenge("joins guest"), challenge(leaves="stands"), *clocks):
        assert (table.names(), table.is_kept_challenge) == (["", ""], False)


def test_a_seat_at_an_open_table_waits_for_a_lost_connection() -> None:
    table = challenge(leaves="vanishes", control=TimeControl())
    assert table.next_look() == SEAT_KEPT
    table.skip(SEAT_KEPT - 1)
    assert table.names() == ["ann", ""]
    table.skip(1)
    assert (table.names(), table.heard()[-1]) == (["", ""], "ann hasn't returned")


async def test_a_challenge_leads_nobody_back_and_quick_play_leaves_it_alone(server: Server) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = (await ann.ask(Create("race", clock="day"), TableView)).code
    ann.link.close()
    back = await a_guest(server, "ann")
    assert server.services.presence.way_back(back.link) == ("", False)
    assert (await bob.ask(QuickPlay("race"), TableView)).code != code


async def test_nobody_takes_the_name_of_a_player_who_is_away(server: Server) -> None:
    ann, bob = await at_a_table(server, "ann", "bob")
    assert bob.table is not None
    ann.link.close()
    await bob.wait(TableView, lambda view: not view.seats[0].here)
    somebody = Guest(server.open_link(Person("somebody", "ann", guest=True)))
    assert (await somebody.ask(Hello(VERSION), Welcome)).name == "~ann"
    back = await a_guest(server, "ann")
    assert (await back.ask(Join(bob.table.code), TableView)).seats[0].name == "ann"
    await back.act(Add(3))
    await bob.wait(TableView, lambda view: view.state == "finished")
    back.link.close()
    await bob.wait(TableView, lambda view: not view.seats[0].here)
    assert await bob.refused(Rename("ann")) == Refusal("name-taken", "ann")


@pytest.mark.parametrize("leaves", [True, False])
async def test_a_guests_name_is_free_when_the_seat_is(world: World, server: Server, leaves: bool) -> None:
    ann, bob = await a_guest(server, "ann", guest=True), await a_guest(server, "bob", guest=True)
    table = await ann.ask(Create("race", seats=3), TableView)
    await bob.ask(Join(table.code), TableView)
    if leaves:
        await ann.ask(Leave(), Left)
    else:
        ann.link.close()
        view = await bob.wait(TableView, lambda view: not view.seats[0].here)
        assert (view.seats[0].kind, view.seats[0].name) == ("human", "~ann")
        assert await bob.refused(Rename("ann")) == Refusal("name-taken", "~ann")
        world.skip(SEAT_KEPT)
    await bob.wait(TableView, lambda view: view.seats[0].kind == "empty")
    ann.link.close()
    assert (await bob.ask(Rename("ann"), Welcome)).name == "~ann"
