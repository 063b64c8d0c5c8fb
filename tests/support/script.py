"""Run scripts: text files of what people and admins do at a server in this process, and what must come.

A file has several scripts, each below a line `== TITLE`. The lines of a script are those of a transcript
(`tests/support/transcript.py`), with other things that people do:

* `NAME+ [from=ADDRESS] [key=NAME] [as=USER]`: NAME logs in by the key of that name (`~NAME` as a
  guest), and is greeted; expected output is the sentence that refuses them;
* `NAME@ …`: the same, without a session;
* `NAME-`: their connection ends;
* `NAME> COMMAND [VALUE…] [FIELD=VALUE…]`: they send a command of the protocol;
* `NAME< ANSWER [FIELD=VALUE…]`: they wait for that answer; a chat has its `text`s and the number of its
  `last` line, a table its `seats` by name;
* `NAME$ WORDS`: they run `ssh NAME@server WORDS`; `admin$ WORDS` is `cartino admin WORDS`;
* `set+ SETTING=VALUE…`: log-ins follow these settings; `time+ SECONDS`: so much time passes;
* `here$`, `counted$`, `dismissed$`: the connections that are logged in, the kinds of refusals, and the connections that
  were closed, with what they were told.
"""

import asyncio
import shlex
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from cartino_protocol.commands import Command, Hello
from cartino_protocol.views import Answer, ChatView, TableView, Welcome
from cartino_protocol.wire import VERSION
from cartino_server.admin.context import AdminContext
from cartino_server.admin.dispatch import AdminDispatcher, AuditLog
from cartino_server.admin.draining import Drainer
from cartino_server.app.command_handler import LocalBackend
from cartino_server.lobby.people.connections import Connections
from cartino_server.operations.health import ServerHealth, ServerStatus
from cartino_server.operations.login import ServerAuthenticator
from cartino_server.operations.settings import ServerSettings, SettingsChange
from cartino_server.server import Server
from cartino_server.ssh.ports import split_command
from cartino_server.store.maintenance import Upkeep
from cartino_server.store.moderation import BanList
from cartino_server.store.people import PersonKeys, open_people
from cartino_server.visitors import LoginRequest, Reply, Visitor
from cartino_tui.i18n import ENGLISH
from tests.support.admission_settings import login_settings
from tests.support.game_server import QUICK, Guest, World, race_bots, texts
from tests.support.games import BOTS, GAMES
from tests.support.race import Race
from tests.support.transcript import Matcher, Step, steps

NOW = 1_769_860_800.0
"""2026-01-31 12:00 UTC."""
_COMMANDS = {kind.__name__: kind for kind in get_args(Command)}


def key_of(name: str) -> str:
    """The fingerprint of the key of `name`."""
    return f"SHA256:{(name * 43)[:43]}"


def scripts_in(path: Path) -> list[Any]:
    """The scripts in a file, to parametrise a test with."""
    _, *scripts = path.read_text("utf-8").split("\n== ")
    titled = (script.splitlines() for script in scripts)
    return [pytest.param(lines, id=title) for title, *lines in titled]


async def _well() -> ServerStatus:
    return ServerStatus(ServerHealth(True, (), True, 0, 1, 1, 0.0, 1, True), {"people": 1})


