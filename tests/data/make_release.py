"""Make the data of a release: `python -m tests.data.make_release release-2 CARTINO`.

CARTINO is the command `cartino` of that release, which may need PROTOCOL=3. Codes, keys and deals differ on each run.
Days pass between the parts: a shim, which needs Linux and a C compiler, shifts the release's clock.
"""

import asyncio
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import asyncssh

from tests.data import second_release
from tests.support.release_data import PEOPLE, Scene, port_of, save
from tests.support.ssh_visitor import Table, Visitor, sit, visitors
from tests.support.ssh_world import Server

DAY = 86_400


async def games_that_end(who: dict[str, Visitor]) -> None:
    """Play games of two, three and four seats in both editions: with bots, private, abandoned, and a rematch."""
    ann, bob, cat, dan = (who[name] for name in ("ann", "bob", "cat", "dan"))
    for game_table in (
        await sit(ann, bob, cat, edition="1969"),
        await sit(ann, bob, cat, dan),
        await sit(bob, edition="1969", bots=["random"]),
        await sit(dan, bots=["greedy", "random"]),
        await sit(ann, dan, edition="1969", bots=["greedy", "greedy"]),
        await sit(cat, ann, open=False),
        await sit(who["gil"], bots=["greedy", "greedy", "random"]),
    ):
        await game_table.play()
        await game_table.leave()
    game_table = await sit(ann, bob)
    await game_table.play()
    for line in game_table.lines:
        line.send("Rematch")
    await game_table.lines[0].wait("RoomView", lambda table: table["state"] == "playing")
    await game_table.play()
    await game_table.leave()
    game_table = await sit(dan, cat, edition="1969")
    await game_table.play(3)
    await game_table.leave()
    game_table = await sit(bob, cat, absence="30s")
    await game_table.play(4)
    await game_table.lines[1].close()
    game_table.people.remove(cat)
    await game_table.play()
    await game_table.leave()


async def lay_one(table: Table) -> Visitor:
    """Lay a stone that doesn't end the turn; return whose turn it is."""
    while True:
        mover = await table.mover() or table.people[0]
        move = (await mover.json(f"show {table.code}"))["moves"][0]["move"]
        if (await mover.json(f"move {table.code} '{move}'"))["table"]["moves"]:
            return mover


async def watch_and_say(spectator: Visitor, code: str, text: str) -> int:
    """Say `text` as a spectator; return the number of that line."""
    line = await spectator.call()
    await line.ask("Watch", "RoomView", code=code)
    chat = await line.ask("Say", "ChatView", lambda chat: chat["lines"][-1][2] == text, text=text)
    return int(chat["lines"][-1][0])


async def games_that_go_on(who: dict[str, Visitor]) -> dict[str, str]:
    """Play games of several kinds in part, and say things there; return notes for the test."""
    ann, bob, cat, dan, gil = (who[name] for name in ("ann", "bob", "cat", "dan", "gil"))
    middle = await sit(ann, bob)
    await middle.play(40)
    mover = await lay_one(middle)
    middle.lines[middle.people.index(mover)].send("Keep", selection={"stone": 1})
    for person, text in ((ann, "Good evening!"), (bob, "Glück auf, Ann."), (ann, "Et à toi — ☕ ?")):
        await person.run(f"chat {middle.code} {text}")
    await watch_and_say(who["eli"], middle.code, "She holds both kings.")
    number = await watch_and_say(who["mia"], middle.code, "You all play like children.")
    line = await who["eli"].call()
    await line.ask("Watch", "ChatView", code=middle.code)
    await line.ask("Report", "Reported", line=number)

    paused = await sit(ann, cat, edition="1969", clock="120s")
    await paused.play(4)
    for line in paused.lines:
        line.send("Pause", on=True)
    await paused.lines[0].wait("RoomView", lambda table: table.get("paused"))
    by_correspondence = await sit(bob, dan, clock="day")
    await by_correspondence.play(6)
    private = await sit(cat, ann, edition="1969", open=False, bots=["greedy"], absence="never")
    await private.play(4)
    with_guest = await sit(gil, bob)
    await with_guest.play(3)
    guest = await with_guest.lines[0].wait("Welcome", lambda told: told.get("word"))
    waiting = await sit(dan, edition="1969", seats=4, bots=["random"])
    await waiting.lines[0].ask("Say", "ChatView", text="Two more?")
    over = await sit(bob, ann)
    await over.play()
    return {
        "mid-turn": middle.code,
        "paused": paused.code,
        "correspondence": by_correspondence.code,
        "private": private.code,
        "guest": with_guest.code,
        "resume code": guest["word"],
        "open": waiting.code,
        "finished": over.code,
    }


