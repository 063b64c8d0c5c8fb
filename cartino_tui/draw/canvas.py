"""A canvas of characters with roles, and the finished frame that a `Sheet` shows.

A role says what a piece of text is ("heart", "hint", "cursor"); a theme says how that looks. Every character
drawn is one cell wide: callers pass names and chat through `draw.text` first.
"""

from typing import NamedTuple

Run = tuple[str, str]
"""Neighbouring characters of one role: (text, role)."""

Row = tuple[Run, ...]


class Frame(NamedTuple):
    """A whole screen: `rows` of runs, each row exactly `width` cells."""

    width: int
    height: int
    rows: tuple[Row, ...]

    def text(self) -> str:
        """The characters alone, rows joined by newlines, blanks at the right cut: what tests compare."""
        return "\n".join("".join(text for text, _ in row).rstrip() for row in self.rows)


class Canvas:
    """Where a frame is drawn, cell by cell; what falls outside is dropped, so nothing can break the screen."""

    def __init__(self, width: int, height: int, role: str = "ground") -> None:
        """An empty canvas of `width` by `height` cells in `role`."""
        self.width = width
        self.height = height
        self._chars = [[" "] * width for _ in range(height)]
        self._roles = [[role] * width for _ in range(height)]

    def put(self, x: int, y: int, text: str, role: str) -> int:
        """Write `text` from (x, y) to the right; returns the x after it."""
        end = x + len(text)
        if 0 <= y < self.height:
            if x >= 0 and end <= self.width:  # nearly always, and a table is hundreds of puts
                self._chars[y][x:end] = text
                self._roles[y][x:end] = [role] * (end - x)
                return end
            first, last = max(x, 0), min(end, self.width)
            if first < last:
                self._chars[y][first:last] = text[first - x : last - x]
                self._roles[y][first:last] = [role] * (last - first)
        return end

    def paint(self, x: int, y: int, width: int, role: str) -> None:
        """Give `width` cells from (x, y) another role; the characters stay."""
        if 0 <= y < self.height:
            first, last = max(x, 0), min(x + width, self.width)
            if first < last:
                self._roles[y][first:last] = [role] * (last - first)

    def fill(self, x: int, y: int, width: int, height: int, role: str, char: str = " ") -> None:
        """Fill a rectangle with one character and role."""
        for line in range(y, y + height):
            self.put(x, line, char * width, role)

    def frame(self) -> Frame:
        """What has been drawn."""
        rows = []
        for chars, roles in zip(self._chars, self._roles, strict=True):
            runs: list[Run] = []
            start = 0
            for x in range(1, self.width + 1):
                if x == self.width or roles[x] != roles[start]:
                    runs.append(("".join(chars[start:x]), roles[start]))
                    start = x
            rows.append(tuple(runs))
        return Frame(self.width, self.height, tuple(rows))
