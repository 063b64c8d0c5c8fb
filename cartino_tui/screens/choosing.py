"""All that can be done here, searched by typing: every action of the screen in front with its key.

Like the line of text it is a value that keys turn into the next one, and is drawn over the screen's own frame. The
matching is that of Textual's command palette; its commands are not, as they would act on the server.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
from textual.fuzzy import FuzzySearch

from cartino_protocol.marking import N_
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.flowing import in_rows, put_row
from cartino_tui.draw.text import safe
from cartino_tui.games.screen import Look
from cartino_tui.key_names import named
from cartino_tui.keys import KeyTable
from cartino_tui.screens.finding import folded
from cartino_tui.screens.parts import Hints, box, hint_line, key_name, said_hints
from cartino_tui.tongue import Tongue
from cartino_tui.typeahead import Press

MOST_SOUGHT: Final = 40
ELSEWHERE: Final = "lobby:"
"""Before the key of a choice: one of the lobby."""
_WIDEST: Final = 76
_MOVES: Final = frozenset(
    ("up", "down", "left", "right", "pageup", "pagedown", "home", "end", "tab", "space", "backspace")
)
_NO_CHOICE: Final = frozenset({"actions", "number"})
_HINTS: Final = (("Enter", N_("do it")), ("↑", N_("up")), ("↓", N_("down")), ("Esc", N_("close")))
_SAID: Final = 10.0
_ABOVE, _BELOW = 3, 2
"""Rows of the box above the list, and below it."""

_SEARCH: Final = FuzzySearch(cache_size=256)
"""One for all: words and what is sought among them hang on nobody."""


class Choice(msgspec.Struct, frozen=True):
    """Something to do: the words for it, its key as it is shown, and the key that does it."""

    words: str
    key_shown: str
    key: str
    sought: str = ""
    """What else it is found by."""

    @property
    def is_move(self) -> bool:
        """Whether it only moves something: those come last."""
        return self.key in _MOVES


def choices(table: KeyTable, first: Hints, more: Hints, look: Look) -> tuple[Choice, ...]:
    """What the keys of `table` do, those that `first` hints at before others, and the keys of `more`, of a game."""
    say, keymap = look.tongue.say, look.keymap
    firsts = ((shown.split(" ")[0], what) for shown, what in more)
    game = [
        Choice(say(what), keymap.shown(shown), named(shown))
        for shown, what in firsts
        if (named(shown) != shown or len(shown) == 1) and named(shown) not in _MOVES - {"tab"}
    ]
    hinted = {shown: place for place, (shown, _) in enumerate(first)}
    rows = sorted(
        (row for row in table.rows if row.action not in _NO_CHOICE),
        key=lambda row: (row.keys[0] in _MOVES, hinted.get(row.shown, len(hinted))),
    )
    taken = {choice.key for choice in game}
    return (
        *game,
        *(
            Choice(say(row.help or row.what), keymap.shown(row.shown), row.keys[0], say(row.what))
            for row in rows
            if row.keys[0] not in taken
        ),
    )


def lobbys_choices(there: Sequence[Choice], tongue: Tongue) -> tuple[Choice, ...]:
    """What of the lobby's choices can be done from elsewhere."""
    return tuple(
        Choice(tongue.say("In the lobby: {action}", action=each.words), each.key_shown, ELSEWHERE + each.key)
        for each in there
        if each.key not in {"escape", "q"} and not each.is_move
    )


def key_of(table: KeyTable, found: Sequence[Choice], help_row: tuple[str, str], look: Look) -> str | None:
    """The key of what stands in the help as `help_row`, its keys and what they do; None where that can't be done.

    `found` can be done, and so can the search itself with the key that `table` has for it.
    """
    shown, what = help_row
    searches = (row for row in table.rows if row.action == "actions")
    search = (
        Choice(look.tongue.say(row.help), look.keymap.shown(row.shown), row.keys[0]) for row in searches
    )
    wanted = (shown.split(" ")[0], what)
    return next(
        (each.key for each in (*found, *search) if (each.key_shown.split(" ")[0], each.words) == wanted), None
    )


