"""The review in plain mode: at a table whose game is over, and in a replay."""

import pytest

from cartino_games.cartino.moves import EndTurn, Lay
from cartino_protocol.commands import Command, Replay, Review
from cartino_protocol.views import HistoryView, Mine, ReplayView, ReviewView, RoomView, TurnReview
from cartino_protocol.wire import encode_raw
from cartino_tui.plain.conversation import Conversation
from cartino_tui.preferences import Preferences
from tests.support.cartino import random_game
from tests.support.cartino_table import room_of
from tests.support.games import SPEECHES
from tests.support.past import past
from tests.support.visit import ScriptedLink, chat, lobby, welcome

OVER = [state for state, _ in random_game(3, "1974", 2)][-1]
MADE, BEST = (tuple(map(encode_raw, (Lay("KS", f"KS{half}"), EndTurn()))) for half in "ul")
REVIEW = ReviewView(
    "K7QP-12",
    True,
    (
        TurnReview(0, 0, 3, 1, 2, 5.25, MADE, BEST, 2.0),
        TurnReview(1, 3, 5, 1, 2, 0.4, (), (), -4.0),
        TurnReview(0, 5, 8, 1, 2, 2.0, MADE, BEST, 1.0),
    ),
)
FIRST, SECOND = (seat.name for seat in room_of(OVER, 0).seats)
SUMS = [
    f"{FIRST} lost 7.2 points in 2 turns; luck of the draw: +3.",
    f"Step 3: Mistake by {FIRST}: the king of spades, upper half. Better by 5.2: the king of spades, lower half.",
    f"Step 8: Slip by {FIRST}: the king of spades, upper half. Better by 2.0: the king of spades, lower half.",
    f"bot {SECOND} lost 0.4 points in 1 turn; luck of the draw: −4.",
]


def begun(link: ScriptedLink, *heard: RoomView) -> Conversation:
    talk = Conversation(link.send, Preferences(), SPEECHES)
    talk.begin()
    for said in (welcome(), lobby(), Mine(())):
        talk.hear(said)
    for room in heard:
        talk.hear(room)
        talk.hear(chat())
    talk.take()
    return talk


@pytest.mark.parametrize("word", ["review", "f"])
def test_a_table_whose_game_is_over_tells_what_the_turns_lost(word: str) -> None:
    link, room = ScriptedLink(), room_of(OVER, 0)
    talk = begun(link, room)
    talk.enter(word)
    assert link.sent == [Review(room.code)]
    talk.hear(REVIEW)
    assert talk.take() == SUMS


def test_a_running_game_is_not_reviewed() -> None:
    state = next(state for state, _ in random_game(3, "1974", 2))
    link = ScriptedLink()
    talk = begun(link, room_of(state, 0))
    talk.enter("review")
    assert Review(room_of(state, 0).code) not in link.sent
    assert talk.take() == ["You can review this game when it's over."]


def test_a_replay_tells_the_review_then_each_costly_turn_and_leads_to_the_next() -> None:
    link = ScriptedLink()
    talk = begun(link)

    def shown(step: int) -> ReplayView:
        return ReplayView("K7QP-12", step, 9, step + 2, room_of(OVER, None))

    talk.enter("games")
    talk.hear(HistoryView("all", "", (past(12, game="cartino"),), more=False))
    talk.enter("1")
    talk.hear(shown(0))
    talk.take()
    talk.enter("review")
    said: Command = link.sent[-1]
    assert said == Review("K7QP-12")
    talk.hear(REVIEW)
    assert talk.take()[: len(SUMS)] == SUMS
    talk.enter("mistake")
    said = link.sent[-1]
    assert said == Replay("K7QP-12", 3)
    talk.hear(shown(3))
    assert any(line.startswith(f"Mistake by {FIRST}: ") for line in talk.take())
    talk.enter("mistake")
    assert link.sent[-1] == Replay("K7QP-12", 8)
    talk.hear(shown(4))
    assert not any("Mistake by" in line for line in talk.take())
    talk.hear(shown(8))
    talk.take()
    talk.enter("mistake")
    assert talk.take()
