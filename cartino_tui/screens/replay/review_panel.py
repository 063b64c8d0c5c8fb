"""The review below the table of a replay: a bar for each turn's loss, the players' sums, and a sentence on one turn."""

from collections.abc import Sequence
from typing import Final

import msgspec

from cartino_protocol.views import ReviewView, TableView, TurnReview
from cartino_tui.draw.canvas import Canvas, Frame, Row, first_that_fits, put_rows
from cartino_tui.draw.text import fit, safe, wrap
from cartino_tui.draw.theme import SEATS
from cartino_tui.game_port.screen import MIN_LOOK, AnyScreen, Look
from cartino_tui.game_port.turn_review import Grade, grade_of, luck_said, turn_said
from cartino_tui.widgets.layout import glyphs

_BARS, _ASCII_BARS = "▁▂▃▄▅▆▇█", "12345678"
_MOST: Final = 9.0
"""Points of the highest bar."""
_ROLES: Final[dict[Grade, str]] = {
    "": "dim",
    "small": "text",
    "slip": "mark",
    "mistake": "error",
    "blunder": "error",
}
_NAME_CELLS: Final = 16
_GAP: Final = 2
_SENTENCE_ROWS: Final = 2


class PanelModel(msgspec.Struct, frozen=True):
    """What the panel shows: the review or, while there is none, why; the table (for names) and the current step."""

    table: TableView
    review: ReviewView | None
    step: int = 0
    waiting: str = ""


