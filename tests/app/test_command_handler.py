"""A server in this process, as the door's reception needs it: links, and what is answered without a terminal."""

import json
import re
from collections.abc import Sequence

import msgspec
import pytest

from cartino_protocol.commands import Create, Hello
from cartino_protocol.exit_status import BROKEN_OFF, FAILURE, MISUSE, NOT_FOUND
from cartino_protocol.notices import Announced
from cartino_protocol.text import LazyMessage
from cartino_protocol.views import PastGame, TableView, Welcome
from cartino_protocol.wire import VERSION
from cartino_server.app.command_handler import LocalBackend
from cartino_server.commands.ssh_commands import help_text
from cartino_server.lobby.finished.history import GameHistory, NoSuchGame
from cartino_server.server import Server
from cartino_server.store.people import StoredName
from cartino_server.store.port import DamagedGame, HistoryQuery, JournalClosed
from cartino_server.visitors import Reply, Visitor
from cartino_tui import preferences
from cartino_tui.i18n import ENGLISH, ascii_translator, translator_for
from cartino_tui.pages.history import GAMES_PER_PAGE
from cartino_tui.preferences import Settings
from tests.support.game_server import a_guest
from tests.support.games import BOTS, GAMES
from tests.support.journal import MemoryJournal
from tests.support.pseudo import PSEUDO, plain_words

ANN = Visitor(id="1", person="SHA256:ann", name="ann", guest=False)


class ToldHistory(GameHistory):
    """Has one game, and keeps what it was asked for."""

    def __init__(self, asked: list[object]) -> None:
        super().__init__(MemoryJournal(), GAMES)
        self.asked = asked

    async def find_finished_games(self, wanted: HistoryQuery) -> Sequence[PastGame]:
        self.asked.append(wanted)
        return (PastGame("K7QP-3", 3, "cartino", {}, ("ann",), (1,), (0,), "out", "2026-01-01T00:00:00Z"),)

    async def record(self, name: str) -> bytes:
        self.asked.append(name)
        match name:
            case "K7QP-3":
                return "the recörd\n".encode()
            case "DEAD-1":
                raise JournalClosed
            case _:
                raise NoSuchGame(name)


