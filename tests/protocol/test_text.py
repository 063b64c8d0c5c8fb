"""What anybody can see: of each nasty text nothing is left that hides, turns, steers or covers."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_protocol.notices import News
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import MAX_COMBINING_MARKS, is_mark, is_visible, legible
from tests.support.nasty import NASTY, faults_of


@pytest.mark.parametrize("nasty", NASTY.values(), ids=NASTY)
def test_nothing_of_it_is_left_in_what_is_told(nasty: str) -> None:
    assert faults_of(legible(nasty), 10**6) == []
    assert faults_of(str(Refusal("unknown-person", nasty).words())) == []
    assert faults_of(str(News("renamed", nasty[:40], nasty[:40]).words())) == []


def test_living_scripts_stay_as_they_are() -> None:
    texts = [
        "Zoë",
        "日本 東京",
        "ｅｖｉｌ",
        "한국",
        "Ελλάς",
        "e\u0301\u0316",
        "नमस्ते",
        "שלום",
        "a b",
        "\U0001f600",
        "—…",
    ]
    assert list(map(legible, texts)) == texts


def test_what_is_left_out_can_be_told() -> None:
    assert legible("a\x1bb\u202ec" + "\u0301" * 4, "?") == "a?b?c\u0301\u0301??"
    assert legible("a\u00a0b\u3000c") == "a b c"


@pytest.mark.parametrize("letter", [*"\u3164\u115f\u2800\u034f\ufe0f\u2028\u200d\u061c\u3000\U000e0101"])
def test_letters_that_draw_nothing_are_not_visible(letter: str) -> None:
    assert not is_visible(letter)


@given(st.text())
def test_it_is_the_same_twice_and_no_letter_carries_too_much(text: str) -> None:
    once = legible(text)
    assert legible(once) == once
    assert all(map(is_visible, once))
    assert not any(
        all(map(is_mark, once[at : at + MAX_COMBINING_MARKS + 1]))
        for at in range(max(0, len(once) - MAX_COMBINING_MARKS))
    )


def test_whole_korean_letters_have_no_halves_left() -> None:
    letters = "".join(map(chr, range(0xAC00, 0xD7A4, 97)))
    assert legible(unicodedata.normalize("NFC", unicodedata.normalize("NFD", letters))) == letters
