import textwrap
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from cartino_tui.draw.text import FILL, clean, fit, longest, paired, plain, with_lead, wrap, wrap_command


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Léa", "Léa"),
        ("Le\u0301a", "Léa"),
        ("a\u0300\u0301\u0302\u0303b", "àb"),
        ("evil\x1b[31m\r\nname", "evil[31m  name"),
        ("\u202eabc\u2066", "abc"),
        ("a\u200bb\ufeffc\u00add", "abcd"),
        ("王x😀", "王\u200bx?"),
        ("한글、ｆ", "한\u200b글\u200b、\u200bｆ\u200b"),
        ("tab\there", "tab here"),
        ("[bold]x[/]", "[bold]x[/]"),
    ],
)
def test_clean_leaves_letters_with_a_character_for_each_cell(text: str, shown: str) -> None:
    assert clean(text) == shown


@given(st.text(max_size=40))
def test_every_character_that_is_left_has_its_cells_and_is_no_control(text: str) -> None:
    shown = clean(text)
    assert cell_len(shown) == len(shown)
    assert paired(shown) == shown
    left = shown.replace(FILL, "")
    assert not any(unicodedata.category(char) in {"Cc", "Cf", "Mn", "Me"} for char in left)
    assert clean(shown) == shown


@pytest.mark.parametrize(
    ("cells", "shown"), [(1, "…"), (2, "…"), (3, "王\u200b…"), (4, "王\u200b…"), (5, "王\u200b王\u200bx")]
)
def test_fit_cuts_no_wide_letter_in_half(cells: int, shown: str) -> None:
    assert fit("王王x", cells) == shown


@given(st.text("王ab 한", max_size=80), st.integers(3, 30))
def test_wrap_breaks_no_wide_letter_in_half_and_loses_none(text: str, cells: int) -> None:
    rows = wrap(text, cells, 99)
    assert all(len(row) <= cells and paired(row) == row for row in rows)
    assert "".join("".join(rows).split()) == "".join(clean(text).split())


@pytest.mark.parametrize(
    ("cut", "mended"), [("\u200bab", " ab"), ("a王", "a?"), ("王x", "?x"), ("王\u200bx", "王\u200bx")]
)
def test_half_a_wide_letter_is_none(cut: str, mended: str) -> None:
    assert paired(cut) == mended


@given(st.text(max_size=40))
def test_plain_is_ascii(text: str) -> None:
    assert plain(text).isascii()
    assert plain(text).isprintable()


@pytest.mark.parametrize(
    ("text", "shown"), [("Léa · 9♥", "Lea - 9H"), ("Roß", "Ross"), ("Ж", "?"), ("王x", "?x")]
)
def test_plain_says_the_same_in_ascii_where_it_can(text: str, shown: str) -> None:
    assert plain(text) == shown


@pytest.mark.parametrize(
    ("cells", "shown"), [(0, ""), (1, "…"), (4, "abc…"), (6, "abcdef"), (9, "abcdef"), (-1, "")]
)
def test_fit_cuts_with_an_ellipsis(cells: int, shown: str) -> None:
    assert fit("abcdef", cells) == shown


def test_fit_in_ascii_cuts_with_a_tilde() -> None:
    assert fit("Léa Bérard", 6, ascii=True) == "Lea B~"


@pytest.mark.parametrize(
    ("texts", "cells", "most"),
    [
        ((), 9, 0),
        (("ab", "c"), 9, 2),
        (("abcdef", "abc"), 7, 4),
        (("abcdef", "abc"), 5, 2),
        (("abc", "abc"), 0, 1),
    ],
)
def test_longest_is_what_fits_together_and_at_least_one(
    texts: tuple[str, ...], cells: int, most: int
) -> None:
    assert longest(texts, cells) == most


@given(st.text(max_size=80), st.integers(1, 30), st.integers(1, 4), st.booleans())
def test_wrap_keeps_to_its_room(text: str, cells: int, lines: int, ascii: bool) -> None:
    shown = wrap(text, cells, lines, ascii=ascii)
    assert len(shown) <= lines
    assert all(len(line) <= cells for line in shown)


def test_wrap_breaks_at_words_and_marks_what_was_cut() -> None:
    assert wrap("one two three four", 9, 2) == ["one two", "three…"]
    assert wrap("anything", 0, 2) == []


def test_a_mark_behind_a_blank_stays_with_its_word() -> None:
    assert wrap("Une autre main : la tienne", 14, 3) == ["Une autre", "main : la", "tienne"]
    assert wrap("On joue encore ? Oui", 14, 3) == ["On joue", "encore ? Oui"]
    assert wrap("Dites « oui » ou non", 11, 3) == ["Dites", "« oui » ou", "non"]
    # A key of that name is a word of its own.
    assert wrap("more; ? has the rules", 6, 9) == ["more;", "? has", "the", "rules"]


def test_quotation_marks_of_every_language_have_some_in_ascii() -> None:
    assert plain("« oui » „ja“ “yes”") == '" oui " "ja" "yes"'


def test_a_command_is_broken_between_its_words_and_never_cut() -> None:
    command = "ssh -t -p 2222 a-house.with-a-long-name.games.example.org back batiko-nuvaro-zeline"
    assert wrap_command(command, 66) == [
        command.removesuffix(" batiko-nuvaro-zeline"),
        "batiko-nuvaro-zeline",
    ]
    assert wrap_command(command, 20)[-1] == "batiko-nuvaro-zeline"
    assert "".join(wrap_command(command, 7)).replace(" ", "") == command.replace(" ", "")
    assert wrap_command("ssh -t é\x1b", 40, ascii=True) == ["ssh -t e"]


def test_a_lead_gives_way_where_not_both_fit() -> None:
    assert with_lead("Hello.", "Go on.", 13) == "Hello. Go on."
    assert with_lead("Hello.", "Go on.", 12) == "Go on."
    assert with_lead("", "Go on.", 12) == "Go on."


@given(st.text("az ~·…–—−↑↓♠♥♦♣★■○●►◄", max_size=12))
def test_what_is_taken_as_it_is_would_have_come_out_the_same(text: str) -> None:
    assert unicodedata.normalize("NFC", text) == text
    assert clean(text) == text
    assert all(
        cell_len(char) == 1 and unicodedata.category(char)[0] not in "CZM" for char in set(text) - {" "}
    )


@given(st.text("ab  -é", max_size=14), st.integers(1, 16), st.integers(1, 3))
def test_short_text_is_wrapped_as_long_text_is(text: str, cells: int, lines: int) -> None:
    assert wrap(text, cells, lines) == textwrap.wrap(text, cells, max_lines=lines, placeholder="…")
