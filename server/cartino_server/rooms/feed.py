"""The links at one table and what they are sent: a view is encoded once an audience, and only when it changed."""

from cartino_protocol.views import ChatView, RoomView
from cartino_protocol.wire import encode
from cartino_server.rooms.room import Room
from cartino_server.rooms.seat import HouseLink
from cartino_server.rooms.show import room_view


class Feed:
    """The links that look at a room."""

    def __init__(self) -> None:
        """Nobody looks yet."""
        self.links: dict[HouseLink, None] = {}
        self._fresh: set[HouseLink] = set()
        self._shown = self._shown_chat = -1

    def admit(self, link: HouseLink) -> None:
        """`link` looks at the room; it gets everything with the next `send`."""
        self.links[link] = None
        self._fresh.add(link)

    def remove(self, link: HouseLink) -> None:
        """`link` gets nothing more from here. May be called twice."""
        self.links.pop(link, None)
        self._fresh.discard(link)

    def holds(self, person: str) -> bool:
        """Whether a link of `person` is here."""
        return any(link.person.id == person for link in self.links)

    def is_behind(self, room: Room) -> bool:
        """Whether the table changed since the last `send`."""
        return room.version != self._shown

    def send(self, room: Room) -> None:
        """Send what changed since the last time, and all of it to those who have just come."""
        seats = {link: room.seating.seat_of(link.person.id) for link in self.links}
        for_tables = self.links if self.is_behind(room) else self._fresh
        tables = {seat: encode(room_view(room, seat)) for seat in {seats[link] for link in for_tables}}
        for link in for_tables:
            link.put_view(RoomView, tables[seats[link]])
        for_chats = self.links if room.chat_version != self._shown_chat else self._fresh
        chats = {
            watching: encode(room.chat(watching)) for watching in {seats[link] is None for link in for_chats}
        }
        for link in for_chats:
            link.put_view(ChatView, chats[seats[link] is None])
        self._shown, self._shown_chat = room.version, room.chat_version
        self._fresh.clear()
