"""The review in a replay as it is drawn; the visits are in `review_panel.txt`."""

import msgspec
import pytest

from cartino_protocol.commands import Review
from cartino_protocol.views import ReviewView, TurnReview
from cartino_protocol.wire import encode_raw
from cartino_tui.game_port.screen import Look
from cartino_tui.game_port.turn_review import grade_of, next_costly, sum_said
from cartino_tui.i18n import ENGLISH, Language, translator_for
from cartino_tui.screens.replay.review_panel import PanelModel, ReviewPanel
from tests.support.past import PastServer, past
from tests.support.visit import TOYS, toy_table
from tests.support.visit_script import visits

NAME = "K7QP-12"
LOSSES = (0.0, 2.4, 0.9, 12.3, 1.2, 5.0, 0.3, 0.0, 9.0, 4.5, 0.0, 3.1)
MOVES = (encode_raw(Review(NAME)),)
"""Something that the toy has no words for."""


def turn(number: int, lost: float, luck: float | None = 1.5) -> TurnReview:
    told = lost >= 1
    return TurnReview(
        number % 2, 2 * number, 2 * number + 2, 3, 5, lost, MOVES * told, MOVES * 2 * told, luck
    )


REVIEW = ReviewView(NAME, True, tuple(turn(number, lost) for number, lost in enumerate(LOSSES)))
SILENT = ReviewView(NAME, True, tuple(turn(number, lost, None) for number, lost in enumerate(LOSSES)))


def server(*, silent: bool = False, reviewed: bool = True) -> PastServer:
    link = PastServer([past(12)])
    link.reviews |= {NAME: REVIEW} if reviewed else {}
    link.silent = silent
    return link


@pytest.mark.parametrize("seats", ["Ann Bo", "Ann Bo Cy", "Ann Bo Cy Di"])
@pytest.mark.parametrize("language", ["en", "fr", "de"])
@pytest.mark.parametrize("size", [(60, 20), (60, 24), (80, 22), (80, 24), (80, 26), (120, 40)])
@pytest.mark.parametrize("review", [REVIEW, SILENT, None])
def test_it_fits_every_size(
    seats: str, language: Language, size: tuple[int, int], review: ReviewView | None
) -> None:
    for ascii in (False, True):
        look = Look(*size, ascii=ascii, translator=translator_for(language))
        panel = ReviewPanel(
            PanelModel(toy_table(seats, you=None), review, 8, "Reviewing…"), TOYS["toy"], look
        )
        assert panel.height <= max(0, look.height - 20)
        if panel.height:
            rows = panel.rows()
            assert len(rows) == panel.height
            assert all(sum(len(text) for text, _ in row) == look.width for row in rows)
            text = "".join(text for row in rows for text, _ in row)
            assert text.isascii() or not ascii
            assert review is None or "11.4" in text or "11,4" in text


def test_the_words_for_a_loss() -> None:
    assert [grade_of(lost) for lost in (0.99, 1.0, 2.0, 4.4, 4.5, 8.9, 9.0)] == [
        *("", "small", "slip", "slip", "mistake", "mistake", "blunder")
    ]
    assert (
        sum_said(REVIEW, 0, "Ann", ENGLISH) == "Ann was 11.4 points short in 6 turns; luck of the draw: +9."
    )
    assert sum_said(SILENT, 0, "Ann", ENGLISH) == "Ann was 11.4 points short in 6 turns."
    last = next_costly(REVIEW, 23)
    assert last is not None
    assert last.end == 24
    assert next_costly(REVIEW, 24) is None
    assert next_costly(msgspec.structs.replace(REVIEW, turns=()), 0) is None


test_visits = visits(__file__, server=server, REVIEW=REVIEW, MOVES=MOVES)
