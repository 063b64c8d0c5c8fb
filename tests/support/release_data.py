"""Open the data of an earlier release, which is kept in `tests/data`, and read it through the public interfaces."""

import asyncio
import json
import os
import re
import subprocess
import tarfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncssh

from tests.support.shim import compiled_shim
from tests.support.ssh_visitor import ENVIRONMENT, Visitor, visitors
from tests.support.ssh_world import CARTINO, Server

DATA = Path(__file__).parents[1] / "data"
PEOPLE = ("ann", "bob", "cat", "dan", "mia", "eli", "ann-too")
"""Those with keys who may connect. `ann-too` is a second key of ann's, and `eli` an admin without a seat."""
CHAT_LINE = ("n", "name", "text", "channel", "who")
RECENT = 12
"""As many of the newest events a view of the first release showed."""
OPTIONS = ("--workers", "0", "--bot-pause", "0", "--grace", "0")


class Scene:
    """The data directory in `place`, the keys of its people, and the `program` that serves it.

    `late`: the seconds by which that program's clock is wrong.
    """

    def __init__(self, place: Path, program: Sequence[str] = CARTINO, late: float = 0.0) -> None:
        self.place, self.program, self.late = place, program, late

    @property
    def now(self) -> float:
        """What the program's clock shows."""
        return time.time() + self.late

    def start(self, *options: str) -> Server:
        """Start a server."""
        host = asyncssh.read_private_key(self.place / "keys" / "eli").get_fingerprint()
        env = {**ENVIRONMENT, "CARTINO_ADMINS": host}
        if self.late:
            late = self.place / "late"
            late.write_text(str(round(self.late)))
            env |= {"LD_PRELOAD": str(compiled_shim(self.place)), "FAULT_CLOCK": str(late)}
        return Server(self.place, *OPTIONS, *options, program=self.program, env=env)

    @contextmanager
    def running(self, *options: str) -> Iterator[Server]:
        """Run a server, and check that it ends well."""
        server = self.start(*options)
        try:
            yield server
        finally:
            server.ends_well()

    def cartino(self, *words: object) -> str:
        """Run a subcommand on the data directory, which has to succeed, and return what it prints."""
        return cartino(*words, "--data", self.place / "data", program=self.program)


def unpack(release: str, scene: str, place: Path) -> Any:
    """Unpack the data directory and the keys of a `scene` into `place`; return what the release reported."""
    with tarfile.open(DATA / release / f"{scene}.tar.xz") as packed:
        packed.extractall(place, filter="data")
    (place / "data").chmod(0o700)
    reported = place / "reported.json"
    if not reported.exists():
        reported = DATA / release / f"{scene}.json"
        (place / "records").symlink_to(DATA / release / "records")
    return json.loads(reported.read_text("utf-8"))


def port_of(server: Server) -> int:
    """Return the port in the server's greeting."""
    found = re.search(r":(\d+)\b", server.greeting)
    assert found is not None, (server.greeting, server.log.read_text())
    return int(found[1])


def cartino(*words: object, program: Sequence[str] = CARTINO) -> str:
    """Run the command line, which has to succeed, and return what it prints."""
    command, env = [*program, *map(str, words)], {**os.environ, "CARTINO_PORT": "0"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, (words, done)
    return done.stdout


async def read_all(scene: Scene, server: Server, commands: Sequence[str]) -> dict[str, Any]:
    """Read all that the server, just started, shows people and admins, and what it answers to `commands`.

    Change nothing.
    """
    async with visitors(port_of(server), scene.place / "keys", *PEOPLE) as who:
        people = dict(zip(who, await asyncio.gather(*map(_person, who.values())), strict=True))
        codes = sorted({line["code"] for told in people.values() for line in told["mine"] if "code" in line})
        tables = await asyncio.gather(*(_table(code, who) for code in codes))
        admin = {words: await who["eli"].json(f"admin {words}") for words in ("bans", "reports")}
        answers = {
            f"{name}: {words}": await _told(who[name], words) for words in commands for name in ("ann", "cat")
        }
    shown = {"people": people, "tables": dict(zip(codes, tables, strict=True)), "admin": admin}
    return shown | ({"answers": answers} if answers else {})


async def _person(visitor: Visitor) -> dict[str, Any]:
    """Read what a person may see outside of tables."""
    line = await visitor.call()
    # Of what is sent on arrival, this comes last.
    await line.wait("LobbyView")
    welcome = line.newest["Welcome"]
    ignored = line.newest.get("Ignored", {"people": []})
    keys = (await visitor.json("keys"))["keys"]
    profiles = ["", "ann", "bob", "Daniel", "mia", "bot greedy", "cat --against bob"]
    return {
        "name": welcome["name"],
        "settings": welcome.get("settings"),
        "ignored": [row[:2] for row in ignored["people"]],
        "keys": [{name: key[name] for name in ("fingerprint", "added", "here")} for key in keys],
        "games": await visitor.json("games"),
        "mine": await visitor.json("games --mine"),
        "finished": await visitor.json("games --finished"),
        "mine finished": await visitor.json("games --finished --mine"),
        "top": await visitor.json("top"),
        "profiles": {each: await _told(visitor, f"profile {each}") for each in profiles},
    }


async def _told(visitor: Visitor, words: str) -> Any:
    """Return what the command answers, or None if it refuses."""
    said = await visitor.run(f"{words} --json")
    return json.loads(said.out) if said.status == 0 else None


async def _table(code: str, who: dict[str, Visitor]) -> dict[str, Any]:
    """Read a table as its players and a spectator may see it, with its public record and its chat."""
    told = {name: await _told(who[name], f"show {code}") for name in ("ann", "bob", "cat", "dan", "eli")}
    if told["eli"] is None:
        return {"views": told}
    record = await who["eli"].run(f"export {code}")
    line = await who["eli"].call()
    chat = await line.ask("Watch", "ChatView", code=code)
    await line.close()
    return {
        "views": {name: view for name, view in told.items() if view["you"] is not None or name == "eli"},
        "record": [json.loads(each) for each in record.out.splitlines()],
        "chat": [dict(zip(CHAT_LINE, row, strict=False)) for row in chat["lines"]],
    }


def differences(before: Any, after: Any, where: str = "") -> list[str]:
    """List where `after` differs from `before`. Fields that objects have only in `after` don't count.

    The seconds that are left of a turn may differ by a minute. Where a view was full of RECENT events it may show
    earlier ones too.
    """
    match before, after:
        case dict(), dict():
            return [
                each
                for name, value in before.items()
                for each in (
                    differences(value, after[name], f"{where}/{name}")
                    if name in after
                    else [f"{where}/{name} is missing"]
                )
            ]
        case list(), list() if where.endswith("/recent") and len(before) == RECENT < len(after):
            return differences(before, after[-RECENT:], where)
        case list(), list() if len(before) == len(after):
            return [
                each
                for at, pair in enumerate(zip(before, after, strict=True))
                for each in differences(*pair, f"{where}/{at}")
            ]
        case ((float() | int()), (float() | int())) if where.endswith("/left"):
            return [] if abs(before - after) < 60 else [f"{where}: {before}, now {after}"]
        case _:
            return [] if before == after else [f"{where}: {before!r}, now {after!r}"]
