"""What a table's views hold for whom, and who is sent what: encoded once, only what changed, all of it to newcomers."""

import asyncio
from collections.abc import Callable

import msgspec
import pytest

from cartino_games.cartino.rules.state import RECENT, Settlement
from cartino_games.cartino.turn_log import logged
from cartino_games.cartino.views import CartinoEvent, CartinoView
from cartino_protocol import wire
from cartino_protocol.commands import Watch
from cartino_protocol.views import ChatView, SeatLine, TableLine, TableView
from cartino_protocol.wire import encode
from cartino_server.lobby.people.names import clean_name
from cartino_server.server import Server
from cartino_server.table.seating import Order
from cartino_server.table.time_control import TimeControl
from cartino_server.table.views import (
    MAX_NAMED_SPECTATORS,
    PORTION,
    Broadcast,
    SpectatorQueue,
    game_view,
    table_line,
    table_view,
)
from tests.support.cartino import GAME, position
from tests.support.game_server import QUICK, Noting, World, a_guest, at_a_table, decoded_view, new_server
from tests.support.live_table import LiveTable
from tests.support.race import Add
from tests.support.race_table import RaceTable, filled


def test_an_open_table_has_no_game() -> None:
    view = RaceTable().seen()
    assert (view.state, view.number, view.result, view.turn) == ("open", 0, None, ())
    assert bytes(view.game_view) == b""


def test_each_audience_gets_its_own_game_and_everything_when_it_is_over() -> None:
    table = filled("ann", "bob")
    cards = table.match.state.cards
    assert [decoded_view(table.seen(who)).get("card") for who in (0, 1, None)] == [*cards, None]
    assert bytes(table.seen(1).game_view) == game_view(table.match, 1)
    assert "cards" not in decoded_view(table.seen())
    assert table.move("ann", Add(3)) is None
    view = table.seen()
    assert decoded_view(view)["cards"] == list(cards)
    assert view.result is not None
    assert (view.result.totals, view.result.winners, view.turn) == ((3, 0), (0,), ())


def test_few_spectators_are_named_and_all_counted() -> None:
    table = RaceTable()
    for number in range(MAX_NAMED_SPECTATORS + 3):
        table.watch(f"w{number}", f"watcher{number}")
    view = table.seen(0)
    assert (view.spectators, len(view.watchers)) == (MAX_NAMED_SPECTATORS + 3, MAX_NAMED_SPECTATORS)


def test_the_line_in_a_list() -> None:
    table = RaceTable()
    table.join("a", "ann")
    seats, promise = (SeatLine("ann", "human"), SeatLine("", "empty")), table.commitment
    line = TableLine("AAAA", "race", table.options, seats, 0, "open", commitment=promise)
    assert table_line(table.table) == line
    table.join("b", "bob")
    running = table_line(table.table)
    assert (running.state, running.turn, running.commitment) == ("playing", (0,), promise)


def with_match(table: LiveTable, **changes: object) -> None:
    """The match there has these values."""
    match = msgspec.structs.replace(table.match, **changes)
    table.table = msgspec.structs.replace(table.table, match=match)