async def choices(who: dict[str, Visitor]) -> None:
    """Choose settings, a name, whom to ignore, and a second key."""
    line = await who["cat"].call()
    line.send("Prefer", settings={"language": "fr", "theme": "contrast", "hints": True})
    await line.ask("Ignore", "Ignored", lambda told: told["people"], name="mia")
    line = await who["dan"].call()
    line.send("Prefer", settings={"keymap": "own", "own_keys": {"end": "x"}})
    await line.ask("Rename", "Welcome", lambda told: told["name"] == "Daniel", name="Daniel")
    code = (await who["ann"].json("keys code"))["code"]
    await who["ann-too"].json(f"keys add {code}")
    await who["eve"].call()


def moderate(scene: Scene) -> None:
    """Ban and mute, for ever."""
    for words in (
        "ban key eve for good because of spam",
        "ban source 203.0.113.0/24 for good because of a flood",
        "ban name Nasty for good",
        "mute mia for good because of insults",
    ):
        scene.cartino("admin", *words.split())


@contextmanager
def serving(scene: Scene, *options: str) -> Iterator[Server]:
    """Run a server; its log may say that a busy machine was too slow for a review."""
    server = scene.start(*options)
    try:
        yield server
    finally:
        server.tell_to_end()
        assert server.exit_status() == 0


async def main(release: str, program: Sequence[str]) -> None:
    """Make both scenes: a server that was stopped, and one that was started on that data and killed."""
    second = release != "release-1"
    names = (*PEOPLE, *(second_release.PEOPLE if second else ()), "eve")
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(Path(folder), program)
        (scene.place / "keys").mkdir()
        for name in names:
            asyncssh.generate_private_key("ssh-ed25519").write_private_key(scene.place / "keys" / name)
        keys, names = scene.place / "keys", (*names, "gil")

        scene.late = -15 * DAY
        with serving(scene, "--empty-after", "0", "--unfinished-after", "0") as server:
            async with visitors(port_of(server), keys, *names) as who:
                await games_that_end(who)
                if second:
                    await second_release.games_that_end(who)
        commands: list[str] = []
        if second:
            for days, part in second_release.PARTS:
                scene.late = -days * DAY
                with serving(scene) as server:
                    async with visitors(port_of(server), keys, *names) as who:
                        commands += await part(scene, who)
        scene.late = 0
        notes: dict[str, str] = {}
        if second:
            with serving(scene) as server:
                async with visitors(port_of(server), keys, *names) as who:
                    notes, asked = await second_release.today(who)
                    commands += asked
        # A start makes up for evaluations that a busy machine was too slow for, so that nothing is due any more.
        judged = not second
        while not judged:
            with serving(scene) as server:
                async with visitors(port_of(server), keys, "ann", "bob", "cat") as who:
                    judged = await second_release.all_judged(who, commands)
        # Nobody leaves an open table before the server stops: it would close.
        with serving(scene) as server:
            async with visitors(port_of(server), keys, *names) as who:
                notes |= await games_that_go_on(who)
                if second:
                    notes |= await second_release.games_that_go_on(who)
                    commands += await second_release.reviews(who)
                await choices(who)
                moderate(scene)
                server.tell_to_end()
                server.exit_status()
        await save(release, "stopped", scene, notes, commands)
        server = scene.start()
        async with visitors(port_of(server), keys, *names) as who:
            await who["ann"].run(f"chat {notes['mid-turn']} Is this still on?")
            new = await sit(who["cat"], who["bob"])
            await new.play(3)
            server.kill()
        await save(release, "killed", scene, notes | {"new": new.code}, commands)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
