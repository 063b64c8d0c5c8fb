"""A table as one person sees it: its view, what they point at and have selected, and its frames.

Frames of spectators are shared between sessions, because they are identical; those of players are not.
"""

from functools import partial
from typing import Any, Final

import msgspec

from cartino_protocol.commands import Act, SaveSelection
from cartino_protocol.views import SavedSelection, TableView
from cartino_protocol.wire import encode_raw
from cartino_tui.draw.canvas import Frame, IdentityCache
from cartino_tui.game_port.screen import AnyScreen, Look, Reaction, TableChrome
from cartino_tui.visit.farewell import UNREADABLE
from cartino_tui.visit.pending import Press, SelectionSync
from cartino_tui.widgets.app_screen import AppScreen, Quit

_SHARED_VIEWS: Final[IdentityCache[msgspec.Struct]] = IdentityCache(64)
_SHARED_FRAMES: Final[IdentityCache[Frame]] = IdentityCache(64)
"""Shared by the spectators of a table, who all ask for the same one after each change; so these are few."""


class ShownTable:
    """The newest view, and the game screen's `pointer` with cursor and selection.

    While a move waits for its answer, it is shown as made.
    """

    def __init__(self, table: TableView, game_screen: AnyScreen) -> None:
        """Read `table`. Raises msgspec.DecodeError if the game screen can't."""
        self.table = table
        self.game_screen = game_screen
        self.view = self._read(table)
        self.pointer: msgspec.Struct = game_screen.update_pointer(table, self.view, game_screen.fresh())
        self._before: msgspec.Struct | None = None
        """The pointer before a move that waits for its answer."""
        self._after: msgspec.Struct = self.pointer
        """The pointer once that move is made."""
        self.selection = SelectionSync()

    @property
    def is_private(self) -> bool:
        """Whether it is a player's, which shows their hand."""
        return self.table.you is not None

    def learn(self, table: TableView) -> None:
        """Take in a new view; the pointer stays as far as it applies. Raises msgspec.DecodeError."""
        if table.code != self.table.code:
            self.pointer = self.game_screen.fresh()
        if table.number != self.table.number and self._before is not None:
            self._before, self.pointer = None, self._after
        self.view, self.table = self._read(table), table
        self.pointer = self.game_screen.update_pointer(table, self.view, self.pointer)

    def takes(self, key: str, look: Look) -> bool:
        """Return whether the game does something with `key` now."""
        return self.press(key, look).taken

    def press(self, key: str, look: Look) -> Reaction[Any]:
        """Return what the game does with `key`."""
        return self.game_screen.key(self.table, self.view, self.pointer, key, look)

    def click(self, look: Look, x: int, y: int) -> Reaction[Any]:
        """Return what the game does with a click."""
        return self.game_screen.click(self.table, self.view, self.pointer, look, x, y)

    def react(self, reaction: Reaction[Any]) -> Act | None:
        """Point where `reaction` says; return the command of the move that it led to."""
        if reaction.move is None:
            self.pointer = reaction.pointer
            return None
        self._before, self._after = self.pointer, reaction.pointer
        return Act(self.table.number, encode_raw(reaction.move))

    def take_back(self) -> bool:
        """Restore the selection before the refused move; return whether there was one."""
        if self._before is None:
            return False
        self.pointer = self.game_screen.update_pointer(self.table, self.view, self._before)
        self._before = None
        return True

    @property
    def is_unsaved(self) -> bool:
        """Whether the server doesn't have the selection."""
        return self.is_private and self.selection.is_news(*self._held)

    def unsaved(self) -> SaveSelection | None:
        """Return the command that saves the selection; None while a move waits for its answer, or for nothing new."""
        return self.selection.keep(*self._held) if self.is_private and self._before is None else None

    def recall(self, kept: SavedSelection | None) -> None:
        """Restore the selection that the server stored."""
        selection = self.selection.recall(self.table.number, kept)
        if selection is not None:
            self.pointer = self.game_screen.restore_selection(self.table, self.view, self.pointer, selection)

    @property
    def _held(self) -> tuple[int, bytes]:
        """The table's state number, and the game's bytes for the selection."""
        return self.table.number, self.game_screen.encode_selection(self.pointer)

    def _read(self, table: TableView) -> msgspec.Struct:
        read = partial(self.game_screen.read, table.game_view)
        return _SHARED_VIEWS.get((self.game_screen, table), None, read) if table.you is None else read()


class GameScreenBase(AppScreen):
    """The base of screens on which a game reads keys and clicks first."""

    state: ShownTable | None = None
    """The table, None until it is here."""

    def translate_key(self, press: Press) -> Press:
        """Leave keys untranslated while a name is typed."""
        typing = self.state is not None and self.state.game_screen.is_typing(self.state.pointer)
        return press if typing else super().translate_key(press)

    def uses(self, key: str) -> bool:
        """Return whether the game or the frame uses `key`."""
        return (self.state is not None and self.state.takes(key, self.look)) or super().uses(key)

    def read_table(self, table: TableView, game_screen: AnyScreen) -> bool:
        """Show `table`; end the visit and return False if it can't be read."""
        try:
            self.state = ShownTable(table, game_screen)
        except msgspec.DecodeError:
            self.post_message(Quit(UNREADABLE))
            return False
        return True

    def react(self, reaction: Reaction[Any]) -> bool:
        """Do what the game wants; return whether it took the input."""
        self.status = reaction.status
        if reaction.move is not None:
            self.make_move(reaction.move)
        elif self.state is not None:
            self.state.react(reaction)
        return reaction.taken

    def make_move(self, move: msgspec.Struct) -> None:
        """Send the move that input led to."""


class TableFrames:
    """Draws a table, reusing what stays from key to key."""

    def __init__(self) -> None:
        """Start without frames."""
        self._under: IdentityCache[Frame | None] = IdentityCache(1)
        self._frames: IdentityCache[Frame] = IdentityCache(1)

    def draw(self, state: ShownTable, look: Look, around: TableChrome) -> Frame:
        """Return the table's frame."""
        table, view, pointer = state.table, state.view, state.pointer
        return (self._frames if state.is_private else _SHARED_FRAMES).get(
            (state.game_screen, table, view),
            (pointer, look, around),
            lambda: state.game_screen.draw(
                table, view, pointer, look, around, self._lying(state, look, around)
            ),
        )

    def draw_picture(
        self, state: ShownTable, look: Look, around: TableChrome, before: msgspec.Struct, picture: int
    ) -> Frame:
        """Return frame number `picture` of the animation from the view `before`."""
        table, view, pointer = state.table, state.view, state.pointer

        def draw() -> Frame:
            under = self._lying(state, look, around)
            return state.game_screen.draw_picture(table, view, pointer, look, around, before, picture, under)

        if state.is_private:
            return draw()
        return _SHARED_FRAMES.get(
            (state.game_screen, table, view, before), (pointer, look, around, picture), draw
        )

    def _lying(self, state: ShownTable, look: Look, around: TableChrome) -> Frame | None:
        """Return the part of the frame that stays from key to key."""
        table, view = state.table, state.view
        still = msgspec.structs.replace(around, status="", lead="")
        return self._under.get(
            (table, view), (look, still), lambda: state.game_screen.under(table, view, look, still)
        )
