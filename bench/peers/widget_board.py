"""`widget_board.py PORT HOST_KEY`: a board with a Textual widget for each cell, behind textish.

Runs by itself in textish's environment and knows nothing of Cartino. In 80 by 24 there is a line above the board, 12
rows of 12 cells that are 6 wide and, all but two of them, one line high, and a line below it.
"""

import sys
from typing import ClassVar, Final

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Grid
from textual.widgets import Static

SIDE: Final = 12


class Cell(Static):
    """A spot of the board."""


class Board(App[None]):
    """144 cells and a cursor."""

    CSS = """
    Grid { grid-size: 12 12; height: 1fr; }
    Cell { width: 100%; height: 100%; color: $text; background: $surface; content-align: center middle; }
    Cell.odd { background: $panel; }
    Cell.cursor { color: $background; background: $accent; text-style: bold; }
    .line { height: 1; background: $primary; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        ("up", "move(-1, 0)", "up"),
        ("down", "move(1, 0)", "down"),
        ("left", "move(0, -1)", "left"),
        ("right", "move(0, 1)", "right"),
    ]

    def __init__(self) -> None:
        """The cursor stands in the middle."""
        super().__init__()
        self._at = (SIDE // 2, SIDE // 2)
        self._cells = [
            Cell(f"{'♠♥♣♦'[(row + column) % 4]}{row + 1}", classes="odd" if (row + column) % 2 else "")
            for row in range(SIDE)
            for column in range(SIDE)
        ]

    def compose(self) -> ComposeResult:
        """Compose a line, the board, a line."""
        yield Static("A board of widgets", classes="line")
        yield Grid(*self._cells)
        yield Static("arrows move   q leave", classes="line")

    def on_mount(self) -> None:
        """Show the cursor."""
        self._here().add_class("cursor")

    def action_move(self, down: int, right: int) -> None:
        """Move the cursor, round the edges too."""
        self._here().remove_class("cursor")
        row, column = self._at
        self._at = ((row + down) % SIDE, (column + right) % SIDE)
        self._here().add_class("cursor")

    def _here(self) -> Cell:
        row, column = self._at
        return self._cells[row * SIDE + column]


def main(port: int, host_key: str) -> None:
    """Serve until told to stop."""
    from textish import serve  # type: ignore[import-not-found]  # Here alone, and only in its own environment.

    serve(Board, port=port, host_key_path=host_key, log_level=None)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
