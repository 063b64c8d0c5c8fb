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
        (room(votes=(1,)), "Bo would pause; p agrees."),
        (room("Ann Bo Chika Dee", votes=(1, 2, 3)), "Bo, Chika and Dee would pause; p agrees."),
        (room(THREE, votes=(1, 2)), "Bo and Chika would pause; p agrees."),
        (room(you=None, votes=(1,)), "Bo would pause."),
        (room(votes=(0,)), "You would pause; the game stops when the others agree. p takes that back."),
        (room(paused=True), "The game is paused; p votes to go on."),
        (room(paused=True, you=None), "The game is paused."),
        (room(paused=True, votes=(1,)), "The game is paused; Bo would go on, p agrees."),
        (room(paused=True, you=None, votes=(1,)), "The game is paused; Bo would go on."),
        (
            room(paused=True, votes=(0, 1)),
            "The game is paused; you would go on, and it does when the others agree.",
        ),
        (room(stand_ins=(0,)), "Your time was up: a stand-in plays this turn; the next one is yours."),
        (room(stand_ins=(1,)), ""),
        (room(stand_ins=(0,), paused=True), "The game is paused; p votes to go on."),
        (room(state="finished", again=(1,)), "Bo would play again; r joins in, q goes back to the lobby."),
        (room(state="finished", again=(0, 1)), ""),
        (room(state="finished", again=(1,), you=None), ""),
    ],
)
def test_one_sentence_for_each(view: RoomView, sentence: str) -> None:
    assert status_sentence(view, ENGLISH) == sentence
    assert len(sentence) <= 78, "it has to fit the narrowest terminal"


def test_a_name_is_made_safe() -> None:
    assert status_sentence(room("Ann \x1b[2JBo", votes=(1,)), ENGLISH) == "[2JBo would pause; p agrees."


def test_who_may_vote() -> None:
    assert why_no_pause(room(), ENGLISH) == ""
    assert why_no_pause(room(paused=True), ENGLISH) == ""
    assert why_no_pause(room(you=None), ENGLISH) == "Those who play decide on a pause; you are watching."
    assert why_no_pause(room(state="finished"), ENGLISH) == "Only a game that runs can be paused."
