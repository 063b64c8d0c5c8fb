"""Draw the lobby: a row for each table, details of the selected one, and a start card when there is none.

Columns are the same for every row, so they don't move while the list scrolls; narrow terminals drop some.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from cartino_protocol.base import CODE_LENGTH
from cartino_protocol.text import N_
from cartino_protocol.views import RoomLine, SeatLine
from cartino_tui.draw.canvas import Canvas, Frame, Row, Run, flow_labels, put_row, put_rows, wrap_rows
from cartino_tui.draw.text import fit, longest, safe
from cartino_tui.game_port.description import game_title
from cartino_tui.game_port.screen import AnyScreen, Look
from cartino_tui.i18n import Translator
from cartino_tui.keys import LOBBY
from cartino_tui.time_control import CLOCK_COLUMN, CLOCK_FACTS
from cartino_tui.visit.state import LobbyEntry
from cartino_tui.widgets.layout import (
    Hints,
    box,
    footer,
    footer_height,
    glyphs,
    put_centred,
    put_heading,
    title_bar,
)

CODE_X = 4
_TURN_MARK_X = 0
"""Where the mark stands of a table that waits for oneself."""
_GAME_WIDTH, _MAX_GAME_WIDTH = 14, 30
"""Cells for the game, the blank behind it included, in the narrowest terminal with that column, and at most."""
_PARENTHESIS = re.compile(r" \([^)]*\)")
"""What a title that is too long for the column loses first: "Casino (card game)" is "Casino"."""
_GAME_MIN_SCREEN = 80
"""The width of a terminal, in cells, from which the game has a column."""
_MIN_PLAYERS = 36
"""Cells for the players; columns that leave them less are left out, for all of it stands below the list."""
_MIN_NAME = 6
"""A name cut to fewer cells tells nobody anything."""


class LobbyColumns(NamedTuple):
    """Where the columns begin, in cells; None where there is no room for one, or nothing to say in it."""

    game: int | None
    players: int
    clock: int | None
    watched: int | None
    state: int


def lobby_columns(
    entries: Sequence[LobbyEntry], look: Look, game_screens: Mapping[str, AnyScreen]
) -> LobbyColumns:
    """The columns for a list: the same for every row of it, so that they stay where they are while it scrolls."""
    titles = (len(game_text(entry.line, look, game_screens)) for entry in entries)
    longest_title = max(titles, default=0) if look.width > _GAME_MIN_SCREEN else 0
    gettext = look.translator.gettext
    state = look.width - 2 - max(map(len, (*_all_state_labels(look.translator), gettext("state"))))
    second = CODE_X + max(CODE_LENGTH, len(gettext("code")), *(len(entry.line.code) for entry in entries)) + 2
    game = second if look.width >= _GAME_MIN_SCREEN else None
    most = min(_GAME_WIDTH + look.width - _GAME_MIN_SCREEN, _MAX_GAME_WIDTH)
    players = second if game is None else game + max(_GAME_WIDTH, min(longest_title + 1, most))
    clocks = {entry.line.clock for entry in entries} - {"none"}
    clock_width = max((len(gettext(CLOCK_COLUMN[clock])) for clock in clocks), default=0)
    wide = (max(clock_width, len(gettext("clock"))) + 1) * bool(clocks)
    watched_width = len(gettext("watching")) + 1
    for with_clock, with_watched in ((wide, watched_width), (wide, 0), (0, 0)):
        left = state - with_clock - with_watched
        if left - 1 - players >= _MIN_PLAYERS:
            return LobbyColumns(
                game,
                players,
                left if with_clock else None,
                left + with_clock if with_watched else None,
                state,
            )
    return LobbyColumns(game, players, None, None, state)


def draw_table_row(
    canvas: Canvas,
    y: int,
    entry: LobbyEntry,
    look: Look,
    game_screens: Mapping[str, AnyScreen],
    columns: LobbyColumns,
) -> None:
    """The row of a table."""
    line = entry.line
    if entry.waits:
        canvas.put(_TURN_MARK_X, y, glyphs(look).here, "turn")
    canvas.put(CODE_X, y, line.code, "you" if entry.mine else "key")
    if columns.game is not None:
        game, room = game_text(line, look, game_screens), columns.players - columns.game - 1
        if len(game) > room:
            game = _PARENTHESIS.sub("", game)
        canvas.put(columns.game, y, fit(game, room, ascii=look.ascii), "text")
    ends = next(x for x in (columns.clock, columns.watched, columns.state) if x is not None)
    put_row(canvas, columns.players, y, _fit_players(line, look, ends - 1 - columns.players))
    if columns.clock is not None:
        canvas.put(columns.clock, y, look.translator.gettext(CLOCK_COLUMN[line.clock]), "dim")
    if columns.watched is not None and line.spectators:
        canvas.put(columns.watched, y, str(line.spectators), "dim")
    canvas.put(columns.state, y, *_state_label(entry, look.translator))


def game_text(line: RoomLine, look: Look, game_screens: Mapping[str, AnyScreen]) -> str:
    """The game with its options in a few words; its name where nobody here knows it."""
    game = game_title(game_screens, line.game, line.options, look.translator)
    return safe(game, ascii=look.ascii)


def player_labels(line: RoomLine, look: Look) -> list[Run]:
    """The seats, each a label with its role: who sits there, and a mark for whose turn it is."""
    mark, translator = glyphs(look), look.translator
    runs: list[Run] = []
    for number, seat in enumerate(line.seats):
        turn = number in line.turn
        label = _seat_label(seat, translator)
        label = (mark.turn if turn else "") + safe(label, ascii=look.ascii)
        runs.append((label, "turn" if turn else "dim" if seat.kind == "empty" else "text"))
    return runs


def selected_facts(entry: LobbyEntry, look: Look) -> list[str]:
    """What else there is to say about a table, each fact in a few words."""
    line, translator = entry.line, look.translator
    return [
        _state_label(entry, translator)[0],
        translator.gettext(CLOCK_FACTS[line.clock]),
        translator.ngettext("{n} watching", "{n} watching", line.spectators) if line.spectators else "",
    ]


def _fit_players(line: RoomLine, look: Look, width: int) -> Sequence[Run]:
    """The seats within `width` cells: the longest names are cut first; where that says too little, some are counted."""
    between = (f" {glyphs(look).dot} ", "rule")
    players = player_labels(line, look)
    gaps = len(between[0]) * (len(players) - 1)
    most = longest([label for label, _ in players], width - gaps)
    if most >= min(_MIN_NAME, max((len(label) for label, _ in players), default=0)):
        return _interleave([(fit(label, most, ascii=look.ascii), role) for label, role in players], between)
    for shown in range(len(players) - 1, 0, -1):
        more = f" +{len(players) - shown}"
        cells = width - len(more) - len(between[0]) * (shown - 1)
        most = longest([label for label, _ in players[:shown]], cells)
        if most >= _MIN_NAME or shown == 1:
            cut = [(fit(label, most, ascii=look.ascii), role) for label, role in players[:shown]]
            return (*_interleave(cut, between), (more, "dim"))
    return ()


def _interleave(players: Sequence[Run], between: Run) -> list[Run]:
    return [run for player in players for run in (between, player)][1:]


def _seat_label(seat: SeatLine, translator: Translator) -> str:
    if seat.kind == "empty":
        return translator.gettext("free")
    if seat.kind == "bot" and not seat.name.startswith("bot"):
        return translator.gettext("bot {name}", name=seat.name)
    return seat.name


def _state_label(entry: LobbyEntry, translator: Translator) -> Run:
    line = entry.line
    if entry.waits:
        return translator.gettext("your turn"), "turn"
    if entry.mine and line.paused:
        return translator.gettext("yours, paused"), "you"
    if entry.mine:
        return translator.gettext("yours, over") if line.state == "finished" else translator.gettext(
            "your table"
        ), "you"
    if line.state == "open":
        taken = sum(seat.kind != "empty" for seat in line.seats)
        return translator.gettext("open {taken} of {seats}", taken=taken, seats=len(line.seats)), "points"
    if line.state == "finished":
        return translator.gettext("over"), "dim"
    return translator.gettext("paused") if line.paused else translator.gettext("playing"), "text"


def _all_state_labels(translator: Translator) -> tuple[str, ...]:
    """Everything that stands in the column of states."""
    gettext = translator.gettext
    return (
        gettext("your turn"),
        gettext("yours, paused"),
        gettext("your table"),
        gettext("yours, over"),
        gettext("open {taken} of {seats}", taken=1, seats=4),
        gettext("over"),
        gettext("paused"),
        gettext("playing"),
    )


TOP = 4
"""The row where the list begins."""
_SELECTED_ROWS = 2
"""Rows for the players of the marked table, and as many for what else there is to say about it."""

SIT_DOWN, WATCH_TABLE, RETURN_TO_TABLE = N_("sit down"), N_("watch"), N_("back to it")
"""What Enter does with a table, by what one may do there."""
LOBBY_HINTS = LOBBY.hints(
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
EMPTY_LOBBY_HINTS = LOBBY.hints(
    "quick", "learn", "new", "code", "settings", "actions", "history", "leaders", "rename", "help", "quit"
)


class LobbyModel(msgspec.Struct, frozen=True):
    """What the lobby shows: the tables, the marked one, the first one in sight, and a line about what happened."""

    entries: tuple[LobbyEntry, ...] = ()
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
        return invited + EMPTY_LOBBY_HINTS
    entry = model.entries[model.cursor]
    does = RETURN_TO_TABLE if entry.mine else SIT_DOWN if entry.free else WATCH_TABLE
    watch = LOBBY.hints("watch")
    return invited + tuple(
        (key, does if hint == LOBBY.hints("join")[0] else what)
        for hint in LOBBY_HINTS
        for key, what in (hint,)
        if does == SIT_DOWN or hint not in watch
    )


def list_height(look: Look, status: str = "") -> int:
    """How many tables are in sight at once, with `status` below them."""
    return max(1, look.height - TOP - 1 - 2 * _SELECTED_ROWS - footer_height(look, status))


def table_at(model: LobbyModel, look: Look, y: int) -> int | None:
    """The number of the table that stands in row `y`, or None."""
    line = y - TOP
    if 0 <= line < list_height(look, model.status) and model.top + line < len(model.entries):
        return model.top + line
    return None


def draw_lobby(
    model: LobbyModel, look: Look, game_screens: Mapping[str, AnyScreen], hints: Hints = LOBBY_HINTS
) -> Frame:
    """The whole lobby, `look.width` by `look.height` cells; `game_screens` by game name, `hints` for the last row."""
    canvas = Canvas(look.width, look.height)
    title_bar(canvas, look, look.translator.gettext("The games house"), *_lobby_facts(model, look))
    if model.entries:
        _draw_list(canvas, model, look, game_screens)
        _draw_selected(canvas, model, look, game_screens)
    elif model.arrived:
        _draw_empty(canvas, look)
    else:
        put_centred(
            canvas,
            look.height // 2,
            look.translator.gettext("Looking round the house…"),
            "dim",
            ascii=look.ascii,
        )
    footer(canvas, look, model.status, hints)
    return canvas.frame()


def _lobby_facts(model: LobbyModel, look: Look) -> tuple[str, ...]:
    """Who one is and how many are here, in fewer and fewer words."""
    if not model.name:
        return ()
    translator, dot = look.translator, f" {glyphs(look).dot} "
    who = f"{model.name} ({translator.gettext('guest')})" if model.guest else model.name
    you = (
        translator.gettext("you are {name} (guest)", name=model.name)
        if model.guest
        else translator.gettext("you are {name}", name=model.name)
    )
    alone = model.people <= 1
    people = (
        translator.gettext("nobody else here")
        if alone
        else translator.ngettext("{n} person here", "{n} people here", model.people)
    )
    line = f"{dot}{model.link_time}" if model.link_time else ""
    return f"{you}{dot}{people}{line}", f"{you}{dot}{people}", f"{who}{dot}{people}", who


def _draw_list(canvas: Canvas, model: LobbyModel, look: Look, game_screens: Mapping[str, AnyScreen]) -> None:
    columns = lobby_columns(model.entries, look, game_screens)
    _draw_headings(canvas, columns, look)
    height = list_height(look, model.status)
    for line, entry in enumerate(model.entries[model.top : model.top + height]):
        draw_table_row(canvas, TOP + line, entry, look, game_screens, columns)
        if model.top + line == model.cursor:
            canvas.put(2, TOP + line, glyphs(look).pick, "selected")
            canvas.paint(1, TOP + line, look.width - 2, "selected")
    if model.top:
        canvas.put(look.width - 1, TOP, "^" if look.ascii else "↑", "key")
    if len(model.entries) - model.top > height:
        canvas.put(look.width - 1, TOP + height - 1, "v" if look.ascii else "↓", "key")


def _draw_headings(canvas: Canvas, columns: LobbyColumns, look: Look) -> None:
    gettext = look.translator.gettext
    for x, text in (
        (CODE_X, gettext("code")),
        (columns.game, gettext("game")),
        (columns.players, gettext("players")),
        (columns.clock, gettext("clock")),
        (columns.watched, gettext("watching")),
        (columns.state, gettext("state")),
    ):
        if x is not None:
            put_heading(canvas, x, TOP - 2, text)


def _draw_selected(
    canvas: Canvas, model: LobbyModel, look: Look, game_screens: Mapping[str, AnyScreen]
) -> None:
    """All of the marked table that its row may have no room for."""
    mark, entry = glyphs(look), model.entries[model.cursor]
    between = (f" {mark.dot} ", "rule")
    y = TOP + list_height(look, model.status)
    canvas.put(0, y, mark.line * look.width, "rule")
    cells = look.width - 2
    players = flow_labels(([player] for player in player_labels(entry.line, look)), between, cells)
    facts = [
        [(fact, "dim")]
        for fact in (game_text(entry.line, look, game_screens), *selected_facts(entry, look))
        if fact
    ]
    y = put_rows(canvas, 1, y + 1, players[:_SELECTED_ROWS])
    put_rows(canvas, 1, y, flow_labels(facts, between, cells)[:_SELECTED_ROWS])


def _draw_empty(canvas: Canvas, look: Look) -> None:
    gettext = look.translator.gettext
    keys = [look.keymap.shown(key) for key, _ in LOBBY.hints("learn", "quick", "new", "code")]
    texts = (
        gettext("new here? learn the game in three minutes"),
        gettext("play now, with a bot if nobody waits"),
        gettext("open a table of your own and share its code"),
        gettext("go to the table whose code somebody gave you"),
    )
    title = gettext("No table is open yet. Be the first:")
    width = min(look.width - 4, max(len(title) + 8, *(len(text) + 11 for text in texts)))
    rows: list[Row] = [*wrap_rows(title, "title", width - 8, ascii=look.ascii), ()]
    for key, text in zip(keys, texts, strict=True):
        for number, row in enumerate(wrap_rows(text, "text", width - 11, ascii=look.ascii)):
            rows.append(((f"{'' if number else key:3}", "key"), *row))
    x, y = (look.width - width) // 2, max(2, (look.height - len(rows) - 4) // 2)
    box(canvas, look, x, y, width, len(rows) + 4)
    put_rows(canvas, x + 4, y + 2, rows)
