"""Somebody at a table who presses whatever comes to hand, on a terminal that changes its size and stops taking."""

from random import Random

import msgspec

from cartino_games.cartino.board import Edition
from cartino_games.cartino.rules.state import CartinoState
from cartino_games.cartino.screen.pointer import NOWHERE
from cartino_protocol.base import Seat
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.game_port.screen import Look
from cartino_tui.terminal.colour_depth import ColourDepth
from cartino_tui.terminal.painter import Painter, inks
from tests.support.cartino import random_game
from tests.support.cartino_table import AROUND, CARTINO_SCREEN, table_of, view_of
from tests.support.emulated import Emulated, rows_of
from tests.support.games import DARK

KEYS = ("1", "2", "3", "4", "5", "up", "down", "left", "right", "up", "down", "left", "right", "escape")
SIZES = ((80, 24), (80, 24), (100, 30), (120, 40), (132, 43), (160, 50))
TALK = ("good luck", "that was a fine king", "ça ira", "♠ or ♣?")


class RandomWalk:
    """A random walk through a random game, painted on an emulator."""

    def __init__(self, seed: int, depth: ColourDepth) -> None:
        """Sit down before the deal."""
        self._chance = Random(seed)
        self._ascii = self._chance.random() < 0.2
        self._depth: ColourDepth = depth
        self._states = self._game()
        self._around = AROUND
        self._takes = True
        self._size = SIZES[0]
        self._terminal = Emulated(*self._size)
        self._painter = Painter(DARK, depth, self._terminal.send, lambda: self._takes)
        self._frame = Canvas(*self._size).frame()
        self._lying: Frame | None = None
        self._pointer = NOWHERE
        self._move()

    def step(self) -> None:
        """Do one thing, and see that the terminal shows what it should, if it takes anything."""
        what = self._chance.random()
        if what < 0.70:
            self._press(self._chance.choice(KEYS))
        elif what < 0.85:
            self._move()
        elif what < 0.89:
            self._hear(self._chance.choice(TALK))
        elif what < 0.92:
            self._resize(*self._chance.choice(SIZES))
        elif what < 0.94:
            self._terminal.send("\x1b[3;3H\x1b[7mjunk")
            self._painter.repaint()
        else:
            self._takes = not self._takes
            self._painter.catch_up()
        if self._takes:
            assert self._terminal.rows() == rows_of(self._frame, inks(DARK, self._depth))

    def _game(self) -> list[CartinoState]:
        edition: Edition = self._chance.choice(("1974", "1969"))
        seats = self._chance.choice((2, 4))
        found = random_game(self._chance.randrange(10**9), edition, seats)
        return [state for state, _ in found][::-1]

    def _press(self, key: str) -> None:
        reaction = CARTINO_SCREEN.key(self._table, self._view, self._pointer, key)
        self._pointer = reaction.pointer
        self._around = msgspec.structs.replace(self._around, status=reaction.status)
        self._show()

    def _move(self) -> None:
        if not self._states:
            self._states = self._game()
        state = self._states.pop()
        you: Seat | None = None if self._chance.random() < 0.2 else state.seat
        self._table = table_of(state, you)
        self._view = view_of(self._table)
        self._pointer = NOWHERE
        self._lying = None
        self._show()

    def _hear(self, text: str) -> None:
        self._around = msgspec.structs.replace(self._around, said=(*self._around.said[-9:], ("Léa", text)))
        self._lying = None
        self._show()

    def _resize(self, width: int, height: int) -> None:
        self._size = width, height
        self._terminal.resize(width, height)
        self._painter.forget()
        self._lying = None
        self._show()

    def _show(self) -> None:
        table = self._table, self._view
        look = Look(*self._size, self._ascii)
        self._lying = self._lying or CARTINO_SCREEN.under(*table, look, self._around)
        self._frame = CARTINO_SCREEN.draw(*table, self._pointer, look, self._around, self._lying)
        self._painter.show(self._frame)
