"""Records, whole and line by line: read, replayed and verified."""

from pathlib import Path

from cartino_engine.replay import RecordError, read_record, replay, verify
from cartino_games.cartino.board import Edition
from cartino_games.cartino.lines import TurnLine
from cartino_protocol.records import EndLine, LineError, LineReader, RecordLine, write_line, write_lines
from tests.fuzz.attacking import plain_decoder
from tests.support.cartino import ENDED, GAME, random_record
from tests.support.games import GAMES

GOLDEN = sorted(Path("tests/golden").glob("*.jsonl"))
SHORT = 14
"""Lines of a record that is replayed a million times."""


def abandoned(record: list[RecordLine]) -> list[RecordLine]:
    """The beginning of a game that everybody left after its first turn, with its seed."""
    end = record[-1]
    assert isinstance(end, EndLine)
    turn = next(number for number, line in enumerate(record) if isinstance(line, TurnLine))
    # What is drawn after the turn belongs to it.
    begun = record[: turn + 2]
    totals = [0] * len(end.totals)
    for line in begun:
        if isinstance(line, TurnLine):
            totals[line.seat] = line.total
    return [*begun, EndLine(tuple(totals), (), "abandoned", end.seed, ENDED)]


_reader = LineReader(GAME.lines)
_PLAYED: tuple[tuple[Edition, int], ...] = (("1974", 2), ("1969", 3), ("1974", 4))
_WHOLE = tuple(
    write_lines(abandoned(random_record(seed, edition, seats)))
    for seed, (edition, seats) in enumerate(_PLAYED)
)
_CUT = tuple(b"".join(file.read_bytes().splitlines(keepends=True)[:SHORT]) for file in GOLDEN)
_LINES = tuple({text[:12]: text for file in GOLDEN for text in file.read_bytes().splitlines()}.values())
WORDS = (b"\n", *b'"type":" "draw" "lay" "end" "seat": "?" "*" "points":'.split())


def lines(data: bytes) -> bool:
    try:
        line = _reader.read(data)
    except LineError:
        return False
    _reader.read(write_line(line))
    return True


def records(data: bytes) -> bool:
    try:
        record = read_record(data, GAMES)
        for _ in replay(record):
            pass
        verify(record)
    except RecordError as error:
        str(error)
        return False
    return True


DECODERS = (
    plain_decoder(lines, _LINES, *WORDS, form="json"),
    plain_decoder(records, (*_WHOLE, *_CUT), *WORDS, form="lines"),
)
