"""A table of the lobby in one row: which columns there is room for, and what stands in them."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cartino_protocol.ids import CODE_LENGTH
from cartino_protocol.views import RoomLine, SeatLine
from cartino_tui.draw.canvas import Canvas, Run
from cartino_tui.draw.flowing import put_row
from cartino_tui.draw.text import fit, longest, safe
from cartino_tui.games.description import titled
from cartino_tui.games.screen import AnyScreen, Look
from cartino_tui.known import Entry
from cartino_tui.screens.parts import marks
from cartino_tui.terms import CLOCK_FACTS, CLOCK_MARKS
from cartino_tui.tongue import Tongue

CODE = 4
_MARK = 0
"""Where the mark stands of a table that waits for oneself."""
_GAME_WIDTH, _MOST_GAME = 14, 30
"""Cells for the game, the blank behind it included, in the narrowest terminal with that column, and at most."""
_IN_BRACKETS = re.compile(r" \([^)]*\)")
"""What a title that is too long for the column loses first: "Casino (card game)" is "Casino"."""
_GAME_FROM = 80
"""The width of a terminal, in cells, from which the game has a column."""
_LEAST_PLAYERS = 36
"""Cells for the players; columns that leave them less are left out, for all of it stands below the list."""
_LEAST_NAME = 6
"""A name cut to fewer cells tells nobody anything."""


class Columns(NamedTuple):
    """Where the columns begin, in cells; None where there is no room for one, or nothing to say in it."""

    game: int | None
    players: int
    clock: int | None
    watched: int | None
    state: int


def columns_for(entries: Sequence[Entry], look: Look, plugs: Mapping[str, AnyScreen]) -> Columns:
    """The columns for a list: the same for every row of it, so that they stay where they are while it scrolls."""
    titles = (len(game_of(entry.line, look, plugs)) for entry in entries)
    longest_title = max(titles, default=0) if look.width > _GAME_FROM else 0
    say = look.tongue.say
    state = look.width - 2 - max(map(len, (*_states(look.tongue), say("state"))))
    second = CODE + max(CODE_LENGTH, len(say("code")), *(len(entry.line.code) for entry in entries)) + 2
    game = second if look.width >= _GAME_FROM else None
    most = min(_GAME_WIDTH + look.width - _GAME_FROM, _MOST_GAME)
    players = second if game is None else game + max(_GAME_WIDTH, min(longest_title + 1, most))
    clocks = {entry.line.clock for entry in entries} - {"none"}
    clock_width = max((len(say(CLOCK_MARKS[clock])) for clock in clocks), default=0)
    wide = (max(clock_width, len(say("clock"))) + 1) * bool(clocks)
    watched_width = len(say("watching")) + 1
    for with_clock, with_watched in ((wide, watched_width), (wide, 0), (0, 0)):
        left = state - with_clock - with_watched
        if left - 1 - players >= _LEAST_PLAYERS:
            return Columns(
                game,
                players,
                left if with_clock else None,
                left + with_clock if with_watched else None,
                state,
            )
    return Columns(game, players, None, None, state)


def draw_entry(
    canvas: Canvas, y: int, entry: Entry, look: Look, plugs: Mapping[str, AnyScreen], columns: Columns
) -> None:
    """The row of a table."""
    line = entry.line
    if entry.waits:
        canvas.put(_MARK, y, marks(look).here, "turn")
    canvas.put(CODE, y, line.code, "you" if entry.mine else "key")
    if columns.game is not None:
        game, room = game_of(line, look, plugs), columns.players - columns.game - 1
        if len(game) > room:
            game = _IN_BRACKETS.sub("", game)
        canvas.put(columns.game, y, fit(game, room, ascii=look.ascii), "text")
    ends = next(x for x in (columns.clock, columns.watched, columns.state) if x is not None)
    put_row(canvas, columns.players, y, _players_in(line, look, ends - 1 - columns.players))
    if columns.clock is not None:
        canvas.put(columns.clock, y, look.tongue.say(CLOCK_MARKS[line.clock]), "dim")
    if columns.watched is not None and line.spectators:
        canvas.put(columns.watched, y, str(line.spectators), "dim")
    canvas.put(columns.state, y, *_state(entry, look.tongue))


def game_of(line: RoomLine, look: Look, plugs: Mapping[str, AnyScreen]) -> str:
    """The game with its options in a few words; its name where nobody here knows it."""
    game = titled(plugs, line.game, line.options, look.tongue)
    return safe(game, ascii=look.ascii)


def players_of(line: RoomLine, look: Look) -> list[Run]:
    """The seats, each a label with its role: who sits there, and a mark for whose turn it is."""
    mark, tongue = marks(look), look.tongue
    runs: list[Run] = []
    for number, seat in enumerate(line.seats):
        turn = number in line.turn
        label = _label(seat, tongue)
        label = (mark.turn if turn else "") + safe(label, ascii=look.ascii)
        runs.append((label, "turn" if turn else "dim" if seat.kind == "empty" else "text"))
    return runs


def facts_of(entry: Entry, look: Look) -> list[str]:
    """What else there is to say about a table, each fact in a few words."""
    line, tongue = entry.line, look.tongue
    return [
        _state(entry, tongue)[0],
        tongue.say(CLOCK_FACTS[line.clock]),
        tongue.count("{n} watching", "{n} watching", line.spectators) if line.spectators else "",
    ]


def _players_in(line: RoomLine, look: Look, width: int) -> Sequence[Run]:
    """The seats within `width` cells: the longest names are cut first; where that says too little, some are counted."""
    between = (f" {marks(look).dot} ", "rule")
    players = players_of(line, look)
    gaps = len(between[0]) * (len(players) - 1)
    most = longest([label for label, _ in players], width - gaps)
    if most >= min(_LEAST_NAME, max((len(label) for label, _ in players), default=0)):
        return _joined([(fit(label, most, ascii=look.ascii), role) for label, role in players], between)
    for shown in range(len(players) - 1, 0, -1):
        more = f" +{len(players) - shown}"
        cells = width - len(more) - len(between[0]) * (shown - 1)
        most = longest([label for label, _ in players[:shown]], cells)
        if most >= _LEAST_NAME or shown == 1:
            cut = [(fit(label, most, ascii=look.ascii), role) for label, role in players[:shown]]
            return (*_joined(cut, between), (more, "dim"))
    return ()


def _joined(players: Sequence[Run], between: Run) -> list[Run]:
    return [run for player in players for run in (between, player)][1:]


def _label(seat: SeatLine, tongue: Tongue) -> str:
    if seat.kind == "empty":
        return tongue.say("free")
    if seat.kind == "bot" and not seat.name.startswith("bot"):
        return tongue.say("bot {name}", name=seat.name)
    return seat.name


def _state(entry: Entry, tongue: Tongue) -> Run:
    line = entry.line
    if entry.waits:
        return tongue.say("your turn"), "turn"
    if entry.mine and line.paused:
        return tongue.say("yours, paused"), "you"
    if entry.mine:
        return tongue.say("yours, over") if line.state == "finished" else tongue.say("your table"), "you"
    if line.state == "open":
        taken = sum(seat.kind != "empty" for seat in line.seats)
        return tongue.say("open {taken} of {seats}", taken=taken, seats=len(line.seats)), "points"
    if line.state == "finished":
        return tongue.say("over"), "dim"
    return tongue.say("paused") if line.paused else tongue.say("playing"), "text"


def _states(tongue: Tongue) -> tuple[str, ...]:
    """Everything that stands in the column of states."""
    say = tongue.say
    return (
        say("your turn"),
        say("yours, paused"),
        say("your table"),
        say("yours, over"),
        say("open {taken} of {seats}", taken=1, seats=4),
        say("over"),
        say("paused"),
        say("playing"),
    )