class TestSize:
    """Four names and a row of spectators as long as names get, around the longest table there is."""

    NAME = "𠀀" * 8
    STATE = msgspec.structs.replace(
        position(
            *["* * AS KS QS"] * 4,
            edition="1969",
            totals=(1234,) * 4,
            bag=" ".join(["10S"] * 86),
        ),
        recent=(CartinoEvent("lay", 3, "10S", "10Su", 106),) * RECENT,
        log=logged("1969", [CartinoEvent("lay", 0, "10S", "10Sl", 36)]) * 110 + logged("1969", []) * 20,
    )

    @pytest.fixture
    def table(self, world: World) -> LiveTable:
        order = Order(GAME, {"edition": "1969"}, 4, (), True, TimeControl("day", "never"))
        table = LiveTable("AAAA", order, bytes(32), world.ports())
        assert clean_name(self.NAME) == self.NAME
        for number in range(4):
            table.join(f"p{number}", self.NAME)
        for number in range(40):
            table.watch(f"w{number}", self.NAME)
        with_match(table, number=10_000, state=self.STATE)
        return table

    def test_the_worst_running_table_fits_in_2_kb(self, table: LiveTable) -> None:
        view = table_view(table.table, 0)
        assert len(msgspec.msgpack.decode(view.game_view, type=CartinoView).lays) == 104 + 6
        assert len(encode(view)) <= 2048

    def test_the_worst_end_which_is_sent_once_fits_in_a_little_more(self, table: LiveTable) -> None:
        settlement = Settlement((10,) * 4, (106,) * 4, out=True)
        over = {"settlement": settlement, "first": 3, "course": (130,) * 130, "fives": tuple(range(25))}
        with_match(table, state=msgspec.structs.replace(self.STATE, **over))
        table.abandon()
        for person in ("p0", "p1", "p2"):
            table.rematch(person)
        view = table_view(table.table, 0)
        assert (len(view.seed), len(view.next_commitment), view.again) == (64, 64, (0, 1, 2))
        assert len(decoded_view(view)["hands"]) == 4
        assert len(encode(view)) <= 2220


class TestBroadcast:
    @pytest.fixture
    def table(self) -> RaceTable:
        table = filled("ann", "bob")
        for person in ("eve", "joe"):
            table.watch(person, person)
        return table

    def shown(self, table: RaceTable) -> tuple[Broadcast, Noting]:
        """A broadcast, and ann, who has been shown everything at 10 seconds."""
        feed, ann = Broadcast(), Noting("ann")
        feed.admit(ann)
        assert feed.send(table.table, now=10.0, pause=1.0) is None
        assert ann.kinds() == [TableView, ChatView]
        return feed, ann

    async def test_a_view_is_encoded_once_for_all_who_see_the_same(self, table: RaceTable) -> None:
        feed = Broadcast()
        links = [Noting(person) for person in ("ann", "ann", "eve", "joe", "bob")]
        for link in links:
            feed.admit(link)
        feed.send(table.table)
        feed.finish()
        tables = [next(frame for kind, frame in link.frames if kind is TableView) for link in links]
        assert tables[0] is tables[1]
        assert tables[2] is tables[3]
        assert len(set(tables)) == 3
        chats = [next(frame for kind, frame in link.frames if kind is ChatView) for link in links]
        assert chats[0] is chats[4]

    def test_only_what_changed_is_sent_and_everything_to_who_has_just_come(self, table: RaceTable) -> None:
        feed, ann = self.shown(table)
        feed.send(table.table)
        assert ann.kinds() == []
        table.say("bob", "hello")
        feed.send(table.table)
        assert ann.kinds() == [ChatView]
        phone = Noting("ann")
        feed.admit(phone)
        feed.send(table.table)
        assert (ann.kinds(), phone.kinds()) == ([], [TableView, ChatView])
        assert feed.links_of("ann") == (ann, phone)
        for link in (ann, phone, ann):
            feed.remove(link)
        table.say("bob", "hello")
        feed.send(table.table)
        assert (ann.kinds(), phone.kinds(), feed.links_of("ann")) == ([], [], ())

    def test_a_selection_of_more_than_256_bytes_is_not_kept(self) -> None:
        assert [Broadcast().select("ann", bytes(size)) for size in (256, 257)] == [True, False]

    async def test_players_have_it_before_anybody_who_watches(self, table: RaceTable) -> None:
        feed, links = Broadcast(), {person: Noting(person) for person in ("eve", "ann", "joe", "bob")}
        for link in links.values():
            feed.admit(link)
        feed.send(table.table)
        assert [person for person, link in links.items() if link.frames] == ["ann", "bob"]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert all(link.frames for link in links.values())

    async def test_who_takes_a_seat_gets_nothing_late_that_was_for_the_spectators(self) -> None:
        table, feed, ann = RaceTable(), Broadcast(), Noting("ann")
        table.watch("ann", "ann")
        feed.admit(ann)
        feed.send(table.table)
        table.sit("ann", 0)
        feed.send(table.table)
        feed.finish()
        views = [wire.decode_answer(frame) for kind, frame in ann.frames if kind is TableView]
        assert [view.you for view in views if isinstance(view, TableView)] == [0]

    def test_who_watches_is_shown_to_the_others_once_in_a_while(self, table: RaceTable) -> None:
        feed, ann = self.shown(table)
        assert feed.send(table.table, now=10.4, pause=1.0) is None, "nothing changed"
        table.watch("zoe", "zoe")
        assert feed.send(table.table, now=10.5, pause=1.0) == 0.5
        for person in ("zoe", "joe"):
            table.leave(person)
        phone = Noting("ann")
        feed.admit(phone)
        assert feed.send(table.table, now=10.75, pause=1.0) == 0.25
        assert (ann.kinds(), phone.kinds()) == ([], [TableView, ChatView]), "who comes sees it all"
        assert feed.send(table.table, now=11.0, pause=1.0) is None
        assert ann.kinds() == [TableView, ChatView]

    @pytest.mark.parametrize("change", ["say", "leave"])
    def test_any_other_change_takes_along_what_was_held_back(self, change: str) -> None:
        table = RaceTable(3)
        for person in ("ann", "bob"):
            table.join(person, person)
        feed, ann = self.shown(table)
        table.watch("zoe", "zoe")
        if change == "say":
            table.say("bob", "hello")
        else:
            table.leave("bob")
        assert feed.send(table.table, now=10.5, pause=1.0) is None
        assert ann.kinds() == [TableView, ChatView]


