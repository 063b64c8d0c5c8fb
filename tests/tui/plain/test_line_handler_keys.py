"""Keys become lines, and on a raw terminal they are shown as every terminal shows them."""

import pytest

from cartino_tui.plain.line_handler import MAX_LINE_LENGTH, LineEditor


def typed(*data: bytes, raw: bool = True) -> tuple[str, list[str], LineEditor]:
    """What was shown for `data`, the lines it made, and the keyboard after it."""
    keyboard = LineEditor(raw=raw)
    shown = "".join(keyboard.feed(each) for each in data)
    return shown, keyboard.lines, keyboard


@pytest.mark.parametrize("end", [b"\r", b"\n", b"\r\n"])
def test_a_line_ends_in_whatever_enter_sends(end: bytes) -> None:
    shown, lines, keyboard = typed(b"end" + end + b"2" + end)
    assert lines == ["end", "2"]
    assert shown == "end\n2\n"
    assert not keyboard.is_typing


def test_a_letter_is_shown_when_it_is_typed_and_whole() -> None:
    assert typed("é".encode()[:1])[0] == ""
    shown, _, keyboard = typed("é".encode()[:1], "é".encode()[1:])
    assert shown == "é"
    assert keyboard.is_typing


def test_without_a_terminal_nothing_is_shown_and_nobody_seems_to_type() -> None:
    shown, lines, keyboard = typed(b"sa", b"y hi\nne", raw=False)
    assert (shown, lines) == ("", ["say hi"])
    assert not keyboard.is_typing


@pytest.mark.parametrize("key", [b"\x7f", b"\x08"])
def test_backspace_takes_back_a_letter_with_its_marks_and_its_cells(key: bytes) -> None:
    assert typed(b"ab" + key + b"c\r")[:2] == ("ab\b \bc\n", ["ac"])
    assert typed("大".encode() + key)[0] == "大\b\b  \b\b"
    shown, lines, _ = typed("e\u0301".encode() + key + b"\r")
    assert (shown, lines) == ("e\u0301\b \b\n", [""])
    assert typed(key)[0] == ""


def test_a_word_and_a_line_can_be_taken_back() -> None:
    assert typed(b"say hello you\x17\r")[1] == ["say hello"]
    assert typed(b"say hello\x15end\r")[1] == ["end"]
    assert not typed(b"say\x15")[2].is_typing


def test_arrows_and_function_keys_are_no_letters() -> None:
    assert typed(b"a\x1b[Ab\x1bOPc\x1b[15~d\x1bxe\r")[:2] == ("abcde\n", ["abcde"])
    assert typed(b"a\x1b", b"[", b"1;5C", b"b\r")[1] == ["ab"]


def test_a_sequence_without_an_end_is_not_kept() -> None:
    _, lines, keyboard = typed(b"a\x1b[" + b"0;" * 50_000, b"~b\r")
    assert lines == ["ab"]
    keyboard.feed(b"\x1b[" + b"0;" * 50_000)
    assert all(len(str(value)) < 100 for value in vars(keyboard).values())


def test_control_letters_are_dropped() -> None:
    assert typed(b"a\x00\x07\tb\r")[1] == ["a b"]


def test_what_is_too_long_is_dropped() -> None:
    shown, lines, _ = typed(b"x" * (MAX_LINE_LENGTH + 50) + b"\r")
    assert len(lines[0]) == MAX_LINE_LENGTH
    assert len(shown) == MAX_LINE_LENGTH + 1


def test_ctrl_c_gives_up_a_line_and_then_the_visit() -> None:
    shown, lines, keyboard = typed(b"say\x03")
    assert (shown, lines, keyboard.ended) == ("say\n", [], False)
    keyboard.feed(b"\x03")
    assert keyboard.ended


def test_ctrl_d_ends_on_an_empty_line_alone() -> None:
    assert not typed(b"say\x04")[2].ended
    assert typed(b"\x04")[2].ended
    shown, lines, keyboard = typed(b"last\x04", raw=False)
    assert (shown, lines, keyboard.ended) == ("", ["last"], True)
