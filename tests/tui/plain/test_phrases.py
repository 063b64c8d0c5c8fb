"""Lines hold nothing that a terminal obeys."""

from cartino_tui.plain.phrases import printable_line


def test_nothing_in_a_line_is_obeyed() -> None:
    assert printable_line("a\x1b[31mb\u202ec\u200bd\ne", ascii=False) == "a[31mbcd e"


def test_wide_letters_stay_where_they_can_be_shown() -> None:
    assert printable_line("大 é", ascii=False) == "大 é"
    assert printable_line("é – “ok”", ascii=True) == 'e - "ok"'
