"""Who plays best, as a frame: people by their ratings, the bots apart, and one's own place."""

from typing import NamedTuple

import msgspec

from cartino_protocol.views import Leader, LeadersView
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.flowing import in_rows, put_rows
from cartino_tui.draw.text import fit
from cartino_tui.games.screen import Look
from cartino_tui.keys import LEADERS
from cartino_tui.screens.parts import Hints, bar, centre, first_in_sight, foot, foot_height, heading, marks
from cartino_tui.tongue import Tongue

TOP = 4
"""The row where the list begins."""
_PLACE, _PLACE_WIDTH = 4, 5
_NUMBER_WIDTH = 6
_GAP = 2


class LeadersModel(msgspec.Struct, frozen=True):
    """What the screen shows: the house's answer (None: none yet), the game's title, the marked one.

    `guest`: one has no key, and so no rating ever. `games`: how many games the house has. `waiting`: an answer will
    come.
    """

    view: LeadersView | None = None
    title: str = ""
    cursor: int = 0
    top: int = 0
    guest: bool = False
    games: int = 1
    waiting: bool = False
    status: str = ""

    @property
    def lines(self) -> tuple[Leader, ...]:
        """All that can be marked: people, then bots."""
        return () if self.view is None else (*self.view.people, *self.view.bots)

    @property
    def marked(self) -> Leader | None:
        """The marked one."""
        return self.lines[self.cursor] if self.lines else None


class Columns(NamedTuple):
    """Where the columns begin, in cells; the ratings and the games are right-aligned to end before `end`."""

    name: int
    rating: int
    games: int
    end: int


def leaders_hints(model: LeadersModel) -> tuple[tuple[str, str], ...]:
    """The keys that do something with the list as it is, in English."""
    marked = ("open",) if model.lines else ()
    games = ("next",) if model.games > 1 else ()
    return LEADERS.hints(*marked, "mine", "player", *games, "actions", "help", "back")


def list_height(model: LeadersModel, look: Look) -> int:
    """How many rows of the list are in sight at once."""
    return max(1, look.height - TOP - len(_below(model, look)) - foot_height(look, model.status))


def scrolled(model: LeadersModel, look: Look) -> int:
    """The first row in sight, so that the marked one is."""
    rows = _rows(model)
    at = next((row for row, line in enumerate(rows) if line == model.cursor), 0)
    top = first_in_sight(model.top, at, len(rows), list_height(model, look))
    # The heading above the first bot comes along.
    return at - 1 if top == at > 0 and rows[at - 1] is None else top


def line_at(model: LeadersModel, look: Look, y: int) -> int | None:
    """The number of the line that stands in row `y`, or None."""
    row, rows = y - TOP, _rows(model)
    if 0 <= row < list_height(model, look) and model.top + row < len(rows):
        return rows[model.top + row]
    return None


