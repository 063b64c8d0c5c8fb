"""Who is sent what: once encoded an audience, only what changed, all of it to newcomers."""

import pytest

from cartino_protocol.views import ChatView, RoomView
from cartino_server.rooms.feed import Feed
from cartino_server.rooms.room import Room
from tests.support.house import Noting
from tests.support.race_room import a_room


@pytest.fixture
def room() -> Room:
    room = a_room(2)
    for person in ("ann", "bob"):
        room.join(person, person)
    for person in ("eve", "joe"):
        room.watch(person, person)
    return room


def test_a_view_is_encoded_once_for_all_who_see_the_same(room: Room) -> None:
    feed = Feed()
    links = [Noting(person) for person in ("ann", "ann", "eve", "joe", "bob")]
    for link in links:
        feed.admit(link)
    feed.send(room)
    tables = [next(frame for kind, frame in link.frames if kind is RoomView) for link in links]
    assert tables[0] is tables[1]
    assert tables[2] is tables[3]
    assert len(set(tables)) == 3
    chats = [next(frame for kind, frame in link.frames if kind is ChatView) for link in links]
    assert chats[0] is chats[4]


def test_only_what_changed_is_sent(room: Room) -> None:
    feed, ann = Feed(), Noting("ann")
    feed.admit(ann)
    feed.send(room)
    assert ann.kinds() == [RoomView, ChatView]
    feed.send(room)
    assert ann.kinds() == []
    room.say("bob", "hello")
    feed.send(room)
    assert ann.kinds() == [ChatView]


def test_who_has_just_come_gets_all_and_nobody_else_again(room: Room) -> None:
    feed, ann, phone = Feed(), Noting("ann"), Noting("ann")
    feed.admit(ann)
    feed.send(room)
    ann.kinds()
    feed.admit(phone)
    feed.send(room)
    assert (ann.kinds(), phone.kinds()) == ([], [RoomView, ChatView])


def test_who_was_removed_gets_nothing(room: Room) -> None:
    feed, ann = Feed(), Noting("ann")
    feed.admit(ann)
    assert feed.holds("ann")
    feed.remove(ann)
    feed.remove(ann)
    feed.send(room)
    assert (ann.kinds(), feed.holds("ann")) == ([], False)
