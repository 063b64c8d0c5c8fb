"""Text from people: what is kept, what is dropped, what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_protocol.text import is_visible
from cartino_server.table.chat import clean_text, quotable


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("hello", "hello"),
        ("  hello  ", "hello"),
        ("a\u00a0b", "a b"),
        ("\u202eabc\u2066", "abc"),
        ("a\u200bb\ufeff", "ab"),
        ("e\u0301", "é"),
        ("z" + "\u0316\u0317\u0318", "z\u0316\u0317"),
        ("[b]x[/b]", "[b]x[/b]"),
        ("*** a", "** a"),
        ("a ******", "a **"),
        ("a**b", "a**b"),
        ("★＊\u200b* a", "** a"),
        ("日本", "日本"),
        ("\U0001f600", "\U0001f600"),
    ],
)
def test_what_is_kept(text: str, cleaned: str) -> None:
    assert clean_text(text, 10) == cleaned


@pytest.mark.parametrize(
    "text", ["", "   ", "\u200b", "a\x00", "\x1b[2J", "\x9b2J", "a\nb", "a\tb", "x" * 11]
)
def test_what_is_refused(text: str) -> None:
    assert clean_text(text, 10) is None
    assert (clean_text(text, 11) is None) == (text != "x" * 11)


@given(st.text())
def test_nothing_unseen_comes_through(text: str) -> None:
    cleaned = clean_text(text, 50)
    assert cleaned is None or (0 < len(cleaned) <= 50 and all(map(is_visible, cleaned)))


@given(st.text())
def test_a_quoted_word_is_short_and_visible(text: str) -> None:
    quoted = quotable(text)
    assert len(quoted) <= 64
    assert all(map(is_visible, quoted))


@pytest.mark.parametrize("letter", [*"\u3164\u115f\u2800\u034f\ufe0f\u2028\u200d\u061c\u3000\U000e0101"])
def test_letters_that_draw_nothing_are_not_visible(letter: str) -> None:
    assert not is_visible(letter)
