"""The links at one table and what they are sent: a view is encoded once an audience, and only when it changed."""

from collections.abc import Iterable

from cartino_protocol.ids import Audience
from cartino_protocol.outbox import ViewKind
from cartino_protocol.views import ChatView, RoomView
from cartino_protocol.wire import encode
from cartino_server.rooms.gallery import Gallery
from cartino_server.rooms.room import Room
from cartino_server.rooms.seat import HouseLink
from cartino_server.rooms.show import room_view


class Feed:
    """The links that look at a room. Players are shown it at once, those who only watch right after them."""

    def __init__(self) -> None:
        """Nobody looks yet."""
        self.links: dict[HouseLink, None] = {}
        self._fresh: dict[HouseLink, None] = {}
        self._gallery = Gallery()
        self._shown = self._shown_chat = self._news = -1
        self._hush = float("-inf")

    def admit(self, link: HouseLink) -> None:
        """`link` looks at the room; it gets everything with the next `send`."""
        self.links[link] = None
        self._fresh[link] = None

    def remove(self, link: HouseLink) -> None:
        """`link` gets nothing more from here. May be called twice."""
        self.links.pop(link, None)
        self._fresh.pop(link, None)
        self._gallery.forget(link)

    def holds(self, person: str) -> bool:
        """Whether a link of `person` is here."""
        return any(link.person.id == person for link in self.links)

    def is_behind(self, room: Room) -> bool:
        """Whether the table changed since it was last sent to all."""
        return room.version != self._shown

    def send(self, room: Room, now: float = 0.0, pause: float = 0.0) -> float | None:
        """Send what changed since the last time, and all of it to those who have just come.

        Where five hundred come to watch, each of them is no news to all the others: what is only about who watches
        is sent `pause` seconds after the last time at the earliest. The result is in how many seconds that is, by
        the clock that says `now`; None where nothing is held back.
        """
        table, chat = self.is_behind(room), room.chat_version != self._shown_chat
        held = (table or chat) and room.news == self._news and now < self._hush
        if held:
            self._show(room, self._fresh, (RoomView, ChatView))
        else:
            older = [link for link in self.links if link not in self._fresh]
            self._show(room, older, (*[RoomView] * table, *[ChatView] * chat))
            self._show(room, self._fresh, (RoomView, ChatView))
            self._shown, self._shown_chat, self._news = room.version, room.chat_version, room.news
            self._hush = now + pause if table or chat else self._hush
        self._fresh.clear()
        return self._hush - now if held else None

    def finish(self) -> None:
        """Let nobody wait any more for what was sent."""
        self._gallery.finish()

    def _show(self, room: Room, links: Iterable[HouseLink], kinds: tuple[ViewKind, ...]) -> None:
        audiences: dict[Audience, list[HouseLink]] = {}
        for link in links:
            audiences.setdefault(room.seating.seat_of(link.person.id), []).append(link)
        watching = audiences.pop(None, [])
        chat: dict[ViewKind, bytes] = {ChatView: encode(room.chat(False))} if ChatView in kinds else {}
        for seat, players in audiences.items():
            table: dict[ViewKind, bytes] = (
                {RoomView: encode(room_view(room, seat))} if RoomView in kinds else {}
            )
            for link in players:
                self._gallery.forget(link)
                for kind, frame in (*table.items(), *chat.items()):
                    link.put_view(kind, frame)
        if watching and kinds:
            self._gallery.show(watching, {kind: encode(_watched(room, kind)) for kind in kinds})


def _watched(room: Room, kind: ViewKind) -> RoomView | ChatView:
    return room_view(room, None) if kind is RoomView else room.chat(True)
