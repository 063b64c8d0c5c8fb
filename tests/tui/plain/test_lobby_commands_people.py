"""Ratings and profiles in lines: asked for by a word, told a line each."""

from collections.abc import Sequence

import msgspec
import pytest

from cartino_protocol.commands import Command, Hello, Leaders, Profile, Say
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import (
    Answer,
    BegunGame,
    LeadersView,
    Mine,
    Missed,
    OnlineView,
    OwnGame,
    PastGame,
    SummaryView,
)
from cartino_tui.plain.conversation import Conversation
from cartino_tui.preferences import Preferences
from cartino_tui.visit.routes import ShellCommands
from tests.support.games import SPEECHES
from tests.support.people import BOTS, LEADERS, profile
from tests.support.visit import chat, lobby, toy_table, welcome


class Talk:
    """A conversation with the test as the server."""

    def __init__(self) -> None:
        self.said: list[Command] = []
        self.conversation = Conversation(
            self.said.append, Preferences(), SPEECHES, None, ShellCommands(), ShellCommands()
        )
        self.conversation.begin()
        for answer in (welcome(), lobby(), Mine(())):
            self.conversation.handle(answer)
        self.conversation.take_lines()

    def enter(self, text: str) -> Command:
        """Type a line; what it leads to."""
        self.conversation.enter(text)
        self.conversation.take_lines()
        return next(said for said in reversed(self.said) if not isinstance(said, Hello))


def test_a_line_of_talk_is_as_long_as_the_server_says() -> None:
    talk = Talk()
    for said in (
        msgspec.structs.replace(welcome(), chat_length=5),
        toy_table("Ann Bo -", "open", game="cartino"),
        chat(),
    ):
        talk.conversation.handle(said)
    assert talk.enter("say hello") == Say("hello")
    talk.conversation.enter("say hello!")
    assert talk.conversation.take_lines()[-1] == "Too long: a message can have up to 5 characters."
    assert talk.said[-1] == Say("hello")


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ((), ["3 people are online."]),
        ((OnlineView(("Ann", "Bo", "Zoé")),), ["3 people are online: Ann, Bo, Zoé."]),
        (
            (lobby(people=9), OnlineView(("Ann", "Bo")), SummaryView("Café")),
            ["This is Café.", "9 people are online: Ann, Bo and 7 more."],
        ),
    ],
)
def test_who_is_online_is_told_as_far_as_the_server_says(answers: Sequence[Answer], told: list[str]) -> None:
    talk = Talk()
    for answer in answers:
        talk.conversation.handle(answer)
    talk.conversation.take_lines()
    talk.conversation.enter("who")
    assert talk.conversation.take_lines() == [
        *told,
        "You're in the lobby. An empty line repeats the choices.",
    ]


def test_ratings_are_told_a_line_each() -> None:
    talk = Talk()
    assert talk.enter("ratings") == Leaders()
    talk.conversation.handle(LeadersView("toy", LEADERS, BOTS, LEADERS[1]))
    assert talk.conversation.take_lines() == [
        "Ratings of toy.",
        "Rank 1: Zoé, rating 1400, 12 rated games.",
        "Rank 2: Ann, rating 1210, 3 rated games, provisional.",
        "Rank 3: Bo, rating 950, 2 rated games, provisional.",
        "Bots are rated separately.",
        "Rank 1: bot greedy, rating 1300, 40 rated games.",
        "Your rank: 2, rating 1210.",
        "You're in the lobby. An empty line repeats the choices.",
    ]


def test_ratings_name_their_game_and_the_others() -> None:
    talk = Talk()
    talk.enter("ratings")
    talk.conversation.handle(LeadersView("caro", LEADERS))
    other = welcome().games[0].name
    assert talk.conversation.take_lines()[:2] == [
        "Ratings of Caro.",
        f"For another game, type ratings and its name: {other}.",
    ]
    assert talk.enter(f"ratings {other.upper()}") == Leaders(other)
    assert talk.enter("top caro") == Leaders("caro")


def test_a_profile_is_told_by_name_or_ones_own() -> None:
    talk = Talk()
    assert talk.enter("profile") == Profile()
    talk.conversation.handle(profile("Ann", 3, you=True))
    assert talk.conversation.take_lines()[0] == "Ann"
    assert talk.enter("profile Bo Li") == Profile("Bo Li")
    talk.conversation.handle(Refusal("unknown-person", "Bo Li", to="Profile"))
    assert "Bo Li hasn't finished a game" in talk.conversation.take_lines()[0]


def own_game(number: int, winners: tuple[int, ...]) -> OwnGame:
    name, ended = f"K7QP-{number}", "2026-01-31T12:00:00Z"
    return OwnGame(PastGame(name, number, "caro", {}, ("Ann", "bot:deep"), (9, 7), winners, "out", ended), 0)


def test_what_was_missed_is_told_in_sentences() -> None:
    talk = Talk()
    talk.conversation.handle(
        Missed((own_game(2, (0,)), own_game(1, (1,))), (BegunGame("B4ZT", ("Bo", "Eve")),), more=True)
    )
    assert talk.conversation.take_lines() == [
        "While you were away: The game at B4ZT has begun, with Bo, Eve. K7QP-2, Caro: you won (Ann 9, bot deep 7). "
        "K7QP-1, Caro: you lost (Ann 9, bot deep 7).",
        "There are more: in the lobby, type history, then mine.",
    ]


@pytest.mark.parametrize(
    ("summary", "told"),
    [
        ((), "No game has ended in the last 24 hours."),
        ((SummaryView("Café"),), "No game has ended in the last 24 hours."),
        (
            (SummaryView("", (), (own_game(2, (0,)).game,)),),
            "K7QP-2, 2026-01-31: Caro; Ann won with 9, bot deep 7.",
        ),
    ],
)
def test_the_games_of_a_day_are_told(summary: Sequence[Answer], told: str) -> None:
    talk = Talk()
    for answer in summary:
        talk.conversation.handle(answer)
    talk.conversation.take_lines()
    talk.conversation.enter("today")
    assert talk.conversation.take_lines() == [told, "You're in the lobby. An empty line repeats the choices."]
