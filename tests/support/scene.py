"""A table with people at it, and what they may do there; everybody else's silence can be heard."""

import asyncio
from collections.abc import Callable

import msgspec

from cartino_protocol.commands import (
    Act,
    Command,
    Create,
    Cut,
    Join,
    QuickPlay,
    Rematch,
    Say,
    Sit,
    Stand,
    Start,
    Watch,
)
from cartino_protocol.views import Answer, ChatView, TableView
from cartino_protocol.wire import encode_raw
from cartino_server.server import Server
from tests.support.game_server import Guest, World, a_guest
from tests.support.journal import MemoryJournal
from tests.support.lasting import ServerKeeper, hush, lasting
from tests.support.race import Add


class Scene:
    """A table with ann and bob on it and eve watching, and joe in the lobby."""

    def __init__(self, server: Server, journal: MemoryJournal, code: str, people: dict[str, Guest]) -> None:
        self.server = server
        self.journal = journal
        self.code = code
        self.people = people

    async def looks(self) -> dict[str, tuple[TableView, ChatView]]:
        """What everybody at the table sees if they look anew."""
        return {name: await self.look(name) for name in ("ann", "bob", "eve")}

    async def look(self, name: str) -> tuple[TableView, ChatView]:
        """What one person sees, but for the review of a finished game, which comes by itself."""
        guest = self.people[name]
        table = await guest.ask(Watch(self.code), TableView)
        if table.result is not None:
            unreviewed = msgspec.structs.replace(table.result, rating=None, missed=None)
            table = msgspec.structs.replace(table, result=unreviewed)
        return table, await guest.wait(ChatView)

    async def quiet(self) -> None:
        """Everybody has read all that there is."""
        await turns()
        for guest in self.people.values():
            await hush(guest)


async def turns(count: int = 60) -> None:
    """Let whatever can go on do so."""
    for _ in range(count):
        await asyncio.sleep(0)


async def a_scene(servers: ServerKeeper, world: World, journal: MemoryJournal, state: str) -> Scene:
    """A table of three that is open, or one of two at which a game runs or is over."""
    server = lasting(servers, world, journal)
    people = {name: await a_guest(server, name) for name in ("ann", "bob", "eve", "joe")}
    seats = 3 if state == "open" else 2
    code = (await people["ann"].ask(Create("race", seats=seats), TableView)).code
    await people["bob"].ask(Join(code), TableView)
    await people["eve"].ask(Watch(code), TableView)
    if state == "finished":
        await people["ann"].wait(TableView, lambda view: view.state == "playing")
        await people["ann"].act(Add(3))
        await people["ann"].wait(TableView, lambda view: view.state == "finished")
        # What the review tells the players comes by itself.
        await journal.until(lambda it: it.reviewed)
        await people["bob"].ask(Rematch(), TableView, lambda view: view.again == (1,))
    scene = Scene(server, journal, code, people)
    await scene.quiet()
    return scene


ACTS: dict[str, tuple[str, str, Callable[[Scene], Command]]] = {
    "a line of chat": ("open", "bob", lambda _: Say("hello")),
    "a cut": ("open", "bob", lambda _: Cut("in the middle")),
    "standing up": ("open", "bob", lambda _: Stand()),
    "sitting down, and the deal": ("open", "eve", lambda _: Sit(2)),
    "coming to a seat": ("open", "joe", lambda scene: Join(scene.code)),
    "quick play": ("open", "joe", lambda _: QuickPlay()),
    "starting": ("open", "ann", lambda _: Start()),
    "a move": ("playing", "ann", lambda scene: Act(1, encode_raw(Add(1)))),
    "the last move": ("playing", "ann", lambda scene: Act(1, encode_raw(Add(3)))),
    "a spectator's words": ("playing", "eve", lambda _: Say("a good card")),
    "the agreement on a rematch": ("finished", "ann", lambda _: Rematch()),
    "giving a seat up": ("finished", "ann", lambda _: Stand()),
}


async def waiting(*guests: Guest) -> dict[str, asyncio.Task[Answer]]:
    """What each of them hears next; nobody has heard anything yet."""
    tasks = {guest.link.person.name: asyncio.create_task(guest.next()) for guest in guests}
    await turns()
    heard = {name: task.result() for name, task in tasks.items() if task.done()}
    assert heard == {}
    return tasks


async def ended(tasks: dict[str, asyncio.Task[Answer]]) -> None:
    """They wait no longer."""
    for task in tasks.values():
        task.cancel()
    await asyncio.gather(*tasks.values(), return_exceptions=True)


async def waiting_for_nothing(*guests: Guest) -> None:
    """None of them hears anything."""
    await ended(await waiting(*guests))
