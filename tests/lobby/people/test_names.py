"""Names: which ones can be, and how the second of two gets another."""

import secrets
import unicodedata
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cartino_protocol.notices import ANNOUNCEMENTS
from cartino_protocol.text import is_visible
from cartino_server.lobby.people.names import (
    FALLBACK,
    GUEST,
    LONGEST,
    MOST_BYTES,
    SHORTEST,
    clean_name,
    free_name,
    is_guest_name,
    key_of,
    looks,
    marked_name,
    mixes_scripts,
    read_name,
    shortened,
    usable_name,
)
from cartino_tui.i18n import LANGUAGES, Language
from cartino_tui.preferences import Preferences

NAMES: Final = {
    "ann": "ann",
    " Ann Lee ": "Ann Lee",
    "Léa": "Léa",
    "ａｎｎ": "ann",
    "日本": "日本",
    "robot": "robot",
    "𠀀" * 8: "𠀀" * 8,
    "漢字" * 4: "漢字" * 4,
    "漢字漢字ab": "漢字漢字ab",
    "O’Brien": "O'Brien",
    "Jean-Luc M. B": "Jean-Luc M. B",
    "x_y": "x_y",
    "Nguyễn": "Nguyễn",
    "สมชาย": "สมชาย",
    "प्रिया": "प्रिया",
    "ノブ子": "ノブ子",
    "タロー": "タロー",
    "Du Fu": "Du Fu",
    "Root Beer": "Root Beer",
}


def test_names_that_can_be() -> None:
    assert {text: clean_name(text) for text in NAMES} == NAMES


NO_NAMES: Final = [
    "",
    "a",
    "x" * 17,
    "𠀀" * 9,
    "日" * 11,
    "日" * 9,
    "日" * 8 + "a",
    "a\x1bb",
    "a\nb",
    "ann\u200b",
    "\u202enna",
    "a\u3164b",
    "[red]",
    "a\\b",
    "a  b",
    "\u0301ann",
    "z\u0335\u0336b",
    "bot",
    "bot:greedy",
    "Bot Greedy",
    "ＢＯＴ：x",
    "Bоt greedy",
    "guest ann",
    "~ann",
    "∼ann",
    "аnn",
    "annω",
    *("bob.", "bob_", ".bob", "bob'", "b--b", "b .b", "b -b"),
    *("ann:", "ann·", "►ann", "· bob", "ann, owner", "██ ██", "│ann", "a|b", "★ann", "ann*", "(ann)"),
    *('"ann"', "«ann»", "ann+bob", "ann/bob", "ann♠", "🙂🙂", "ann🙂", "❶❷", "annː", "annꓽ", "ǃann"),
    "◌́a",
]


def test_names_that_can_not_be() -> None:
    assert [text for text in NO_NAMES if clean_name(text) is not None] == []


def test_numbers_that_are_taken_are_not_all_tried() -> None:
    tried = []

    def is_free(name: str) -> bool:
        tried.append(name)
        return int(name.removeprefix("ann") or 0) > 100_000

    assert free_name("ann", is_free, bytes) == "ann1000000"
    assert len(tried) == 21


@pytest.mark.parametrize("name", ["ann", "x" * 16, "王" * 8, "𠀀" * 8, "é" * 16])
def test_nobody_can_take_all_names_that_somebody_else_would_get(name: str) -> None:
    taken: set[str] = set()

    def is_free(candidate: str) -> bool:
        return candidate not in taken

    # Whoever knows how it is done takes one after the other: what comes next isn't known to them.
    for _ in range(1_000):
        given = free_name(name, is_free, secrets.token_bytes)
        assert given not in taken
        assert clean_name(given) == given
        taken.add(given)


@pytest.mark.parametrize("name", ["ann", "x" * 16, "王" * 8])
def test_there_is_a_name_though_all_are_taken(name: str) -> None:
    given = free_name(name, lambda _: False, secrets.token_bytes)
    assert clean_name(given) == given


