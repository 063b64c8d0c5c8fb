import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_tui.terminal.probe import LateAnswer, background_from_env, take_background_answer

ANSWER = b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\"


@pytest.mark.parametrize(
    ("value", "ground"),
    [
        ("15;0", "dark"),
        ("0;15", "light"),
        ("0;default;15", "light"),
        ("7;8", "dark"),
        ("0;7", "light"),
        ("default;default", None),
        ("", None),
        ("²", None),
    ],
)
def test_the_environment_may_name_the_ground(value: str, ground: str | None) -> None:
    assert background_from_env({"COLORFGBG": value}) == ground


def test_where_it_names_none_nobody_knows() -> None:
    assert background_from_env({}) is None


@pytest.mark.parametrize(
    ("answer", "ground"),
    [
        (b"\x1b]11;rgb:0000/0000/0000\x1b\\", "dark"),
        (b"\x1b]11;rgb:1e/1e/2e\x07", "dark"),
        (b"\x1b]11;rgba:fdfd/f6f6/e3e3/ffff\x07", "light"),
        (b"\x1b]11;rgb:f/f/f\x1b\\", "light"),
        (b"\x1b]11;#ffffff\x07", None),
        (b"\x1b]10;rgb:f/f/f\x07", None),
    ],
)
def test_the_answer_tells_dark_from_light(answer: bytes, ground: str | None) -> None:
    typed = bytearray(b"a" + answer + b"b")
    assert take_background_answer(typed) == ground
    assert typed == (b"ab" if ground else b"a" + answer + b"b")


@given(st.binary(max_size=40), st.binary(max_size=40), st.lists(st.integers(4, 20), max_size=6))
def test_a_late_answer_is_taken_out_wherever_it_is_cut(before: bytes, after: bytes, sizes: list[int]) -> None:
    before, after = before.replace(b"\x1b", b""), after.replace(b"\x1b", b"")
    typed, late, left = before + ANSWER + after, LateAnswer(), b""
    cuts = [len(before) + 2, *sizes]
    for size in cuts:
        left += late.remove_answer(typed[:size])
        typed = typed[size:]
    assert left + late.remove_answer(typed) == before + after


@pytest.mark.parametrize("typed", [b"\x1b", b"\x1b[A", b"]11;", b"\x1b]12;", b"\x1b]11;" + b"x" * 40])
def test_what_is_no_answer_goes_on_at_once(typed: bytes) -> None:
    assert LateAnswer().remove_answer(typed) == typed
