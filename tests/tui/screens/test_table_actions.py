"""What may be asked at a table: why, what now, and which keys; and what stands in its status line."""

import msgspec
import pytest

from cartino_protocol.views import TableView
from cartino_tui.i18n import ENGLISH
from cartino_tui.keys import TABLE
from cartino_tui.preferences import Settings
from cartino_tui.screens.table_actions import (
    ScoreExplanations,
    current_table_keys,
    hint_or_reason,
    status_sentence,
    why_no_pause,
)
from cartino_tui.visit.messages import hints_allowed
from tests.support.cartino import position
from tests.support.cartino_table import CARTINO_SCREEN, SMALL, table_of, view_of
from tests.support.visit import TOYS, Counter, toy_table

WANTED = Settings(hints=True)


@pytest.mark.parametrize(
    ("names", "you", "state", "settings", "may"),
    [
        ("Ann bot:greedy", 0, "playing", WANTED, True),
        ("Ann bot:greedy bot:random", 0, "playing", WANTED, True),
        ("Ann bot:greedy", 0, "playing", Settings(), False),
        ("Ann Bo", 0, "playing", WANTED, False),
        ("Ann bot:greedy Bo", 0, "playing", WANTED, False),
        ("Bo bot:greedy", None, "playing", WANTED, False),
        ("Ann bot:greedy", 0, "finished", WANTED, False),
    ],
)
def test_ideas_are_for_who_wants_them_among_bots(
    names: str, you: int | None, state: str, settings: Settings, may: bool
) -> None:
    table = toy_table(names, state, you=you)  # type: ignore[arg-type]
    assert hints_allowed(settings, table) is may


def test_a_table_may_allow_hints_among_people() -> None:
    table = msgspec.structs.replace(toy_table("Ann Bo"), hints=True)
    assert hints_allowed(WANTED, table)
    assert not hints_allowed(Settings(), table)
    assert not hints_allowed(WANTED, msgspec.structs.replace(table, you=None))


def test_an_idea_is_the_games_or_says_why_there_is_none() -> None:
    table = table_of(position("KS 7D", "7C", stones=("ASu",)), 0)
    bots = tuple(msgspec.structs.replace(seat, kind="bot") for seat in table.seats[1:])
    alone = msgspec.structs.replace(table, seats=(table.seats[0], *bots))
    assert hint_or_reason(CARTINO_SCREEN, alone, view_of(alone), SMALL, WANTED).startswith("Hint: K♠")
    assert "in settings" in hint_or_reason(CARTINO_SCREEN, alone, view_of(alone), SMALL, Settings())
    people = table_of(position("KS 7D", "7C", "7H", stones=("ASu",)), 0)
    assert hint_or_reason(CARTINO_SCREEN, people, view_of(people), SMALL, WANTED) == (
        "Hints are only for games against bots, and for private tables with hints."
    )
    waits = msgspec.structs.replace(alone, you=1)
    assert "seat" not in hint_or_reason(CARTINO_SCREEN, waits, view_of(waits), SMALL, WANTED)


def test_asked_again_it_is_about_the_move_before() -> None:
    asked: list[int] = []

    class ToyScreenType(type(TOYS["toy"])):  # type: ignore[misc]
        def why(self, *args: object) -> str:
            asked.append(args[-1])  # type: ignore[arg-type]
            return "because"

    reasons, game_screen, here = ScoreExplanations(), ToyScreenType(), toy_table()
    for table in (here, here, here, toy_table(number=2), toy_table(number=2)):
        reasons.why(game_screen, table, None, game_screen.fresh(), SMALL)
    assert asked == [0, 1, 2, 0, 1]


def test_a_game_without_ideas_says_so_on_one_s_turn_alone() -> None:
    table, game_screen = toy_table("Ann Bo"), TOYS["toy"]
    bots = tuple(msgspec.structs.replace(seat, kind="bot") for seat in table.seats[1:])
    alone = msgspec.structs.replace(table, seats=(table.seats[0], *bots), you=0, turn=(0,))
    assert hint_or_reason(game_screen, alone, Counter(2), SMALL, WANTED) == "This game has no hints."
    waits = msgspec.structs.replace(alone, turn=(1,))
    assert (
        hint_or_reason(game_screen, waits, Counter(2), SMALL, WANTED)
        == "You can get a hint when it's your turn."
    )


def test_where_the_game_explains_nothing_the_last_move_is_told() -> None:
    here, game_screen = toy_table(), TOYS["toy"]
    assert (
        ScoreExplanations().why(game_screen, here, Counter(2), game_screen.fresh(), SMALL)
        == "Stone 2 was laid"
    )


def test_just_now_has_the_keys_that_do_something() -> None:
    help_of = {row.action: row.help or row.what for row in TABLE.rows}

    def has(*actions: str, settings: Settings = Settings(), names: str = "Ann Bo", **table: object) -> bool:  # noqa: B008
        here = toy_table(names, **table)  # type: ignore[arg-type]
        game_screen = TOYS["toy"]
        part = current_table_keys(
            game_screen, here, game_screen.read(here.game_view), game_screen.fresh(), settings, ENGLISH
        )
        shown = {what for _, what in part.keys}
        return all(help_of[action] in shown for action in actions)

    assert has("pause", "chat", "why", "leave")
    assert not has("rematch")
    assert not has("hint")
    assert has("rematch", "cut", state="finished")
    assert not has("pause", state="finished")
    assert not has("pause", you=None)
    assert has("hint", settings=WANTED, names="Ann bot:greedy")


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
        (toy_table("Ann Bo Chika", votes=(1, 2)), "Bo and Chika want to pause. Press p to agree."),
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
