"""Chart the totals of a finished game turn by turn, and pick a turn from it."""

from collections.abc import Callable
from typing import Final

import msgspec

from cartino_protocol.views import CourseTurn, TableView
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Canvas, Frame, put_rows, wrap_rows
from cartino_tui.draw.chart import ChartLine, Plot, draw_chart
from cartino_tui.draw.theme import SEATS
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import Translator
from cartino_tui.keys import COURSE
from cartino_tui.screens.replay.review_panel import player_name
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import AppScreen
from cartino_tui.widgets.layout import Hints, footer, footer_height, glyphs, title_bar
from cartino_tui.widgets.prompt import Prompt

_TOP: Final = 2


class TotalsModel(msgspec.Struct, frozen=True):
    """What the chart shows: the table (for its names), the title, the turns, the selected one (from 0)."""

    table: TableView
    title: str
    turns: tuple[CourseTurn, ...]
    at: int = 0
    status: str = ""

    @property
    def last(self) -> int:
        """The last turn's number from 0."""
        return len(self.turns) - 1


def turn_of(turns: tuple[CourseTurn, ...], step: int) -> int:
    """Return the turn, from 0, of `step`: the first that ends there or later."""
    return next((number for number, turn in enumerate(turns) if turn.step >= step), len(turns) - 1)


class TotalsDrawing:
    """The chart at one size."""

    def __init__(self, model: TotalsModel, look: Look) -> None:
        """Give the chart the height that the text below leaves."""
        self._model, self._look = model, look
        self._names = [player_name(model.table, seat, look) for seat in range(len(model.table.seats))]
        self._told = wrap_rows(self._turn_sentence(), "text", look.width - 2, ascii=look.ascii)
        self._height = look.height - _TOP - 1 - len(self._told) - footer_height(look, model.status)

    def frame(self, hints: Hints) -> Frame:
        """Draw the whole screen."""
        model, look = self._model, self._look
        canvas = Canvas(look.width, look.height)
        where = look.translator.gettext("turn {n} of {count}", n=model.at + 1, count=len(model.turns))
        title_bar(canvas, look, model.title, where)
        x = self._plot(canvas).column(model.at + 1, len(model.turns))
        for y in range(_TOP, _TOP + self._height - 1):
            canvas.paint(x, y, 1, "selected")
        canvas.put(x, _TOP + self._height, "^" if look.ascii else "▲", "cursor")
        put_rows(canvas, 1, _TOP + self._height + 1, self._told)
        footer(canvas, look, model.status, hints)
        return canvas.frame()

    def turn_at(self, x: int, y: int) -> int | None:
        """Return the turn, from 0, whose column has the cell (x, y), or None."""
        plot = self._plot(Canvas(self._look.width, self._look.height))
        if not (_TOP <= y <= _TOP + self._height and plot.left <= x < plot.left + plot.cells):
            return None
        count = len(self._model.turns)
        return min(range(count), key=lambda number: abs(plot.column(number + 1, count) - x))

    def _plot(self, canvas: Canvas) -> Plot:
        look, signs = self._look, glyphs(self._look).seats
        lines = [
            ChartLine(
                name,
                (0, *(turn.totals[seat] for turn in self._model.turns)),
                signs[seat % len(signs)],
                SEATS[seat % len(SEATS)],
            )
            for seat, name in enumerate(self._names)
        ]
        return draw_chart(canvas, 1, _TOP, look.width - 2, self._height, lines, ascii=look.ascii)

    def _turn_sentence(self) -> str:
        """Return whose turn it was, its points, and who leads."""
        model, translator, names = self._model, self._look.translator, self._names
        turn = model.turns[model.at]
        before = model.turns[model.at - 1].totals if model.at else (0,) * len(turn.totals)
        gains = [now - then for now, then in zip(turn.totals, before, strict=True)]
        told = translator.ngettext(
            "Turn {turn}, {name}: {n} point.",
            "Turn {turn}, {name}: {n} points.",
            gains[turn.seat],
            turn=model.at + 1,
            name=names[turn.seat],
        )
        # A game may also settle others' points at the end.
        others = ", ".join(
            f"{names[seat]} {gain:+d}" for seat, gain in enumerate(gains) if gain and seat != turn.seat
        )
        best = max(turn.totals)
        ahead = ", ".join(names[seat] for seat, total in enumerate(turn.totals) if total == best)
        lead = translator.ngettext(
            "Leading: {names} with {n} point.", "Leading: {names} with {n} points.", best, names=ahead
        )
        also = translator.gettext("Also: {changes}.", changes=others) if others else ""
        return " ".join(filter(None, (told, also, lead)))


_STEPS_PER_PAGE: Final = 10
"""Steps, or turns, per PageUp and PageDown."""
_MAX_DIGITS: Final = 4


def moved_to(action: str | None, at: int, last: int) -> int | None:
    """Return the step or turn to which `action` moves from `at`, perhaps past the ends; None for other actions."""
    steps = {"back": -1, "on": 1, "far-back": -_STEPS_PER_PAGE, "far-on": _STEPS_PER_PAGE}
    if action in {"first", "last"}:
        return last if action == "last" else 0
    return None if action not in steps else at + steps[action]


def turn_prompt(translator: Translator, count: int, key: str, then: Callable[[int], None]) -> Prompt:
    """Return the prompt for a turn's number; `key` may be its first digit, `then` gets it from 0."""
    wrong = translator.gettext("The turns are numbered from 1 to {count}.", count=count)

    def check(text: str) -> str:
        return "" if text.isascii() and text.isdigit() and 1 <= int(text) <= count else wrong

    return Prompt(
        translator.gettext("Turn, 1 to {count}", count=count),
        _MAX_DIGITS,
        lambda text: then(int(text) - 1),
        key if key.isdigit() else "",
        check=check,
    )


class TotalsScreen(AppScreen):
    """The chart of a game's totals, with a cursor on a turn."""

    KEYS = COURSE
    HINTS = ("back", "on", "show", "turn", "actions", "quit")

    def __init__(
        self, context: AppContext, known: ClientState, model: TotalsModel, show: Callable[[int], None]
    ) -> None:
        """Create the screen; `show(step)` is called when a turn is chosen."""
        super().__init__(context, known)
        self.model = model
        self._then = show

    def draw(self, look: Look) -> Frame:
        """Draw the chart as large as possible."""
        self.model = msgspec.structs.replace(self.model, status=self.status_text)
        return TotalsDrawing(self.model, look).frame(self.shown_hints())

    def press(self, press: Press) -> None:
        """Handle a key."""
        action = COURSE.action(press.key)
        turn = moved_to(action, self.model.at, self.model.last)
        if turn is not None:
            self._choose(turn)
        match action:
            case "turn":
                turns = len(self.model.turns)
                self.ask(turn_prompt(self.look.translator, turns, press.key, self._choose))
            case "show":
                self._show()
            case "quit":
                self.app.pop_screen()

    def tap(self, tap: Tap) -> None:
        """Select a turn; show the selected one or one that is double-clicked."""
        turn = TotalsDrawing(self.model, self.look).turn_at(tap.x, tap.y)
        if turn is None:
            return
        again = turn == self.model.at or tap.chain > 1
        self._choose(turn)
        if again:
            self._show()

    def _choose(self, turn: int) -> None:
        self.model = msgspec.structs.replace(self.model, at=max(0, min(turn, self.model.last)))

    def _show(self) -> None:
        self._then(self.model.turns[self.model.at].step)
        self.app.pop_screen()
