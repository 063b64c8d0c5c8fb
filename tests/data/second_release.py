"""What the second release added: three games, shared deals, leagues, challenges, bot accounts and reviews."""

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncssh

from tests.support.release_data import Scene
from tests.support.ssh_visitor import Table, Visitor, sit

PEOPLE = ("fay", "zoe", "hal", "ivy")
"""More keys: of somebody whose challenge expires, of somebody who deletes their account, and of two bots."""
GAMES = ("cartino", "caro", "casino")
CARO = {"referee": ("strict", "honour"), "begins": ("lot", "opener")}
CASINO = (
    {"special_suit": "clubs", "sweeps_cancel": "on", "hand_values": "either", "target": "21"},
    {"special_suit": "clubs", "sweeps_cancel": "off", "hand_values": "high", "target": "11"},
    {"special_suit": "spades", "sweeps_cancel": "on", "hand_values": "high", "target": "16"},
    {"special_suit": "spades", "sweeps_cancel": "off", "hand_values": "either", "target": "11"},
)
CARTINO = {"edition": ("1974", "1969"), "joker_swap": ("later", "any"), "bag": ("one", "apart")}

Who = Mapping[str, Visitor]


def _in_all(options: Mapping[str, tuple[str, ...]]) -> list[dict[str, str]]:
    return [dict(zip(options, each, strict=True)) for each in itertools.product(*options.values())]


async def games_that_end(who: Who) -> None:
    """Play every game with each choice of its options, and with two to four seats."""
    ann, bob, cat, dan = (who[name] for name in ("ann", "bob", "cat", "dan"))
    caro = [{**each, "rounds": "1"} for each in _in_all(CARO)]
    caro[-1]["rounds"] = "2"
    orders = [("cartino", each) for each in _in_all(CARTINO)]
    orders += [("caro", each) for each in caro] + [("casino", each) for each in CASINO]
    tables = itertools.cycle([(ann, bob), (cat, dan), (bob, dan), (ann, cat, dan), (bob, cat), (dan, ann)])
    for game, options in orders:
        await _play(game, options, *next(tables))
    await _play("caro", {"referee": "honour"}, ann, bob, cat, dan)
    await _play("caro", {"referee": "honour"}, ann, bots=["careful"])
    await _play("casino", {"target": "11"}, bob, bots=["greedy", "careful"])


async def _play(game: str, options: Mapping[str, str], *people: Visitor, **order: Any) -> None:
    table = await sit(*people, game=game, options=dict(options), **order)
    await table.play()
    await table.leave()


async def challenges_that_expire(_: Scene, who: Who) -> list[str]:
    """Open a challenge that nobody takes."""
    await who["fay"].json("challenge --game caro")
    return []


async def _attempt(person: Visitor, turns: int = 10_000, **asked: Any) -> Table:
    """Play `turns` turns of an attempt at a daily or duplicate match, and leave."""
    line = await person.call()
    table = await line.ask(asked.pop("command"), "RoomView", **asked)
    game_table = Table(table["code"], [person], [line])
    await game_table.play(turns)
    await game_table.leave()
    return game_table


async def _duplicate(person: Visitor, turns: int = 10_000, *, game: str = "cartino") -> str:
    """Open a duplicate match and play its opener's attempt; return the match's code."""
    table = await _attempt(
        person, turns, command="Create", game=game, seats=2, bots=["careful"], duplicate=True
    )
    return str((await person.json(f"duplicate {table.code}"))["code"])


async def matches_that_close_unplayed(_: Scene, who: Who) -> list[str]:
    """Open duplicate matches that are over a week later, one with an attempt that was not finished."""
    codes = [await _duplicate(who["ann"]), await _duplicate(who["bob"], game="casino")]
    await _attempt(who["cat"], 2, command="Join", code=codes[0])
    return [f"duplicate {code}" for code in codes]


async def yesterday(scene: Scene, who: Who) -> list[str]:
    """Play dailies, one not to its end; a league, matches that everybody finishes; delete an account."""
    ann, bob, cat, dan, zoe = (who[name] for name in ("ann", "bob", "cat", "dan", "zoe"))
    today = scene.now
    for name, first, last in (("Autumn", 0, 0), ("Winter", 0, 30), ("Spring", 90, 120)):
        days = ("--from", _day(today, first), "--to", _day(today, last))
        scene.cartino("admin", "league", "new", name, *days)
    commands = ["league", "league Autumn", "league Spring"]
    for game in GAMES:
        await _attempt(ann, command="PlayDaily", game=game)
        await _attempt(bob, command="PlayDaily", game=game)
        await _attempt(cat, 2, command="PlayDaily", game=game)
        number = (await ann.json(f"daily --game {game}"))["number"]
        commands.append(f"daily --game {game} --number {number}")
        code = await _duplicate(dan, game=game)
        await _attempt(ann, command="Join", code=code)
        commands.append(f"duplicate {code}")
    await _attempt(zoe, command="PlayDaily", game="cartino")
    name = (await zoe.json("account"))["name"]
    deleted = await zoe.run(f"account delete --yes {name}")
    assert deleted.status == 0, deleted
    return commands


