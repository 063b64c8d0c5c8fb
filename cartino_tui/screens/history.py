"""The list of finished games: all, one's own or a player's, with replay and export.

The list changes when the server answers, not before; older games load when the cursor reaches the end.
"""

from collections.abc import Mapping
from typing import Literal

import msgspec

from cartino_protocol.commands import History, Replay, tag_of
from cartino_protocol.records import BOT
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import HistoryView, PastGame, QueryAnswer, ReplayView
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Canvas, Frame, Run, flow_labels, put_row, put_rows
from cartino_tui.draw.text import clean, fit, longest, safe
from cartino_tui.game_port.description import OLDER_GAMES_REMOVED, end_reason, game_title
from cartino_tui.game_port.screen import AnyScreen, Look
from cartino_tui.i18n import Translator
from cartino_tui.keys import HISTORY, KeyTable
from cartino_tui.screens.replay import ReplayScreen
from cartino_tui.visit.farewell import UNREADABLE
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.replay_cursor import ServerReplayCursor
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import AppScreen, HintRow, Quit
from cartino_tui.widgets.help import HelpScreen, history_help
from cartino_tui.widgets.layout import (
    Hints,
    cursor_step,
    footer,
    footer_height,
    glyphs,
    put_centred,
    put_heading,
    scroll_top,
    title_bar,
)
from cartino_tui.widgets.prompt import Prompt

LIST_TOP = 5
"""The row where the list begins."""
_SELECTED_ROWS = 2
"""Rows for the players of the marked game, and as many for what else there is to say about it."""
_WHEN_X = 4
_DAY_CHARS = len("2026-01-01")
_WHEN_CHARS = len("2026-01-01 12:30")
_WIDE_SCREEN = 80
"""The width of a terminal, in cells, from which the time of day and the game have a column."""
_MIN_FOR_ELLIPSIS = 4
_MAX_NAME_WIDTH, _GAME_WIDTH = 16, 12


class HistoryModel(msgspec.Struct, frozen=True):
    """What the screen shows: which list (`of`, `name` as in `History`), its games so far, and the marked one.

    `more`: the house has older ones; `pruned`: it no longer keeps all of those. `arrived`: it has answered; `waiting`:
    it was asked and will.
    """

    of: Literal["all", "mine", "player"] = "all"
    name: str = ""
    games: tuple[PastGame, ...] = ()
    more: bool = False
    cursor: int = 0
    top: int = 0
    arrived: bool = False
    waiting: bool = False
    status: str = ""
    pruned: bool = False


def list_height(look: Look, status: str = "") -> int:
    """How many games are in sight at once, with `status` below them."""
    return max(1, look.height - LIST_TOP - 1 - 2 * _SELECTED_ROWS - footer_height(look, status))


def game_at_row(model: HistoryModel, look: Look, y: int) -> int | None:
    """The number in the list of the game that stands in row `y`, or None."""
    line = y - LIST_TOP
    if 0 <= line < list_height(look, model.status) and model.top + line < len(model.games):
        return model.top + line
    return None


def history_hints(model: HistoryModel) -> tuple[tuple[str, str], ...]:
    """The keys that do something with the list as it is, in English."""
    of_games = ("open", "export") if model.games else ()
    older = ("page-down",) if model.more else ()
    return HISTORY.hints(
        *of_games[:1], "all", "mine", "player", *of_games[1:], *older, "actions", "help", "back"
    )


