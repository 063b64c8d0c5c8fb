"""A review that the people at a table look at together: one leads, the others follow until they step themselves."""

from collections.abc import Callable
from typing import Literal

from cartino_protocol.commands import Command, Lead
from cartino_protocol.views import LedReview, TableView
from cartino_tui.i18n import Translator


class SharedReview:
    """Whether this reader follows, leads or is on their own. The last one to take the lead has it."""

    def __init__(self, send: Callable[..., None] | None) -> None:
        """`send` sends commands; None where one looks at the game alone."""
        self._send = send
        self._part: Literal["follows", "free", "leads"] = "follows"
        self._heard: LedReview | None = None
        """What was shown last."""
        self._shown: int | None = None
        """The step that was last shown to the others."""

    def is_open(self, table: TableView | None) -> bool:
        """Return whether there is anybody at the table to look at it with."""
        if self._send is None or table is None or table.state != "finished" or table.you is None:
            return False
        return any(
            seat.kind == "human" and seat.here for at, seat in enumerate(table.seats) if at != table.you
        )

    def update(self, table: TableView | None) -> int | None:
        """Take what the table shows now; return the step to follow to, None for none."""
        led = self._led(table)
        if led == self._heard:
            return None
        self._heard = led
        if led is None or table is None or led.seat == table.you:
            return None
        if self._part == "leads":
            self._part = "follows"
        return led.step if self._part == "follows" else None

    def break_free(self) -> None:
        """Follow no longer, since the reader steps; who leads leads on."""
        if self._part == "follows":
            self._part = "free"

    def share_step(self, table: TableView | None, step: int) -> None:
        """Show the others the step that is seen now, if one leads."""
        if self._part == "leads" and step != self._shown and self.is_open(table):
            self._shown = step
            self._say(Lead(step))

    def toggle(self, table: TableView | None, step: int) -> int | None:
        """Follow who leads, and return where to; else lead from `step` on, or lead no longer."""
        led = self._led(table)
        if self._part == "leads":
            self.stop()
        elif self._part == "free" and led is not None:
            self._part = "follows"
            return led.step
        else:
            self._part, self._shown = "leads", None
            self.share_step(table, step)
        return None

    def stop(self) -> None:
        """Lead no longer."""
        if self._part == "leads":
            self._part = "free"
            self._say(Lead())

    def describe_leader(self, table: TableView | None, translator: Translator) -> str:
        """Return who leads, and the reader's part, in a few words; "" if nobody does."""
        led = self._led(table)
        if self._part == "leads":
            return translator.gettext("you lead")
        if led is None or table is None or led.seat == table.you:
            return ""
        name = table.seats[led.seat].name
        if self._part == "follows":
            return translator.gettext("following {name}", name=name)
        return translator.gettext("{name} leads", name=name)

    def _led(self, table: TableView | None) -> LedReview | None:
        return table.led if table is not None and self.is_open(table) else None

    def _say(self, command: Command) -> None:
        if self._send is not None:
            self._send(command, awaited=False)
