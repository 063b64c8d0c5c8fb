"""Choose from a list by typing: the menu of all actions of a screen, and text search for the help.

Matching is that of Textual's command palette.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec
from textual.fuzzy import FuzzySearch

from cartino_protocol.text import N_
from cartino_tui.draw.canvas import Canvas, Frame, put_row, wrap_rows
from cartino_tui.draw.text import plain, safe
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import Translator
from cartino_tui.key_table import key_from_label
from cartino_tui.keys import KeyTable
from cartino_tui.visit.pending import Press
from cartino_tui.widgets.layout import Hints, box, hint_line, hints_width, translate_hints

_LINE_END: Final = -1
"""The cell of the blank at a line's end."""


class Span(NamedTuple):
    """Cells of a line in which something was found."""

    line: int
    x: int
    width: int


Hit = tuple[Span, ...]
"""A match: a span, or one per line if it is wrapped."""


def find_words(lines: Sequence[str], sought: str) -> tuple[Hit, ...]:
    """Return all matches of `sought` in order; any blanks and line ends count as one blank."""
    wanted = fold_case(" ".join(sought.split()))
    if not wanted:
        return ()
    text, cells = _as_one_text(lines)
    found: list[Hit] = []
    start = text.find(wanted)
    while start >= 0:
        found.append(_spans(cells[start : start + len(wanted)]))
        start = text.find(wanted, start + len(wanted))
    return tuple(found)


def first_hit_from(found: Sequence[Hit], line: int) -> int:
    """Return the index of the first match in or below `line`, 0 if there is none."""
    return next((number for number, hit in enumerate(found) if hit[0].line >= line), 0)


