"""What is read out can be typed, wherever one stands; and nothing leads further away than was meant."""

import re

import pytest

from cartino_protocol.commands import Join, Watch
from cartino_server.server import Server
from tests.support.plain import Talk, on_turn, two
from tests.support.visit import line, lobby

OPEN = lobby(line("AAAA", "Bob -"))


@pytest.mark.parametrize("typed", ["AAAA", "aaaa", "1", "join AAAA", "join 1", "join aa-aa"])
def test_a_listed_table_is_joined_by_all_that_names_it(typed: str) -> None:
    talk = Talk(OPEN)
    assert talk.types("join")[-2].startswith("1: AAAA")
    assert talk.sends(typed) == Join("AAAA")


@pytest.mark.parametrize("typed", ["watch AAAA", "watch 1", "w 1"])
def test_a_listed_table_is_watched_by_all_that_names_it(typed: str) -> None:
    talk = Talk(OPEN)
    talk.types("list")
    assert talk.sends(typed) == Watch("AAAA")


def test_a_code_that_was_heard_is_enough_in_the_lobby() -> None:
    talk = Talk(OPEN)
    assert talk.types("BBBB")[0].startswith("Not one of the choices")
    assert talk.sends("AAAA") == Join("AAAA")


def test_words_of_the_lobby_hold_in_its_lists_and_leave_them() -> None:
    talk = Talk()
    for typed in ("settings", "new"):
        talk.types(typed)
    assert talk.types("ignored")[0].startswith("You haven't muted anyone")
    assert len(talk.conversation.context.topics) == 2, "each list was left for the next"
    assert talk.types("0") == ["You're in the lobby. An empty line repeats the choices."]


async def test_a_nought_leaves_no_running_game_by_mistake(server: Server) -> None:
    first, _ = on_turn(*await two(server))
    first.types("0")
    await first.reads("Nothing is selected. Type leave to go back")
    first.types("leave")
    await first.reads("0: quit")
    first.types("0", "no", "0", "0")
    await first.reads("An empty line repeats")
    await first.reads("An empty line repeats")
    first.types("0", "yes")
    assert await first.ends() == 0
    assert re.search("0: no\\n", first.paper.text)