class ToldServer(Server, eq=False, dict=True):
    """A server whose past is one game, and which keeps what it was asked for."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.asked: list[object] = []
        self.services.queries.history = ToldHistory(self.asked)


async def answer(server: Server, words: str) -> Reply:
    return await LocalBackend(server).run_command(ANN, words.split())


async def test_the_past_is_told_as_it_is_asked_for() -> None:
    server = ToldServer(GAMES, BOTS)
    told = await answer(server, "games --finished --mine --player bob --before K7QP-9 --json")
    assert [game["name"] for game in json.loads(told.stdout)] == ["K7QP-3"]
    assert (await answer(server, "games --finished")).stdout.startswith("K7QP-3")
    assert (await answer(server, "games")).stdout.startswith("No tables yet")
    assert server.asked == [
        HistoryQuery(ANN.person, True, "bob", 9, GAMES_PER_PAGE),
        HistoryQuery(ANN.person, False, "", 0, GAMES_PER_PAGE),
    ]


async def test_records_are_handed_out_by_code_and_by_name() -> None:
    server = ToldServer(GAMES, BOTS)
    assert await answer(server, "export k7qp-3") == Reply(stdout="the recörd\n")
    assert await answer(server, "export ZZZZ") == Reply(
        stderr="There is no table or finished game ZZZZ, or it is no longer kept. "
        "`ssh HOST games` and `ssh HOST games --finished` list them.\n",
        status=NOT_FOUND,
    )
    code = (await (await a_guest(server, "ann")).ask(Create("cartino"), TableView)).code
    undealt = await answer(server, f"export {code}")
    assert undealt.stderr.startswith(f"The game at {code} hasn't started.")
    dead = await answer(server, "export DEAD-1")
    assert dead.stderr.startswith(
        "The server lost its journal and is stopping, so it isn't clear whether anything was done."
    )
    assert dead.status == BROKEN_OFF
    assert server.asked == ["K7QP-3", "DEAD-1"]
    await server.close()


@pytest.mark.parametrize(
    "words", ["export ab3c", "export AB3C-7", "show AB3C", "move ab3c x", "chat AB3C hi"]
)
@pytest.mark.parametrize(
    ("missing", "sentence"),
    [
        ("", "That game is damaged and was set aside. Ask the host."),
        ("chess", "That game is kept, but chess can't be played here now. Ask the host."),
    ],
)
async def test_a_table_that_is_set_aside_is_not_said_to_be_none(
    words: str, missing: str, sentence: str
) -> None:
    server = ToldServer(GAMES, BOTS)
    absent = LazyMessage("the game {game!r} isn't installed here, or can't be loaded", {"game": missing})
    why = absent if missing else LazyMessage("it is damaged")
    server.services.registry.set_aside([DamagedGame(7, "AB3C", why)])
    reply = await answer(server, words)
    assert (reply.stdout, reply.stderr) == ("", f"{sentence}\n")
    assert reply.status == FAILURE
    assert (await answer(server, "export AB4C-7")).stderr.startswith("There is no table")


async def test_what_needs_a_terminal_says_so() -> None:
    told = await answer(Server(GAMES, BOTS), "back quiet-otter")
    assert (told.stdout, told.status) == ("", 1)
    assert "quiet-otter" not in told.stderr


async def test_help_is_no_failure_and_what_nobody_understands_is_misuse() -> None:
    assert await answer(Server(GAMES, BOTS), "help") == Reply(stdout=help_text())
    explained = await answer(Server(GAMES, BOTS), "games --help")
    assert (explained.stderr, explained.status) == ("", 0)
    assert "--finished" in explained.stdout
    bad = await answer(Server(GAMES, BOTS), "gmaes")
    assert (bad.stdout, bad.status) == ("", MISUSE)
    assert bad.stderr.count("\n") == 1


async def test_whoever_asks_is_answered_in_their_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preferences, "translator_for", {"de": PSEUDO, "en": ENGLISH}.__getitem__)
    german = msgspec.structs.replace(ANN, env={"LANG": "de_DE.UTF-8"})
    host = LocalBackend(ToldServer(GAMES, BOTS))
    for words in ("games", "export ZZZZ", "export DEAD-1", "gmaes", "games --nonsense"):
        told = await host.run_command(german, words.split())
        said = re.sub(r"`[^`]*`", "", told.stdout + told.stderr)
        assert plain_words(said, "ZZZZ", "gmaes", "games", "nonsense") == []
        english = await host.run_command(ANN, words.split())
        assert told.status == english.status
        assert told != english


async def chosen(settings: Settings, words: str, env: dict[str, str] | None = None) -> Reply:
    """What ann is answered who has chosen `settings` and comes from `env`."""
    journal = MemoryJournal()
    await journal.keep_settings(ANN.person, msgspec.msgpack.encode(settings))
    visitor = msgspec.structs.replace(ANN, env=env or {})
    return await LocalBackend(Server(GAMES, BOTS, journal=journal)).run_command(visitor, words.split())


@pytest.mark.parametrize("words", ["games", "help", "games --help", "export ZZZZ", "gmaes", "show ZZZZ"])
async def test_who_has_chosen_a_language_is_answered_in_it_whatever_their_shell_speaks(words: str) -> None:
    french = await chosen(Settings(), words, {"LANG": "fr_FR.UTF-8"})
    assert french != await chosen(Settings(), words)
    for env in ({}, {"LANG": "de_DE.UTF-8"}, {"LANG": "en_GB.UTF-8"}):
        assert await chosen(Settings(language="fr"), words, env) == french


@pytest.mark.parametrize(
    ("settings", "env"),
    [(Settings(characters="ascii"), {"LANG": "fr_FR.UTF-8"}), (Settings(language="fr"), {"LANG": "C"})],
)
async def test_who_reads_no_more_than_ascii_is_told_no_more(settings: Settings, env: dict[str, str]) -> None:
    for words in ("games", "help", "export ZZZZ", "gmaes"):
        told = await chosen(settings, words, env)
        assert (told.stdout + told.stderr).isascii()
        assert (told.stdout + told.stderr).endswith("\n")
    assert (await chosen(settings, "help", env)).stdout == help_text(ascii_translator(translator_for("fr")))
    assert not (await chosen(Settings(language="fr"), "help")).stdout.isascii()
    assert (await chosen(Settings(characters="unicode", language="fr"), "help", env)) == await chosen(
        Settings(language="fr"), "help"
    )


async def test_what_programs_read_is_not_spelt_otherwise() -> None:
    ascii = msgspec.structs.replace(ANN, env={"LANG": "C"})
    assert await LocalBackend(ToldServer(GAMES, BOTS)).run_command(ascii, ["export", "K7QP-3"]) == Reply(
        "the recörd\n"
    )


async def test_whoever_has_chosen_is_answered_while_nothing_can_be_read() -> None:
    class Dead(MemoryJournal):
        async def settings(self, person: str) -> bytes:
            raise JournalClosed

    told = await LocalBackend(Server(GAMES, BOTS, journal=Dead())).run_command(ANN, ["games"])
    assert told.stdout.startswith("No tables yet")
    assert told.status == 0


@pytest.mark.parametrize("guest", [False, True])
async def test_a_link_is_of_whoever_has_come(guest: bool) -> None:
    link = LocalBackend(Server(GAMES, BOTS), "ssh there").open_link(Visitor("1", "SHA256:ann", "ann", guest))
    assert (link.person.id, link.person.name, link.person.guest) == ("SHA256:ann", "ann", guest)


async def test_a_guest_whose_key_cannot_be_used_reads_why_on_arrival() -> None:
    server = Server(GAMES, BOTS)
    visitor = Visitor("1", "guest:ann", "ann", guest=True, unusable_key="ssh-dss")
    link = LocalBackend(server).open_link(visitor)
    link.send(Hello(VERSION))
    seen = [await link.receive() for _ in range(2)]
    assert isinstance(seen[0], Welcome)
    assert seen[1] == Announced("guest", "ssh-dss")
    await server.close()


def test_the_words_for_friends_are_as_they_were_set() -> None:
    host = LocalBackend(Server(GAMES, BOTS), "ssh there")
    assert host.connect_command == "ssh there"


@pytest.mark.parametrize(
    ("visitor", "name"),
    [
        (Visitor(id="1", person="SHA256:kept", name="root", guest=False), "Kept"),
        (Visitor(id="1", person="SHA256:new", name=" ann ", guest=False), "ann"),
        (Visitor(id="1", person="guest:1", name="ann", guest=True), "~ann"),
    ],
)
async def test_a_profile_without_games_is_by_what_one_is_called_here(visitor: Visitor, name: str) -> None:
    server = Server(GAMES, BOTS, names=[StoredName("SHA256:kept", "Kept", ("kept",), 2**40)])
    reply = await LocalBackend(server).run_command(visitor, ["profile", "--json"])
    assert json.loads(reply.stdout)["name"] == name
    await server.close()
