"""What is read out can be typed, wherever one stands; and nothing leads further away than was meant."""

import re
from collections.abc import AsyncIterator

import pytest

from cartino_protocol.commands import Create, Join
from cartino_server.server import Server
from cartino_server.table.link import Person
from cartino_tui.plain.table import TableMenu
from cartino_tui.visit.routes import StartRoute
from tests.support.game_server import QUICK, World
from tests.support.games import BOTS, GAMES
from tests.support.plain import Reader


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    """A server whose shuffles are always the same."""
    opened = Server(GAMES, BOTS, QUICK, World().ports())
    yield opened
    await opened.close()


def reader(server: Server, name: str, intent: StartRoute | None = None) -> Reader:
    return Reader(lambda: server.open_link(Person(f"id-{name}", name)), intent)


async def first_of_two(server: Server) -> Reader:
    """Who is on turn at the table AAAA."""
    ann = reader(server, "ann", Create("cartino", {"edition": "1974"}))
    await ann.reads("0: back to the lobby")
    bob = reader(server, "bob", Join("AAAA"))
    for each in (ann, bob):
        await each.reads("You hold ")
    return ann if "Your turn.\n" in ann.paper.text else bob


def lays(each: Reader) -> list[str]:
    """Lays for their whole turn, in words for `move`: of one suit, at once possible."""
    assert each.conversation is not None
    table = each.conversation.context.topics[-1]
    assert isinstance(table, TableMenu)
    speech = each.conversation.context.speeches["cartino"]
    return [word for word, _ in speech.legal(speech.read(table.table.game_view)) if not word.startswith("*")]


@pytest.mark.parametrize("typed", ["AAAA", "aaaa", "1", "join AAAA", "join 1", "join aa-aa"])
async def test_a_listed_table_is_joined_by_all_that_names_it(server: Server, typed: str) -> None:
    await reader(server, "ann", Create("cartino", {"edition": "1974"})).reads("0: back to the lobby")
    eve = reader(server, "eve")
    await eve.reads("0: quit")
    eve.types("join")
    await eve.reads("1: AAAA")
    eve.types(typed)
    await eve.reads("You hold ")


@pytest.mark.parametrize("typed", ["watch AAAA", "watch 1", "w 1"])
async def test_a_listed_table_is_watched_by_all_that_names_it(server: Server, typed: str) -> None:
    await reader(server, "ann", Create("cartino", {"edition": "1974"})).reads("0: back to the lobby")
    eve = reader(server, "eve")
    await eve.reads("0: quit")
    eve.types("list", typed)
    await eve.reads("1: take seat 2")


async def test_a_code_that_was_heard_is_enough_in_the_lobby(server: Server) -> None:
    await reader(server, "ann", Create("cartino", {"edition": "1974"})).reads("0: back to the lobby")
    eve = reader(server, "eve")
    await eve.reads("0: quit")
    eve.types("BBBB")
    await eve.reads("Not one of the choices")
    eve.types("AAAA")
    await eve.reads("You hold ")


async def test_words_of_the_lobby_hold_in_its_lists_and_leave_them(server: Server) -> None:
    eve = reader(server, "eve")
    await eve.reads("0: quit")
    eve.types("settings", "new", "rules", "cartino")
    await eve.reads("The rules of Cartino")
    assert eve.conversation is not None
    assert len(eve.conversation.context.topics) == 2, "each list was left for the next"
    eve.types("0")
    await eve.reads("0: quit")


async def test_lessons_and_rules_ask_which_game(server: Server) -> None:
    """One choice each, whatever the number of games; `learn` begins with the game that newcomers are offered."""
    eve = reader(server, "eve")
    await eve.reads("0: quit")
    choice = re.search(r"(\d+): how to play: lessons", eve.paper.text)
    assert choice is not None
    eve.types(choice[1])
    await eve.reads(r"Lessons: which game\?(.|\n)*2: Caro(.|\n)*0: back")
    eve.types("2")
    await eve.reads("Lesson 1 of .*: Pairs")
    eve.types("leave")
    await eve.reads("0: quit")
    eve.types("learn")
    await eve.reads("Lesson 1 of .*: First stone")


async def test_the_rules_are_told_by_parts_in_the_lobby_and_at_a_table(server: Server) -> None:
    ann = await first_of_two(server)
    before = len(ann.paper.text)
    ann.types("rules")
    await ann.reads("The rules of Cartino")
    await ann.reads("2: The stones")
    assert "Alex Randolph" not in ann.paper.text[before:], "headings first"
    ann.types("rules 1")
    await ann.reads("About the game:")
    await ann.reads("Alex Randolph")
    assert "The two editions" not in ann.paper.text, "a table has one"
    ann.types("rules stones")
    await ann.reads("The stones:")
    ann.types("rules 99")
    await ann.reads("The rules have no section 99")
    eve = reader(server, "eve")
    await eve.reads("New here")
    await eve.reads("0: quit")
    eve.types("rules", "cartino", "1")
    await eve.reads("Alex Randolph")
    eve.types("randolph", "all", "whatever this is")
    await eve.reads("About the game:")
    await eve.reads("The two editions:")
    await eve.reads("The rules have no section whatever this is")
    eve.types("0")
    assert "New here" not in await eve.reads("You're eve(.|\n)*0: quit")


async def test_several_moves_in_one_line_are_made_in_order(server: Server) -> None:
    first = await first_of_two(server)
    (lay, *_) = lays(first)
    first.types(f"{lay} end")
    await first.reads("You laid ")
    await first.reads("You ended your turn")


async def test_a_refused_move_of_a_line_is_named_and_is_the_last(server: Server) -> None:
    first = await first_of_two(server)
    (lay, *_) = lays(first)
    first.types(f"{lay} {lay} end")
    await first.reads("You laid ")
    said = await first.reads("(can't be laid there|hold|is over|not made|taken)")
    first.types("turn")
    assert "You ended" not in first.unread, said
    await first.reads("(Lay more |It's )")


async def test_a_nought_leaves_no_running_game_by_mistake(server: Server) -> None:
    first = await first_of_two(server)
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
