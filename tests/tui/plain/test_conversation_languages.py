"""In another language no English is left over, whatever is said; what is typed may be of either."""

import re
from collections.abc import AsyncIterator

import pytest

from cartino_protocol.commands import Create, Join
from cartino_server.server import Server
from cartino_server.table.link import Person
from cartino_tui.visit.routes import StartRoute
from tests.support.game_server import QUICK, World
from tests.support.games import BOTS, GAMES
from tests.support.plain import Reader
from tests.support.pseudo import plain_words, pseudo, speak_pseudo

NAMES = (
    "ann",
    "bob",
    "Cartino",
    "AAAA",
    "ssh",
    "host",
    "join",
    "hello you",
    "English",
    "Deutsch",
    "greedy",
    *GAMES,
    "random",
)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    """A server whose shuffles are always the same."""
    opened = Server(GAMES, BOTS, QUICK, World().ports())
    yield opened
    await opened.close()


def reader(server: Server, name: str, intent: StartRoute | None = None) -> Reader:
    return Reader(lambda: server.open_link(Person(f"id-{name}", name)), intent)


async def test_no_english_is_left(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    speak_pseudo(monkeypatch)
    ann = reader(server, "ann")
    await ann.reads("0: ")
    ann.types(
        "help",
        "list",
        "code",
        "",
        "settings",
        "0",
        "history",
        "0",
        "ratings",
        "who",
        "profile",
        "learn",
        "help",
        "KSu",
        "",
        "leave",
        "rules",
        "1",
        "new",
        "4",
        "0",
        "1",
    )
    await ann.reads("ssh -t host join")
    bob = reader(server, "bob", Join("AAAA"))
    await bob.reads("1: .*2: ")
    for each in (ann, bob):
        each.types(
            "help",
            "rules",
            "who",
            "talk",
            "shuffle",
            "scores",
            "board",
            "row 2",
            "card KS",
            "moves",
        )
        each.types(
            "say hello you", "pause", "pause", "rematch", "cut", "end", "1", "0", "99", "why", "nonsense"
        )
        each.types("invite bob", "invite", "rules all", "rules 99", "0")
    for each in (ann, bob):
        await each.reads("hello you")
        each.types("1 1", "end", "leave")
        await each.reads("\n0: ")
        each.types("0", "1")
        assert await each.ends() == 0
        # The promise of the shuffle is no word.
        text = re.sub("[0-9a-f]{64}", "", each.paper.text)
        assert set(plain_words(text, *NAMES)) <= {"hello"}, "what was said in talk stays as it is"


async def test_words_of_the_reader_s_language_mean_the_same(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    speak_pseudo(monkeypatch)
    ann = reader(server, "ann", Create("cartino", {"edition": "1974"}))
    await ann.reads("ssh -t host join")
    await ann.reads("0: ")
    ann.types(f"{pseudo('say')} hello you")
    await ann.reads("hello you")
    ann.types(pseudo("leave"))
    await ann.reads("0: ")
    ann.types(pseudo("leave"))
    assert await ann.ends() == 0
