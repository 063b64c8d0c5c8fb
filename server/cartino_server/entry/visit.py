"""A visit to the house on a terminal that came through the door."""

from textual.driver import Driver

from cartino_protocol.link import Link
from cartino_server.rooms.house import House
from cartino_server.rooms.people import Person
from cartino_server.ssh.ports import Terminal
from cartino_tui.app import HouseApp
from cartino_tui.driver.depth import Depth
from cartino_tui.driver.face import TextualFace
from cartino_tui.intent import Intent


class VisitFace(TextualFace):
    """The face of a visitor. Their link is opened when the app is made, and has gone when the face has run."""

    def __init__(self, terminal: Terminal, house: House, person: Person, intent: Intent, door: str) -> None:
        """A visit of `person` on `terminal`; `door` as in `HouseApp`."""
        super().__init__(terminal, self._visit)
        self._house = house
        self._person = person
        self._intent = intent
        self._door = door
        self._link: Link | None = None

    async def run(self) -> int:
        """Run the visit to its end, however it ends."""
        try:
            return await super().run()
        finally:
            if self._link is not None:
                self._link.close()

    def _visit(self, *, depth: Depth, driver_class: type[Driver], ascii: bool) -> HouseApp:
        self._link = self._house.open_link(self._person)
        return HouseApp(
            self._link, self._intent, depth=depth, driver_class=driver_class, ascii=ascii, door=self._door
        )
