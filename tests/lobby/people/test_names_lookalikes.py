"""Which names look alike: whole scripts, letters of other scripts, capitals, digits; and which mix scripts."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_server.lobby.people.names import looks, mixes_scripts


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
        "ann",
        "Zoë 2",
        "Иван",
        "さくら",
        "カナと漢字Ann",
        "タロー",
        "김철수",
        "한국Ann",
        "漢字Ann",
        "עברית",
        "สมชาย",
        "🂡ace",
        "1234",
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
