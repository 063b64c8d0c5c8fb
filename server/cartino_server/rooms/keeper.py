"""The house as its rooms know it."""

from typing import Protocol, TypeVar

from cartino_protocol.commands import Command
from cartino_protocol.views import Left, RoomLine
from cartino_server.rooms.seat import HouseLink

PlaceT_contra = TypeVar("PlaceT_contra", contravariant=True)


class Keeper(Protocol[PlaceT_contra]):
    """What a room's task needs of the house; a place is a room as the house holds it."""

    def name_of(self, link: HouseLink) -> str:
        """What the link's person is called."""

    def route(self, link: HouseLink, command: Command) -> bool:
        """Serve a command that is not this room's; False where `link.settled()` will be called when it is done."""

    def entered(self, link: HouseLink, place: PlaceT_contra) -> None:
        """The link stands in this room now, and nowhere else."""

    def missed(self, link: HouseLink, place: PlaceT_contra) -> None:
        """The link ended before it could enter: whoever it was may have a seat in this room all the same."""

    def went_home(self, link: HouseLink, left: Left) -> None:
        """The link is back in the lobby."""

    def changed(self, place: PlaceT_contra, line: RoomLine) -> None:
        """Lists of rooms show `line` for this room from now on."""

    def closed(self, place: PlaceT_contra) -> None:
        """This room is no more."""
