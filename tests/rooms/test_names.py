"""Names: which ones can be, and how the second of two gets another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_server.rooms.names import LONGEST, MOST_BYTES, SHORTEST, clean_name, free_name, key_of, shortened
from cartino_server.rooms.text import is_visible


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("ann", "ann"),
        (" Ann Lee ", "Ann Lee"),
        ("Léa", "Léa"),
        ("ａｎｎ", "ann"),
        ("日本", "日本"),
        ("robot", "robot"),
        ("🂡" * 8, "🂡" * 8),
        ("漢字" * 4, "漢字" * 4),
        ("漢字漢字ab", "漢字漢字ab"),
    ],
)
def test_names_that_can_be(text: str, name: str) -> None:
    assert clean_name(text) == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "x" * 17,
        "🂡" * 9,
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
    ],
)
def test_names_that_can_not_be(text: str) -> None:
    assert clean_name(text) is None


@given(st.text())
def test_a_clean_name_is_visible_and_stays_what_it_is(text: str) -> None:
    name = clean_name(text)
    if name is not None:
        assert SHORTEST <= len(name) <= LONGEST
        assert len(name.encode()) <= MOST_BYTES
        assert all(map(is_visible, name))
        assert clean_name(name) == name


def test_the_next_of_a_name_gets_a_number() -> None:
    taken = {key_of("ann"), key_of("ann2")}
    assert free_name("bob", taken) == "bob"
    assert free_name("Ann", taken) == "Ann3"
    assert free_name("x" * 16, {"x" * 16}) == "x" * 15 + "2"
    assert free_name("🂡" * 8, {"🂡" * 8}) == "🂡" * 7 + "2"


@given(st.text(st.characters(), max_size=40))
def test_the_beginning_of_a_text_is_short_enough_for_a_name(text: str) -> None:
    beginning = shortened(text)
    assert len(beginning) <= LONGEST
    assert len(beginning.encode(errors="surrogatepass")) <= MOST_BYTES
    assert shortened(beginning) == beginning
