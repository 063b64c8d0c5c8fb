"""Where the parts of a table stand for a size of terminal: pure numbers, used to draw and to read clicks."""

from typing import Final, NamedTuple

from cartino_tui.game_port.screen import Look

TITLE_ROWS: Final = 1
"""The rows of the title at the top of the screen."""
FOOT_ROWS: Final = 2
"""The rows of status and hints at the bottom."""
_PANELS: Final = ((160, 44), (120, 36), (100, 30), (80, 26), (0, 22))
"""How wide the panel of the players is, by the columns of the terminal."""
_BESIDE: Final = 100
"""The columns from which moves and talk stand side by side, each below a heading."""


class Box(NamedTuple):
    """A rectangle of cells."""

    x: int
    y: int
    width: int
    height: int

    def holds(self, x: int, y: int) -> bool:
        """Return whether the cell (x, y) lies in it."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


class Arrangement(NamedTuple):
    """The places of a table's parts. Title, status and hints are drawn in their rows without being told where.

    `main` is for the game's own board or table; `players` at its right; `hand` below the main area; `moves` and `talk`
    at the bottom, with a row above them for headings if `headed`.
    """

    main: Box
    players: Box
    hand: Box
    moves: Box
    talk: Box
    headed: bool


def arrange(look: Look, seats: int, *, hand: int = 0) -> Arrangement:
    """Return the places for `look`, at least 60 by 20 cells, and so many players.

    `hand` is the number of rows that the hand takes at most (7 for large cards): where there is less room it gets 5, 3
    or 1.
    """
    width, rows = look.width, look.height - TITLE_ROWS - FOOT_ROWS
    panel = next(cells for least, cells in _PANELS if width >= least)
    text = max(3, rows // 5)
    fingers = max((size for size in (1, 3, 5, 7) if size <= min(hand, rows // 5)), default=0)
    upper = rows - text
    left = width - panel
    foot = Box(0, TITLE_ROWS + upper, width, text)
    headed = width >= _BESIDE
    moves, talk = beside(foot) if headed else one_below_the_other(foot)
    return Arrangement(
        main=Box(0, TITLE_ROWS, left - 1, upper - fingers),
        players=Box(left, TITLE_ROWS, panel, upper),
        hand=Box(0, TITLE_ROWS + upper - fingers, left - 1, fingers),
        moves=moves,
        talk=talk,
        headed=headed,
    )


def one_below_the_other(room: Box) -> tuple[Box, Box]:
    """Return the places of moves above and talk below."""
    talk = max(1, room.height * 2 // 5)
    moves = room.height - talk
    return Box(room.x, room.y, room.width, moves), Box(room.x, room.y + moves, room.width, talk)


def beside(room: Box) -> tuple[Box, Box]:
    """Return the places of moves at the left and talk at the right, with room for a frame around each."""
    moves = room.width * 11 // 20
    y, height = room.y + 1, room.height - 2
    talk = room.x + moves + 1
    return Box(room.x + 3, y, moves - 4, height), Box(talk + 2, y, room.width - moves - 6, height)


def in_column(look: Look, column: Box, seats: int, *, framed: bool) -> tuple[Box, Box, Box]:
    """Return the places of players, moves and talk one below the other in `column`, from the title to the status.

    `framed`: with room for a frame around each, else for a rule above moves and talk.
    """
    rows = look.height - TITLE_ROWS - FOOT_ROWS
    pitch = 4 if framed and rows >= 4 * seats + 16 else 3 if rows >= 3 * seats + 12 else 2
    x, width = column.x + framed, column.width - 1 - 2 * framed
    players = Box(x, TITLE_ROWS + framed, width + (not framed), pitch * seats)
    above = players.y + players.height + framed
    text = TITLE_ROWS + rows - above
    talk = text // 3
    moves = Box(x, above + 1, width, text - talk - 1 - framed)
    return players, moves, Box(x, above + text - talk + 1, width, talk - 1 - framed)
