"""What comes some time after the end of a game is told once, to the player it is about."""

import msgspec
import pytest

from cartino_games.cartino.moves import EndTurn, Lay
from cartino_protocol.deals import AttemptLine, DealView, Duplicate
from cartino_protocol.views import Mine, MissedTurn, RatingChange, TableView
from cartino_protocol.wire import encode_raw
from cartino_tui.pages.page import pretty_json
from cartino_tui.plain.conversation import Conversation
from cartino_tui.plain.menu import PlainContext
from cartino_tui.plain.shell import table_json
from cartino_tui.preferences import Preferences
from cartino_tui.visit.routes import ShellCommands
from tests.support.cartino import position, random_game
from tests.support.cartino_table import table_of
from tests.support.games import SPEECHES
from tests.support.visit import ScriptedLink, chat, lobby, welcome

OVER = [state for state, _ in random_game(3, "1974", 2)][-1]
RATING = RatingChange(1012, 1040)
MISSED = MissedTurn(9, 5, 19, tuple(map(encode_raw, (Lay("KS", "KSu"), Lay("*", "QSl"), EndTurn()))))


def reviewed(rating: RatingChange | None = None, missed: MissedTurn | None = None) -> TableView:
    table = table_of(OVER, 0)
    assert table.result is not None
    return msgspec.structs.replace(
        table, result=msgspec.structs.replace(table.result, rating=rating, missed=missed)
    )


def test_rating_and_missed_turn_are_told_as_they_come_and_once() -> None:
    talk = Conversation(ScriptedLink().send, Preferences(), SPEECHES)
    talk.begin()
    for said in (welcome(), lobby(), Mine(()), reviewed(), chat()):
        talk.handle(said)
    talk.take_lines()
    talk.handle(reviewed(RATING))
    assert talk.take_lines() == ["Your rating: 1040 (+28)."]
    talk.handle(reviewed(RATING, MISSED))
    assert talk.take_lines() == [
        "The best turn you missed: 19 points instead of 5 in turn 9 (the king of spades, upper half; "
        "a joker as the queen of spades, lower half)."
    ]
    talk.handle(reviewed(RATING, MISSED))
    assert talk.take_lines() == []


def test_the_player_of_a_shared_deal_hears_what_it_lost_and_asks_for_its_results() -> None:
    link = ScriptedLink()
    talk = Conversation(link.send, Preferences(), SPEECHES)
    talk.begin()
    once = msgspec.structs.replace(reviewed(), once=True, sealed="2026-02-04 00:00")
    for said in (welcome(), lobby(), Mine(()), once, chat()):
        talk.handle(said)
    talk.take_lines()
    assert once.result is not None
    result = msgspec.structs.replace(once.result, lost=7.5, place=2)
    talk.handle(msgspec.structs.replace(once, result=result))
    assert talk.take_lines() == ["You lost 7.5 points: rank 2 so far."]
    talk.enter("results")
    assert link.said[-1] == Duplicate(once.code)
    own = AttemptLine("Ann", "played", 2, total=214, lost=7.5, you=True)
    close = "2026-02-04T00:00:00Z"
    talk.handle(DealView("cartino", {}, ("greedy",), close, True, "ab" * 32, 34, own=own, rows=(own,)))
    assert "Rank 2: Ann, lost 7.5, total 214." in talk.take_lines()


def test_programs_read_the_missed_turn_with_its_moves() -> None:
    told = msgspec.json.decode(pretty_json(table_json(reviewed(RATING, MISSED), SPEECHES["cartino"])))
    assert told["result"]["missed"] == {
        "turn": 9,
        "made": 5,
        "best": 19,
        "moves": [
            {"t": "Lay", "stone": "KS", "spot": "KSu"},
            {"t": "Lay", "stone": "*", "spot": "QSl"},
            {"t": "EndTurn"},
        ],
        "lost": 0,
    }


def test_moves_that_are_none_of_the_game_are_left_out() -> None:
    talk = Conversation(ScriptedLink().send, Preferences(), SPEECHES)
    talk.begin()
    for said in (welcome(), lobby(), Mine(()), reviewed(), chat()):
        talk.handle(said)
    talk.take_lines()
    talk.handle(reviewed(missed=MissedTurn(9, 5, 19, (encode_raw(Lay("KS", "ZZu")), encode_raw(RATING)))))
    assert talk.take_lines() == ["The best turn you missed: 19 points instead of 5 in turn 9."]


@pytest.mark.parametrize(
    ("duplicate", "practice", "told"),
    [
        (
            "ABCD2345",
            False,
            [
                "This duplicate match's code is A B C D 2 3 4 5.",
                "Others play this deal with: ssh -t example.org join ABCD2345",
            ],
        ),
        (
            "",
            True,
            [
                "This is your own table, for practice; ranked players play another deal.",
                "This is practice; others play the day's game with: ssh -t example.org daily --game cartino",
            ],
        ),
        (
            "",
            False,
            [
                "This is your own table of a daily game; everybody has one.",
                "Others play the day's game with: ssh -t example.org daily --game cartino",
            ],
        ),
    ],
)
def test_the_code_of_an_attempt_is_the_one_that_others_need(
    duplicate: str, practice: bool, told: list[str]
) -> None:
    link = ScriptedLink()
    talk = Conversation(
        link.send, Preferences(), SPEECHES, shell_commands=ShellCommands("ssh -t example.org")
    )
    talk.begin()
    attempt = msgspec.structs.replace(
        reviewed(), once=True, sealed="2026-02-04 00:00", duplicate=duplicate, practice=practice
    )
    for said in (welcome(), lobby(), Mine(()), attempt, chat()):
        talk.handle(said)
    heading = " ".join(talk.take_lines())
    assert ("Duplicate match ABCD2345" in heading) == bool(duplicate)
    assert ("Daily game (practice), Cartino" in heading) == practice
    talk.enter("code")
    assert talk.take_lines()[-2:] == told


def test_the_time_that_is_left_goes_on_between_two_views(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(PlainContext, "now", staticmethod(lambda: now[0]))
    link = ScriptedLink()
    talk = Conversation(link.send, Preferences(), SPEECHES)
    talk.begin()
    timed = table_of(position("KS QS", "9D", bag="7D 8D"), 0)
    seats = (msgspec.structs.replace(timed.seats[0], left=30.0), *timed.seats[1:])
    for said in (welcome(), lobby(), Mine(()), msgspec.structs.replace(timed, seats=seats), chat()):
        talk.handle(said)
    assert "You have 30 seconds." in talk.take_lines()
    now[0] += 12
    talk.enter("")
    assert "You have 18 seconds." in talk.take_lines()
