"""The review in a replay: bars, sums and a sentence for each costly turn, and keys that lead to the next one."""

import msgspec
import pytest

from cartino_protocol.commands import PlayOn, Replay, Review, TryTurn
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import CourseTurn, CourseView, ReviewView, TrialView, TurnReview
from cartino_protocol.wire import encode_raw
from cartino_tui.game_port.screen import Look
from cartino_tui.game_port.turn_review import grade_of, next_costly, sum_said
from cartino_tui.i18n import ENGLISH, Language, translator_for
from cartino_tui.screens.replay.review_panel import PanelModel, ReviewPanel
from cartino_tui.screens.replay.screen import ReplayScreen
from cartino_tui.screens.replay.trial import TrialScreen
from tests.support.past import STEPS, PastServer, past
from tests.support.visit import TOYS, Visit, chat, toy_table
from tests.tui.conftest import Visiting

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


async def opened(v: Visit) -> None:
    await v.types("f", "enter")
    await v.until(lambda: isinstance(v.app.screen, ReplayScreen))
    await v.until(lambda: f"{NAME} | 1/{STEPS + 1}" in v.text)


def server() -> PastServer:
    link = PastServer([past(12)])
    link.reviews[NAME] = REVIEW
    return link


async def test_it_is_asked_for_and_shown_when_a_replay_opens(visit: Visiting) -> None:
    async with visit(link=server()) as v:
        await opened(v)
        await v.until(lambda: "lost" in v.text)
        rows = v.text.splitlines()
        assert len(rows) == 24
        (ann,) = [row for row in rows if row.startswith(" ● Ann") and "lost" in row]
        (bo,) = [row for row in rows if row.startswith(" ▼ Bo") and "lost" in row]
        assert ann.split()[:6] == ["●", "Ann", "lost", "11.4", "luck", "+9"], "the sign of the table"
        assert "lost 27.3" in bo
        assert rows[-1].startswith(" ← step back") or rows[-1].startswith("←")
        assert "n next mistake" in rows[-1]


async def test_a_visit_may_begin_with_it(visit: Visiting) -> None:
    async with visit(link=server(), intent=Replay(NAME)) as v:
        await v.until(lambda: isinstance(v.app.screen, ReplayScreen))
        assert Replay(NAME) in v.link.sent
        await v.until(lambda: "lost" in v.text)
        await v.types("q")
        await v.until(lambda: "q quit" in v.text)
    async with visit(link=server(), intent=Replay("AAAA-1")) as v:
        await v.hears(Refusal("no-past-game", "AAAA-1", to="Replay"))
        assert "AAAA-1" in v.text, "the lobby says why not"


async def test_n_leads_to_the_next_costly_turn_and_back(visit: Visiting) -> None:
    async with visit(link=server()) as v:
        await opened(v)
        await v.until(lambda: "lost" in v.text)
        for step in (4, 8, 12, 18, 20, 24):
            await v.types("n")
            await v.until(lambda step=step: f"| {step + 1}/{STEPS + 1}\n" in v.text)  # type: ignore[misc]
        await v.types("n")
        assert "No costly turn after this one." in v.text
        await v.types("N")
        await v.until(lambda: f"| 21/{STEPS + 1}\n" in v.text)


async def test_each_costly_turn_has_its_sentence_and_the_others_none(visit: Visiting) -> None:
    async with visit(link=server()) as v:
        await opened(v)
        await v.until(lambda: "lost" in v.text)
        await v.types("n")
        await v.until(lambda: "Slip by Bo: 2.4 points lost." in v.text)
        await v.types("right")
        await v.until(lambda: "Slip" not in v.text)
        await v.types("n")
        await v.until(lambda: "Blunder by Bo: 12.3 points lost." in v.text)
        await v.types("right", "right")
        await v.until(lambda: "Ann lost 1.2 points with this turn." in v.text)


async def test_while_it_is_computed_a_row_says_so(visit: Visiting) -> None:
    link = server()
    del link.reviews[NAME]
    link.silent = True
    async with visit(link=link) as v:
        await opened(v)
        assert "Reviewing this game…" in v.text
        await v.types("right")
        await v.until(lambda: f"| 2/{STEPS + 1}\n" in v.text)
        await v.hears(REVIEW)
        assert "Reviewing" not in v.text
        assert "lost 11.4" in v.text


async def test_a_refusal_is_one_sentence_and_the_table_has_all_rows_again(visit: Visiting) -> None:
    link = server()
    link.silent = True
    async with visit(link=link) as v:
        await opened(v)
        refusal = Refusal("review-failed", NAME, to="Review")
        await v.hears(refusal)
        assert v.status == refusal.sentence()
        assert "Reviewing" not in v.text
        await v.types("n")
        assert "mistake" not in v.text


async def test_after_a_lost_connection_it_is_asked_for_again(visit: Visiting) -> None:
    link = server()
    link.silent = True
    async with visit(link=link) as v:
        await opened(v)
        screen = v.app.screen
        assert isinstance(screen, ReplayScreen)
        screen.connection_lost()
        screen.connection_restored()
        await v.until(lambda: v.link.sent.count(Review(NAME)) == 2)


