"""The command line as a person meets it: words in, sentences in their language and exit codes out."""

import gettext
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import apsw
import msgspec
import pytest

from cartino_games.cartino.rules.game import Cartino
from cartino_protocol import __version__
from cartino_protocol.records import RecordLine, write_lines
from cartino_server.cli.commands import build_parser
from cartino_server.cli.main import main
from cartino_server.commands import console
from cartino_server.commands.game_options import add_table_options, chosen_game, option_flag
from cartino_server.commands.parser import CommandParser
from cartino_tui.i18n import Language, Translator, translator_for
from tests.support.cartino import random_game, random_record
from tests.support.data import make_data
from tests.support.games import BOTS, GAMES
from tests.support.pseudo import plain_words, pseudo
from tests.support.tables import keep, table_of
from tools.catalogues import ROOT
from tools.words.finding import Marked as Sentence
from tools.words.keeping import LANGUAGES, marked_of, po_file, read

GOLDEN = str(min((Path(__file__).parents[1] / "golden").glob("*.jsonl")))
REFUSED = [
    line.split(" => ")
    for line in Path(__file__).with_name("refused.txt").read_text().splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize(("words", "end"), REFUSED)
def test_refused_words(words: str, end: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    lexer = shlex.shlex(words, posix=True)
    lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", ""
    typed = (word.encode().decode("unicode_escape") for word in lexer)
    code = main([word.replace("{tmp}", str(tmp_path)).replace("{golden}", GOLDEN) for word in typed])
    shown = capsys.readouterr()
    assert shown.out == ""
    told = f"{code} {shown.err}".replace(str(tmp_path), "{tmp}")
    assert re.fullmatch(re.escape(end).replace(r"\.\.\.", ".*") + "\n", told), told


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"cartino {__version__}\n"


@pytest.mark.parametrize("command", ["play", "simulate"])
def test_help_lists_the_bots(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    for game in GAMES:
        assert main([command, "--game", game, "--help"]) == 0
        text = " ".join(capsys.readouterr().out.split())
        weak_to_strong = text.partition("from weak to strong: ")[2].partition(" -")[0]
        assert sorted(weak_to_strong.split(", ")) == sorted(bot for of, bot in BOTS if of == game)
        assert weak_to_strong.startswith("random, beginner, ")


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"], []])
def test_help_lists_the_commands(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    text = capsys.readouterr().out
    assert all(command in text for command in ("play", "serve", "simulate", "verify", "replay"))


def test_help_of_a_command_may_be_asked_for_as_over_ssh(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "backup"]) == main(["backup", "--help"]) == 0
    text = capsys.readouterr().out
    assert text[: len(text) // 2] == text[len(text) // 2 :]


def test_verify_loads_no_screen_and_no_server() -> None:
    script = (
        "import sys; from cartino_server.cli.main import main; main(['verify', '-']);"
        "sys.exit(any(name.split('.')[0] in ('textual', 'asyncssh', 'asyncio') for name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=b"", capture_output=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr.decode()) == (0, "-:1: the file is empty.\n")


@pytest.mark.parametrize(
    ("language", "headings"),
    [("en", "usage: positional arguments: options:"), ("fr", "usage : arguments : options :")],
)
def test_headings_of_the_help_have_the_colon_of_the_language(language: Language, headings: str) -> None:
    parser = CommandParser(prog="verify", translator=translator_for(language))
    parser.add_argument("file")
    lines = parser.format_help().splitlines()
    assert f"{lines[0].partition('verify')[0]}{lines[2]} {lines[5]}" == headings


def test_every_game_fits_the_command_line() -> None:
    """A game whose option is called like one of ours would be found here, not by its first player."""
    for game in GAMES:
        for command in ("play", "simulate"):
            build_parser([command, "--game", game])
        table = CommandParser(prog="new")
        add_table_options(table, chosen_game(["--game", game]))
        assert all(option_flag(option) in table.format_help() for option in GAMES[game].options)
    build_parser(every_game=True)


@pytest.mark.parametrize(
    ("typed", "part"), [("people", "people"), ("register", "people"), ("journal", "journal")]
)
def test_restore_reads_the_old_name_of_the_people_database(typed: str, part: str) -> None:
    assert build_parser().parse_args(["restore", "copy", "--only", typed]).only == part


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


@pytest.fixture
def in_pseudo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "translator_for", lambda _: Translator("xx", Marked()))
    monkeypatch.setenv("CARTINO_PORT", "0")


def english(shown: str, data: Path, *names: str) -> list[str]:
    """The English words in `shown` but for what is typed, and the names of games and of files."""
    text = shown.replace(f"--data {data}", "").replace(str(data), "")
    return plain_words(text, *TYPED, *NAMES, *names)


@pytest.mark.usefixtures("in_pseudo")
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


@pytest.mark.usefixtures("in_pseudo")
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


@pytest.mark.usefixtures("in_pseudo")
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
