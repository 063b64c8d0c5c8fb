"""A visit to the house on a terminal that came through the door."""

from textual.driver import Driver

from cartino_games.registry import installed
from cartino_protocol.link import Link
from cartino_server.entry.host import Host
from cartino_server.ssh.ports import Terminal, Visitor
from cartino_tui.app import HouseApp
from cartino_tui.door import Door
from cartino_tui.draw.theme import Ground
from cartino_tui.driver.depth import Depth
from cartino_tui.driver.face import TextualFace
from cartino_tui.intent import Intent
from cartino_tui.preferences import language_of


class VisitFace(TextualFace):
    """The face of a visitor. Their link is opened when the app is made, and has gone when the face has run."""

    def __init__(self, terminal: Terminal, host: Host, visitor: Visitor, intent: Intent) -> None:
        """A visit of `visitor` on `terminal`, on the way to where `intent` says."""
        super().__init__(terminal, self._visit, terminal.limits.key_rate, visitor.source)
        self._host = host
        self._visitor = visitor
        self._intent = intent
        self._language = language_of(terminal.facts.env)
        self._link: Link | None = None

    async def run(self) -> int:
        """Run the visit to its end, however it ends."""
        try:
            return await super().run()
        finally:
            if self._link is not None:
                self._link.close()

    def _visit(
        self, *, depth: Depth, driver_class: type[Driver], ascii: bool, ground: Ground | None
    ) -> HouseApp:
        self._link = self._host.open_link(self._visitor)
        return HouseApp(
            self._link,
            self._intent,
            plugs=installed().screens,
            depth=depth,
            driver_class=driver_class,
            ascii=ascii,
            language=self._language,
            ground=ground,
            door=Door(self._host.door),
        )