async def test_v_hides_it_and_shows_it_again(visit: Visiting) -> None:
    async with visit(link=server()) as v:
        await opened(v)
        await v.until(lambda: "lost" in v.text)
        await v.types("v")
        assert "lost" not in v.text
        await v.types("v")
        assert "lost" in v.text


async def test_a_click_on_a_bar_goes_to_its_turn(visit: Visiting) -> None:
    async with visit(link=server()) as v:
        await opened(v)
        await v.until(lambda: "lost" in v.text)
        rows = v.text.splitlines()
        y = next(y for y, row in enumerate(rows) if row.startswith(" ▼ Bo") and "lost" in row)
        await v.pilot.click(offset=(rows[y].index("█"), y))
        await v.until(lambda: f"| 9/{STEPS + 1}\n" in v.text)


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
    assert sum_said(REVIEW, 0, "Ann", ENGLISH) == "Ann lost 11.4 points in 6 turns; luck of the draw: +9."
    assert sum_said(SILENT, 0, "Ann", ENGLISH) == "Ann lost 11.4 points in 6 turns."
    last = next_costly(REVIEW, 23)
    assert last is not None
    assert last.end == 24
    assert next_costly(REVIEW, 24) is None
    assert next_costly(msgspec.structs.replace(REVIEW, turns=()), 0) is None


async def test_f_reviews_the_game_at_a_table_where_it_is_over(visit: Visiting) -> None:
    link = server()
    async with visit(link=link) as v:
        await v.hears(toy_table("Ann Bo", "finished"), chat())
        assert "f review" in v.text
        await v.types("f")
        await v.until(lambda: isinstance(v.app.screen, ReplayScreen))
        assert Replay("K7QP") in v.link.sent
        await v.types("q")
        await v.until(lambda: not isinstance(v.app.screen, ReplayScreen))


async def test_a_deal_that_others_still_play_offers_no_review(visit: Visiting) -> None:
    async with visit(link=server()) as v:
        over = toy_table("Ann Bo", "finished")
        await v.hears(msgspec.structs.replace(over, sealed="2026-02-04 00:00"), chat())
        assert "f review" not in v.text
        await v.hears(msgspec.structs.replace(over, number=over.number + 1), chat())
        assert "f review" in v.text


async def test_f_does_nothing_while_a_game_runs(visit: Visiting) -> None:
    async with visit(link=server()) as v:
        await v.hears(toy_table("Ann Bo", "playing"), chat())
        await v.types("f")
        assert not any(isinstance(command, Replay) for command in v.link.sent)


async def test_e_tries_another_turn_with_the_game_s_own_keys(visit: Visiting) -> None:
    link = server()
    async with visit(link=link) as v:
        await opened(v)
        await v.until(lambda: "lost" in v.text)
        await v.types("n", "n")
        await v.until(lambda: f"| 9/{STEPS + 1}\n" in v.text)
        await v.types("e")
        await v.until(lambda: isinstance(v.app.screen, TrialScreen))
        await v.until(lambda: TryTurn(NAME, 6) in v.link.sent)
        await v.hears(TrialView(NAME, 6, toy_table(laid=3, code=NAME, turn=(0,))))
        await v.until(lambda: "another turn" in v.text)
        await v.types("1", "enter")
        await v.until(lambda: isinstance(v.link.sent[-1], TryTurn) and len(v.link.sent[-1].moves) == 1)
        await v.hears(
            TrialView(NAME, 6, toy_table(laid=4, code=NAME), done=True, made=3, lost=2.9, best_moves=MOVES)
        )
        assert v.status == "2.9 points below the best turn."
        await v.types("u")
        await v.until(lambda: v.link.sent.count(TryTurn(NAME, 6)) == 2)
        await v.hears(Refusal("busy", to="TryTurn"))
        assert v.status == Refusal("busy").sentence()
        await v.types("q")
        await v.until(lambda: isinstance(v.app.screen, ReplayScreen))


async def test_o_plays_on_from_the_step_shown(visit: Visiting) -> None:
    link = server()
    async with visit(link=link) as v:
        await opened(v)
        await v.types("right", "right", "o")
        await v.until(lambda: PlayOn(NAME, 2) in v.link.sent)
        refusal = Refusal("over-there", to="PlayOn")
        await v.hears(refusal)
        assert refusal.sentence() in v.text


async def test_y_tells_the_address_of_the_turn_and_the_lobby_takes_it(visit: Visiting) -> None:
    link = server()
    async with visit(link=link) as v:
        await opened(v)
        await v.types("right", "y")
        await v.hears(CourseView(NAME, (CourseTurn(0, 2, (3, 0)), CourseTurn(1, 4, (3, 2)))))
        await v.until(lambda: f"{NAME}@1" in v.text)
        await v.types("q", "q", "c", *f"{NAME}@2", "enter")
        await v.until(lambda: Replay(f"{NAME}@2") in v.link.sent)
        await v.until(lambda: isinstance(v.app.screen, ReplayScreen))
