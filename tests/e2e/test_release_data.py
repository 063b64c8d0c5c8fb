"""The data of the first release still opens and reads the same, and its running games go on."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.release_data import (
    DATA,
    RECENT,
    cartino,
    differences,
    export,
    port_of,
    read_all,
    running,
    unpack,
)
from tests.support.ssh_visitor import Table, Visitor, visitors

pytestmark = pytest.mark.e2e

RELEASE = "release-1"
STOPPED, KILLED = "stopped", "killed"


def read(record: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in record.splitlines()]


def read_folder(folder: Path) -> dict[str, list[dict[str, Any]]]:
    return {path.name: read(path.read_text("utf-8")) for path in folder.iterdir()}


def public(line: dict[str, Any]) -> dict[str, Any]:
    """Return a line as everybody may see it while the game runs."""
    return line | {"stones": ["?"] * len(line["stones"])} if line["type"] == "draw" else line


def test_only_lost_and_changed_fields_are_differences() -> None:
    before = {"kept": [1, {"lost": 2}], "changed": "a", "left": 50.0}
    after = {"kept": [1, {"added": 2}], "changed": "b", "left": 45.5, "added": 3}
    assert differences(before, after) == ["/kept/1/lost is missing", "/changed: 'a', now 'b'"]
    assert differences([1, 2], [1]) == [": [1, 2], now [1]"]
    shown = list(range(RECENT))
    assert differences({"recent": shown}, {"recent": [-2, -1, *shown]}) == []
    assert differences({"recent": shown}, {"recent": [-1, *shown[:-1], 99]}) == [
        f"/recent/{RECENT - 1}: 11, now 99"
    ]
    assert len(differences({"recent": shown[1:]}, {"recent": shown})) == 1


def test_records_of_finished_games_are_the_same_and_verify(tmp_path: Path) -> None:
    unpack(RELEASE, STOPPED, tmp_path)
    records = tmp_path / "records"
    export(tmp_path, records)
    assert differences(read_folder(DATA / RELEASE / "records"), read_folder(records)) == []
    cartino("verify", *records.iterdir())


@pytest.mark.parametrize("scene", [STOPPED, KILLED])
async def test_everything_reads_as_in_that_release(scene: str, tmp_path: Path) -> None:
    expected = unpack(RELEASE, scene, tmp_path)
    cartino("doctor", "--data", tmp_path / "data")
    with running(tmp_path) as server:
        assert differences(expected, {"notes": expected["notes"], **await read_all(tmp_path, server)}) == []
        async with visitors(port_of(server), tmp_path / "keys", "eve", "mia", "Nasty") as who:
            assert "because of spam" in (await who["eve"].run("games")).err
            assert (await who["Nasty"].run("games")).status != 0
            muted = await who["mia"].run(f"chat {expected['notes']['mid-turn']} Hello? --json")
            assert json.loads(muted.out)["refused"]["reason"] == "muted"


async def test_running_games_go_on(tmp_path: Path) -> None:
    expected = unpack(RELEASE, STOPPED, tmp_path)
    notes, tables = expected["notes"], expected["tables"]
    with running(tmp_path) as server:
        async with visitors(port_of(server), tmp_path / "keys", "ann", "bob", "cat", "dan", "gil") as who:
            ann, bob, cat, dan, gil = who.values()
            record = await finish_the_turn_and_the_game(notes["mid-turn"], ann, bob)
            before = tables[notes["mid-turn"]]["record"]
            assert [public(line) for line in read(record)[: len(before)]] == before
            await resume(notes["paused"], ann, cat)
            dan.name = "Daniel"
            await Table(notes["correspondence"], [bob, dan], []).play(2)
            await come_back(gil, notes["resume code"], notes["guest"])
            room = await (await ann.call()).ask("Join", "RoomView", code=notes["open"])
            assert [seat["kind"] for seat in room["seats"]] == ["human", "human", "empty", "bot"]
    (tmp_path / "record").write_text(record, "utf-8")
    cartino("verify", tmp_path / "record")
    cartino("doctor", "--data", tmp_path / "data")


async def finish_the_turn_and_the_game(code: str, *people: Visitor) -> str:
    """Go on in the middle of a turn; return the record of the whole game."""
    table = Table(code, list(people), [])
    mover = await table.mover()
    assert mover is not None
    done = await mover.run(f"move {code} end --json")
    assert json.loads(done.out)["refused"] is None
    await table.play()
    newest = (await mover.json("games --finished"))[0]["name"]
    assert newest.startswith(code)
    return (await mover.run(f"export {newest}")).out


async def resume(code: str, *people: Visitor) -> None:
    """Vote to resume a paused game, and play on."""
    lines = [await person.call() for person in people]
    for line in lines:
        await line.ask("Join", "RoomView", code=code)
    for line in lines:
        line.send("Pause", on=False)
    await lines[0].wait("RoomView", lambda room: not room.get("paused"))
    await Table(code, list(people), []).play(2)


async def come_back(guest: Visitor, word: str, code: str) -> None:
    """Take the guest's seat again, by the resume code."""
    line = await guest.call()
    welcome = await line.ask("Back", "Welcome", word=word)
    assert (welcome["name"], welcome["back"]) == ("~gil", code)
    room = await line.ask("Join", "RoomView", code=code)
    assert room["seats"][room["you"]]["name"] == "~gil"