class ReviewPanel:
    """The panel at one size. It takes none of the rows that the smallest table needs."""

    def __init__(self, model: PanelModel, game: AnyScreen, look: Look) -> None:
        self._model, self._game, self._look = model, game, look
        self._names = [player_name(model.table, seat, look) for seat in range(len(model.table.seats))]
        spare = look.height - MIN_LOOK.height
        self.by_seat = spare >= len(self._names) + _SENTENCE_ROWS
        """Whether each player has a row of bars."""
        tall = len(self._names) if self.by_seat else 2
        self.has_heading = spare > tall + _SENTENCE_ROWS
        wanted = tall + _SENTENCE_ROWS + self.has_heading
        self.height = wanted if wanted <= spare else 0
        """Rows of the panel; 0 if there is no space for it."""

    def rows(self) -> Sequence[Row]:
        """Draw the panel."""
        return self._drawn().rows

    def sentence(self) -> str:
        """Return what the review says of the turn at the current step; "" for nothing."""
        model = self._model
        if model.review is None:
            return model.waiting
        number = model.review.turn_at(model.step)
        if number is None:
            return ""
        turn = model.review.turns[number]
        look = self._look
        return turn_said(
            turn,
            self._names[turn.seat],
            lambda move: self._game.move_shown(move, model.table, look),
            look.translator,
        )

    def turn_at(self, x: int, y: int) -> TurnReview | None:
        """Return the turn whose bar is in the cell (x, y) of the panel, or None."""
        for cell, turn in self._bars().items():
            if cell == (x, y):
                return turn
        return None

    def _drawn(self) -> Frame:
        look, model = self._look, self._model
        canvas = Canvas(look.width, self.height)
        top = self.has_heading
        if top:
            heading = look.translator.gettext("Review")
            canvas.fill(1, 0, look.width - 2, 1, "rule", "-" if look.ascii else "─")
            canvas.put(3, 0, f" {heading} ", "heading")
        review = model.review
        if review is not None:
            at = review.turn_at(model.step)
            if self.by_seat:
                for seat in range(len(self._names)):
                    self._labels(canvas, top + seat, review, seat)
            else:
                self._sums(canvas, top + 1, review)
            for (x, y), turn in self._bars().items():
                canvas.put(x, y, *self._bar(turn))
                if at is not None and turn is review.turns[at]:
                    canvas.paint(x, y, 1, "selected")
        rows = wrap(self.sentence(), look.width - 2, _SENTENCE_ROWS, ascii=look.ascii)
        role = "status" if review is not None else "dim"
        put_rows(canvas, 1, self.height - _SENTENCE_ROWS, [((text, role),) for text in rows])
        return canvas.frame()

    def _bar(self, turn: TurnReview) -> tuple[str, str]:
        grade, look = grade_of(turn.lost), self._look
        if not grade:
            return ("." if look.ascii else "·"), _ROLES[grade]
        bars = _ASCII_BARS if look.ascii else _BARS
        return bars[min(int(turn.lost / _MOST * len(bars)), len(bars) - 1)], _ROLES[grade]

    def _bars(self) -> dict[tuple[int, int], TurnReview]:
        """Return the turns by the cells of their bars; of more than fit, those around the current one."""
        review, top = self._model.review, int(self.has_heading)
        if review is None:
            return {}
        if not self.by_seat:
            return self._row_of_bars(review, list(review.turns), 1, top)
        bars: dict[tuple[int, int], TurnReview] = {}
        left = max(sum(map(len, self._label(review, seat))) for seat in range(len(self._names))) + 1
        for seat in range(len(self._names)):
            own = [turn for turn in review.turns if turn.seat == seat]
            bars |= self._row_of_bars(review, own, left, top + seat)
        return bars

    def _row_of_bars(
        self, review: ReviewView, turns: list[TurnReview], left: int, y: int
    ) -> dict[tuple[int, int], TurnReview]:
        cells = self._look.width - left - 1
        before = sum(turn.end < self._model.step for turn in turns)
        first = max(0, min(before - cells // 2, len(turns) - cells))
        # Two cells a turn where that fits.
        wide = 2 if 2 * len(turns) <= cells else 1
        return {(left + wide * at, y): turn for at, turn in enumerate(turns[first : first + cells])}

    def _label(self, review: ReviewView, seat: int) -> tuple[str, str, str]:
        """Return the sign and name, the points lost and the luck, each as wide as the widest of all players."""
        translator, seats = self._look.translator, range(len(self._names))
        losses = [
            translator.gettext("{points} short", points=translator.decimal(review.points_lost_by(each)))
            for each in seats
        ]
        lucks = [
            "" if luck is None else translator.gettext("luck {points}", points=luck_said(luck))
            for luck in map(review.luck, seats)
        ]
        signs = glyphs(self._look).seats
        names = [f"{signs[each % len(signs)]} {name}" for each, name in enumerate(self._names)]
        columns = (names, losses, lucks)
        name, lost, luck = (
            safe(column[seat], ascii=self._look.ascii).ljust(
                max(map(len, column)) + (_GAP if any(column) else 0)
            )
            for column in columns
        )
        return name, lost, luck

    def _labels(self, canvas: Canvas, y: int, review: ReviewView, seat: int) -> None:
        name, lost, luck = self._label(review, seat)
        x = canvas.put(1, y, name, SEATS[seat % len(SEATS)])
        x = canvas.put(x, y, lost, "text")
        canvas.put(x, y, luck, "dim")

    def _sums(self, canvas: Canvas, y: int, review: ReviewView) -> None:
        """Draw every player's sum in one row, without the luck if it doesn't fit."""
        look, translator = self._look, self._look.translator
        losses = [translator.decimal(review.points_lost_by(seat)) for seat in range(len(self._names))]
        lucks = [review.luck(seat) for seat in range(len(self._names))]
        plain = [f"{name} {lost}" for name, lost in zip(self._names, losses, strict=True)]
        told = translator.gettext("Points short: {sums}", sums=", ".join(plain))
        if None not in lucks:
            both = [f"{each} ({luck_said(luck or 0)})" for each, luck in zip(plain, lucks, strict=True)]
            longer = translator.gettext("Points short (and luck): {sums}", sums=", ".join(both))
            told = first_that_fits((longer, told), look.width - 2) or told
        canvas.put(1, y, fit(told, look.width - 2, ascii=look.ascii), "text")


def player_name(table: TableView, seat: int, look: Look) -> str:
    """Return the name of a player as charts have it, marked for a bot."""
    player = table.seats[seat]
    name = safe(player.name, ascii=look.ascii)
    if player.kind == "bot" and not name.startswith("bot"):
        name = look.translator.gettext("bot {name}", name=name)
    return fit(name, _NAME_CELLS + len("bot "), ascii=look.ascii)
