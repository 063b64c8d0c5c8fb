"""The games that are over as a frame: which list it is, a row a game, and all of the marked one below."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from cartino_protocol.records import BOT
from cartino_protocol.views import PastGame
from cartino_tui.draw.canvas import Canvas, Frame, Run
from cartino_tui.draw.flowing import flow, put_row, put_rows
from cartino_tui.draw.text import clean, fit, longest, safe
from cartino_tui.games.description import OLDER_GONE, ended, titled
from cartino_tui.games.screen import AnyScreen, Look
from cartino_tui.keys import HISTORY
from cartino_tui.screens.parts import Hints, bar, centre, foot, foot_height, heading, marks
from cartino_tui.tongue import Tongue

TOP = 5
"""The row where the list begins."""
_MARKED_ROWS = 2
"""Rows for the players of the marked game, and as many for what else there is to say about it."""
_WHEN = 4
_DAY_CHARS = len("2026-01-01")
_WHEN_CHARS = len("2026-01-01 12:30")
_WIDE = 80
"""The width of a terminal, in cells, from which the time of day and the game have a column."""
_ELLIPSIS_FROM = 4
_MOST_NAME, _GAME_WIDTH = 16, 12


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
    return max(1, look.height - TOP - 1 - 2 * _MARKED_ROWS - foot_height(look, status))


def game_at(model: HistoryModel, look: Look, y: int) -> int | None:
    """The number in the list of the game that stands in row `y`, or None."""
    line = y - TOP
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


def draw_history(model: HistoryModel, look: Look, plugs: Mapping[str, AnyScreen], hints: Hints) -> Frame:
    """The whole screen, `look.width` by `look.height` cells; `plugs` by game name, `hints` for the last row."""
    canvas = Canvas(look.width, look.height)
    bar(canvas, look, look.tongue.say("Finished games"), _facts(model, look.tongue))
    _draw_lists(canvas, model, look)
    if model.games:
        _draw_games(canvas, model, look, plugs)
        _draw_marked(canvas, model, look, plugs)
    else:
        centre(canvas, look.height // 2, _nothing(model, look.tongue), "text", ascii=look.ascii)
    foot(canvas, look, model.status, hints)
    return canvas.frame()


def _facts(model: HistoryModel, tongue: Tongue) -> str:
    count = len(model.games)
    if not count:
        return ""
    if model.more:
        return tongue.count("the newest {n}", "the newest {n}", count)
    if model.pruned:
        return tongue.count(
            "{n} game; older ones are no longer kept", "{n} games; older ones are no longer kept", count
        )
    return tongue.count("{n} game", "{n} games", count)


def _nothing(model: HistoryModel, tongue: Tongue) -> str:
    if model.waiting and not model.arrived:
        return tongue.say("Looking for them…")
    if not model.arrived:
        return tongue.say("The list did not come; a asks for it again.")
    if model.pruned:
        return tongue.say(OLDER_GONE)
    if model.of == "mine":
        return tongue.say("You have not played a game to its end here yet.")
    if model.of == "player":
        return tongue.say("There is no finished game of {name} that you may see.", name=clean(model.name))
    return tongue.say("No game has come to its end here yet.")


def _draw_lists(canvas: Canvas, model: HistoryModel, look: Look) -> None:
    """The three lists; the one that is shown stands in brackets."""
    say = look.tongue.say
    player = say("player {name}", name=model.name) if model.name else say("player")
    x = 4
    for of, label in (("all", say("all")), ("mine", say("mine")), ("player", player)):
        text = fit(label, look.width // 2, ascii=look.ascii)
        chosen = of == model.of
        x = canvas.put(x, 2, f"[{text}]" if chosen else f" {text} ", "you" if chosen else "dim") + 1


def _draw_games(canvas: Canvas, model: HistoryModel, look: Look, plugs: Mapping[str, AnyScreen]) -> None:
    say, wide = look.tongue.say, look.width >= _WIDE
    when = say("when (UTC)")
    # The widest name in the whole list: the columns stay where they are while it scrolls.
    name_x = _WHEN + max(_WHEN_CHARS if wide else _DAY_CHARS, len(when)) + 2
    most = min(max(len(game.name) for game in model.games), _MOST_NAME)
    game_x = name_x + max(most, len(say("name"))) + 2
    players_x = game_x + (max(_GAME_WIDTH, len(say("game"))) + 1) * wide
    for x, text in ((_WHEN, when), (name_x, say("name")), (players_x, say("players"))):
        heading(canvas, x, TOP - 1, text)
    if wide:
        heading(canvas, game_x, TOP - 1, say("game"))
    height = list_height(look, model.status)
    for line, game in enumerate(model.games[model.top : model.top + height]):
        y = TOP + line
        canvas.put(_WHEN, y, _when(game, look)[: _WHEN_CHARS if wide else _DAY_CHARS], "dim")
        canvas.put(name_x, y, fit(game.name, _MOST_NAME, ascii=look.ascii), "key")
        if wide:
            title = titled(plugs, game.game, game.options, look.tongue)
            canvas.put(game_x, y, fit(title, _GAME_WIDTH, ascii=look.ascii), "text")
        _draw_players(canvas, players_x, y, game, look, look.width - 2 - players_x)
        if model.top + line == model.cursor:
            canvas.put(2, y, marks(look).pick, "selected")
            canvas.paint(1, y, look.width - 2, "selected")
    if model.top:
        canvas.put(look.width - 1, TOP, "^" if look.ascii else "↑", "key")
    if model.more or model.top + height < len(model.games):
        canvas.put(look.width - 1, TOP + height - 1, "v" if look.ascii else "↓", "key")


def _draw_marked(canvas: Canvas, model: HistoryModel, look: Look, plugs: Mapping[str, AnyScreen]) -> None:
    """All of the marked game that its row may have no room for."""
    game, mark = model.games[model.cursor], marks(look)
    y = TOP + list_height(look, model.status)
    canvas.put(0, y, mark.line * look.width, "rule")
    between, cells = (f" {mark.dot} ", "rule"), look.width - 2
    players = flow(([player] for player in _players(game, look)), between, cells)
    why = ended(plugs, game.game, game.reason, look.tongue)
    words = (
        game.name,
        titled(plugs, game.game, game.options, look.tongue),
        _when(game, look) + " UTC",
        why,
    )
    facts = [[(safe(word, ascii=look.ascii), "dim")] for word in words if word]
    y = put_rows(canvas, 1, y + 1, players[:_MARKED_ROWS])
    put_rows(canvas, 1, y, flow(facts, between, cells)[:_MARKED_ROWS])


def _players(game: PastGame, look: Look) -> list[Run]:
    """The seats with their totals, winners marked, each a label with its role."""
    mark = marks(look)
    runs: list[Run] = []
    for number, (name, total) in enumerate(zip(_names(game, look), game.totals, strict=True)):
        won = number in game.winners
        runs.append((f"{mark.won if won else ''}{name} {total}", "winner" if won else "text"))
    return runs


def _names(game: PastGame, look: Look) -> list[str]:
    names = (_player(seat, look.tongue) for seat in game.seats)
    return [safe(name, ascii=look.ascii) for name in names]


def _draw_players(canvas: Canvas, x: int, y: int, game: PastGame, look: Look, width: int) -> None:
    """The seats with their totals within `width` cells, winners marked; the longest names are cut first.

    Where not even a letter of each has room, some are counted.
    """
    between = (f" {marks(look).dot} ", "rule")
    players = [(*run, name) for run, name in zip(_players(game, look), _names(game, look), strict=True)]
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
            row += [between, (label.replace(name, _short(name, most, look), 1), role)]
        put_row(canvas, x, y, [*row[1:], (more, "dim")])
        return


def _short(name: str, most: int, look: Look) -> str:
    """`name` in at most `most` cells; of very few none is given to an ellipsis."""
    whole = safe(name, ascii=look.ascii)
    return whole[:most] if most < _ELLIPSIS_FROM else fit(whole, most, ascii=look.ascii)


def _player(seat: str, tongue: Tongue) -> str:
    name = clean(seat)
    return tongue.say("bot {name}", name=name.removeprefix(BOT)) if name.startswith(BOT) else name


def _when(game: PastGame, look: Look) -> str:
    return fit(game.ended.replace("T", " ")[:_WHEN_CHARS], _WHEN_CHARS, ascii=look.ascii)
