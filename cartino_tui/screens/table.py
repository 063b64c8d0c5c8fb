"""The table while a game runs and after it: the game's plug draws and reads the keys, the frame has what is left."""

from typing import Any, Final

import msgspec

from cartino_protocol.commands import Act, Cut, Leave, Rematch
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import RoomView
from cartino_protocol.wire import raw
from cartino_tui.draw.canvas import Frame
from cartino_tui.draw.remembered import Remembered
from cartino_tui.draw.text import clean
from cartino_tui.farewell import UNREADABLE
from cartino_tui.games.plug import AnyPlug, Around, Look, Reaction
from cartino_tui.keys import TABLE, KeyTable
from cartino_tui.known import Known
from cartino_tui.screens.base import HintRow, HouseScreen, Question, Quit
from cartino_tui.screens.help import HelpScreen, table_help
from cartino_tui.screens.shuffle import ask_for_cut
from cartino_tui.screens.talk import ask_to_say, said, watching
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press, Tap

NEWEST_SAID = 12
"""As many lines of talk as any layout has room for."""

_VIEWS: Final[Remembered[msgspec.Struct]] = Remembered(256)
_FRAMES: Final[Remembered[Frame]] = Remembered(64)


class TableScreen(HouseScreen):
    """A running or finished game. `pointer` is the plug's own: what is picked, where the cursor stands."""

    def __init__(
        self, stage: Stage, known: Known, room: RoomView, plug: AnyPlug, begun: str | None = None
    ) -> None:
        """The table `room`, drawn by `plug`; `begun` is a line half said.

        Raises msgspec.DecodeError where the plug can't read the table.
        """
        super().__init__(stage, known)
        self.room = room
        self.plug = plug
        self._begun = begun
        self.view = self._read(room)
        self.pointer: msgspec.Struct = plug.follow(room, self.view, plug.fresh())

    def on_mount(self) -> None:
        """Go on with what was half said."""
        if self._begun is not None:
            self.ask(ask_to_say(self, self.known.chat, self._begun))

    def learned(self) -> None:
        """The table is new; what is pointed at stays, as far as it is still there."""
        room = self.known.room
        if room is None or room is self.room:
            return
        if room.code != self.room.code:
            self.pointer = self.plug.fresh()
        if room.number != self.room.number:
            # It was about a table that is no more.
            self.status = ""
        try:
            self.view = self._read(room)
        except msgspec.DecodeError:
            self.post_message(Quit(UNREADABLE))
            return
        self.room = room
        self.pointer = self.plug.follow(room, self.view, self.pointer)

    def draw(self, look: Look) -> Frame:
        """The plug's picture, with what the frame has to say around it."""
        room, plug = self.room, self.plug
        around = Around(
            title=f"{plug.title} {plug.options_line(room.options)} · {room.code}",
            facts=watching(room),
            said=said(self.known.chat)[-NEWEST_SAID:],
            status=self.news or self._wanted(),
            hints=self.shown_hints(),
            alone=self.question is not None,
        )
        # Spectators of a table have all of this in common, and so one frame.
        return _FRAMES.get(
            (plug, room, self.view),
            (self.pointer, look, around),
            lambda: plug.draw(room, self.view, self.pointer, look, around),
        )

    def _read(self, room: RoomView) -> msgspec.Struct:
        plug = self.plug
        return _VIEWS.get((plug, room), None, lambda: plug.read(room.table))

    def keys(self) -> KeyTable:
        """The frame's keys at a table."""
        return TABLE

    def hints(self) -> HintRow:
        """The frame's keys that mean something now."""
        again = self.room.state == "finished" and self.room.you is not None
        return TABLE.hints(*(["rematch", "cut"] if again else []), "chat", "help", "leave")

    def refused(self, refusal: Refusal) -> bool:
        """The sentence; where the game's own rule refused a move, the game's own."""
        illegal = refusal.reason == "illegal"
        self.status = self.plug.refused(refusal.detail) if illegal else refusal.sentence()
        self.redraw()
        return True

    def press(self, press: Press) -> None:
        """The plug's key, or else the frame's."""
        if self._reacted(self.plug.key(self.room, self.view, self.pointer, press.key)):
            return
        match TABLE.action(press.key):
            case "chat":
                self.ask(ask_to_say(self, self.known.chat))
            case "help":
                self.app.push_screen(HelpScreen(self.stage, self.known, table_help(self.plug, self.room)))
            case "rematch":
                self._rematch()
            case "cut":
                self._cut()
            case "leave":
                self._leave()
            case _ if self.room.state == "finished":
                self.status = "The game is over: r plays again, q goes back to the lobby."

    def tap(self, tap: Tap) -> None:
        """A click is the plug's."""
        self._reacted(self.plug.click(self.room, self.view, self.pointer, self.look, tap.x, tap.y))

    def _reacted(self, reaction: Reaction[Any]) -> bool:
        """Whether the plug took what was typed; a move it led to is said to the house."""
        self.pointer = reaction.pointer
        self.status = reaction.status
        if reaction.move is not None:
            self.wish(Act(self.room.number, raw(reaction.move)))
        return reaction.taken

    def _rematch(self) -> None:
        if self.room.state != "finished":
            self.status = "Another game can be wanted when this one is over."
        elif self.room.you is None:
            self.status = "Those who played decide on another game; you will see it."
        elif self.room.you in self.room.again:
            self.status = "You want another game; it begins when the others want it too."
        else:
            self.status = "You want another game; it begins when the others want it too."
            self.wish(Rematch())

    def _wanted(self) -> str:
        """Who else wants another game, to somebody who has not said so."""
        room = self.room
        names = [clean(room.seats[seat].name) for seat in room.again if seat != room.you]
        if room.you is None or room.you in room.again or not names:
            return ""
        return f"{' and '.join(names)} would play again; r joins in, q goes back to the lobby."

    def _cut(self) -> None:
        if self.room.state != "finished":
            self.status = "The shuffle is cut before a game; this one runs."
        elif self.room.you is None:
            self.status = "Only those who play cut the shuffle."
        else:
            self.ask(ask_for_cut(self._say_cut))

    def _say_cut(self, cut: Cut) -> None:
        self.wish(cut, awaited=False)
        self.status = "Your cut goes into the next game's shuffle."

    def _leave(self) -> None:
        if self.room.state == "playing" and self.room.you is not None:
            guest = self.known.welcome is not None and self.known.welcome.guest
            sentence = f"Leave the table? Your seat stays yours{' while you are connected' * guest}."
            self.question = Question(sentence, lambda: self.wish(Leave()))
        else:
            self.wish(Leave())
