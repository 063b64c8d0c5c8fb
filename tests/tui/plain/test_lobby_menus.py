"""The menus of the lobby: a new table, lessons, rules, and the language, which is the person's from then on."""

import re

import msgspec

from cartino_protocol.commands import Create, Prefer
from cartino_protocol.wire import encode_raw
from cartino_server.server import Server
from cartino_server.table.link import Person
from cartino_tui.preferences import Preferences, Settings, decode_settings
from tests.support.plain import Reader, Talk, on_turn, reader, two
from tests.support.visit import welcome


def test_a_new_table_has_the_terms_of_the_form() -> None:
    talk = Talk(welcome(odd=True))
    assert talk.types("new") == [
        "New table. Type 1 to open it as it is, or another number to change something.",
        "1: open the table",
        "2: Game: Toy",
        "3: Seats: 2",
        "4: Bots: 0",
        "5: Bot level: greedy",
        "6: Visibility: public",
        "7: Time per turn: no clock",
        "8: Substitute bot: after 2 min",
        "9: Size: small",
        "0: back",
    ]
    told = talk.types("6")
    assert told == [
        "Visibility: public",
        "Private tables aren't listed: only people with the code can join.",
        "1: public",
        "2: private (code only)",
        "3: duplicate match",
        "0: back",
    ]
    assert "7: Hints: no hints" in talk.types("2")
    talk.types("3")
    talk.types("3")
    assert talk.sends("open") == Create("toy", {"size": "small"}, 4, open=False)


def test_a_language_is_told_to_the_server() -> None:
    preferences = Preferences()
    talk = Talk(preferences=preferences)
    assert "3: Français" in talk.types("settings")
    told = talk.types("de")
    sent = talk.link.said[-1]
    assert isinstance(sent, Prefer)
    assert decode_settings(bytes(sent.settings)) == Settings(language="de")
    assert preferences.translator.name == "de"
    assert "Deutsch" in told[0]


def test_what_was_chosen_elsewhere_holds_here() -> None:
    preferences = Preferences()
    chosen = encode_raw(Settings(language="fr", characters="ascii"))
    Talk(msgspec.structs.replace(welcome(), settings=chosen), preferences=preferences)


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
