"""Commands without a terminal: answers, languages, rate limits, and interruptions."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from typing import NamedTuple

import asyncssh
import msgspec
import pytest
from structlog.testing import capture_logs

from cartino_protocol.commands import Create, Hello, Join
from cartino_protocol.exit_status import BROKEN_OFF, FAILURE, MISUSE, NOT_FOUND, TOO_MANY
from cartino_protocol.notices import Announced
from cartino_protocol.text import LazyMessage
from cartino_protocol.views import PastGame, TableView, Welcome
from cartino_protocol.wire import VERSION
from cartino_server.app import command_handler
from cartino_server.app.command_handler import (
    COMMAND_CRASHED,
    REFUSAL_DELAY,
    TOO_FAST_MESSAGE,
    VISIT_ENDED,
    LocalBackend,
)
from cartino_server.app.requests import ServerRequestHandler
from cartino_server.app.shutdown import RESTART_MESSAGE
from cartino_server.commands.ssh_commands import help_text
from cartino_server.limits import ServerConfig
from cartino_server.lobby.finished.history import GameHistory, NoSuchGame
from cartino_server.lobby.rate_limit import NETWORK_FACTOR
from cartino_server.server import Server
from cartino_server.ssh.listener import Listener, ListenerConfig
from cartino_server.ssh.session import Session
from cartino_server.store.people import StoredName
from cartino_server.store.port import DamagedGame, HistoryQuery, JournalClosed
from cartino_server.table.link import Person
from cartino_server.visitors import LoginRequest, LoginResult, Reply, Visitor
from cartino_server.workers.remote_server import SERVER_UNAVAILABLE, RemoteServer
from cartino_tui import preferences
from cartino_tui.i18n import ENGLISH, Translator, ascii_translator, translator_for
from cartino_tui.pages.history import GAMES_PER_PAGE
from cartino_tui.preferences import Settings
from tests.support.game_server import QUICK, Guest, World, a_guest, connect
from tests.support.games import BOTS, GAMES
from tests.support.journal import MemoryJournal
from tests.support.noted_line import NotedLine
from tests.support.open_gate import listen
from tests.support.ports import own_port
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


async def test_a_guest_whose_key_cannot_be_used_reads_why_on_arrival() -> None:
    server = Server(GAMES, BOTS)
    visitor = Visitor("1", "guest:ann", "ann", guest=True, unusable_key="ssh-dss")
    link = LocalBackend(server).open_link(visitor)
    link.send(Hello(VERSION))
    seen = [await link.receive() for _ in range(2)]
    assert isinstance(seen[0], Welcome)
    assert seen[1] == Announced("guest", "ssh-dss")
    await server.close()


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


BURST = ServerConfig().burst
NETWORKS = {1: "192.0.2.1", 2: "192.0.2.1", 3: "192.0.2.3", 4: ""}


def somebody(connection: int, key: str = "") -> Visitor:
    person = f"SHA256:{key}" if key else f"guest:{connection}"
    return Visitor("1", person, "ann", not key, {}, connection, person if key else "")


class Asked:
    """A server of which is asked, and a note of how long those waited who asked too fast."""

    def __init__(self) -> None:
        self.world = World()
        self.server = Server(GAMES, BOTS, config=ServerConfig(), ports=self.world.ports())
        for number, address in NETWORKS.items():
            connect(self.server, address, number)
        self.waited: list[float] = []
        self.host = LocalBackend(self.server, wait=self.wait)

    async def wait(self, seconds: float) -> None:
        self.waited.append(seconds)

    async def answered(self, visitor: Visitor, words: str, times: int) -> int:
        """How many of so many questions are answered; all others have to be refused, in one sentence."""
        replies = [await self.host.run_command(visitor, words.split()) for _ in range(times)]
        refused = [reply for reply in replies if reply.status == TOO_MANY]
        assert all(reply == Reply(stderr=f"{TOO_FAST_MESSAGE}\n", status=TOO_MANY) for reply in refused)
        assert self.waited == [REFUSAL_DELAY] * len(refused)
        self.waited.clear()
        return len(replies) - len(refused)


@pytest.fixture
async def asked() -> AsyncIterator[Asked]:
    asked = Asked()
    yield asked
    await asked.server.close()


async def test_a_loop_is_answered_as_fast_as_a_person_may_send_commands(asked: Asked) -> None:
    ann = somebody(3, "ann")
    assert await asked.answered(ann, "games", 3 * BURST) == BURST
    asked.world.skip(0.5)
    assert await asked.answered(ann, "help", BURST) == ServerConfig().rate / 2
    assert await asked.answered(somebody(3, "bo"), "games", 1) == 1, "somebody else is answered"


@pytest.mark.parametrize(
    "words", ["games --finished", "games --fin --json", "top", "profile", "export K7QP-3", "review K7QP-3"]
)
async def test_what_is_more_work_counts_more(asked: Asked, words: str) -> None:
    assert await asked.answered(somebody(4, "ann"), words, BURST) == BURST // 5


async def test_keys_that_are_made_for_it_are_counted_by_where_they_come_from(asked: Asked) -> None:
    got = [await asked.answered(somebody(1 + n % 2, f"{n}"), "games", BURST) for n in range(10)]
    assert sum(got) == NETWORK_FACTOR * BURST
    assert await asked.answered(somebody(3, "far"), "games", 1) == 1
    free = [await asked.answered(somebody(4, f"free {n}"), "games", BURST) for n in range(10)]
    assert free == [BURST] * 10, "where nobody is counted by it"


async def test_guests_are_counted_by_where_they_come_from_and_those_at_tables_feel_nothing(
    asked: Asked,
) -> None:
    assert await asked.answered(somebody(1), "games", 5 * BURST) == NETWORK_FACTOR * BURST
    assert await asked.answered(somebody(2), "games", 1) == 0
    assert await asked.answered(somebody(3), "games", 1) == 1
    guest = Guest(asked.server.open_link(Person("guest:2", "ann", guest=True), 2))
    await guest.ask(Hello(VERSION), Welcome)


class Hosts:
    """Knows everybody as a host."""

    def knows(self, visitor: Visitor) -> bool:
        return True

    async def run_command(self, visitor: Visitor, words: Sequence[str], translator: Translator) -> Reply:
        return Reply(stdout="done\n")


async def test_hosts_may_ask_as_often_as_they_like(asked: Asked) -> None:
    asked.host = LocalBackend(asked.server, admin=Hosts(), wait=asked.wait)
    for words in ("games", "top", "admin who"):
        assert await asked.answered(somebody(1, "ann"), words, 200) == 200


UNKNOWN = "known whether anything was done"


async def test_an_error_in_the_server_is_told_as_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(command_handler, "parse_ssh_command", broken)
    with capture_logs() as logs:
        reply = await answer(Server(GAMES, BOTS), "games")
    assert reply == Reply(stderr=f"{COMMAND_CRASHED.format(id='1')}\n", status=FAILURE)
    assert [(line["event"], line["session"]) for line in logs] == [("session crashed", "1")]


class Scene(NamedTuple):
    """A table of ann and bob at a server whose journal can be held, and ann's line to it."""

    journal: MemoryJournal
    server: Server
    listener: Listener
    code: str
    name: str
    connect: Callable[..., Awaitable[asyncssh.SSHClientConnection]]
    """As whoever is on turn, or with another key."""


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    journal = MemoryJournal()
    server = Server(GAMES, BOTS, QUICK, World().ports(), journal)
    keys = {name: asyncssh.generate_private_key("ssh-ed25519") for name in ("ann", "bob")}
    guests = [await a_guest(server, name, person=key.get_fingerprint()) for name, key in keys.items()]
    table = await guests[0].ask(Create("cartino", {}), TableView)
    guests[1].say(Join(table.code))
    table = await guests[0].wait(TableView, lambda table: table.state == "playing")
    listener = await listen(
        ListenerConfig(port=own_port()),
        asyncssh.generate_private_key("ssh-ed25519"),
        ServerRequestHandler(LocalBackend(server)),
    )
    name = table.seats[table.turn[0]].name

    async def connect(key: asyncssh.SSHKey = keys[name]) -> asyncssh.SSHClientConnection:
        return await asyncssh.connect(
            "127.0.0.1", listener.port, config=None, known_hosts=None, username=name, client_keys=[key]
        )

    yield Scene(journal, server, listener, table.code, name, connect)
    journal.release()
    await listener.close()
    await server.close()


