"""Who is sent what: once encoded an audience, only what changed, all of it to newcomers."""

import asyncio

import pytest

from cartino_protocol import wire
from cartino_protocol.views import ChatView, TableView
from cartino_server.table.views import Broadcast
from tests.support.game_server import Noting
from tests.support.live_table import LiveTable
from tests.support.race_table import a_room


@pytest.fixture
def table() -> LiveTable:
    table = a_room(2)
    for person in ("ann", "bob"):
        table.join(person, person)
    for person in ("eve", "joe"):
        table.watch(person, person)
    return table


async def test_a_view_is_encoded_once_for_all_who_see_the_same(table: LiveTable) -> None:
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


def test_only_what_changed_is_sent(table: LiveTable) -> None:
    feed, ann = Broadcast(), Noting("ann")
    feed.admit(ann)
    feed.send(table.table)
    assert ann.kinds() == [TableView, ChatView]
    feed.send(table.table)
    assert ann.kinds() == []
    table.say("bob", "hello")
    feed.send(table.table)
    assert ann.kinds() == [ChatView]


def test_who_has_just_come_gets_all_and_nobody_else_again(table: LiveTable) -> None:
    feed, ann, phone = Broadcast(), Noting("ann"), Noting("ann")
    feed.admit(ann)
    feed.send(table.table)
    ann.kinds()
    feed.admit(phone)
    feed.send(table.table)
    assert (ann.kinds(), phone.kinds()) == ([], [TableView, ChatView])


def test_who_was_removed_gets_nothing(table: LiveTable) -> None:
    feed, ann = Broadcast(), Noting("ann")
    feed.admit(ann)
    assert feed.links_of("ann")
    feed.remove(ann)
    feed.remove(ann)
    feed.send(table.table)
    assert (ann.kinds(), feed.links_of("ann")) == ([], ())


async def test_players_have_it_before_anybody_who_watches(table: LiveTable) -> None:
    feed, links = Broadcast(), {person: Noting(person) for person in ("eve", "ann", "joe", "bob")}
    for link in links.values():
        feed.admit(link)
    feed.send(table.table)
    assert [person for person, link in links.items() if link.frames] == ["ann", "bob"]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert all(link.frames for link in links.values())


async def test_who_takes_a_seat_gets_nothing_late_that_was_for_the_spectators() -> None:
    table, feed, ann = a_room(2), Broadcast(), Noting("ann")
    table.watch("ann", "ann")
    feed.admit(ann)
    feed.send(table.table)
    table.sit("ann", 0)
    feed.send(table.table)
    feed.finish()
    tables = [wire.decode_answer(frame) for kind, frame in ann.frames if kind is TableView]
    assert [game_table.you for game_table in tables if isinstance(game_table, TableView)] == [0]


def test_who_watches_is_news_to_the_others_once_in_a_while(table: LiveTable) -> None:
    feed, ann = Broadcast(), Noting("ann")
    feed.admit(ann)
    assert feed.send(table.table, now=10.0, pause=1.0) is None
    ann.kinds()
    table.watch("zoe", "zoe")
    assert feed.send(table.table, now=10.5, pause=1.0) == 0.5
    table.leave("zoe")
    table.leave("joe")
    assert feed.send(table.table, now=10.75, pause=1.0) == 0.25
    assert ann.kinds() == []
    assert feed.send(table.table, now=11.0, pause=1.0) is None
    assert ann.kinds() == [TableView, ChatView]


def test_a_change_of_the_table_takes_along_what_was_held_back(table: LiveTable) -> None:
    feed, ann = Broadcast(), Noting("ann")
    feed.admit(ann)
    feed.send(table.table, now=10.0, pause=1.0)
    ann.kinds()
    table.watch("zoe", "zoe")
    table.say("bob", "hello")
    assert feed.send(table.table, now=10.5, pause=1.0) is None
    assert ann.kinds() == [TableView, ChatView]


def test_who_comes_while_something_is_held_back_sees_it_all(table: LiveTable) -> None:
    feed, ann, phone = Broadcast(), Noting("ann"), Noting("ann")
    feed.admit(ann)
    feed.send(table.table, now=10.0, pause=1.0)
    ann.kinds()
    table.watch("zoe", "zoe")
    feed.admit(phone)
    assert feed.send(table.table, now=10.5, pause=1.0) == 0.5
    assert (ann.kinds(), phone.kinds()) == ([], [TableView, ChatView])


def test_a_seat_that_becomes_free_is_no_mere_matter_of_who_watches() -> None:
    table, feed, ann = a_room(3), Broadcast(), Noting("ann")
    for person in ("ann", "bob"):
        table.join(person, person)
    feed.admit(ann)
    feed.send(table.table, now=10.0, pause=1.0)
    ann.kinds()
    table.leave("bob")
    assert feed.send(table.table, now=10.5, pause=1.0) is None
    assert ann.kinds() == [TableView, ChatView]
