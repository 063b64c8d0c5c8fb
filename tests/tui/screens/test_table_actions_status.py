"""What stands in the status line of a table for as long as it is so."""

import pytest

from cartino_protocol.views import TableView
from cartino_tui.i18n import ENGLISH
from cartino_tui.screens.table_actions import status_sentence, why_no_pause
from tests.support.visit import toy_table

THREE = "Ann Bo Chika"


@pytest.mark.parametrize(
    ("view", "sentence"),
    [
        (toy_table(), ""),
        (toy_table("Ann -", "open"), ""),
        (toy_table(votes=(1,)), "Bo wants to pause. Press p to agree."),
        (
            toy_table("Ann Bo Chika Dee", votes=(1, 2, 3)),
            "Bo, Chika and Dee want to pause. Press p to agree.",
        ),
        (toy_table(THREE, votes=(1, 2)), "Bo and Chika want to pause. Press p to agree."),
        (toy_table(you=None, votes=(1,)), "Bo wants to pause."),
        (toy_table(votes=(0,)), "You asked to pause. Waiting for the others; press p to cancel."),
        (toy_table(paused=True), "Paused. Press p to vote to resume."),
        (toy_table("Ann bot:greedy", paused=True), "Paused. Press p to resume."),
        (toy_table(paused=True, away=(1,)), "Paused. Press p to resume."),
        (toy_table(paused=True, you=None), "The game is paused."),
        (toy_table(paused=True, votes=(1,)), "Paused. Bo wants to resume; press p to agree."),
        (toy_table(paused=True, you=None, votes=(1,)), "Paused. Bo wants to resume."),
        (
            toy_table(paused=True, votes=(0, 1)),
            "Paused. You asked to resume; waiting for the others.",
        ),
        (toy_table(substitutes=(0,)), "Time's up: a substitute bot plays this turn. The next one is yours."),
        (toy_table(substitutes=(1,)), ""),
        (toy_table(substitutes=(0,), paused=True), "Paused. Press p to vote to resume."),
        (toy_table(state="finished", again=(1,)), "Bo wants a rematch: r to join, q for the lobby."),
        (toy_table(state="finished", again=(0, 1)), ""),
        (toy_table(state="finished", again=(1,), you=None), ""),
    ],
)
def test_one_sentence_for_each(view: TableView, sentence: str) -> None:
    assert status_sentence(view, ENGLISH) == sentence
    assert len(sentence) <= 78, "it has to fit the narrowest terminal"


def test_a_name_is_made_safe() -> None:
    assert (
        status_sentence(toy_table("Ann \x1b[2JBo", votes=(1,)), ENGLISH)
        == "[2JBo wants to pause. Press p to agree."
    )


def test_who_may_vote() -> None:
    assert why_no_pause(toy_table(), ENGLISH) == ""
    assert why_no_pause(toy_table(paused=True), ENGLISH) == ""
    assert why_no_pause(toy_table(you=None), ENGLISH) == "Only players can vote on a pause; you're watching."
    assert why_no_pause(toy_table(state="finished"), ENGLISH) == "Only a running game can be paused."