async def table(scene: Scene) -> tuple[int, str]:
    """The number of the state, and the first move of whoever is on turn."""
    async with await scene.connect() as line:
        told = msgspec.json.decode(str((await line.run(f"show {scene.code} --json", check=True)).stdout))
    return told["number"], told["moves"][0]["move"] if told["moves"] else ""


async def broken_off(
    scene: Scene, words: str, breaking: Callable[[], Coroutine[None, None, object]]
) -> asyncssh.SSHCompletedProcess:
    """What `words` come to if `breaking` happens while the first thing they change is being saved."""
    scene.journal.hold()
    async with await scene.connect() as line:
        asking = asyncio.create_task(line.run(words))
        await scene.journal.until(lambda journal: journal.held)
        breaking_off = asyncio.create_task(breaking())
        done = await asking
    scene.journal.release()
    await breaking_off
    return done


async def test_a_move_that_a_kick_breaks_off_is_not_said_to_be_done_and_can_be_sent_again(
    scene: Scene,
) -> None:
    number, move = await table(scene)
    words = f"move {scene.code} --number {number} {move} end"

    async def kick() -> None:
        for connection in range(1, 9):
            scene.listener.dismiss(connection, LazyMessage(VISIT_ENDED))

    done = await broken_off(scene, words, kick)
    assert done.exit_status == BROKEN_OFF
    assert UNKNOWN in str(done.stderr)
    assert done.stdout == ""
    assert (await table(scene))[0] == number + 1, "half was done"
    async with await scene.connect() as line:
        for _ in range(2):
            assert (await line.run(words)).exit_status == 0
    assert (await table(scene))[0] == number + 2