def _as_one_text(lines: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Return all of `lines` as one text, and the line and cell of each character."""
    chars: list[str] = []
    cells: list[tuple[int, int]] = []
    for number, line in enumerate(lines):
        for x, char in enumerate(fold_case(line)):
            if char != " " or (chars and chars[-1] != " "):
                chars.append(char)
                cells.append((number, x))
        if chars and chars[-1] != " ":
            chars.append(" ")
            cells.append((number, _LINE_END))
    return "".join(chars), cells


def _spans(cells: Sequence[tuple[int, int]]) -> Hit:
    of_line: dict[int, list[int]] = {}
    for line, x in cells:
        if x != _LINE_END:
            of_line.setdefault(line, []).append(x)
    return tuple(Span(line, xs[0], xs[-1] - xs[0] + 1) for line, xs in of_line.items())


def fold_case(text: str) -> str:
    """Return `text` without case and accents, of the same length."""
    return "".join((plain(char).casefold() or " ")[:1] for char in text)


MAX_QUERY: Final = 40
LOBBY_PREFIX: Final = "lobby:"
"""Prefix of the keys of lobby actions."""
_MAX_WIDTH: Final = 76
_MOVES: Final = frozenset(
    ("up", "down", "left", "right", "pageup", "pagedown", "home", "end", "tab", "space", "backspace")
)
_NOT_LISTED: Final = frozenset({"actions", "number"})
_HINTS: Final = (("Enter", N_("run")), ("↑", N_("up")), ("↓", N_("down")), ("Esc", N_("close")))
_ALL_WORDS_MATCH: Final = 10.0
_ROWS_ABOVE, _ROWS_BELOW = 3, 2
"""Rows of the box above and below the list."""

_SEARCH: Final = FuzzySearch(cache_size=256)
"""Shared by all sessions; the cache holds nothing personal."""


class MenuItem(msgspec.Struct, frozen=True):
    """A menu item: its text, its key as shown, and the key that does it."""

    words: str
    key_shown: str
    key: str
    sought: str = ""
    """Other words that find it."""

    @property
    def is_move(self) -> bool:
        """Whether it only moves something: such items come last."""
        return self.key in _MOVES


def menu_items(
    table: KeyTable,
    first: Hints,
    more: Hints,
    look: Look,
    can: Callable[[str], bool] = lambda action: True,
) -> tuple[MenuItem, ...]:
    """Return what the keys of `table` do, those hinted in `first` before others, after the game's keys `more`.

    An action that `can` is false for is left out.
    """
    gettext, keymap = look.translator.gettext, look.keymap
    firsts = ((shown.split(" ")[0], what) for shown, what in more)
    game = [
        MenuItem(gettext(what), keymap.shown(shown), key_from_label(shown))
        for shown, what in firsts
        if (key_from_label(shown) != shown or len(shown) == 1)
        and key_from_label(shown) not in _MOVES - {"tab"}
    ]
    hinted = {shown: place for place, (shown, _) in enumerate(first)}
    rows = sorted(
        (row for row in table.rows if row.action not in _NOT_LISTED and can(row.action)),
        key=lambda row: (row.keys[0] in _MOVES, hinted.get(row.shown, len(hinted))),
    )
    taken = {choice.key for choice in game}
    return (
        *game,
        *(
            MenuItem(gettext(row.help or row.what), keymap.shown(row.shown), row.keys[0], gettext(row.what))
            for row in rows
            if row.keys[0] not in taken
        ),
    )


def lobby_items(there: Sequence[MenuItem], translator: Translator) -> tuple[MenuItem, ...]:
    """Return the lobby's items that work from elsewhere."""
    return tuple(
        MenuItem(
            translator.gettext("In the lobby: {action}", action=each.words),
            each.key_shown,
            LOBBY_PREFIX + each.key,
        )
        for each in there
        if each.key not in {"escape", "q"} and not each.is_move
    )


def item_key(table: KeyTable, found: Sequence[MenuItem], help_row: tuple[str, str], look: Look) -> str | None:
    """Return the key of the help's row `help_row`, None if it is not available now."""
    shown, what = help_row
    searches = (row for row in table.rows if row.action == "actions")
    search = (
        MenuItem(look.translator.gettext(row.help), look.keymap.shown(row.shown), row.keys[0])
        for row in searches
    )
    wanted = (shown.split(" ")[0], what)
    return next(
        (each.key for each in (*found, *search) if (each.key_shown.split(" ")[0], each.words) == wanted), None
    )


def _ignore(chosen: str) -> None:
    """Do nothing."""


class Menu(msgspec.Struct, frozen=True):
    """A searchable list: all items, those found, the query, the selected one and the first visible one.

    `do` gets the key of the chosen item; `heading`, in the reader's language, is "" where actions are chosen.
    """

    all: tuple[MenuItem, ...]
    found: tuple[MenuItem, ...]
    text: str = ""
    cursor: int = 0
    top: int = 0
    heading: str = ""
    do: Callable[[str], None] = _ignore

    def submit_answer(self, answer: str) -> None:
        """Do with `answer`, the key of an item, what the menu is for."""
        self.do(answer)

    def draw(self, frame: Frame, look: Look, notice: str = "") -> Frame:
        """Return `frame` with the menu over it."""
        canvas, gettext = Canvas.from_frame(frame), look.translator.gettext
        left, top, width, height = _box_place(self, look)
        if height < _ROWS_ABOVE + _ROWS_BELOW + 1:
            return frame
        canvas.fill(left, top, width, height, "ground")
        box(canvas, look, left, top, width, height)
        if self.heading:
            canvas.put(left + 2, top, safe(f" {self.heading} ", ascii=look.ascii), "title")
        x = canvas.put(left + 2, top + 1, ": ", "prompt")
        x = canvas.put(x, top + 1, safe(self.text, ascii=look.ascii), "input")
        canvas.put(x, top + 1, " ", "caret")
        if not self.text:
            by_name = gettext("choose, or type part of a name")
            asked = by_name if self.heading else gettext("type what you want to do")
            canvas.put(x + 2, top + 1, asked, "dim")
        y = top + _ROWS_ABOVE
        if not self.found:
            canvas.put(left + 2, y, gettext("No matches."), "status")
        keys = _key_width(self, look)
        for number, rows in _visible_items(self, look):
            key = look.key_name(self.found[number].key_shown)
            canvas.put(left + 2, y, key, "key")
            for row in rows:
                put_row(canvas, left + 2 + keys, y, row)
                if number == self.cursor:
                    canvas.paint(left + 1, y, width - 2, "selected")
                y += 1
        hint_line(canvas, look, top + height - 2, translate_hints(_HINTS, look), left + 2, left + width - 1)
        return canvas.frame()

    def press(self, press: Press, look: Look) -> "Menu | str":
        """Return the menu after a key; a string ends it: the chosen item's key, "" for none."""
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
                return self._mark(max(0, self.cursor - _list_rows(look)), look)
            case "pagedown":
                return self._mark(min(len(self.found) - 1, self.cursor + _list_rows(look)), look)
        return self.insert(press.character, look) if press.character is not None else self

    def insert(self, text: str, look: Look) -> "Menu":
        """Return the menu with `text` typed or pasted in."""
        typed = "".join(char for char in text if char.isprintable())
        return self._seek((self.text + typed)[:MAX_QUERY], look)

    def tap(self, x: int, y: int, look: Look) -> "Menu | str":
        """Choose the clicked item, press a clicked hint, or close outside of the box."""
        left, top, width, height = _box_place(self, look)
        if not (left <= x < left + width and top <= y < top + height):
            return ""
        line = y - top - _ROWS_ABOVE
        for number, rows in _visible_items(self, look):
            line -= len(rows)
            if line < 0:
                return self.found[number].key if y >= top + _ROWS_ABOVE else self
        if y == top + height - 1 - 1:
            return self._tap_hint(x - left - 2, look)
        return self

    def _tap_hint(self, x: int, look: Look) -> "Menu | str":
        for (key, _), shown in zip(_HINTS, translate_hints(_HINTS, look), strict=True):
            end = hints_width((shown,))
            if 0 <= x < end:
                return self.press(Press(key_from_label(key)), look)
            x -= end + 2
        return self

    def _seek(self, text: str, look: Look) -> "Menu":
        wanted = fold_case(" ".join(text.split()))
        if not wanted:
            return self._with(self.all, text)
        ranks = [_match_score(wanted, choice, look.key_name(choice.key_shown)) for choice in self.all]
        # Scattered letters match only if no item has the whole words.
        best = max(ranks)
        least = _ALL_WORDS_MATCH if best >= _ALL_WORDS_MATCH else 0.9 * best
        ranked = zip(ranks, self.all, strict=True)
        found = tuple(
            choice for rank, choice in sorted(ranked, key=lambda each: -each[0]) if rank > 0 and rank >= least
        )
        return self._with(found, text)

    def _with(self, found: tuple[MenuItem, ...], text: str) -> "Menu":
        return Menu(self.all, found, text, heading=self.heading, do=self.do)

    def _mark(self, cursor: int, look: Look) -> "Menu":
        if not self.found:
            return self
        marked = msgspec.structs.replace(self, cursor=cursor % len(self.found))
        top = min(marked.top, marked.cursor)
        while marked.cursor not in {number for number, _ in _visible_items(_scrolled(marked, top), look)}:
            top += 1
        return _scrolled(marked, top)


def open_menu(all: Sequence[MenuItem], heading: str = "", do: Callable[[str], None] = _ignore) -> Menu:
    """Return the menu of `all` with nothing typed yet."""
    return Menu(tuple(all), tuple(all), heading=heading, do=do)


def _scrolled(choosing: Menu, top: int) -> Menu:
    return msgspec.structs.replace(choosing, top=top)


@lru_cache(maxsize=1024)
def _words_of(choice: MenuItem, key: str) -> str:
    """Return what finds an item, without case and accents; each key that is typed asks for all of them."""
    return fold_case(f"{choice.sought} {choice.words} {key}")


def _match_score(wanted: str, choice: MenuItem, key: str) -> float:
    """Return how well `choice` with its `key` matches: 0 not at all, from `_ALL_WORDS_MATCH` on all words."""
    words = _words_of(choice, key)
    score, _ = _SEARCH.match(wanted, words)
    close = score / (1 + score)
    if not all(part in words for part in wanted.split(" ")):
        return close
    begins = sum(f" {part}" in f" {words}" for part in wanted.split(" "))
    return _ALL_WORDS_MATCH + begins + close


def _list_rows(look: Look) -> int:
    """Return the rows for the list."""
    return max(1, look.height - 2 - _ROWS_ABOVE - _ROWS_BELOW)


def _box_place(choosing: Menu, look: Look) -> tuple[int, int, int, int]:
    """Return the box's left, top, width and height, which don't depend on the matches."""
    width = min(_MAX_WIDTH, look.width - 4)
    rows = sum(len(_item_rows(choosing, choice, look)) for choice in choosing.all)
    height = min(_list_rows(look), rows) + _ROWS_ABOVE + _ROWS_BELOW
    return (look.width - width) // 2, max(0, (look.height - height) // 2), width, height


def _key_width(choosing: Menu, look: Look) -> int:
    return 2 + max((len(look.key_name(choice.key_shown)) for choice in choosing.all), default=0)


def _item_rows(choosing: Menu, choice: MenuItem, look: Look) -> list[tuple[tuple[str, str], ...]]:
    cells = min(_MAX_WIDTH, look.width - 4) - 4 - _key_width(choosing, look)
    return wrap_rows(choice.words, "text", cells, ascii=look.ascii)


def _visible_items(choosing: Menu, look: Look) -> list[tuple[int, list[tuple[tuple[str, str], ...]]]]:
    """Return the visible items, whole, each with its number and rows."""
    seen: list[tuple[int, list[tuple[tuple[str, str], ...]]]] = []
    left = _box_place(choosing, look)[3] - _ROWS_ABOVE - _ROWS_BELOW
    for number, choice in enumerate(choosing.found[choosing.top :], choosing.top):
        rows = _item_rows(choosing, choice, look)
        left -= len(rows)
        if left < 0:
            break
        seen.append((number, rows))
    return seen
