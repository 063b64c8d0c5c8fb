"""What is typed in the lobby with a name or a code behind it, and what is told about the people and games there."""

from collections.abc import Sequence

import msgspec
import pytest

from cartino_protocol import commands
from cartino_protocol.deals import Daily, Duplicate, League, PlayDaily
from cartino_protocol.views import (
    Answer,
    BegunGame,
    Missed,
    NameChangeReason,
    OnlineView,
    OwnGame,
    PastGame,
    SummaryView,
)
from cartino_tui.visit.messages import name_change_message
from tests.support.plain import Talk
from tests.support.visit import lobby, welcome

STILL_HERE = "You're in the lobby. An empty line repeats the choices."


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("join k7qp", commands.Join("K7QP")),
        ("code K7QP", commands.Join("K7QP")),
        ("watch K7QP", commands.Watch("K7QP")),
        ("join K7QP-12@3", commands.Replay("K7QP-12@3")),
        ("name Bo", commands.Rename("Bo")),
        ("back quiet-otter", commands.Back("quiet-otter")),
        ("b quiet-otter", commands.Back("quiet-otter")),
        ("profile", commands.Profile()),
        ("profile Bo Li", commands.Profile("Bo Li")),
        ("decline K7QP", commands.Decline("K7QP")),
        ("top caro", commands.Leaders("caro")),
        ("ratings CARO", commands.Leaders("caro")),
        ("daily", PlayDaily()),
        ("daily Caro", PlayDaily("caro")),
        ("results", Daily()),
        ("results cartino 127", Daily("cartino", 127)),
        ("results ABCD2345", Duplicate("ABCD2345")),
        ("league Winter", League("Winter")),
        ("ignore Adam", commands.Ignore(name="Adam")),
    ],
)
def test_what_is_typed_is_asked(typed: str, sent: commands.Command) -> None:
    assert Talk().sends(typed) == sent


def test_what_is_no_code_is_told() -> None:
    assert Talk().types("join nonsense") == ["Not a valid code. Codes have 4 or 8 letters and digits."]


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
    assert Talk(*answers).types("who") == [*told, STILL_HERE]


def own_game(number: int, winners: tuple[int, ...]) -> OwnGame:
    name, ended = f"K7QP-{number}", "2026-01-31T12:00:00Z"
    return OwnGame(PastGame(name, number, "caro", {}, ("Ann", "bot:deep"), (9, 7), winners, "out", ended), 0)


def test_what_was_missed_is_told_in_sentences() -> None:
    news = Missed((own_game(2, (0,)), own_game(1, (1,))), (BegunGame("B4ZT", ("Bo", "Eve")),), more=True)
    assert Talk().hears(news) == [
        "While you were away: The game at B4ZT has begun, with Bo, Eve. K7QP-2, Caro: you won (Ann 9, bot deep 7). "
        "K7QP-1, Caro: you lost (Ann 9, bot deep 7).",
        "There are more: in the lobby, type history, then mine.",
    ]


@pytest.mark.parametrize(
    ("why", "words"),
    [
        ("name-taken", '"root" is taken (or too similar), so you\'re player.'),
        (
            "bad-name",
            "\"root\" isn't a valid name, so you're player. "
            "Use 2 to 16 letters or digits (wide ones count twice), with - _ . ' between.",
        ),
        ("mixed-name", '"root" mixes alphabets, so you\'re player.'),
        ("house-name", '"root" is reserved, so you\'re playing as player.'),
    ],
)
def test_a_person_with_another_name_than_they_asked_for_hears_why_once(
    why: NameChangeReason, words: str
) -> None:
    missed = msgspec.structs.replace(welcome("player"), missed="root", missed_for=why)
    assert str(name_change_message(missed)) == words