def draw_history(
    model: HistoryModel, look: Look, game_screens: Mapping[str, AnyScreen], hints: Hints
) -> Frame:
    """The whole screen, `look.width` by `look.height` cells; `game_screens` by game name, `hints` for the last row."""
    canvas = Canvas(look.width, look.height)
    title_bar(canvas, look, look.translator.gettext("Finished games"), _list_facts(model, look.translator))
    _draw_tabs(canvas, model, look)
    if model.games:
        _draw_games(canvas, model, look, game_screens)
        _draw_selected(canvas, model, look, game_screens)
    else:
        put_centred(canvas, look.height // 2, _empty_text(model, look.translator), "text", ascii=look.ascii)
    footer(canvas, look, model.status, hints)
    return canvas.frame()


def _list_facts(model: HistoryModel, translator: Translator) -> str:
    count = len(model.games)
    if not count:
        return ""
    if model.more:
        return translator.ngettext("the newest {n}", "the newest {n}", count)
    if model.pruned:
        return translator.ngettext(
            "{n} game; older ones are no longer kept", "{n} games; older ones are no longer kept", count
        )
    return translator.ngettext("{n} game", "{n} games", count)


def _empty_text(model: HistoryModel, translator: Translator) -> str:
    if model.waiting and not model.arrived:
        return translator.gettext("Looking for them…")
    if not model.arrived:
        return translator.gettext("The list did not come; a asks for it again.")
    if model.pruned:
        return translator.gettext(OLDER_GAMES_REMOVED)
    if model.of == "mine":
        return translator.gettext("You have not played a game to its end here yet.")
    if model.of == "player":
        return translator.gettext(
            "There is no finished game of {name} that you may see.", name=clean(model.name)
        )
    return translator.gettext("No game has come to its end here yet.")


def _draw_tabs(canvas: Canvas, model: HistoryModel, look: Look) -> None:
    """The three lists; the one that is shown stands in brackets."""
    gettext = look.translator.gettext
    player = gettext("player {name}", name=model.name) if model.name else gettext("player")
    x = 4
    for of, label in (("all", gettext("all")), ("mine", gettext("mine")), ("player", player)):
        text = fit(label, look.width // 2, ascii=look.ascii)
        chosen = of == model.of
        x = canvas.put(x, 2, f"[{text}]" if chosen else f" {text} ", "you" if chosen else "dim") + 1


def _draw_games(
    canvas: Canvas, model: HistoryModel, look: Look, game_screens: Mapping[str, AnyScreen]
) -> None:
    gettext, wide = look.translator.gettext, look.width >= _WIDE_SCREEN
    when = gettext("when (UTC)")
    # The widest name in the whole list: the columns stay where they are while it scrolls.
    name_x = _WHEN_X + max(_WHEN_CHARS if wide else _DAY_CHARS, len(when)) + 2
    most = min(max(len(game.name) for game in model.games), _MAX_NAME_WIDTH)
    game_x = name_x + max(most, len(gettext("name"))) + 2
    players_x = game_x + (max(_GAME_WIDTH, len(gettext("game"))) + 1) * wide
    for x, text in ((_WHEN_X, when), (name_x, gettext("name")), (players_x, gettext("players"))):
        put_heading(canvas, x, LIST_TOP - 1, text)
    if wide:
        put_heading(canvas, game_x, LIST_TOP - 1, gettext("game"))
    height = list_height(look, model.status)
    for line, game in enumerate(model.games[model.top : model.top + height]):
        y = LIST_TOP + line
        canvas.put(_WHEN_X, y, _end_time(game, look)[: _WHEN_CHARS if wide else _DAY_CHARS], "dim")
        canvas.put(name_x, y, fit(game.name, _MAX_NAME_WIDTH, ascii=look.ascii), "key")
        if wide:
            title = game_title(game_screens, game.game, game.options, look.translator)
            canvas.put(game_x, y, fit(title, _GAME_WIDTH, ascii=look.ascii), "text")
        _draw_players(canvas, players_x, y, game, look, look.width - 2 - players_x)
        if model.top + line == model.cursor:
            canvas.put(2, y, glyphs(look).pick, "selected")
            canvas.paint(1, y, look.width - 2, "selected")
    if model.top:
        canvas.put(look.width - 1, LIST_TOP, "^" if look.ascii else "↑", "key")
    if model.more or model.top + height < len(model.games):
        canvas.put(look.width - 1, LIST_TOP + height - 1, "v" if look.ascii else "↓", "key")


def _draw_selected(
    canvas: Canvas, model: HistoryModel, look: Look, game_screens: Mapping[str, AnyScreen]
) -> None:
    """All of the marked game that its row may have no room for."""
    game, mark = model.games[model.cursor], glyphs(look)
    y = LIST_TOP + list_height(look, model.status)
    canvas.put(0, y, mark.line * look.width, "rule")
    between, cells = (f" {mark.dot} ", "rule"), look.width - 2
    players = flow_labels(([player] for player in _player_labels(game, look)), between, cells)
    why = end_reason(game_screens, game.game, game.reason, look.translator)
    words = (
        game.name,
        game_title(game_screens, game.game, game.options, look.translator),
        _end_time(game, look) + " UTC",
        why,
    )
    facts = [[(safe(word, ascii=look.ascii), "dim")] for word in words if word]
    y = put_rows(canvas, 1, y + 1, players[:_SELECTED_ROWS])
    put_rows(canvas, 1, y, flow_labels(facts, between, cells)[:_SELECTED_ROWS])


def _player_labels(game: PastGame, look: Look) -> list[Run]:
    """The seats with their totals, winners marked, each a label with its role."""
    mark = glyphs(look)
    runs: list[Run] = []
    for number, (name, total) in enumerate(zip(_player_names(game, look), game.totals, strict=True)):
        won = number in game.winners
        runs.append((f"{mark.won if won else ''}{name} {total}", "winner" if won else "text"))
    return runs


def _player_names(game: PastGame, look: Look) -> list[str]:
    names = (_player_name(seat, look.translator) for seat in game.seats)
    return [safe(name, ascii=look.ascii) for name in names]


def _draw_players(canvas: Canvas, x: int, y: int, game: PastGame, look: Look, width: int) -> None:
    """The seats with their totals within `width` cells, winners marked; the longest names are cut first.

    Where not even a letter of each has room, some are counted.
    """
    between = (f" {glyphs(look).dot} ", "rule")
    players = [
        (*run, name) for run, name in zip(_player_labels(game, look), _player_names(game, look), strict=True)
    ]
    for shown in range(len(players), 0, -1):
        more = f" +{len(players) - shown}" if shown < len(players) else ""
        names = [name for _, _, name in players[:shown]]
        totals = sum(len(label) - len(name) for label, _, name in players[:shown])
        cells = width - len(more) - len(between[0]) * (shown - 1) - totals
        most = longest(names, cells)
        if sum(min(len(name), most) for name in names) > cells and shown > 1:
            continue
        row: list[Run] = []
        for label, role, name in players[:shown]:
            row += [between, (label.replace(name, _shorten(name, most, look), 1), role)]
        put_row(canvas, x, y, [*row[1:], (more, "dim")])
        return


def _shorten(name: str, most: int, look: Look) -> str:
    """`name` in at most `most` cells; of very few none is given to an ellipsis."""
    whole = safe(name, ascii=look.ascii)
    return whole[:most] if most < _MIN_FOR_ELLIPSIS else fit(whole, most, ascii=look.ascii)


def _player_name(seat: str, translator: Translator) -> str:
    name = clean(seat)
    return translator.gettext("bot {name}", name=name.removeprefix(BOT)) if name.startswith(BOT) else name


def _end_time(game: PastGame, look: Look) -> str:
    return fit(game.ended.replace("T", " ")[:_WHEN_CHARS], _WHEN_CHARS, ascii=look.ascii)


MAX_NAME = 16


class HistoryScreen(AppScreen):
    """A list of finished games with a cursor. What is shown changes with the house's answer, not before it."""

    def __init__(self, stage: AppContext, known: ClientState, asked: History) -> None:
        """The list that the house was just `asked` for."""
        super().__init__(stage, known)
        self.model = HistoryModel(of=asked.of, name=asked.name)
        self._asked: History | Replay | None = asked

    def draw(self, look: Look) -> Frame:
        """The list, scrolled so that the cursor is in sight."""
        model = self.model
        top = scroll_top(model.top, model.cursor, len(model.games), list_height(look, self.news))
        self.model = msgspec.structs.replace(
            model, top=top, waiting=self._asked is not None, status=self.news
        )
        return draw_history(self.model, look, self.stage.game_screens, self.shown_hints())

    def keys(self) -> KeyTable:
        """The list's keys."""
        return HISTORY

    def hints(self) -> HintRow:
        """What can be done with the list as it is."""
        return history_hints(self.model)

    def press(self, press: Press) -> None:
        """Move the cursor, look at a game, or ask for another list."""
        action = HISTORY.action(press.key)
        by = cursor_step(action, list_height(self.look, self.news), len(self.model.games))
        match action:
            case "down" | "page-down" if by is not None:
                self._move_on(by)
            case _ if by is not None:
                self._move(by)
            case "open":
                self._replay()
            case "export":
                self._tell_export()
            case "help":
                self.app.push_screen(
                    HelpScreen(self.stage, self.known, history_help(self.look.translator, self.hints()))
                )
            case "back":
                self.app.pop_screen()
            case _:
                self._list(action)

    def tap(self, tap: Tap) -> None:
        """A click marks a game; a click on the marked one, or a double click, replays it."""
        number = game_at_row(self.model, self.look, tap.y)
        if number is None:
            return
        again = number == self.model.cursor or tap.chain > 1
        self._move(number - self.model.cursor)
        if again:
            self._replay()

    def answered(self, answer: QueryAnswer) -> bool:
        """The list or the game that was asked for is here."""
        asked, self._asked = self._asked, None
        match asked, answer:
            case History(), HistoryView():
                self._take_list(asked, answer)
            case Replay(), ReplayView():
                self._open(answer)
            case _:
                self._asked = asked
                return False
        return True

    def refused(self, refusal: Refusal) -> bool:
        """Nothing comes of what was asked; what is shown stays."""
        if self._asked is not None and refusal.to in {"", tag_of(self._asked)}:
            self._asked = None
        return super().refused(refusal)

    # Lists.

    def _list(self, action: str | None) -> None:
        match action, self.model.of:
            case ("all", _) | ("next", "player"):
                self._ask_list("all")
            case ("mine", _) | ("next", "all"):
                self._ask_list("mine")
            case "player" | "next", _:
                self.ask(Prompt(self.look.translator.gettext("Games of"), MAX_NAME, self._list_player))

    def _list_player(self, name: str) -> None:
        self._ask_list("player", name)

    def _ask_list(self, of: Literal["all", "mine", "player"], name: str = "") -> None:
        self._wait_for(History(of, name))

    def _take_list(self, asked: History, view: HistoryView) -> None:
        before = self.model.games if asked.before else ()
        games = (*before, *view.games)
        self.model = HistoryModel(
            of=view.of,
            name=view.name,
            games=games,
            more=view.more,
            pruned=view.pruned,
            cursor=min(len(before), max(0, len(games) - 1)),
            top=self.model.top if before else 0,
            arrived=True,
        )

    def _move(self, by: int) -> None:
        cursor = max(0, min(self.model.cursor + by, len(self.model.games) - 1))
        self.model = msgspec.structs.replace(self.model, cursor=cursor)

    def _move_on(self, by: int) -> None:
        """Down; from the last game of those that are here, to the older ones in the house."""
        model = self.model
        if model.more and model.cursor == len(model.games) - 1:
            self._wait_for(History(model.of, model.name, model.games[-1].number))
        else:
            self._move(by)

    # The marked game.

    def _replay(self) -> None:
        if self.model.games:
            self._wait_for(Replay(self.model.games[self.model.cursor].name))

    def _open(self, view: ReplayView) -> None:
        game = view.room.game
        game_screen = self.stage.game_screens.get(game)
        if game_screen is None:
            self.status = self.look.translator.gettext(
                "This program is too old to show a game of {game}; that needs a newer one.", game=game
            )
            return
        try:
            self.app.push_screen(ReplayScreen(self.stage, self.known, ServerReplayCursor(view), game_screen))
        except msgspec.DecodeError:
            self.post_message(Quit(UNREADABLE))

    def _tell_export(self) -> None:
        if self.model.games:
            name = self.model.games[self.model.cursor].name
            export = self.stage.door.export(name)
            self.status = self.look.translator.gettext("Its record, in a file: {command}", command=export)

    def _wait_for(self, command: History | Replay) -> None:
        self._asked = command
        self.wish(command)
