#!/usr/bin/env python3
"""Play random legal moves: ./bot.py play cartino ssh -T -i bot_key host bot. See docs/bots.md."""

import json
import random
import subprocess
import sys
import time
from typing import IO


def play(events: IO[str], answers: IO[str], game: str = "") -> None:
    """Answer each line of `events`; ask for one game of `game` after another, if it names one."""

    def say(**message: object) -> None:
        print(json.dumps(message), file=answers, flush=True)

    for line in events:
        event = json.loads(line)
        if event["type"] in ("hello", "end") and game:
            say(type="play", game=game)
        elif event["type"] == "state":
            move = random.choice(event["legal"])["move"]
            say(type="move", table=event["table"], number=event["number"], move=move)
        elif event["type"] == "invited":
            say(type="join", table=event["table"])
        elif event["type"] in ("refused", "bye"):
            sys.stderr.write(event["sentence"] + "\n")
            if event.get("command") == "play":  # too many games now, or today
                time.sleep(60)
                say(type="play", game=game)


if sys.argv[1:2] == ["play"]:
    ssh = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    play(ssh.stdout or sys.stdin, ssh.stdin or sys.stdout, sys.argv[2])
else:
    play(sys.stdin, sys.stdout)