LIKE_THE_SERVER: Final = [
    *("Cartino", "server", "SERVER 2", "-admin-", "Нost", "root", "rооt", "ѕуѕtеm", "0perator"),
    *("h0use", "CARTlNO", "CARTINO", "cartlno", "Cart1no", "ADMlN", "ADMIN", "Adm1n", "SYSADMlN"),
    *("(admin)", "*admin*", "'host'", "✦admin", "admin!", "✦ADMlN✦", "HOST.", "2root2", "R00T"),
    *("0PERATOR", "a-d-m-i-n", "C A R T I N O", "c.a.r.t.i.n.o", "Càrtinó", "àdmin", "ÀDMIN"),
    *("Ho·st", "sys tem", "the admin", "Admin Bob", "cartino team", "TheAdmin", "AdminBob"),
    *("Cartino2", "Ann (CARTlNO)", "MODERAT0R", "The host says", "Host says", "the house"),
    *("Dr House", "The h0st", "the H-O-S-T", "h0st 2", "My Bot", "owner", "Hausleitung"),
    *("die Leitung", "la direction", "l'hôte", "La maison", "Le serveur", "propriétaire"),
    *("Der Betreiber", "Betreiberin", "das Haus", "Visiteur", "Gast 3", "You", "you", "Y0u", "du"),
    *("DU", "vous", "moi", "Nobody", "Niemand", "personne", "quelqu'un", "B0T", "BOT", "b.o.t"),
    *("Guest", "GUEST 1", "adrnin", "Support", "STAFF"),
]


def test_nobody_is_called_like_the_server() -> None:
    refused = {"house-name", "mixed-name", "bad-name"}
    assert [text for text in LIKE_THE_SERVER if read_name(text)[1] not in refused] == []
    assert {usable_name(text) for text in LIKE_THE_SERVER} == {FALLBACK}


@pytest.mark.parametrize(
    "text",
    ["Ghost", "Badminton", "Botanist", "Root Beer", "Hostess", "Supporter", "Carla", "Martino", "ITADM"],
)
def test_a_name_that_only_has_such_a_word_in_it_is_anybodys(text: str) -> None:
    assert clean_name(text) == text


@pytest.mark.parametrize(
    ("name", "marked"),
    [("ann", "~ann"), ("x" * 16, "~" + "x" * 15), ("𠀀" * 8, "~" + "𠀀" * 7), ("漢" * 8, "~" + "漢" * 7)],
)
def test_a_guests_name_has_a_mark_and_is_no_longer_than_any(name: str, marked: str) -> None:
    assert marked_name(name, GUEST) == marked
    assert is_guest_name(marked)
    assert not is_guest_name(name)


def test_a_mark_that_somebody_types_is_left_out() -> None:
    assert usable_name("~ann") == usable_name(" ~~ann") == "ann"


@given(st.text())
def test_a_clean_name_is_visible_and_stays_what_it_is(text: str) -> None:
    name = clean_name(text)
    if name is not None:
        assert SHORTEST <= len(name) <= LONGEST
        assert len(name.encode()) <= MOST_BYTES
        assert all(map(is_visible, name))
        assert clean_name(name) == name


def test_the_next_of_a_name_gets_a_number() -> None:
    taken = {key_of("ann"), key_of("ann2"), "x" * 16, "𠀀" * 8}

    def is_free(name: str) -> bool:
        return key_of(name) not in taken

    assert free_name("bob", is_free, bytes) == "bob"
    assert free_name("Ann", is_free, bytes) == "Ann3"
    assert free_name("x" * 16, is_free, bytes) == "x" * 15 + "2"
    assert free_name("𠀀" * 8, is_free, bytes) == "𠀀" * 7 + "2"


