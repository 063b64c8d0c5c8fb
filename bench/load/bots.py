"""Bot accounts that play each other over SSH as fast as they may: `python -m bench.load.bots PORT COUNT`."""

import asyncio
import json
import random
import sys
from typing import Any, Final

import asyncssh

from bench.visitors import address_of

BEGUN: Final = "begun"
"""Printed when all have played a game: the server loads what it needs for ratings after the first one."""
GAME: Final = "cartino"
AGAIN: Final = 1.0
"""Seconds after which a bot asks again for a game that it was refused."""


async def main(port: int, count: int) -> None:
    """Make so many accounts and play with them until we are killed."""
    playing = asyncio.Semaphore(0)
    async with asyncio.TaskGroup() as group:
        for number in range(count):
            group.create_task(_play(port, f"walle{number}", playing))
        for _ in range(count):
            await playing.acquire()
        print(BEGUN, flush=True)


async def _play(port: int, name: str, playing: asyncio.Semaphore) -> None:
    key = asyncssh.generate_private_key("ssh-ed25519")
    known: dict[str, Any] = {
        "config": None,
        "known_hosts": None,
        "username": name,
        "client_keys": [key],
        "local_addr": address_of(name),
    }
    async with asyncssh.connect("127.0.0.1", port, agent_path=None, **known) as connection:
        await connection.run(f"account bot --yes {name}", check=True)
    async with asyncssh.connect("127.0.0.1", port, agent_path=None, **known) as connection:
        process = await connection.create_process("bot")
        async for line in process.stdout:
            event = json.loads(line)
            match event["type"]:
                case "state":
                    move = random.choice(event["legal"])["move"]
                    answer = {
                        "type": "move",
                        "table": event["table"],
                        "number": event["number"],
                        "move": move,
                    }
                    process.stdin.write(json.dumps(answer) + "\n")
                case "end":
                    playing.release()
                case "refused" if event["command"] == "play":
                    await asyncio.sleep(AGAIN)
            if event["type"] in {"hello", "end"} or event.get("command") == "play":
                process.stdin.write(json.dumps({"type": "play", "game": GAME}) + "\n")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
