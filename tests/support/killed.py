"""Runs a restore over and over, and dies each time at another step of it, as by `kill -9`: nothing is cleaned up.

`python -m tests.support.killed COPY DATA WORK` prints a line of JSON for each death: how far it came, and what the data
directory says of itself afterwards, before and after a restore that was cut short is finished.
"""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import NoReturn

import apsw

from cartino_server.store.data_directory import DataError, is_restoring
from cartino_server.store.repair.backup import UnusableCopy, verify_copy
from cartino_server.store.repair.restore import finish_restore, restore

STEPS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "os.listdir", "os.scandir"}


def state(data: Path) -> list[object]:
    """What there is: how many games, how many bans, which host key."""
    try:
        games: object = verify_copy(data, 1)
    except UnusableCopy as error:
        games = str(error)
    with apsw.Connection(str(data / "people.db")) as people_db:
        bans = people_db.execute("SELECT count(*) FROM bans").get
    return [games, bans, (data / "host_key").read_bytes()[-60:].hex()]


def die(copy: Path, data: Path, last: int) -> NoReturn:
    """Restore, up to that step; exit status 0 where it came to its end."""
    steps = 0

    def count(event: str, _: object) -> None:
        nonlocal steps
        if event in STEPS:
            steps += 1
            if steps > last:
                os._exit(9)

    sys.addaudithook(count)
    restore(copy, data, 1)
    os._exit(0)


def main() -> None:
    """Die at every step, one after the other."""
    copy, whole, work = map(Path, sys.argv[1:])
    last = 0
    ended = False
    while not ended:
        data = work / str(last)
        shutil.copytree(whole, data)
        child = os.fork()
        if child == 0:
            die(copy, data, last)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        half = is_restoring(data)
        try:
            finish_restore(data)
        except DataError as error:
            print(json.dumps({"step": last, "error": str(error)}))
        kept = sum(1 for path in data.rglob("people.db") if path.is_file())
        print(
            json.dumps({"step": last, "half": half, "ended": ended, "state": state(data), "registers": kept})
        )
        shutil.rmtree(data)
        last += 1


if __name__ == "__main__":
    main()