def _day(now: float, later: int) -> str:
    return (datetime.fromtimestamp(now, UTC) + timedelta(days=later)).strftime("%Y-%m-%d")


async def bots(_: Scene, who: Who) -> list[str]:
    """Make two bot accounts, which play each other at each game."""
    for name in ("hal", "ivy"):
        made = await who[name].run(f"account bot --yes {name}")
        assert made.status == 0, made
    programs = [await who[name].talk("bot") for name in ("hal", "ivy")]
    for game in ("caro", "cartino"):
        await asyncio.gather(*(_play_as_bot(program, game) for program in programs))
    return ["games --finished --bots", "profile bot+hal", *(f"top --game {game}" for game in GAMES)]


async def _play_as_bot(program: asyncssh.SSHClientProcess[str], game: str) -> None:
    """Play a rated game: always the first legal move."""
    program.stdin.write(json.dumps({"type": "play", "game": game}) + "\n")
    while (message := json.loads(await program.stdout.readline()))["type"] != "end":
        if message["type"] == "state":
            move = {name: message[name] for name in ("table", "number")}
            answer = {"type": "move", **move, "move": message["legal"][0]["move"]}
            program.stdin.write(json.dumps(answer) + "\n")


PARTS: tuple[tuple[float, Callable[[Scene, Who], Awaitable[list[str]]]], ...] = (
    (15, challenges_that_expire),
    (7.5, matches_that_close_unplayed),
    (1, yesterday),
    (1, bots),
)
"""What happens how many days before the last part. Each returns commands that show what came of it."""


async def today(who: Who) -> tuple[dict[str, str], list[str]]:
    """Play some of today's dailies, duplicate matches and challenges, not all of them to their end."""
    ann, bob, cat, dan = (who[name] for name in ("ann", "bob", "cat", "dan"))
    await _attempt(ann, command="PlayDaily", game="cartino")
    daily = await _attempt(bob, 3, command="PlayDaily", game="cartino")
    await _attempt(cat, 3, command="PlayDaily", game="caro")
    match = await _duplicate(ann)
    parked = await _attempt(bob, 4, command="Join", code=match)
    await _attempt(cat, 1, command="Join", code=match)
    alone = await _duplicate(dan, 2, game="casino")
    waiting = (await ann.json("challenge --game casino --seats 3"))["code"]
    running = (await bob.json("challenge --game caro --private"))["code"]
    await cat.json(f"take {running}")
    await Table(running, [bob, cat], []).play(3)
    finished = (await bob.json("challenge --game caro"))["code"]
    await cat.json(f"take {finished}")
    await Table(finished, [bob, cat], []).play()
    commands = [f"daily --game {game}" for game in GAMES]
    commands += [f"duplicate {match}", f"duplicate {alone}", "games --finished --mine"]
    notes = {"daily": daily.code, "match": match, "parked": parked.code}
    return notes | {"waiting": waiting, "challenge": running}, commands


async def games_that_go_on(who: Who) -> dict[str, str]:
    """Play games of each kind in part."""
    ann, bob, cat, dan = (who[name] for name in ("ann", "bob", "cat", "dan"))
    caro = await sit(ann, bob, game="caro", options={"referee": "honour"})
    await caro.play(7)
    casino = await sit(cat, dan, ann, game="casino", options={"special_suit": "spades"})
    await casino.play(8)
    other = await sit(bob, cat, options={"edition": "1969", "joker_swap": "any", "bag": "apart"})
    await other.play(9)
    return {"caro": caro.code, "casino": casino.code, "any and apart": other.code}


async def reviews(who: Who) -> list[str]:
    """Have the newest finished games reviewed; return the commands that show it."""
    commands = [f"review {game['name']}" for game in await who["ann"].json("games --finished")]
    return [each for each in commands if (await who["ann"].run(each)).status == 0]


async def all_judged(who: Who, commands: list[str]) -> bool:
    """Wait until every finished attempt is judged; return False if that takes long."""
    for _ in range(30):
        views = [
            await person.json(command)
            for command in commands
            if command.startswith(("daily", "duplicate"))
            for person in who.values()
        ]
        # Of an open deal, others' results are sealed.
        shown = [(view["own"], *(() if view["is_open"] else view["rows"])) for view in views]
        lines = [line for lines in shown for line in lines if line is not None]
        if all(line["lost"] is not None for line in lines if line["state"] == "played"):
            return True
        await asyncio.sleep(1)
    return False