class Choosing(msgspec.Struct, frozen=True):
    """The search: what can be done, what is typed, what of it is found, the marked one and the first in sight.

    `heading`, in the reader's language, says what is chosen; "" where it is what to do.
    """

    all: tuple[Choice, ...]
    found: tuple[Choice, ...]
    text: str = ""
    cursor: int = 0
    top: int = 0
    heading: str = ""

    def press(self, press: Press, look: Look) -> "Choosing | str":
        """The search after a key; or, at its end, the key of what was chosen ("" for nothing)."""
        match press.key:
            case "enter":
                return self.found[self.cursor].key if self.found else self
            case "escape":
                return ""
            case "backspace":
                return self._seek(self.text[:-1], look) if self.text else ""
            case "ctrl+u":
                return self._seek("", look)
            case "up" | "shift+tab":
                return self._mark(self.cursor - 1, look)
            case "down" | "tab":
                return self._mark(self.cursor + 1, look)
            case "pageup":
                return self._mark(max(0, self.cursor - _room(look)), look)
            case "pagedown":
                return self._mark(min(len(self.found) - 1, self.cursor + _room(look)), look)
        return self.insert(press.character, look) if press.character is not None else self

    def insert(self, text: str, look: Look) -> "Choosing":
        """The search with `text` typed or pasted in."""
        typed = "".join(char for char in text if char.isprintable())
        return self._seek((self.text + typed)[:MOST_SOUGHT], look)

    def tap(self, x: int, y: int, look: Look) -> "Choosing | str":
        """A click does what it hits, presses the key of a hint, and beside the box closes it."""
        left, top, width, height = _place(self, look)
        if not (left <= x < left + width and top <= y < top + height):
            return ""
        line = y - top - _ABOVE
        for number, rows in _in_sight(self, look):
            line -= len(rows)
            if line < 0:
                return self.found[number].key if y >= top + _ABOVE else self
        if y == top + height - 1 - 1:
            return self._tap_hint(x - left - 2, look)
        return self

    def _tap_hint(self, x: int, look: Look) -> "Choosing | str":
        for key, what in said_hints(_HINTS, look.tongue):
            end = len(key_name(key, look)) + 1 + len(what)
            if 0 <= x < end:
                return self.press(Press(named(key)), look)
            x -= end + 2
        return self

    def _seek(self, text: str, look: Look) -> "Choosing":
        wanted = folded(" ".join(text.split()))
        if not wanted:
            return self._with(self.all, text)
        ranks = [_rank(wanted, choice) for choice in self.all]
        # Scattered letters are meant by who has made a slip; not where the words stand somewhere.
        best = max(ranks)
        least = _SAID if best >= _SAID else 0.9 * best
        ranked = zip(ranks, self.all, strict=True)
        found = tuple(
            choice for rank, choice in sorted(ranked, key=lambda each: -each[0]) if rank > 0 and rank >= least
        )
        return self._with(found, text)

    def _with(self, found: tuple[Choice, ...], text: str) -> "Choosing":
        return Choosing(self.all, found, text, heading=self.heading)

    def _mark(self, cursor: int, look: Look) -> "Choosing":
        if not self.found:
            return self
        marked = msgspec.structs.replace(self, cursor=cursor % len(self.found))
        top = min(marked.top, marked.cursor)
        while marked.cursor not in {number for number, _ in _in_sight(_scrolled(marked, top), look)}:
            top += 1
        return _scrolled(marked, top)


def begin_choosing(all: Sequence[Choice], heading: str = "") -> Choosing:
    """The search among `all`, with nothing typed yet."""
    return Choosing(tuple(all), tuple(all), heading=heading)


def with_choices(frame: Frame, choosing: Choosing, look: Look) -> Frame:
    """`frame` with the search over it."""
    canvas, say = Canvas.over(frame), look.tongue.say
    left, top, width, height = _place(choosing, look)
    if height < _ABOVE + _BELOW + 1:
        return frame
    canvas.fill(left, top, width, height, "ground")
    box(canvas, look, left, top, width, height)
    if choosing.heading:
        canvas.put(left + 2, top, safe(f" {choosing.heading} ", ascii=look.ascii), "title")
    x = canvas.put(left + 2, top + 1, ": ", "prompt")
    x = canvas.put(x, top + 1, safe(choosing.text, ascii=look.ascii), "input")
    canvas.put(x, top + 1, " ", "caret")
    if not choosing.text:
        by_name = say("choose, or type part of a name")
        asked = by_name if choosing.heading else say("type what you want to do")
        canvas.put(x + 2, top + 1, asked, "dim")
    y = top + _ABOVE
    if not choosing.found:
        canvas.put(left + 2, y, say("Nothing here is called that."), "status")
    keys = _key_width(choosing, look)
    for number, rows in _in_sight(choosing, look):
        key = key_name(choosing.found[number].key_shown, look)
        canvas.put(left + 2, y, key, "key")
        for row in rows:
            put_row(canvas, left + 2 + keys, y, row)
            if number == choosing.cursor:
                canvas.paint(left + 1, y, width - 2, "selected")
            y += 1
    hint_line(canvas, look, top + height - 2, said_hints(_HINTS, look.tongue), left + 2)
    return canvas.frame()


def _scrolled(choosing: Choosing, top: int) -> Choosing:
    return msgspec.structs.replace(choosing, top=top)


def _rank(wanted: str, choice: Choice) -> float:
    """How well `choice` is meant by `wanted`; 0: not at all, `_SAID` and more: all its words stand there."""
    words = folded(f"{choice.sought} {choice.words} {choice.key_shown}")
    score, _ = _SEARCH.match(wanted, words)
    close = score / (1 + score)
    if not all(part in words for part in wanted.split(" ")):
        return close
    begins = sum(f" {part}" in f" {words}" for part in wanted.split(" "))
    return _SAID + begins + close


def _room(look: Look) -> int:
    """Rows for the list."""
    return max(1, look.height - 2 - _ABOVE - _BELOW)


def _place(choosing: Choosing, look: Look) -> tuple[int, int, int, int]:
    """Where the box stands: left, top, width, height. It is as high whatever is found."""
    width = min(_WIDEST, look.width - 4)
    rows = sum(len(_rows(choosing, choice, look)) for choice in choosing.all)
    height = min(_room(look), rows) + _ABOVE + _BELOW
    return (look.width - width) // 2, max(0, (look.height - height) // 2), width, height


def _key_width(choosing: Choosing, look: Look) -> int:
    return 2 + max((len(key_name(choice.key_shown, look)) for choice in choosing.all), default=0)


def _rows(choosing: Choosing, choice: Choice, look: Look) -> list[tuple[tuple[str, str], ...]]:
    cells = min(_WIDEST, look.width - 4) - 4 - _key_width(choosing, look)
    return in_rows(choice.words, "text", cells, ascii=look.ascii)


def _in_sight(choosing: Choosing, look: Look) -> list[tuple[int, list[tuple[tuple[str, str], ...]]]]:
    """The choices in sight, whole, each with its number and its rows."""
    seen: list[tuple[int, list[tuple[tuple[str, str], ...]]]] = []
    left = _place(choosing, look)[3] - _ABOVE - _BELOW
    for number, choice in enumerate(choosing.found[choosing.top :], choosing.top):
        rows = _rows(choosing, choice, look)
        left -= len(rows)
        if left < 0:
            break
        seen.append((number, rows))
    return seen
