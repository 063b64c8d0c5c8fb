"""Entries are read as they were written, by later servers too; what is none is refused."""

import msgspec
import pytest

from cartino_protocol.views import ChatLine
from cartino_server.table.saving import JournalEntry, TableFacts, read_entry, write_entry
from cartino_server.table.seating import Chair
from cartino_server.table.time_control import Substitutes, TimeControl, TurnClock, TurnTiming

FACTS = TableFacts(
    code="K7QP",
    game="race",
    ordered={"goal": "3"},
    options={"goal": "9"},
    chairs=(Chair("human", "ann", "id-ann", cut="here", guest=True), Chair("bot", "steady", bot="steady")),
    owner="id-ann",
    opener="id-eve",
    open=False,
    time_control=TimeControl("day", "10m"),
    state="playing",
    round=3,
    seed="00" * 32,
    next_seed="11" * 32,
)
WAITING = TurnTiming(
    TurnClock(30.0, 4, ((1, 12.5),), 3.0),
    Substitutes(30.0, ((0, 2.0),), ((0, "away"), (1, "time")), 4),
    paused=True,
)
FULL = JournalEntry(
    at=12.5,
    number=7,
    facts=FACTS,
    lines=(msgspec.Raw(b'{"type":"add","seat":0,"n":1}'),),
    said=(ChatLine(4, "ann", "héllo \u2603", "watchers"),),
    waiting=WAITING,
    kept={"id-ann": b"\x00\xff"},
)


@pytest.mark.parametrize("entry", [FULL, JournalEntry(0.0, 0)])
def test_it_is_read_as_it_was_written(entry: JournalEntry) -> None:
    assert read_entry(write_entry(entry)) == entry


def test_what_is_not_new_takes_no_space() -> None:
    assert write_entry(JournalEntry(1.5, 2)) == b'{"at":1.5,"number":2}'


def test_an_entry_of_an_earlier_server_is_read() -> None:
    """What the first server wrote: a field that comes later needs a default."""
    facts = (
        b'{"code":"K7QP","game":"race","ordered":{},"options":{},"chairs":[{"kind":"human","name":"ann"},{}],'
        b'"owner":"","opener":"","open":true,"patience":{},"state":"open","round":0,"seed":"","next_seed":""}'
    )
    entry = read_entry(b'{"at":1,"number":0,"facts":' + facts + b',"waiting":{}}')
    assert entry.facts is not None
    assert entry.facts.chairs == (Chair("human", "ann"), Chair())
    assert entry.waiting == TurnTiming()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"{}",
        b'{"at":"now","number":1}',
        b'{"at":1,"number":1,"unknown":2}',
        b'{"at":1,"number":1',
    ],
)
def test_what_is_no_entry_is_refused(body: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        read_entry(body)
