"""The lobby as a frame: a row a table, all of the marked one below, and what to do where there is none."""

from collections.abc import Mapping

import msgspec

from cartino_protocol.marking import N_
from cartino_tui.draw.canvas import Canvas, Frame, Row
from cartino_tui.draw.flowing import flow, in_rows, put_rows
from cartino_tui.games.screen import AnyScreen, Look
from cartino_tui.keys import LOBBY
from cartino_tui.known import Entry
from cartino_tui.screens.lobby_rows import (
    CODE,
    Columns,
    columns_for,
    draw_entry,
    facts_of,
    game_of,
    players_of,
)
from cartino_tui.screens.parts import Hints, bar, box, centre, foot, foot_height, heading, marks

TOP = 4
"""The row where the list begins."""
_MARKED_ROWS = 2
"""Rows for the players of the marked table, and as many for what else there is to say about it."""

SIT, WATCH, RETURN = N_("sit down"), N_("watch"), N_("back to it")
"""What Enter does with a table, by what one may do there."""
HINTS = LOBBY.hints(
    "join",
    "new",
    "quick",
    "learn",
    "code",
    "watch",
    "history",
    "leaders",
    "settings",
    "actions",
    "rename",
    "help",
    "quit",
)
EMPTY_HINTS = LOBBY.hints(
    "quick", "learn", "new", "code", "settings", "actions", "history", "leaders", "rename", "help", "quit"
)


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
    invited: int = 0
    link_time: str = ""


def lobby_hints(model: LobbyModel) -> tuple[tuple[str, str], ...]:
    """What can be done with the list as it is, in English; Enter says what it does with the marked table."""
    invited = LOBBY.hints("invited") if model.invited else ()
    if not model.entries:
        return invited + EMPTY_HINTS
    entry = model.entries[model.cursor]
    does = RETURN if entry.mine else SIT if entry.free else WATCH
    watch = LOBBY.hints("watch")
    return invited + tuple(
        (key, does if hint == LOBBY.hints("join")[0] else what)
        for hint in HINTS
        for key, what in (hint,)
        if does == SIT or hint not in watch
    )


def list_height(look: Look, status: str = "") -> int:
    """How many tables are in sight at once, with `status` below them."""
    return max(1, look.height - TOP - 1 - 2 * _MARKED_ROWS - foot_height(look, status))


def entry_at(model: LobbyModel, look: Look, y: int) -> int | None:
    """The number of the table that stands in row `y`, or None."""
    line = y - TOP
    if 0 <= line < list_height(look, model.status) and model.top + line < len(model.entries):
        return model.top + line
    return None


def draw_lobby(model: LobbyModel, look: Look, plugs: Mapping[str, AnyScreen], hints: Hints = HINTS) -> Frame:
    """The whole lobby, `look.width` by `look.height` cells; `plugs` by game name, `hints` for the last row."""
    canvas = Canvas(look.width, look.height)
    bar(canvas, look, look.tongue.say("The games house"), *_facts(model, look))
    if model.entries:
        _draw_list(canvas, model, look, plugs)
        _draw_marked(canvas, model, look, plugs)
    elif model.arrived:
        _draw_empty(canvas, look)
    else:
        centre(canvas, look.height // 2, look.tongue.say("Looking round the house…"), "dim", ascii=look.ascii)
    foot(canvas, look, model.status, hints)
    return canvas.frame()


def _facts(model: LobbyModel, look: Look) -> tuple[str, ...]:
    """Who one is and how many are here, in fewer and fewer words."""
    if not model.name:
        return ()
    tongue, dot = look.tongue, f" {marks(look).dot} "
    who = f"{model.name} ({tongue.say('guest')})" if model.guest else model.name
    you = (
        tongue.say("you are {name} (guest)", name=model.name)
        if model.guest
        else tongue.say("you are {name}", name=model.name)
    )
    alone = model.people <= 1
    people = (
        tongue.say("nobody else here")
        if alone
        else tongue.count("{n} person here", "{n} people here", model.people)
    )
    line = f"{dot}{model.link_time}" if model.link_time else ""
    return f"{you}{dot}{people}{line}", f"{you}{dot}{people}", f"{who}{dot}{people}", who


def _draw_list(canvas: Canvas, model: LobbyModel, look: Look, plugs: Mapping[str, AnyScreen]) -> None:
    columns = columns_for(model.entries, look, plugs)
    _draw_headings(canvas, columns, look)
    height = list_height(look, model.status)
    for line, entry in enumerate(model.entries[model.top : model.top + height]):
        draw_entry(canvas, TOP + line, entry, look, plugs, columns)
        if model.top + line == model.cursor:
            canvas.put(2, TOP + line, marks(look).pick, "selected")
            canvas.paint(1, TOP + line, look.width - 2, "selected")
    if model.top:
        canvas.put(look.width - 1, TOP, "^" if look.ascii else "↑", "key")
    if len(model.entries) - model.top > height:
        canvas.put(look.width - 1, TOP + height - 1, "v" if look.ascii else "↓", "key")


def _draw_headings(canvas: Canvas, columns: Columns, look: Look) -> None:
    say = look.tongue.say
    for x, text in (
        (CODE, say("code")),
        (columns.game, say("game")),
        (columns.players, say("players")),
        (columns.clock, say("clock")),
        (columns.watched, say("watching")),
        (columns.state, say("state")),
    ):
        if x is not None:
            heading(canvas, x, TOP - 2, text)


def _draw_marked(canvas: Canvas, model: LobbyModel, look: Look, plugs: Mapping[str, AnyScreen]) -> None:
    """All of the marked table that its row may have no room for."""
    mark, entry = marks(look), model.entries[model.cursor]
    between = (f" {mark.dot} ", "rule")
    y = TOP + list_height(look, model.status)
    canvas.put(0, y, mark.line * look.width, "rule")
    cells = look.width - 2
    players = flow(([player] for player in players_of(entry.line, look)), between, cells)
    facts = [[(fact, "dim")] for fact in (game_of(entry.line, look, plugs), *facts_of(entry, look)) if fact]
    y = put_rows(canvas, 1, y + 1, players[:_MARKED_ROWS])
    put_rows(canvas, 1, y, flow(facts, between, cells)[:_MARKED_ROWS])


def _draw_empty(canvas: Canvas, look: Look) -> None:
    say = look.tongue.say
    keys = [look.keymap.shown(key) for key, _ in LOBBY.hints("learn", "quick", "new", "code")]
    texts = (
        say("new here? learn the game in three minutes"),
        say("play now, with a bot if nobody waits"),
        say("open a table of your own and share its code"),
        say("go to the table whose code somebody gave you"),
    )
    title = say("No table is open yet. Be the first:")
    width = min(look.width - 4, max(len(title) + 8, *(len(text) + 11 for text in texts)))
    rows: list[Row] = [*in_rows(title, "title", width - 8, ascii=look.ascii), ()]
    for key, text in zip(keys, texts, strict=True):
        for number, row in enumerate(in_rows(text, "text", width - 11, ascii=look.ascii)):
            rows.append(((f"{'' if number else key:3}", "key"), *row))
    x, y = (look.width - width) // 2, max(2, (look.height - len(rows) - 4) // 2)
    box(canvas, look, x, y, width, len(rows) + 4)
    put_rows(canvas, x + 4, y + 2, rows)
