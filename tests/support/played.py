"""Whole games as tables show them, and what each key and each move of another one sends."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec

from cartino_games.kit.screen import GameTableScreen, TablePointer
from cartino_protocol.base import Seat
from cartino_protocol.views import TableView
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look, TableChrome
from tests.support import caro, cartino, cartino_table, casino, kit_table
from tests.support.games import SCREENS
from tests.support.window import Window

SEED = 7
ARROWS = ("up", "down", "left", "right", "up", "down")
"""Arrow keys that are tried with everything that can be picked; those that lead nowhere send nothing."""


class PlayedGame(NamedTuple):
    """A game with a way to play one from beginning to end.

    `played` returns the states of a game of so many seats; `picks` are the keys that pick something of the hand,
    `arrows` those that are tried then.
    """

    name: str
    rules: Any
    screen: GameTableScreen[Any, Any, Any]
    played: Callable[[int], Sequence[Any]]
    table_of: Callable[[Any, Seat | None], TableView]
    around: TableChrome
    picks: str
    arrows: Sequence[str] = ARROWS

    def states(self, seats: int) -> Sequence[Any]:
        """Return the states of a game in which somebody has to move."""
        return [state for state in self.played(seats) if self.rules.on_turn(state)]

    def frame(
        self, state: Any, you: Seat | None, look: Look, pointer: TablePointer | None = None, status: str = ""
    ) -> Frame:
        """Return what `you` see."""
        table, view = self.table_of(state, you), self.rules.view(state, you)
        around = msgspec.structs.replace(self.around, status=status)
        there = self.screen.update_pointer(table, view, self.screen.fresh()) if pointer is None else pointer
        return self.screen.draw(table, view, there, look, around)

    def first_tables(self, look: Look, seats: int = 4) -> Iterator[int]:
        """Yield the bytes of the first picture of whoever comes to the table on their turn, with something picked."""
        for state in self.states(seats)[::7]:
            (you, *_) = self.rules.on_turn(state)
            table, view = self.table_of(state, you), self.rules.view(state, you)
            fresh = self.screen.update_pointer(table, view, self.screen.fresh())
            for pointer in (fresh, self.screen.key(table, view, fresh, self.picks[0], look).pointer):
                yield Window(own=True).bytes_of(self.frame(state, you, look, pointer))

    def cursor_keys(self, look: Look) -> Iterator[int]:
        """Yield the bytes of arrow keys that are answered, with all that can be picked, in a game of two."""
        states = self.states(2)
        for state in states[:: max(6, len(states) // 12)]:
            (you, *_) = self.rules.on_turn(state)
            table, view = self.table_of(state, you), self.rules.view(state, you)
            for pick in self.picks:
                fresh = self.screen.update_pointer(table, view, self.screen.fresh())
                pointer = self.screen.key(table, view, fresh, pick, look).pointer
                if pointer == fresh:
                    continue
                window = Window(own=True)
                window.bytes_of(self.frame(state, you, look, pointer))
                status = ""
                for key in self.arrows:
                    reaction = self.screen.key(table, view, pointer, key, look)
                    if (reaction.pointer, reaction.status) == (pointer, status):
                        continue  # the same frame
                    pointer, status = reaction.pointer, reaction.status
                    sent = window.bytes_of(self.frame(state, you, look, pointer, status))
                    if sent:
                        yield sent

    def broadcasts(self, look: Look, seats: int = 4) -> Iterator[tuple[Any, Any, int]]:
        """Yield the states before and after each move, and the bytes of it for one who looks on."""
        window, states = Window(), self.states(seats)
        window.bytes_of(self.frame(states[0], None, look))
        for before, state in pairwise(states):
            yield before, state, window.bytes_of(self.frame(state, None, look))


def _cartino(edition: str) -> PlayedGame:
    @cache
    def played(seats: int) -> Sequence[Any]:
        return [state for state, _ in cartino.random_game(SEED, edition, seats)]  # type: ignore[arg-type]

    screen: Any = SCREENS["cartino"]
    table_of, around = cartino_table.table_of, cartino_table.AROUND
    return PlayedGame(f"cartino {edition}", cartino.GAME, screen, played, table_of, around, "12345")


def _caro(referee: str) -> PlayedGame:
    @cache
    def played(seats: int) -> Sequence[Any]:
        options = {"referee": referee, "rounds": "1", "begins": "lot"}
        return [state for state, _ in caro.random_game(SEED, options, seats)][:-1]

    table_of, around = caro.table_of, kit_table.AROUND
    return PlayedGame(f"caro {referee}", caro.GAME, caro.SCREEN, played, table_of, around, "1234")


def _casino() -> PlayedGame:
    @cache
    def played(seats: int) -> Sequence[Any]:
        return [state for state, _ in casino.random_game(SEED, casino.DEFAULTS, seats)]

    table_of, around = casino.table_of, casino.AROUND
    arrows = ("down", "down", "up", "right", "right", "left")
    return PlayedGame("casino", casino.GAME, casino.SCREEN, played, table_of, around, "1234", arrows)


_ALL = (_cartino("1974"), _cartino("1969"), _caro("strict"), _caro("honour"), _casino())
PLAYED = {each.name: each for each in _ALL}