def draw_leaders(model: LeadersModel, look: Look, hints: Hints) -> Frame:
    """The whole screen, `look.width` by `look.height` cells, with `hints` in the last row."""
    tongue = look.tongue
    canvas = Canvas(look.width, look.height)
    count = len(model.view.people) if model.view is not None else 0
    facts = tongue.count("{n} player", "{n} players", count) if count else ""
    bar(canvas, look, tongue.say("Who plays best: {game}", game=model.title) if model.title else "", facts)
    if model.lines:
        _draw_list(canvas, model, look)
    else:
        centre(canvas, look.height // 2 - 1, _nothing(model, tongue), "text", ascii=look.ascii)
    below = _below(model, look)
    y = look.height - foot_height(look, model.status) - len(below)
    put_rows(canvas, 1, y, (((text, "dim"),) for text in below))
    foot(canvas, look, model.status, hints)
    return canvas.frame()


def _nothing(model: LeadersModel, tongue: Tongue) -> str:
    if model.view is None and model.waiting:
        return tongue.say("Looking for them…")
    if model.view is None:
        return tongue.say("The list did not come; go back and open it again.")
    return tongue.say(
        "Nobody has a rating yet. It takes a game between people with keys, at a table that stands in the lobby."
    )


def _below(model: LeadersModel, look: Look) -> list[str]:
    """What stands below the list: one's own place, or why one has none; rows of text."""
    view, tongue = model.view, look.tongue
    if view is None:
        return []
    you = view.you
    if you is not None and you.place:
        text = tongue.say("Your place: {place}, with {rating}.", place=you.place, rating=you.rating)
    elif you is not None:
        text = tongue.say("Your rating: {rating}.", rating=you.rating)
    elif model.guest:
        text = tongue.say("Guests get no rating: come with a key, and you have one.")
    else:
        text = tongue.say("You have no rating here yet.")
    rows = in_rows(text, "dim", look.width - 2, ascii=look.ascii)
    return ["", *("".join(part for part, _ in row) for row in rows)]


def _rows(model: LeadersModel) -> list[int | None]:
    """What stands in each row of the list: the number of a line, or None for the heading of the bots."""
    if model.view is None:
        return []
    people = len(model.view.people)
    rows: list[int | None] = list(range(people))
    if model.view.bots:
        rows += [None, *range(people, len(model.lines))]
    return rows


def _columns(model: LeadersModel, look: Look) -> Columns:
    """The same for every row, so that they stay where they are while the list scrolls."""
    say = look.tongue.say
    name = max(_PLACE + _PLACE_WIDTH, _PLACE + len(say("place")) + 1)
    rating = max(_NUMBER_WIDTH, len(say("rating")))
    games = max(_NUMBER_WIDTH, len(say("games")))
    names = [len(_called(model, number, look.tongue)) for number in range(len(model.lines))]
    room = look.width - 2 - name - rating - games - 2 * _GAP
    wide = max(min(max(names), room), len(say("player")))
    rating_x = name + wide + _GAP
    games_x = rating_x + rating + _GAP
    return Columns(name, rating_x, games_x, games_x + games)


def _draw_list(canvas: Canvas, model: LeadersModel, look: Look) -> None:
    say, columns = look.tongue.say, _columns(model, look)
    heading(canvas, _PLACE, TOP - 1, say("place"))
    heading(canvas, columns.name, TOP - 1, say("player"))
    heading(canvas, columns.games - _GAP - len(say("rating")), TOP - 1, say("rating"))
    heading(canvas, columns.end - len(say("games")), TOP - 1, say("games"))
    rows, height = _rows(model), list_height(model, look)
    for line, number in enumerate(rows[model.top : model.top + height]):
        if number is None:
            heading(canvas, _PLACE, TOP + line, say("bots, by their games with everybody"))
            continue
        _draw_line(canvas, TOP + line, number, model, look, columns)
    if model.top:
        canvas.put(look.width - 1, TOP, "^" if look.ascii else "↑", "key")
    if model.top + height < len(rows):
        canvas.put(look.width - 1, TOP + height - 1, "v" if look.ascii else "↓", "key")


def _draw_line(
    canvas: Canvas, y: int, number: int, model: LeadersModel, look: Look, columns: Columns
) -> None:
    line = model.lines[number]
    own = model.view is not None and model.view.you is not None and line.player == model.view.you.player
    canvas.put(_PLACE, y, str(line.place).rjust(_PLACE_WIDTH - 2), "dim")
    name = fit(_called(model, number, look.tongue), columns.rating - columns.name - 1, ascii=look.ascii)
    canvas.put(columns.name, y, name, "you" if own else "text")
    canvas.put(columns.games - _GAP - len(str(line.rating)), y, str(line.rating), "points")
    canvas.put(columns.end - len(str(line.games)), y, str(line.games), "dim")
    if number == model.cursor:
        canvas.put(2, y, marks(look).pick, "selected")
        canvas.paint(1, y, look.width - 2, "selected")


def _called(model: LeadersModel, number: int, tongue: Tongue) -> str:
    line = model.lines[number]
    bot = model.view is not None and number >= len(model.view.people)
    return tongue.say("bot {name}", name=line.name) if bot else line.name
