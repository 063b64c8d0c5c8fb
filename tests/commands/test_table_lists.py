"""`ssh host games`, for machines and for people."""

import json

from cartino_protocol.views import SeatLine, TableLine
from cartino_server.commands.table_lists import tables_record, tables_text
from cartino_tui.pages.page import pretty_json

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
