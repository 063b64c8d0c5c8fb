"""`ssh HOST games`, and `review`: what the turns of a finished game have lost, in words and for programs."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cartino_protocol.records import GameLine
from cartino_protocol.views import SeatLine, TableLine
from cartino_server.app.command_handler import LocalBackend
from cartino_server.commands.game_commands import tables_record, tables_text
from cartino_server.limits import ServerConfig
from cartino_server.server import Server
from cartino_server.store.journal import open_journal
from cartino_server.visitors import Reply, Visitor
from cartino_tui.pages.page import pretty_json
from tests.fuzz.decoders.records import abandoned
from tests.support.cartino import random_record
from tests.support.data import make_data
from tests.support.games import BOTS, GAMES

ANN = Visitor("1", "SHA256:ann", "ann", False, {}, 1, "SHA256:ann")
RECORD = random_record(7)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return make_data(tmp_path / "data", [("K7QP", RECORD), ("AB2C", abandoned(random_record(1)))])


@pytest.fixture
async def backend(data: Path) -> AsyncIterator[LocalBackend]:
    journal = open_journal(data, pytest.fail).journal
    server = Server(GAMES, BOTS, config=ServerConfig(), journal=journal)
    yield LocalBackend(server)
    await server.close()
    await journal.close()


async def asked(backend: LocalBackend, words: str) -> Reply:
    return await backend.run_command(ANN, words.split())


async def test_every_turn_of_each_seat_is_judged(backend: LocalBackend) -> None:
    reply = await asked(backend, "review K7QP-1 --json")
    assert (reply.status, reply.stderr) == (0, "")
    told = json.loads(reply.stdout)
    assert (told["name"], told["game"]) == ("K7QP-1", "cartino")
    head = RECORD[0]
    assert isinstance(head, GameLine)
    assert [seat["name"] for seat in told["seats"]] == list(head.seats)
    for number, seat in enumerate(told["seats"]):
        turns = [turn for turn in told["turns"] if turn["seat"] == number]
        assert len(turns) == seat["turns"] > 5
        assert sum(turn["lost"] for turn in turns) == pytest.approx(seat["lost"])
        assert seat["lost"] > 20, "moves at random lose much"
    assert all(turn["lost"] >= 0 and turn["moves"] and turn["best_moves"] for turn in told["turns"])
    for number, seat in enumerate(told["seats"]):
        luck = [turn["luck"] for turn in told["turns"] if turn["seat"] == number]
        assert sum(luck) == pytest.approx(seat["luck"])
        assert any(luck)
    for same in ("review k7qp-1 --json", "review K7QP --json"):
        assert (await asked(backend, same)).stdout == reply.stdout, "the game is named, not the table"


async def test_the_three_costliest_turns_are_told_in_words(backend: LocalBackend) -> None:
    told = json.loads((await asked(backend, "review K7QP-1 --json")).stdout)
    lines = (await asked(backend, "review K7QP")).stdout.splitlines()
    assert lines[0] == "K7QP-1, Cartino 1974: points short of the best turns"
    assert [line.split(":")[0] for line in lines if not line.startswith(" ")][1:-1] == ["ann", "bob"]
    last = max(turn["turn"] for turn in told["turns"]) + 1
    assert lines[-1] == f"Turn {last} ended the game; it isn't judged."
    assert sum(line.startswith("  luck of the draw: ") for line in lines) == 2
    for number, called in enumerate(("ann", "bob")):
        costly = sorted((turn["lost"], turn["turn"]) for turn in told["turns"] if turn["seat"] == number)[-3:]
        for lost, turn in costly:
            (line,) = [line for line in lines if line.startswith(f"  turn {turn}: ")]
            assert f" by {called}: " in line or line.startswith(f"  turn {turn}: {called}: ")
            made, better = line.split(f" Better by {lost:.1f}: ")
            assert all(" upper" in each or " lower" in each for each in (made, better))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("review AB2C", "Nothing to review in AB2C: it wasn't finished, or no bot judges that game."),
        ("review ZZZZ-9", "ZZZZ-9"),
        ("review", "review"),
        ("review K7QP-1 --nonsense", "--nonsense"),
    ],
)
async def test_what_can_t_be_reviewed_gets_one_sentence(backend: LocalBackend, words: str, why: str) -> None:
    reply = await asked(backend, words)
    assert reply.status != 0
    assert reply.stdout == ""
    assert why in reply.stderr
    assert reply.stderr.count("\n") == 1


async def test_a_bot_that_fails_costs_one_sentence(
    backend: LocalBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = BOTS["cartino", "careful"]
    monkeypatch.setattr(type(bot), "judge", lambda *_: 1 // 0)
    reply = await asked(backend, "review K7QP-1")
    assert reply.status == 1
    assert "no bot judged it in time" in reply.stderr
    assert "ZeroDivision" not in reply.stderr


TABLES = (
    TableLine(
        "K7QP",
        "cartino",
        {"edition": "1974"},
        (SeatLine("ann", "human"), SeatLine("greedy", "bot")),
        2,
        "playing",
        (1,),
    ),
    TableLine(
        "AB2C",
        "cartino",
        {"edition": "1969"},
        (SeatLine("bob", "human"), SeatLine("", "empty")),
        0,
        "open",
        (),
        "ab12",
        "120s",
    ),
    TableLine(
        "ZZ9Z",
        "cartino",
        {"edition": "1974"},
        (SeatLine("bob", "human"), SeatLine("eve", "human")),
        0,
        "playing",
        clock="day",
        paused=True,
    ),
)


def test_json_has_what_scripts_need() -> None:
    assert json.loads(pretty_json(tables_record(TABLES)))[0] == {
        "code": "K7QP",
        "game": "cartino",
        "options": {"edition": "1974"},
        "seats": [{"name": "ann", "kind": "human"}, {"name": "greedy", "kind": "bot"}],
        "spectators": 2,
        "state": "playing",
        "turn": [1],
        "commitment": "",
        "clock": "none",
        "paused": False,
        "away": [],
    }
    assert json.loads(pretty_json(tables_record(TABLES)))[1]["commitment"] == "ab12"
    assert [
        (table["clock"], table["paused"]) for table in json.loads(pretty_json(tables_record(TABLES)))
    ] == [
        ("none", False),
        ("120s", False),
        ("day", True),
    ]
    assert json.loads(pretty_json(tables_record(()))) == []


def test_text_is_a_line_a_table() -> None:
    assert tables_text(TABLES).splitlines() == [
        "K7QP  Cartino 1974  playing   ann, bot greedy (to move), 2 watching",
        "AB2C  Cartino 1969  open      bob, (free), 2 minutes per turn",
        "ZZ9Z  Cartino 1974  paused    bob, eve, one day per turn",
    ]
    assert tables_text(()) == "No tables yet. Open one with `ssh -t HOST new`.\n"