class ScriptServer:
    """A server with its admin commands, and people who log in to it; admins are those with the key of `hosty`."""

    def __init__(self, data: Path, upkeep: Upkeep | None = None) -> None:
        self.data = data
        self.people_db = open_people(data)
        self.game_time = NOW - 86_400
        """The time at which games end."""
        self.now = NOW
        self.world = World()
        ports = msgspec.structs.replace(
            self.world.ports(), now=lambda: datetime.fromtimestamp(self.game_time, UTC).isoformat()
        )
        self.counted: list[str] = []
        self.dismissed: list[tuple[int, str]] = []
        self.bans = BanList(self.people_db, lambda: NOW)
        self.server = Server(
            {**GAMES, "race": Race()},
            {**BOTS, **race_bots()},
            QUICK,
            ports,
            people_db=self.people_db,
            bans=self.bans,
            connections=Connections(lambda number, farewell: self.dismissed.append((number, str(farewell)))),
        )
        self.stopped = asyncio.Event()
        self.reread: Callable[[], SettingsChange] = lambda: SettingsChange(("tables",), ("port",))
        services, self.keys = self.server.services, PersonKeys(self.people_db)
        self.keeper = ServerAuthenticator(
            self.keys,
            self.bans,
            services.connections,
            services.moderation,
            services.overview,
            login_settings(admins=(key_of("hosty"),)),
            count=self.counted.append,
            now=lambda: self.now,
        )
        context = AdminContext(
            services,
            self.keeper,
            self.bans,
            self.keys,
            self.people_db,
            Drainer(services.moderation, services.overview, self.stopped.set, every=0),
            self._read_settings,
            _well,
            lambda: NOW,
            upkeep,
        )
        self.dispatcher = AdminDispatcher(context, AuditLog(data), lambda: 0.0)
        self.backend = LocalBackend(self.server, wait=lambda _: asyncio.sleep(0))
        self.visitors: dict[str, Visitor] = {}
        self.guests: dict[str, Guest] = {}
        self._connections = 0

    def _read_settings(self) -> SettingsChange:
        return self.reread()

    async def close(self) -> None:
        """End the server."""
        await self.server.close()
        await self.people_db.close()

    async def log_in(self, name: str, source: str = "192.0.2.1", key: str = "", user: str = "") -> str:
        """Log NAME in; return the sentence that refuses them, "" for none."""
        self._connections += 1
        number, guest = self._connections, name.startswith("~")
        bare = name.removeprefix("~")
        key, user = "" if guest else key_of(key or bare), user or bare
        verdict = await self.keeper.judge(LoginRequest(number, source, key, user, "SSH-2.0-x"))
        if not verdict.refused.text:
            visitor = Visitor(str(number), verdict.person, user, guest, {}, number, key, source)
            self.visitors[name] = visitor
        return str(verdict.refused)

    async def come(self, name: str, source: str = "192.0.2.1", **how: str) -> Guest:
        """Log NAME in and greet them."""
        assert not await self.log_in(name, source, **how)
        guest = self.guests[name] = Guest(self.backend.open_link(self.visitors[name]))
        await guest.ask(Hello(VERSION), Welcome)
        return guest

    def leave(self, name: str) -> None:
        """End NAME's connection."""
        self.guests[name].link.close()
        self.keeper.forget_connection(self.visitors[name].connection)

    def configure(self, words: str) -> None:
        """Let log-ins follow `SETTING=VALUE…`."""
        off = {"connections": 0, "connections_each": 0, "connections_a_person": 0}
        given = dict(word.split("=") for word in words.split())
        lists = {name: given.pop(name).split(",") for name in ("exempt",) if name in given}
        settings = {"admins": [key_of("hosty")], **off, **given, **lists}
        self.keeper.configure(msgspec.convert(settings, ServerSettings, strict=False))

    def pass_time(self, seconds: float) -> None:
        """Let time pass on each clock."""
        self.now += seconds
        self.world.time += seconds

    def shown(self, what: str) -> str:
        """What is known of connections: `here`, `counted` or `dismissed`."""
        match what:
            case "here":
                return " ".join(str(each.connection) for each in self.keeper.active)
            case "counted":
                return " ".join(self.counted)
            case _:
                return "\n".join(f"{number} {farewell}".rstrip() for number, farewell in self.dismissed)

    async def administer(self, words: str) -> Reply:
        """Run `cartino admin words`."""
        return await self.dispatcher.run_command("uid 0", split_command(words), ENGLISH)

    async def shell(self, name: str, words: str) -> Reply:
        """Run `ssh NAME@server words`."""
        if name not in self.visitors:
            assert not await self.log_in(name)
        return await self.backend.run_command(self.visitors[name], split_command(words))


async def run_script(lines: Sequence[str], server: ScriptServer) -> None:
    """Run the lines of a script; an AssertionError names the line that isn't as expected."""
    matcher = Matcher()
    for step in steps("script", lines):
        await _do(step, matcher.fill(step.words), matcher, server)


async def _do(step: Step, words: str, matcher: Matcher, server: ScriptServer) -> None:
    match step.what:
        case "+" if step.name == "set":
            server.configure(words)
        case "+" if step.name == "time":
            server.pass_time(float(words))
        case "$" if step.name in {"here", "counted", "dismissed"}:
            matcher.compare(step, server.shown(step.name), "", 0)
        case "+" | "@":
            how = dict(word.split("=") for word in words.split())
            asked = {
                "source": how.get("from", "192.0.2.1"),
                "key": how.get("key", ""),
                "user": how.get("as", ""),
            }
            refused = ""
            if step.out or step.what == "@":
                refused = await server.log_in(step.name, **asked)
            else:
                await server.come(step.name, **asked)
            matcher.compare(step, refused, "", 0)
        case "-":
            server.leave(step.name)
        case ">":
            server.guests[step.name].say(_command(words))
        case "<":
            kind, *facts = _split(words)
            await _wait(
                server.guests[step.name], kind, [fact.split("=", 1) for fact in facts], matcher, step.line
            )
        case "$":
            run = server.administer(words) if step.name == "admin" else server.shell(step.name, words)
            reply = await run
            matcher.compare(step, reply.stdout, reply.stderr, reply.status)
        case _:
            raise ValueError(step.line)


def _split(words: str) -> list[str]:
    """Split words at blanks outside of quotes; backslashes are those of regular expressions."""
    lexer = shlex.shlex(words, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", ""
    return list(lexer)


def _command(words: str) -> Command:
    name, *values = _split(words)
    kind = _COMMANDS[name]
    fields = [field.encode_name for field in msgspec.structs.fields(kind)]
    given: dict[str, object] = {}
    for at, value in enumerate(values):
        field, sign, named = value.partition("=")
        given |= {field: named.split("|") if "|" in named else named} if sign else {fields[at]: value}
    command: Command = msgspec.convert(given, kind, strict=False)
    return command


async def _wait(guest: Guest, kind: str, facts: list[list[str]], matcher: Matcher, line: str) -> None:
    """Wait for an answer of `kind` with these facts."""

    def is_it(answer: Answer) -> bool:
        return type(answer).__name__ == kind and all(
            any(matcher.match_line(value, text) for text in _texts_of(answer, field))
            for field, value in facts
        )

    try:
        while not is_it(await guest.next()):
            pass
    except Exception as error:
        raise AssertionError(f"{line}\nheard: {guest.heard[-3:]}") from error


def _texts_of(answer: Answer, field: str) -> Sequence[str]:
    if isinstance(answer, ChatView) and field == "text":
        return texts(answer)
    if isinstance(answer, ChatView) and field == "last":
        return [str(answer.lines[-1].n)] if answer.lines else []
    if isinstance(answer, TableView) and field == "seats":
        return [",".join(seat.name for seat in answer.seats)]
    return [str(getattr(answer, field))]