class TestSpectatorQueue:
    async def test_nobody_waits_for_more_than_a_portion_in_one_turn(self) -> None:
        spectators, links = SpectatorQueue(), [Noting(f"eve{number}") for number in range(PORTION * 2 + 1)]
        spectators.show(links, {TableView: b"table"})
        shown = []
        for _ in range(4):
            shown.append(sum(bool(link.frames) for link in links))
            await asyncio.sleep(0)
        assert shown == [0, PORTION, PORTION * 2, PORTION * 2 + 1]
        assert all(link.frames == [(TableView, b"table")] for link in links)

    async def test_who_still_waits_gets_the_newest_of_each_kind_once_and_who_is_forgotten_nothing(
        self,
    ) -> None:
        spectators, eve, joe = SpectatorQueue(), Noting("eve"), Noting("joe")
        spectators.show([eve, joe], {TableView: b"old", ChatView: b"talk"})
        spectators.show([eve], {TableView: b"new"})
        spectators.forget(joe)
        spectators.finish()
        assert (eve.frames, joe.frames) == ([(TableView, b"new"), (ChatView, b"talk")], [])


async def test_players_hear_of_a_crowd_that_comes_to_watch_once(
    world: World, servers: Callable[[Server], Server]
) -> None:
    every = 30.0
    server = servers(new_server(world, msgspec.structs.replace(QUICK, spectators_every=every)))
    ann, bob = await at_a_table(server, "ann", "bob")
    assert ann.table is not None
    code = ann.table.code
    world.skip(every)
    first = await a_guest(server, "eve0")
    await first.ask(Watch(code), TableView)
    assert (await ann.wait(TableView, lambda table: table.spectators)).spectators == 1
    for number in range(2, 21):
        eve = await a_guest(server, f"eve{number}")
        assert (await eve.ask(Watch(code), TableView)).spectators == number, "who comes sees all of it"
    world.skip(every)
    for player in (ann, bob):
        assert (await player.wait(TableView, lambda table: table.spectators > 1)).spectators == 20
