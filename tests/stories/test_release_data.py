"""The data of earlier releases still opens and reads the same, and its running games go on."""

import copy
import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.long_runs import require
from tests.support.release_data import Scene, cartino, differences, port_of, read_all, unpack
from tests.support.shim import CAN_SHIM
from tests.support.ssh_visitor import Table, Visitor, visitors
from tests.support.ssh_world import Server

pytestmark = pytest.mark.e2e

RELEASES = ("release-1", "release-2")
STOPPED, KILLED = "stopped", "killed"
DAY = 86_400


def unpacked(release: str, name: str, place: Path, days: float = 0) -> tuple[Any, Scene]:
    """Return what the release reported, and its data, opened that many days after it was made.

    In the first release nothing depends on the day.
    """
    expected = unpack(release, name, place)
    scene = Scene(place)
    if "made" in expected:
        require(CAN_SHIM, "this test needs Linux and a C compiler", long_run=False)
        scene.late = expected["made"] + days * DAY - time.time()
    return expected, scene


def read(record: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in record.splitlines()]


def read_folder(folder: Path) -> dict[str, list[dict[str, Any]]]:
    return {path.name: read(path.read_text("utf-8")) for path in folder.iterdir()}


def public(line: dict[str, Any]) -> dict[str, Any]:
    """Return a line as everybody may see it while the game runs."""
    return line | {"stones": ["?"] * len(line["stones"])} if line["type"] == "draw" else line


def as_of_today(expected: dict[str, Any], shown: dict[str, Any]) -> dict[str, Any]:
    """Return what the release showed, but for what has changed on purpose since.

    Attempts at shared deals are parked while their players are away: they have no table. A muted person who has no
    stored name is called "player", as a name says something, too. Turns are short of the best, they lose nothing.
    """
    was = {part: copy.deepcopy(expected[part]) for part in shown}
    parked = set(was["tables"]) - set(shown["tables"])
    for code in parked:
        views = [view for view in was["tables"].pop(code)["views"].values() if view is not None]
        assert all(view["once"] and view["state"] == "playing" for view in views), code
    for told in was["people"].values():
        for lines in ("mine", "games"):
            told[lines] = [line for line in told[lines] if line.get("code") not in parked]
    for told in shown["people"].values():
        told["mine"] = [line for line in told["mine"] if line["state"] != "put-away"]
    muted = was["people"]["mia"]
    muted["name"] = muted["profiles"][""]["name"] = "player"
    muted["profiles"]["mia"] = None
    for answer in was.get("answers", {}).values():
        if isinstance(answer, dict) and "line" in answer:
            answer["line"] = answer["line"].replace(" lost · ", " short · ")
    return was


async def hold_to_what_it_showed(expected: dict[str, Any], scene: Scene, server: Server) -> None:
    """Compare all that is shown now with what the release showed; bans and mutes hold."""
    shown = await read_all(scene, server, expected.get("commands", ()))
    assert differences(as_of_today(expected, shown), shown) == []
    async with visitors(port_of(server), scene.place / "keys", "eve", "mia", "Nasty") as who:
        assert "because of spam" in (await who["eve"].run("games")).err
        assert (await who["Nasty"].run("games")).status != 0
        muted = await who["mia"].run(f"chat {expected['notes']['mid-turn']} Hello? --json")
        assert json.loads(muted.out)["refused"]["reason"] == "muted"


