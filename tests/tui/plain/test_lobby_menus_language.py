"""The language that a person chose in lines is theirs from then on, on whatever terminal."""

from collections.abc import AsyncIterator

import msgspec
import pytest

from cartino_protocol.commands import Prefer
from cartino_protocol.views import Mine
from cartino_protocol.wire import encode_raw
from cartino_server.server import Server
from cartino_server.table.link import Person
from cartino_tui.plain.conversation import Conversation
from cartino_tui.preferences import Preferences, Settings, decode_settings
from tests.support.game_server import QUICK, World
from tests.support.games import GAMES, SPEECHES
from tests.support.journal import MemoryJournal
from tests.support.plain import Reader
from tests.support.visit import ScriptedLink, lobby, welcome


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    opened = Server(GAMES, {}, QUICK, World().ports(), MemoryJournal())
    yield opened
    await opened.close()


def test_a_choice_is_said_to_the_server() -> None:
    link, preferences = ScriptedLink(), Preferences()
    talk = Conversation(link.send, preferences, SPEECHES)
    for said in (welcome(), lobby(), Mine(())):
        talk.handle(said)
    talk.enter("settings")
    assert "Deutsch" in "\n".join(talk.take_lines())
    talk.enter("de")
    sent = link.said[-1]
    assert isinstance(sent, Prefer)
    assert decode_settings(bytes(sent.settings)) == Settings(language="de")
    assert preferences.translator.name == "de"
    assert "Deutsch" in talk.take_lines()[0]


def test_what_was_chosen_elsewhere_holds_here() -> None:
    link, preferences = ScriptedLink(), Preferences()
    talk = Conversation(link.send, preferences, SPEECHES)
    chosen = msgspec.structs.replace(
        welcome(), settings=encode_raw(Settings(language="fr", characters="ascii"))
    )
    talk.handle(chosen)
    assert preferences.translator.name == "fr"
    assert preferences.ascii


async def test_it_is_there_the_next_time(server: Server) -> None:
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
