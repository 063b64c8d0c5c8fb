"""The games that are over as a frame: which list it is, a row a game, and all of the marked one below."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from cartino_protocol.records import BOT
from cartino_protocol.views import PastGame
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.text import clean, fit, longest
from cartino_tui.games.plug import AnyPlug, Look
from cartino_tui.keys import HISTORY
from cartino_tui.screens.parts import Hints, bar, centre, heading, hint_line, marks

TOP = 5
"""The row where the list begins."""
_BELOW = 5
_WHEN, _NAME = 4, 22
_WHEN_CHARS = len("2026-01-01 12:30")
_ELLIPSIS_FROM = 4
_MOST_NAME, _GAME_WIDTH = 16, 12


_ENDED = {
    "out": "a player went out",
    "blocked": "nobody could go on",
    "points": "the points to win were reached",
    "abandoned": "left before its end, so nobody has won",
}


class HistoryModel(msgspec.Struct, frozen=True):
    """What the screen shows: which list (`of`, `name` as in `History`), its games so far, and the marked one.

    `more`: the house has older ones. `arrived`: it has answered; `waiting`: it was asked and will.
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


def list_height(look: Look) -> int:
    """How many games are in sight at once."""
    return max(1, look.height - TOP - _BELOW)


def game_at(model: HistoryModel, look: Look, y: int) -> int | None:
    """The number in the list of the game that stands in row `y`, or None."""
    line = y - TOP
    if 0 <= line < list_height(look) and model.top + line < len(model.games):
        return model.top + line
    return None


def history_hints(model: HistoryModel) -> tuple[tuple[str, str], ...]:
    """The keys that do something with the list as it is."""
    of_games = ("open", "export") if model.games else ()
    older = ("page-down",) if model.more else ()
    return HISTORY.hints(*of_games[:1], "all", "mine", "player", *of_games[1:], *older, "help", "back")


def draw_history(model: HistoryModel, look: Look, plugs: Mapping[str, AnyPlug], hints: Hints) -> Frame:
    """The whole screen, `look.width` by `look.height` cells; `plugs` by game name, `hints` for the last row."""
    canvas = Canvas(look.width, look.height)
    bar(canvas, look, "Finished games", _facts(model))
    _draw_lists(canvas, model, look)
    if model.games:
        _draw_games(canvas, model, look, plugs)
        _draw_marked(canvas, model.games[model.cursor], look, plugs)
    else:
        centre(canvas, look.height // 2, fit(_nothing(model), look.width - 2, ascii=look.ascii), "text")
    canvas.put(1, look.height - 2, fit(model.status, look.width - 2, ascii=look.ascii), "status")
    hint_line(canvas, look, look.height - 1, hints)
    return canvas.frame()


def _facts(model: HistoryModel) -> str:
    count = len(model.games)
    if not count:
        return ""
    return f"the newest {count}" if model.more else f"{count} game{'' if count == 1 else 's'}"


def _nothing(model: HistoryModel) -> str:
    if model.waiting and not model.arrived:
        return "Looking for them…"
    if not model.arrived:
        return "The list did not come; a asks for it again."
    return {
        "mine": "You have not played a game to its end here yet.",
        "player": f"There is no finished game of {model.name} that you may see.",
    }.get(model.of, "No game has come to its end here yet.")


def _draw_lists(canvas: Canvas, model: HistoryModel, look: Look) -> None:
    """The three lists; the one that is shown stands in brackets."""
    labels = {"all": "all", "mine": "mine", "player": f"player {model.name}".strip()}
    x = 4
    for of, label in labels.items():
        text = fit(label, look.width // 2, ascii=look.ascii)
        chosen = of == model.of
        x = canvas.put(x, 2, f"[{text}]" if chosen else f" {text} ", "you" if chosen else "dim") + 1


def _draw_games(canvas: Canvas, model: HistoryModel, look: Look, plugs: Mapping[str, AnyPlug]) -> None:
    # The widest name in the whole list: the columns stay where they are while it scrolls.
    game_x = _NAME + min(max(len(game.name) for game in model.games), _MOST_NAME) + 2
    players_x = game_x + _GAME_WIDTH + 1
    for x, text in ((_WHEN, "when (UTC)"), (_NAME, "name"), (game_x, "game"), (players_x, "players")):
        heading(canvas, x, TOP - 1, text)
    height = list_height(look)
    for line, game in enumerate(model.games[model.top : model.top + height]):
        y = TOP + line
        canvas.put(_WHEN, y, _when(game, look), "dim")
        canvas.put(_NAME, y, fit(game.name, _MOST_NAME, ascii=look.ascii), "key")
        canvas.put(game_x, y, fit(_game(game, plugs), _GAME_WIDTH, ascii=look.ascii), "text")
        _draw_players(canvas, players_x, y, game, look, look.width - 2 - players_x)
        if model.top + line == model.cursor:
            canvas.put(2, y, marks(look).pick, "selected")
            canvas.paint(1, y, look.width - 2, "selected")
    if model.top:
        canvas.put(look.width - 1, TOP, "^" if look.ascii else "↑", "key")
    if model.more or model.top + height < len(model.games):
        canvas.put(look.width - 1, TOP + height - 1, "v" if look.ascii else "↓", "key")


def _draw_marked(canvas: Canvas, game: PastGame, look: Look, plugs: Mapping[str, AnyPlug]) -> None:
    """The players with as much of their names as a row has room for, and what game that was."""
    y, mark = look.height - _BELOW + 1, marks(look)
    canvas.put(0, y - 1, mark.line * look.width, "rule")
    _draw_players(canvas, 1, y, game, look, look.width - 2)
    words = (game.name, _game(game, plugs), _ENDED.get(game.reason, ""))
    text = f" {mark.dot} ".join(word for word in words if word)
    canvas.put(1, y + 1, fit(text, look.width - 2, ascii=look.ascii), "dim")


def _draw_players(canvas: Canvas, x: int, y: int, game: PastGame, look: Look, width: int) -> None:
    """The seats with their totals within `width` cells, winners marked; the longest names are cut first."""
    mark = marks(look)
    between = f" {mark.dot} "
    won = [mark.won if seat in game.winners else "" for seat in range(len(game.seats))]
    totals = [f" {total}" for total in game.totals]
    names = [_player(seat) for seat in game.seats]
    most = longest(names, width - len(between) * (len(names) - 1) - len("".join((*won, *totals))))
    for seat, (name, total) in enumerate(zip(names, totals, strict=True)):
        if seat:
            x = canvas.put(x, y, between, "rule")
        label = won[seat] + _short(name, most, look) + total
        x = canvas.put(x, y, label, "winner" if won[seat] else "text")


def _short(name: str, most: int, look: Look) -> str:
    """`name` in at most `most` cells; of very few none is given to an ellipsis."""
    safe = fit(name, len(name), ascii=look.ascii)
    return safe[:most] if most < _ELLIPSIS_FROM else fit(safe, most, ascii=look.ascii)


def _player(seat: str) -> str:
    name = clean(seat)
    return f"bot {name.removeprefix(BOT)}" if name.startswith(BOT) else name


def _when(game: PastGame, look: Look) -> str:
    return fit(game.ended.replace("T", " ")[:_WHEN_CHARS], _WHEN_CHARS, ascii=look.ascii)


def _game(game: PastGame, plugs: Mapping[str, AnyPlug]) -> str:
    plug = plugs.get(game.game)
    return f"{plug.title} {plug.options_line(game.options)}" if plug else game.game
