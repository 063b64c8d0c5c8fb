"""Caro's lessons as tables to begin at; what is said at them is in `words`."""

from msgspec.structs import replace

from cartino_engine.port import LessonScript, LessonTask
from cartino_games.caro.rules.table import FULL, CaroState, Table
from cartino_games.caro.views import COLOURS, SPANS, Call, CaroLayLine, Move


def position(picture: str, *supplies: str, honour: bool = False) -> CaroState:
    """Return a state with seat 0 on turn; the picture's rows are parted by blanks, its first cell is the middle."""
    supplies = supplies or (FULL, FULL)
    table = Table(SPANS[len(supplies)])
    for y, row in enumerate(picture.split()):
        for x, mark in enumerate(row):
            if mark in COLOURS:
                table = table.with_caro(table.cell(x, y), mark)
    return CaroState(honour, 1, 0, 0, table, supplies, (0,) * len(supplies))


def _lesson(name: str, start: CaroState, colour: str = "", least: int = 0) -> LessonScript[CaroState, Move]:
    """Return a lesson in which to lay by the rules: the `colour`, if it matters, for `least` points."""
    lays = start.table.lays(start.supplies[0], colour)
    wanted = (start.table.lay(each, cell) for each, cell, points in lays if points >= least)
    return _task(name, start, *wanted)


def _task(name: str, start: CaroState, *wanted: Move) -> LessonScript[CaroState, Move]:
    options = {"referee": "honour" if start.honour else "strict", "rounds": "1", "begins": "opener"}
    return LessonScript(name, options, start, (LessonTask(wanted),), ("Annedore",))


_CALLED = replace(position("RBB", honour=True), last=CaroLayLine(1, "B", 2, 0, 0, False, 0), told=1)
LESSONS = (
    _lesson("pair", position("R"), "B"),
    _lesson("pairs", position("R.R .W."), "G", least=17),
    _lesson("beside", position("RB", "B", FULL)),
    _lesson("crowd", position(".R. RWB", "R", FULL)),
    _lesson("diagonal", position("R.. BR. .GR ..B", "RR", FULL)),
    _lesson("double", position("WR", "GWW", FULL), "G", least=16),
    _task("call", _CALLED, Call()),
)
"""In the order in which they are taught; the game is by Annedore Krebs."""
