"""The lobby as a frame: the list of tables, one row a table, and what to do when there is none."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from cartino_protocol.views import RoomLine, SeatLine
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.text import fit, longest
from cartino_tui.games.plug import AnyPlug, Look
from cartino_tui.keys import LOBBY
from cartino_tui.known import Entry
from cartino_tui.screens.parts import Hints, bar, box, centre, heading, hint_line, marks
from cartino_tui.terms import CLOCK_MARKS

TOP = 4
"""The row where the list begins."""
_BELOW = 3
_CODE, _GAME, _PLAYERS = 4, 10, 24
_STATE_WIDTH, _WATCHED_WIDTH, _CLOCK_WIDTH = 14, 6, 6

# A wide terminal shows them all, one of 80 columns all but the last.
HINTS = LOBBY.hints("join", "watch", "new", "code", "quick", "history", "help", "quit", "rename")
EMPTY_HINTS = LOBBY.hints("quick", "new", "code", "history", "rename", "help", "quit")


class LobbyModel(msgspec.Struct, frozen=True):
    """What the lobby shows: the tables, the marked one, the first one in sight, and a line about what happened."""

    entries: tuple[Entry, ...] = ()
    cursor: int = 0
    top: int = 0
    name: str = ""
    guest: bool = False
    people: int = 0
    status: str = ""
    arrived: bool = True


class Columns(NamedTuple):
    """Where the columns behind the players begin, in cells; without any clock its column has no width."""

    clock: int
    watched: int
    state: int


def list_height(look: Look) -> int:
    """How many tables are in sight at once."""
    return max(1, look.height - TOP - _BELOW)


def entry_at(model: LobbyModel, look: Look, y: int) -> int | None:
    """The number of the table that stands in row `y`, or None."""
    line = y - TOP
    if 0 <= line < list_height(look) and model.top + line < len(model.entries):
        return model.top + line
    return None


def draw_lobby(model: LobbyModel, look: Look, plugs: Mapping[str, AnyPlug], hints: Hints = HINTS) -> Frame:
    """The whole lobby, `look.width` by `look.height` cells; `plugs` by game name, `hints` for the last row."""
    canvas = Canvas(look.width, look.height)
    bar(canvas, look, "The games house", _facts(model, look))
    if model.entries:
        _draw_list(canvas, model, look, plugs)
    elif model.arrived:
        _draw_empty(canvas, look)
    else:
        centre(canvas, look.height // 2, "Looking round the house" + marks(look).ellipsis, "dim")
    canvas.put(1, look.height - 2, fit(model.status, look.width - 2, ascii=look.ascii), "status")
    hint_line(canvas, look, look.height - 1, hints)
    return canvas.frame()


def _facts(model: LobbyModel, look: Look) -> str:
    people = "nobody else here" if model.people <= 1 else f"{model.people} people here"
    guest = " (guest)" if model.guest else ""
    return f"you are {model.name}{guest} {marks(look).dot} {people}" if model.name else ""


def _draw_list(canvas: Canvas, model: LobbyModel, look: Look, plugs: Mapping[str, AnyPlug]) -> None:
    heading(canvas, _CODE, TOP - 2, "code")
    heading(canvas, _GAME, TOP - 2, "game")
    heading(canvas, _PLAYERS, TOP - 2, "players")
    state = look.width - _STATE_WIDTH
    watched = state - _WATCHED_WIDTH - 1
    # Of the whole list, so that the columns stay where they are while it scrolls.
    clocked = any(CLOCK_MARKS[entry.line.clock] for entry in model.entries)
    columns = Columns(watched - _CLOCK_WIDTH if clocked else watched, watched, state)
    if clocked:
        heading(canvas, columns.clock, TOP - 2, "clock")
    heading(canvas, columns.watched, TOP - 2, "watch")
    heading(canvas, columns.state, TOP - 2, "state")
    height = list_height(look)
    for line, entry in enumerate(model.entries[model.top : model.top + height]):
        _draw_entry(canvas, TOP + line, entry, look, plugs, columns)
        if model.top + line == model.cursor:
            canvas.put(2, TOP + line, marks(look).pick, "selected")
            canvas.paint(1, TOP + line, look.width - 2, "selected")
    above, below = model.top, max(0, len(model.entries) - model.top - height)
    if above:
        canvas.put(look.width - 1, TOP, "^" if look.ascii else "↑", "key")
    if below:
        canvas.put(look.width - 1, TOP + height - 1, "v" if look.ascii else "↓", "key")


def _draw_entry(
    canvas: Canvas, y: int, entry: Entry, look: Look, plugs: Mapping[str, AnyPlug], columns: Columns
) -> None:
    line = entry.line
    canvas.put(_CODE, y, line.code, "you" if entry.mine else "key")
    plug = plugs.get(line.game)
    game = f"{plug.title} {plug.options_line(line.options)}" if plug else line.game
    canvas.put(_GAME, y, fit(game, _PLAYERS - _GAME - 1, ascii=look.ascii), "text")
    x = _PLAYERS
    for text, role in _players(line, look, columns.clock - 1 - _PLAYERS):
        x = canvas.put(x, y, text, role)
    canvas.put(columns.clock, y, CLOCK_MARKS[line.clock], "dim")
    if line.spectators:
        canvas.put(columns.watched, y, str(line.spectators), "dim")
    canvas.put(columns.state, y, *_state(entry))


def _state(entry: Entry) -> tuple[str, str]:
    line = entry.line
    if entry.mine and line.paused:
        return "yours, paused", "you"
    if entry.mine:
        return ("your table", "you") if line.state != "finished" else ("yours, over", "you")
    if line.state == "open":
        taken = sum(seat.kind != "empty" for seat in line.seats)
        return f"open {taken} of {len(line.seats)}", "points"
    if line.state == "finished":
        return "over", "dim"
    return "paused" if line.paused else "playing", "text"


def _players(line: RoomLine, look: Look, width: int) -> Sequence[tuple[str, str]]:
    """The seats as runs that fit `width` cells together; the longest names are cut first."""
    mark = marks(look)
    between = f" {mark.dot} "
    labels = [(mark.turn if seat in line.turn else "") + _label(each) for seat, each in enumerate(line.seats)]
    most = longest(labels, width - len(between) * (len(labels) - 1))
    runs: list[tuple[str, str]] = []
    for seat, label in enumerate(labels):
        if seat:
            runs.append((between, "rule"))
        role = "turn" if seat in line.turn else "dim" if line.seats[seat].kind == "empty" else "text"
        runs.append((fit(label, most, ascii=look.ascii), role))
    return runs


def _label(seat: SeatLine) -> str:
    if seat.kind == "empty":
        return "free"
    if seat.kind == "bot" and not seat.name.startswith("bot"):
        return f"bot {seat.name}"
    return seat.name


def _draw_empty(canvas: Canvas, look: Look) -> None:
    rows = LOBBY.hints("quick", "new", "code")
    texts = (
        "play now, with a bot if nobody waits",
        "open a table of your own and share its code",
        "go to the table whose code somebody gave you",
    )
    width, height = 58, 9
    x, y = (look.width - width) // 2, (look.height - height) // 2
    box(canvas, look, x, y, width, height)
    canvas.put(x + 4, y + 2, "No table is open yet. Be the first:", "title")
    for line, ((key, _), text) in enumerate(zip(rows, texts, strict=True)):
        canvas.put(x + 4, y + 4 + line, key, "key")
        canvas.put(x + 7, y + 4 + line, text, "text")
