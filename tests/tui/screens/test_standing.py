"""What stands in the status line of a table for as long as it is so."""

import pytest

from cartino_protocol.views import RoomView
from cartino_tui.i18n import ENGLISH
from cartino_tui.screens.table_actions import status_sentence, why_no_pause
from tests.support.visit import room

THREE = "Ann Bo Chika"


@pytest.mark.parametrize(
    ("view", "sentence"),
    [
        (room(), ""),
        (room("Ann -", "open"), ""),
        (room(votes=(1,)), "Bo wants to pause. Press p to agree."),
        (room("Ann Bo Chika Dee", votes=(1, 2, 3)), "Bo, Chika and Dee want to pause. Press p to agree."),
        (room(THREE, votes=(1, 2)), "Bo and Chika want to pause. Press p to agree."),
        (room(you=None, votes=(1,)), "Bo wants to pause."),
        (room(votes=(0,)), "You asked to pause. Waiting for the others; press p to cancel."),
        (room(paused=True), "Paused. Press p to vote to resume."),
        (room("Ann bot:greedy", paused=True), "Paused. Press p to resume."),
        (room(paused=True, away=(1,)), "Paused. Press p to resume."),
        (room(paused=True, you=None), "The game is paused."),
        (room(paused=True, votes=(1,)), "Paused. Bo wants to resume; press p to agree."),
        (room(paused=True, you=None, votes=(1,)), "Paused. Bo wants to resume."),
        (
            room(paused=True, votes=(0, 1)),
            "Paused. You asked to resume; waiting for the others.",
        ),
        (room(stand_ins=(0,)), "Time's up: a substitute bot plays this turn. The next one is yours."),
        (room(stand_ins=(1,)), ""),
        (room(stand_ins=(0,), paused=True), "Paused. Press p to vote to resume."),
        (room(state="finished", again=(1,)), "Bo wants a rematch: r to join, q for the lobby."),
        (room(state="finished", again=(0, 1)), ""),
        (room(state="finished", again=(1,), you=None), ""),
    ],
)
def test_one_sentence_for_each(view: RoomView, sentence: str) -> None:
    assert status_sentence(view, ENGLISH) == sentence
    assert len(sentence) <= 78, "it has to fit the narrowest terminal"


def test_a_name_is_made_safe() -> None:
    assert (
        status_sentence(room("Ann \x1b[2JBo", votes=(1,)), ENGLISH)
        == "[2JBo wants to pause. Press p to agree."
    )


def test_who_may_vote() -> None:
    assert why_no_pause(room(), ENGLISH) == ""
    assert why_no_pause(room(paused=True), ENGLISH) == ""
    assert why_no_pause(room(you=None), ENGLISH) == "Only players can vote on a pause; you're watching."
    assert why_no_pause(room(state="finished"), ENGLISH) == "Only a running game can be paused."