@pytest.mark.parametrize("words", ["move {code} {move} end", "chat {code} hello"])
async def test_whatever_the_end_of_the_server_breaks_off_has_that_status(scene: Scene, words: str) -> None:
    _, move = await table(scene)
    done = await broken_off(
        scene, words.format(code=scene.code, move=move), lambda: scene.listener.close(RESTART_MESSAGE)
    )
    assert done.exit_status == BROKEN_OFF
    assert UNKNOWN in str(done.stderr)
    assert str(RESTART_MESSAGE) in str(done.stderr)


async def test_so_has_what_a_lost_journal_breaks_off(scene: Scene) -> None:
    _, move = await table(scene)

    async def lose() -> None:
        scene.journal.dead = JournalClosed("the disk has gone")
        scene.journal.release()
        await scene.listener.close(RESTART_MESSAGE)

    done = await broken_off(scene, f"move {scene.code} {move} end", lose)
    assert done.exit_status == BROKEN_OFF
    assert UNKNOWN in str(done.stderr)


async def test_who_follows_a_table_hears_that_it_was_broken_off(scene: Scene) -> None:
    eve = asyncssh.generate_private_key("ssh-ed25519")
    async with (
        await scene.connect(eve) as line,
        line.create_process(f"watch {scene.code} --lines") as following,
    ):
        await following.stdout.readline()
        await scene.server.close()
        told = await following.stdout.read()
        done = await following.wait()
    assert done.exit_status == BROKEN_OFF
    assert "Connect again" in told


async def test_what_is_dismissed_before_its_first_step_has_that_status_too(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start_and_go(session: Session) -> None:
        start(session)
        session.dismiss(RESTART_MESSAGE)

    start = Session.session_started
    monkeypatch.setattr(Session, "session_started", start_and_go)
    async with await scene.connect() as line:
        done = await line.run(f"show {scene.code}")
    assert (done.exit_status, done.stdout, done.stderr) == (BROKEN_OFF, "", f"{RESTART_MESSAGE}\n")


async def test_who_comes_when_the_server_of_a_worker_has_gone_may_ask_again(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nobody_there(_: object, __: LoginRequest) -> LoginResult:
        return await lost.judge(LoginRequest(1, "", "", ""))

    lost = RemoteServer(NotedLine())
    lost.lose()
    monkeypatch.setattr("cartino_server.ssh.authentication.LoginTracker.judge", nobody_there)
    listener = await listen(
        ListenerConfig(port=own_port()),
        asyncssh.generate_private_key("ssh-ed25519"),
        ServerRequestHandler(LocalBackend(scene.server)),
    )
    key = asyncssh.generate_private_key("ssh-ed25519")
    async with await asyncssh.connect(
        "127.0.0.1", listener.port, config=None, known_hosts=None, username="ann", client_keys=[key]
    ) as line:
        done = await line.run(f"move {scene.code} end")
    await listener.close()
    assert (done.exit_status, done.stderr) == (BROKEN_OFF, f"{SERVER_UNAVAILABLE}\n")
