"""The record's lines, byte for byte as the format's description has them."""

import json

import pytest

from cartino_games.cartino.lines import LINES, DrawLine, LayLine, PassLine, SettleLine, TurnLine
from cartino_protocol.records import (
    EndLine,
    GameLine,
    LineError,
    LineReader,
    NoteLine,
    read_game_line,
    write_line,
)

WRITTEN = {
    '{"type":"game","format":1,"game":"cartino","options":{"edition":"1974"},"seats":["ann","bot:greedy"],'
    '"commitment":"ab","cuts":["x",""],"started":"2026-01-01T00:00:00Z"}': GameLine(
        1, "cartino", {"edition": "1974"}, ("ann", "bot:greedy"), "ab", ("x", ""), "2026-01-01T00:00:00Z"
    ),
    '{"type":"end","totals":[3,-1],"winners":[0],"reason":"out","seed":"00","ended":"2026-01-01T00:00:00Z"}': EndLine(
        (3, -1), (0,), "out", "00", "2026-01-01T00:00:00Z"
    ),
    '{"type":"note","text":"ann is back","seat":0}': NoteLine("ann is back", 0),
    '{"type":"draw","seat":0,"stones":["10S","AH","*"]}': DrawLine(0, ("10S", "AH", "*")),
    '{"type":"lay","seat":1,"stone":"KS","spot":"KSu","points":16,"swapped":false}': LayLine(
        1, "KS", "KSu", 16, swapped=False
    ),
    '{"type":"turn","seat":1,"laid":5,"bonus":10,"total":31}': TurnLine(1, 5, 10, 31),
    '{"type":"pass","seat":2}': PassLine(2),
    '{"type":"settle","bonus":[10,0],"penalty":[0,6]}': SettleLine((10, 0), (0, 6)),
}


@pytest.mark.parametrize(("text", "line"), WRITTEN.items())
def test_lines_are_written_and_read(text: str, line: GameLine) -> None:
    assert write_line(line).decode() == text
    assert LineReader(LINES).read(text.encode()) == line
    assert next(iter(json.loads(text))) == "type"


@pytest.mark.parametrize(
    "text",
    [b"", b"{}", b"[]", b'{"type":"pass"}', b'{"type":"pass","seat":0,"x":1}', b'{"type":"end"}', b"\xff"],
)
def test_other_lines_are_refused(text: bytes) -> None:
    with pytest.raises(LineError):
        LineReader(LINES).read(text)


def test_the_first_line_alone_tells_the_game() -> None:
    assert read_game_line(next(iter(WRITTEN)).encode()).game == "cartino"
    with pytest.raises(LineError):
        read_game_line(b'{"type":"pass","seat":2}')
