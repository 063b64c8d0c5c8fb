"""The page of daily games: from the lobby to today's, other days and games, replays and leagues; and its texts."""

import json

import pytest
from msgspec.structs import replace

from cartino_protocol.commands import Command
from cartino_protocol.deals import (
    AttemptLine,
    Daily,
    DealView,
    Duplicate,
    League,
    LeagueView,
    Standing,
    TodayView,
    TurnPoints,
)
from cartino_tui.draw.text import plain
from cartino_tui.pages.deals import DEAL_PAGE, share_line, today_sentence
from cartino_tui.pages.leagues import LEAGUE_PAGE
from cartino_tui.pages.page import Reader, page_json, page_sentences, page_text
from tests.support.visit import ScriptedLink
from tests.support.visit_script import visits

OWN = AttemptLine(
    "Ann", "played", 2, True, 214, 7.5, (TurnPoints(3, 0.0), TurnPoints(12, 4.5), TurnPoints(24, 3.0))
)
OPEN = DealView("toy", {"size": "small"}, ("greedy",), "2026-02-04T00:00:00Z", True, "ab" * 32, number=34)
PLAYED = replace(
    OPEN, own=OWN, players=2, rows=(AttemptLine("Bo", "played", 1, True, 200, 3.0), OWN), streak=2
)
CLOSED = replace(PLAYED, is_open=False, number=33, rows=(replace(OWN, game="ABCDEFGH-7"),), seed="cd" * 32)
LEAGUE = LeagueView("spring", "toy", "2026-01-01", "2026-03-31", 90, 10, 5, (Standing(1, "Ann", 5, 12.5, 7),))


class DealServer(ScriptedLink):
    """Answers as a server with two days would."""

    def __init__(self, today: DealView = OPEN) -> None:
        super().__init__(self._answer)
        self._today = today

    def _answer(self, command: Command) -> None:
        match command:
            case Daily(number=number):
                self.tell(CLOSED if number == 33 else self._today)
            case Duplicate(code=code):
                self.tell(replace(CLOSED, number=0, code=code))
            case League():
                self.tell(LEAGUE)
            case _:
                pass


test_visits = visits(__file__, DealServer=DealServer)


@pytest.mark.parametrize(
    ("today", "said"),
    [
        (None, ""),
        (TodayView(), ""),
        (TodayView("toy", 34, "playing"), "Daily toy, no. 34: not finished yet"),
        (TodayView("toy", 34, "played", 3, 214, 7.5), "Daily toy, no. 34: 7.5 short, 214 points, rank 3"),
        (TodayView("toy", 34, "played", 0, 1), "Daily toy, no. 34: 1 point"),
        (TodayView("toy", 34, "played", 0, 1, practice=True), "Daily toy, no. 34 (practice): 1 point"),
    ],
)
def test_a_line_says_how_one_stands(today: TodayView | None, said: str) -> None:
    assert today_sentence(today, Reader()) == said


def test_one_s_result_is_a_line_to_paste() -> None:
    assert share_line(PLAYED, Reader()) == "toy 34 · 7.5 short · 214 · ▁▄█"
    assert plain(share_line(PLAYED, Reader())) == "toy 34 - 7.5 short - 214 - _-#"
    assert share_line(OPEN, Reader()) == ""


def test_the_shell_and_programs_get_the_same() -> None:
    told = page_text(DEAL_PAGE, PLAYED, Reader())
    assert "toy 34 · 7.5 short · 214 · ▁▄█\nYou were 7.5 points short: rank 2.\n" in told
    assert "cd" * 32 not in told
    assert f"Seed: {'cd' * 32}" in page_text(DEAL_PAGE, CLOSED, Reader())
    match = replace(CLOSED, number=0, code="ABCDEFGH")
    assert "Ann, points of the turns (short): 3; 12 (-4.5); 24 (-3.0)" in page_text(
        DEAL_PAGE, match, Reader()
    )
    read = json.loads(page_json(DEAL_PAGE, PLAYED, Reader()))
    assert read["own"]["turns"][1] == {"points": 12, "lost": 4.5}
    assert [row["place"] for row in read["rows"]] == [1, 2]
    assert read["line"] == "toy 34 · 7.5 short · 214 · ▁▄█"
    league = json.loads(page_json(LEAGUE_PAGE, LEAGUE, Reader()))
    assert league["rows"] == [{"place": 1, "name": "Ann", "days": 5, "lost": 12.5, "played": 7}]
    assert "  1    5    12.5  Ann" in page_text(LEAGUE_PAGE, LEAGUE, Reader())


def test_a_league_that_is_over_names_its_winner_and_one_s_own_rank() -> None:
    over = replace(LEAGUE, state="over", over=90, counted=45)
    told = page_text(LEAGUE_PAGE, over, Reader())
    assert told.endswith("This league is over. Ann has won. Each player's best 45 days count.\n")
    tied = replace(over, rows=(*LEAGUE.rows, Standing(1, "Bo", 5, 12.5, 5, you=True)))
    told = page_text(LEAGUE_PAGE, tied, Reader())
    assert "Your rank: 1 of 2.\nThis league is over. Ann, Bo share the first place." in told
    spoken = page_sentences(LEAGUE_PAGE, LEAGUE, Reader())
    assert "Rank 1: Ann, 12.5 short on 5 days." in spoken
