"""What people call a key, and Textual; keys by their place, on AZERTY and in other scripts."""

import re
import string

import pytest
from textual.events import Key

from cartino_protocol.commands import Create
from cartino_protocol.views import TableView
from cartino_server.server import Server
from cartino_tui.game_port.screen import MIN_LOOK
from cartino_tui.i18n import Language, ascii_translator, translator_for
from cartino_tui.key_table import key_by_place, key_from_label, key_label, key_name
from cartino_tui.screens.table_state import ShownTable
from cartino_tui.terminal.textual_internals import TerminalParser
from tests.support.game_server import QUICK, World, a_guest
from tests.support.games import BOTS, GAMES, SCREENS
from tests.support.visit_script import visits
from tools.catalogues import ROOT
from tools.words.keeping import po_file, read


def test_a_character_is_read_as_textual_calls_its_key_and_written_as_itself() -> None:
    for char in string.printable.strip():
        (event,) = TerminalParser().feed(char)
        assert isinstance(event, Key)
        assert (key_label(event.key), key_from_label(char)) == (char, event.key)


@pytest.mark.parametrize(
    ("key", "shown"),
    [("up", "↑"), ("enter", "Enter"), ("pagedown", "PgDn"), ("space", "Space"), ("f1", "F1")],
)
def test_others_have_names(key: str, shown: str) -> None:
    assert key_label(key) == shown
    assert key_from_label(shown) == key


def test_what_has_no_name_is_called_as_it_is() -> None:
    assert key_label("ctrl+y") == "ctrl+y"
    assert key_from_label("1-5") == "1-5"


@pytest.mark.parametrize(
    ("language", "named"),
    [
        ("en", "↑ k Enter Esc Backspace Space PgUp Ctrl-L"),
        ("fr", "↑ k Entrée Échap Retour arrière Espace Pg préc Ctrl-L"),
        ("de", "↑ k Eingabe Esc Rücktaste Leertaste Bild auf Strg-L"),
    ],
)
def test_keys_have_the_names_on_the_keyboards_of_the_language(language: Language, named: str) -> None:
    assert key_name("↑ k Enter Esc Backspace Space PgUp Ctrl-L", translator_for(language)) == named


def test_in_ascii_accents_and_arrows_are_replaced() -> None:
    assert key_name("↓ Enter", ascii_translator(translator_for("fr")), ascii=True) == "v Entree"


@pytest.mark.parametrize("language", ["fr", "de"])
def test_no_sentence_has_the_english_name_of_a_key(language: str) -> None:
    catalog = read(po_file(ROOT, language), language)
    others = (each.id for each in catalog if each.context == "key" and each.string != each.id)
    # "Ins" is a German word, too.
    english = re.compile(rf"\b({'|'.join(str(key).partition('-')[0] for key in others if key != 'Ins')})\b")
    texts = [str(message.string) for message in catalog if message.id]
    assert [text for text in texts if english.search(text)] == []


FRENCH, BELGIAN = "&é\"'(-è_çà", "&é\"'(§è!çà"


@pytest.mark.parametrize("row", [FRENCH, BELGIAN])
def test_the_row_of_azerty_has_digits(row: str) -> None:
    assert "".join(key_by_place(key_from_label(char)) for char in row) == "1234567890"


@pytest.mark.parametrize(
    ("typed", "latin"),
    [
        ("йцукенгшщзфывапролдячсмить", "qwertyuiopasdfghjklzxcvbnm"),
        ("ЙТП", "QNG"),
        ("ωσδΤ", "vsdT"),
        ("קפשמ", "epan"),
        ("ضحشة", "qpam"),
        ("قی۲", "rd2"),
        ("ქწნ", "qwn"),
        ("ｑ１", "q1"),
    ],
)
def test_a_letter_of_another_script_is_the_one_at_its_place(typed: str, latin: str) -> None:
    assert "".join(map(key_by_place, typed)) == latin


@pytest.mark.parametrize(
    "key", ["q", "2", "semicolon", "slash", "enter", "up", "ctrl+l", "²", "ü", "ß", "ñ", "漢"]
)
def test_other_keys_are_what_they_are(key: str) -> None:
    assert key_by_place(key) == key


@pytest.mark.parametrize("name", GAMES)
async def test_no_game_uses_these_keys_itself(name: str) -> None:
    server = Server(GAMES, BOTS, QUICK, World().ports())
    ann = await a_guest(server, "ann")
    bot = next(bot for game, bot in BOTS if game == name)
    await ann.ask(Create(name, seats=2, bots=(bot,)), TableView)
    while ann.table is None or 0 not in ann.table.turn:
        await ann.next()
    table = ShownTable(ann.table, SCREENS[name])
    for char in (*FRENCH, *BELGIAN, *"йЙωקض"):
        assert not table.takes(key_from_label(char), MIN_LOOK), char
    await server.close()


test_visits = visits(__file__)
