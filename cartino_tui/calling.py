"""Calls a person whose turn it is and who looks elsewhere; tells in the window's title how their table stands."""

from typing import Final, Protocol

from cartino_protocol.marking import N_
from cartino_tui.draw.text import FILL, safe
from cartino_tui.known import Known, waiting_for
from cartino_tui.stage import Stage

YOUR_TURN: Final = N_("It is your turn at the table {code}.")


class Window(Protocol):
    """The window of the person's terminal."""

    def entitle(self, text: str) -> None:
        """Give it the title `text`; "" gives it back its own."""

    def ring(self) -> None:
        """Ring its bell."""

    def note(self, heading: str, text: str) -> None:
        """Have its desktop show `text`, where it can."""


class Calling:
    """What one person has been told. It acts when there is news, and holds no timer."""

    def __init__(self, stage: Stage, caller: str) -> None:
        """Nothing was told yet. `caller` is who calls, as a desktop shows it."""
        self._stage = stage
        self._caller = caller
        self._due: frozenset[str] = frozenset()

    def heard(self, known: Known, window: Window | None) -> None:
        """There is news: call, where it is the person's turn somewhere since then."""
        due = frozenset(waiting_for(known))
        new, self._due = due - self._due, due
        self.entitle(known, window)
        if new and window is not None:
            self._call(min(new), window)

    def entitle(self, known: Known, window: Window | None) -> None:
        """Have the window's title say where the person is, and whether it is their turn, if they want that."""
        if window is not None:
            wanted = self._stage.preferences.settings.title
            window.entitle(self._title(known) if wanted else "")

    def _call(self, code: str, window: Window) -> None:
        wanted = self._stage.preferences.settings
        presence = self._stage.presence
        if wanted.bell and presence.is_away:
            window.ring()
        if wanted.notify and presence.is_known_away:
            sentence = self._stage.preferences.tongue.say(YOUR_TURN, code=code)
            window.note(self._caller, self._safe(sentence))

    def _title(self, known: Known) -> str:
        say, room = self._stage.preferences.tongue.say, known.room
        code = room.code if room is not None else min(self._due, default="")
        if not code:
            return ""
        plug = self._stage.plugs.get(room.game) if room is not None else None
        table = f"{plug.title} {code}" if plug is not None else code
        return self._safe(say("● your turn – {table}", table=table) if code in self._due else table)

    def _safe(self, text: str) -> str:
        return safe(text, ascii=self._stage.preferences.ascii).replace(FILL, "")