@given(st.text(st.characters(), max_size=40), st.integers(min_value=0, max_value=40))
@example("000000000\xbc\u33ff\r0", 0)
def test_the_beginning_of_a_text_is_short_enough_for_a_name(text: str, spare: int) -> None:
    beginning = shortened(text, spare)
    assert len(beginning) <= max(0, LONGEST - spare)
    assert len(beginning.encode(errors="surrogatepass")) <= MOST_BYTES
    assert shortened(beginning, spare) == beginning


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ann", "Ann"),
        ("ann", "АNN".replace("А", "A")),
        ("paypal", "раураІ"),
        ("ann", "аnn"),
        ("ANN", "ΑΝΝ"),
        ("ann", "ᎪNN"),
        ("Ian", "lan"),
        ("bill", "biIl"),
        ("bob", "b0b"),
        ("lee", "1ee"),
        ("emma", "ernrna"),
        ("HOPE", "НОРЕ"),
        ("日本口", "日本ロ"),
        ("~ann", "∼ann"),
        ("ｂｏｂ", "bob"),
        ("b o b", "bob"),
        ("b.ob", "B-OB"),
        ("bo\u02c8b", "bob"),
        ("o_o", "0'0"),
    ],
)
def test_these_would_be_taken_for_each_other(one: str, other: str) -> None:
    normal = unicodedata.normalize("NFKC", one)
    assert not looks(normal).isdisjoint(looks(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ann", "anna"),
        ("ian", "lan"),
        ("zoe", "zoë"),
        ("Nina", "Vina"),
        ("Иван", "Ivan"),
        ("山田", "山口"),
        ("ann", "~ann"),
        ("ann2", "ann3"),
    ],
)
def test_these_are_told_apart(one: str, other: str) -> None:
    assert looks(one).isdisjoint(looks(other))


@pytest.mark.parametrize("name", ["аnn", "Ivаn", "annω", "日本Иван", "abcא", "αбв", "ไทyes"])
def test_these_mix_scripts(name: str) -> None:
    assert mixes_scripts(name)


@pytest.mark.parametrize(
    "name",
    [
        *("ann", "Zoë 2", "Иван", "さくら", "カナと漢字Ann", "タロー", "김철수"),
        *("한국Ann", "漢字Ann", "עברית", "สมชาย", "🂡ace", "1234"),
    ],
)
def test_these_are_written_together(name: str) -> None:
    assert not mixes_scripts(name)


def test_what_has_nothing_but_what_stands_between_letters_looks_like_that() -> None:
    assert looks(".-.") == {".-."}


@given(st.text(max_size=16))
def test_any_text_has_a_look_and_what_differs_in_case_shares_one(text: str) -> None:
    assert looks(text)
    if text.isascii():
        assert not looks(text).isdisjoint(looks(text.swapcase()))
    mixes_scripts(text)


WORDS = ("you", "bot", "Bots", "guest", "owner")
"""What the screens say beside names or in their place."""
ALONE = ("You: {text}", "Nobody could lay another stone.")
"""Begin with a word that nobody is called."""
MADE_UP = ("guest {name}", "bot {name}")
"""What lines say of guests and bots, who are no players with a key."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_nobody_is_called_what_the_program_calls_others(language: Language) -> None:
    translator = Preferences(language).translator
    for word in WORDS:
        assert clean_name(translator.gettext(word)) is None, word
    for sentence in ALONE:
        assert clean_name(translator.gettext(sentence, text="").split()[0].strip(":")) is None, sentence
    for sentence in MADE_UP:
        assert clean_name(translator.gettext(sentence, name="ann")) is None, sentence


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_name_begins_as_what_the_host_or_the_server_says(language: Language) -> None:
    translator = Preferences(language).translator
    theirs = [form for form in ANNOUNCEMENTS.values() if form.startswith(("The host", "The server"))]
    assert len(theirs) > 3
    for form in theirs:
        # French writes an article together with its noun: "L'hôte".
        words = [
            word for word in translator.gettext(form, text="").replace("'", "' ").split() if word[0].isalpha()
        ]
        # With the article, alone, and as much of it as is no longer than a name.
        starts = (" ".join(words[:2]), words[1], shortened(" ".join(words)))
        for name in (start.replace("' ", "'").rstrip("'") for start in starts):
            assert clean_name(name) is None, name
            assert usable_name(name) == "player"