@pytest.mark.timeout(240)
@pytest.mark.parametrize("release", RELEASES)
async def test_data_of_a_stopped_server_reads_the_same_and_its_games_go_on(
    release: str, tmp_path: Path
) -> None:
    expected, scene = unpacked(release, STOPPED, tmp_path)
    notes, tables = expected["notes"], expected["tables"]
    scene.cartino("doctor")
    records = tmp_path / "exported"
    scene.cartino("export", "--all", records)
    assert differences(read_folder(tmp_path / "records"), read_folder(records)) == []
    with scene.running() as server:
        await hold_to_what_it_showed(expected, scene, server)
        async with visitors(port_of(server), tmp_path / "keys", "ann", "bob", "cat", "dan", "gil") as who:
            ann, bob, cat, dan, gil = who.values()
            record = await finish_the_turn_and_the_game(notes["mid-turn"], ann, bob)
            before = tables[notes["mid-turn"]]["record"]
            assert [public(line) for line in read(record)[: len(before)]] == before
            await resume(notes["paused"], ann, cat)
            dan.name = "Daniel"
            await Table(notes["correspondence"], [bob, dan], []).play(2)
            await come_back(gil, notes["resume code"], notes["guest"])
            table = await (await ann.call()).ask("Join", "RoomView", code=notes["open"])
            assert [seat["kind"] for seat in table["seats"]] == ["human", "human", "empty", "bot"]
            if release == "release-2":
                await go_on_with_other_games(notes, ann, bob, cat, dan)
    (tmp_path / "record").write_text(record, "utf-8")
    cartino("verify", tmp_path / "record", *records.iterdir())
    scene.cartino("doctor")


async def go_on_with_other_games(
    notes: dict[str, str], ann: Visitor, bob: Visitor, cat: Visitor, dan: Visitor
) -> None:
    """Go on with Caro, Casino, challenges and shared deals, which the first release didn't have."""
    await Table(notes["caro"], [ann, bob], []).play()
    await Table(notes["casino"], [ann, cat, dan], []).play(3)
    await Table(notes["any and apart"], [bob, cat], []).play()
    await Table(notes["challenge"], [bob, cat], []).play()
    await bob.json(f"take {notes['waiting']}")
    await cat.json(f"take {notes['waiting']}")
    assert (await ann.json(f"show {notes['waiting']}"))["state"] == "playing"
    await finish_an_attempt(bob, notes["daily"], "PlayDaily", game="cartino")
    await finish_an_attempt(bob, notes["parked"], "Join", code=notes["match"])
    match = await bob.json(f"duplicate {notes['match']}")
    assert match["own"]["state"] == "played"
    # cat's attempt is still sealed.
    assert match["is_open"]
    assert match["seed"] == ""


@pytest.mark.parametrize("release", RELEASES)
async def test_data_of_a_killed_server_reads_the_same(release: str, tmp_path: Path) -> None:
    expected, scene = unpacked(release, KILLED, tmp_path)
    scene.cartino("doctor")
    with scene.running() as server:
        await hold_to_what_it_showed(expected, scene, server)


async def test_weeks_later_its_shared_deals_are_over(tmp_path: Path) -> None:
    expected, scene = unpacked("release-2", KILLED, tmp_path, days=30)
    notes = expected["notes"]
    with scene.running() as server:
        async with visitors(port_of(server), tmp_path / "keys", "bob") as who:
            line = await who["bob"].call()
            refused = await line.ask("Join", "Refusal", code=notes["match"])
            assert refused["reason"] in {"deal-over", "unknown-code"}
            mine = [row.get("code") for row in await who["bob"].json("games --mine")]
            assert notes["challenge"] in mine
    scene.cartino("doctor")


async def finish_an_attempt(person: Visitor, at: str, command: str, **asked: Any) -> None:
    """Go back to an attempt at a shared deal, which has to be at the table `at`, and play it to its end."""
    line = await person.call()
    table = await line.ask(command, "RoomView", **asked)
    assert table["code"] == at
    await Table(at, [person], [line]).play()
    await line.close()


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
    await lines[0].wait("RoomView", lambda table: not table.get("paused"))
    await Table(code, list(people), []).play(2)


async def come_back(guest: Visitor, word: str, code: str) -> None:
    """Take the guest's seat again, by the resume code."""
    line = await guest.call()
    welcome = await line.ask("Back", "Welcome", word=word)
    assert (welcome["name"], welcome["back"]) == ("~gil", code)
    table = await line.ask("Join", "RoomView", code=code)
    assert table["seats"][table["you"]]["name"] == "~gil"
