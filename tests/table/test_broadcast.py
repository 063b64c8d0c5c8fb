"""Who is sent what: once encoded an audience, only what changed, all of it to newcomers."""

import asyncio

import pytest

from cartino_protocol import wire
from cartino_protocol.views import ChatView, RoomView
from cartino_server.table.views import Broadcast
from tests.support.game_server import Noting
from tests.support.live_table import LiveTable
from tests.support.race_room import a_room


@pytest.fixture
def room() -> LiveTable:
    room = a_room(2)
    for person in ("ann", "bob"):
        room.join(person, person)
    for person in ("eve", "joe"):
        room.watch(person, person)
    return room


async def test_a_view_is_encoded_once_for_all_who_see_the_same(room: LiveTable) -> None:
    feed = Broadcast()
    links = [Noting(person) for person in ("ann", "ann", "eve", "joe", "bob")]
    for link in links:
        feed.admit(link)
    feed.send(room.table)
    feed.finish()
    tables = [next(frame for kind, frame in link.frames if kind is RoomView) for link in links]
    assert tables[0] is tables[1]
    assert tables[2] is tables[3]
    assert len(set(tables)) == 3
    chats = [next(frame for kind, frame in link.frames if kind is ChatView) for link in links]
    assert chats[0] is chats[4]


def test_only_what_changed_is_sent(room: LiveTable) -> None:
    feed, ann = Broadcast(), Noting("ann")
    feed.admit(ann)
    feed.send(room.table)
    assert ann.kinds() == [RoomView, ChatView]
    feed.send(room.table)
    assert ann.kinds() == []
    room.say("bob", "hello")
    feed.send(room.table)
    assert ann.kinds() == [ChatView]


def test_who_has_just_come_gets_all_and_nobody_else_again(room: LiveTable) -> None:
    feed, ann, phone = Broadcast(), Noting("ann"), Noting("ann")
    feed.admit(ann)
    feed.send(room.table)
    ann.kinds()
    feed.admit(phone)
    feed.send(room.table)
    assert (ann.kinds(), phone.kinds()) == ([], [RoomView, ChatView])


def test_who_was_removed_gets_nothing(room: LiveTable) -> None:
    feed, ann = Broadcast(), Noting("ann")
    feed.admit(ann)
    assert feed.links_of("ann")
    feed.remove(ann)
    feed.remove(ann)
    feed.send(room.table)
    assert (ann.kinds(), feed.links_of("ann")) == ([], ())


async def test_players_have_it_before_anybody_who_watches(room: LiveTable) -> None:
    feed, links = Broadcast(), {person: Noting(person) for person in ("eve", "ann", "joe", "bob")}
    for link in links.values():
        feed.admit(link)
    feed.send(room.table)
    assert [person for person, link in links.items() if link.frames] == ["ann", "bob"]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert all(link.frames for link in links.values())


async def test_who_takes_a_seat_gets_nothing_late_that_was_for_the_spectators() -> None:
    room, feed, ann = a_room(2), Broadcast(), Noting("ann")
    room.watch("ann", "ann")
    feed.admit(ann)
    feed.send(room.table)
    room.sit("ann", 0)
    feed.send(room.table)
    feed.finish()
    tables = [wire.decode_answer(frame) for kind, frame in ann.frames if kind is RoomView]
    assert [table.you for table in tables if isinstance(table, RoomView)] == [0]


def test_who_watches_is_news_to_the_others_once_in_a_while(room: LiveTable) -> None:
    feed, ann = Broadcast(), Noting("ann")
    feed.admit(ann)
    assert feed.send(room.table, now=10.0, pause=1.0) is None
    ann.kinds()
    room.watch("zoe", "zoe")
    assert feed.send(room.table, now=10.5, pause=1.0) == 0.5
    room.leave("zoe")
    room.leave("joe")
    assert feed.send(room.table, now=10.75, pause=1.0) == 0.25
    assert ann.kinds() == []
    assert feed.send(room.table, now=11.0, pause=1.0) is None
    assert ann.kinds() == [RoomView, ChatView]


def test_a_change_of_the_table_takes_along_what_was_held_back(room: LiveTable) -> None:
    feed, ann = Broadcast(), Noting("ann")
    feed.admit(ann)
    feed.send(room.table, now=10.0, pause=1.0)
    ann.kinds()
    room.watch("zoe", "zoe")
    room.say("bob", "hello")
    assert feed.send(room.table, now=10.5, pause=1.0) is None
    assert ann.kinds() == [RoomView, ChatView]


def test_who_comes_while_something_is_held_back_sees_it_all(room: LiveTable) -> None:
    feed, ann, phone = Broadcast(), Noting("ann"), Noting("ann")
    feed.admit(ann)
    feed.send(room.table, now=10.0, pause=1.0)
    ann.kinds()
    room.watch("zoe", "zoe")
    feed.admit(phone)
    assert feed.send(room.table, now=10.5, pause=1.0) == 0.5
    assert (ann.kinds(), phone.kinds()) == ([], [RoomView, ChatView])


def test_a_seat_that_becomes_free_is_no_mere_matter_of_who_watches() -> None:
    room, feed, ann = a_room(3), Broadcast(), Noting("ann")
    for person in ("ann", "bob"):
        room.join(person, person)
    feed.admit(ann)
    feed.send(room.table, now=10.0, pause=1.0)
    ann.kinds()
    room.leave("bob")
    assert feed.send(room.table, now=10.5, pause=1.0) is None
    assert ann.kinds() == [RoomView, ChatView]
