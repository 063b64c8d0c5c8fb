"""The menus of the lobby: a new table, lessons, rules, and the language, which is the person's from then on."""

import re

from cartino_server.server import Server
from cartino_server.table.link import Person
from cartino_tui.preferences import Preferences
from tests.support.plain import Reader, on_turn, reader, two
from tests.support.talk_script import talks

test_talks = talks(__file__)


async def test_a_language_is_there_the_next_time(server: Server) -> None:
    def visit() -> Reader:
        return Reader(lambda: server.open_link(Person("id-ann", "ann")), preferences=Preferences())

    ann = visit()
    await ann.reads("0: quit")
    ann.types("settings", "fr")
    await ann.reads("Français")
    ann.types("0", "1")
    assert await ann.ends() == 0
    again = visit()
    await again.reads("0: ")
    assert again.conversation is not None
    assert again.conversation.context.translator.name == "fr"


async def test_lessons_and_rules_ask_which_game(server: Server) -> None:
    """One choice each, whatever the number of games; `learn` begins with the game that newcomers are offered."""
    eve = reader(server, "eve")
    await eve.reads("0: quit")
    choice = re.search(r"(\d+): learn to play", eve.paper.text)
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
    ann, _ = on_turn(*await two(server))
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
