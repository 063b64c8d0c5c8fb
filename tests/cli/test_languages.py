"""What the commands about data and records say is in one language, with whatever reason stands inside a sentence."""

import gettext
import re
from functools import cache
from pathlib import Path

import apsw
import msgspec
import pytest

from cartino_games.cartino.rules.game import Cartino
from cartino_protocol.records import RecordLine, write_lines
from cartino_server.cli.main import main
from cartino_server.commands import console
from cartino_tui.i18n import Translator
from tests.support.cartino import random_game, random_record
from tests.support.data import make_data
from tests.support.games import GAMES
from tests.support.pseudo import plain_words, pseudo
from tests.support.tables import keep, table_of
from tools.catalogues import ROOT
from tools.words.finding import Marked as Sentence
from tools.words.keeping import LANGUAGES, marked_of, po_file, read

RECORD = random_record(0)
TYPED = (
    "cartino",
    "doctor",
    "forget",
    "backup",
    "replay",
    "verify",
    "export",
    "SQLite",
    "MB",
    "journal",
    "heads",
)
NAMES = ("suspect", "db", "chmod", "host_key", "CARTINO_", "config", "FILE", "salvage", *GAMES)


@cache
def known() -> frozenset[Sentence]:
    """The sentences that are marked: a catalogue has them all (see `tests/tools/test_catalogues.py`)."""
    language = LANGUAGES[0]
    return frozenset(marked_of(message) for message in read(po_file(ROOT, language), language) if message.id)


class Marked(gettext.NullTranslations):
    """The made-up language as a catalogue would have it: what no code marks stays English."""

    def __init__(self) -> None:
        super().__init__()
        self._known = known()

    def gettext(self, message: str) -> str:
        return pseudo(message) if Sentence(message) in self._known else message

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        message = msgid1 if n == 1 else msgid2
        return pseudo(message) if Sentence(msgid1, msgid2) in self._known else message


@pytest.fixture(autouse=True)
def in_pseudo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "translator_for", lambda _: Translator("xx", Marked()))
    monkeypatch.setenv("CARTINO_PORT", "0")


def english(shown: str, data: Path, *names: str) -> list[str]:
    """The English words in `shown` but for what is typed, and the names of games and of files."""
    text = shown.replace(f"--data {data}", "").replace(str(data), "")
    return plain_words(text, *TYPED, *NAMES, *names)


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE games SET seq = 1 WHERE number = 1",
        "UPDATE games SET hash = zeroblob(32) WHERE number = 1",
        "UPDATE games SET state = 'open' WHERE number = 1",
        "UPDATE games SET state = 'x' WHERE number = 1",
        "UPDATE games SET state = 7 WHERE number = 1",
        "DELETE FROM games WHERE number = 1",
        "UPDATE finished SET hash = zeroblob(32) WHERE number = 1",
        "DELETE FROM entries WHERE place >> 24 = 1",
        "INSERT INTO lost VALUES (9, 'A2CD', '{\"text\":\"all of it is missing\"}')",
    ],
)
def test_why_a_game_is_damaged(tmp_path: Path, capsys: pytest.CaptureFixture[str], harm: str) -> None:
    data = make_data(tmp_path / "data", [("K7QP", RECORD)])
    connection = apsw.Connection(str(data / "journal.db"))
    connection.execute(harm)
    connection.close()
    assert main(["doctor", "--data", str(data)]) == 1
    shown = capsys.readouterr().out
    assert english(shown, data) == []
    assert main(["export", "--data", str(data), "K7QP-1"]) in {0, 1}
    assert english(capsys.readouterr().err, data) == []


@pytest.mark.parametrize(
    "entries",
    [[b'{"at":1.0,"number":0}'], [b'{"at":1.0,"number":0,"newfield":1}'], [b"1"]],
    ids=["no table", "unknown field", "no entry"],
)
def test_why_no_table_can_be_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], entries: list[bytes]
) -> None:
    data = make_data(tmp_path / "data", [("K7QP", RECORD)])
    keep(data, ("AB2C", table_of(1)), ("AB2C", table_of(2)), ("CD3E", entries))
    assert main(["doctor", "--data", str(data)]) == 1
    assert english(capsys.readouterr().out, data) == []


def changed(**fields: object) -> list[RecordLine]:
    return [msgspec.structs.replace(RECORD[0], **fields), *RECORD[1:]]


STATE = next(random_game(1, "1974", 2))[0]
HIDDEN = [Cartino().redact(line, STATE) for line in RECORD[:20]]
TWICE = [RECORD[0], *(line for line in RECORD[1:8] for _ in range(3))]


@pytest.mark.parametrize(
    "record",
    [
        [],
        RECORD[:20],
        HIDDEN,
        TWICE,
        changed(cuts=("", "", "", "")),
        changed(options={}),
        changed(seats=("ann",)),
        changed(format=2),
        changed(game="chess"),
        changed(commitment="00"),
        [*RECORD, RECORD[-1]],
        [RECORD[0], *RECORD],
    ],
)
def test_why_a_record_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], record: list[RecordLine]
) -> None:
    file = tmp_path / "r.jsonl"
    file.write_bytes(write_lines(record))
    for command in ("verify", "replay"):
        if main([command, str(file)]):
            assert english(_unquoted(capsys.readouterr().err), tmp_path, "jsonl", "chess", "Cartino") == []


def _unquoted(shown: str) -> str:
    """Without the lines of records and the stones that are quoted."""
    return re.sub(r"\{.*\}|\b[A2-9JQK][SHDC]\b", "", shown)
