"""The line for text: a value that keys turn into the next one."""

import pytest

from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.text import FILL
from cartino_tui.game_port.screen import Look
from cartino_tui.visit.pending import Press
from cartino_tui.widgets.prompt import Prompt, PromptLine, open_prompt, prompt_key_at

LOOK = Look(60, 3)
KEYS = "Enter done  Esc cancel"


def ask(value: str = "", most: int = 10) -> Prompt:
    return Prompt("Say", most, lambda text: None, value)


def typed(line: PromptLine, *keys: str) -> PromptLine | str:
    after: PromptLine | str = line
    for key in keys:
        assert isinstance(after, PromptLine)
        after = after.press(Press(key, " " if key == "space" else key if len(key) == 1 else None), LOOK)
    return after


@pytest.mark.parametrize(
    ("keys", "text", "cursor"),
    [
        ("a b", "abc" + "ab", 5),
        ("left left x", "axbc", 2),
        ("home x", "xabc", 1),
        ("home delete", "bc", 0),
        ("home left right right", "abc", 2),
        ("backspace", "ab", 2),
        ("home backspace", "abc", 0),
        ("left left end x", "abcx", 4),
        ("up f1", "abc", 3),
        ("left ctrl+u", "c", 0),
        ("left left ctrl+k", "a", 1),
        ("space d e space ctrl+w", "abc ", 4),
        ("ctrl+w", "", 0),
        ("ctrl+a x ctrl+e y", "xabcy", 5),
    ],
)
def test_keys_write_and_move(keys: str, text: str, cursor: int) -> None:
    line = typed(open_prompt(ask("abc")), *keys.split())
    assert isinstance(line, PromptLine)
    assert (line.text, line.cursor) == (text, cursor)


@pytest.mark.parametrize(
    ("value", "keys", "result"),
    [
        (" abc ", ("enter",), "abc"),
        ("abc", ("escape",), ""),
        ("", ("enter",), ""),
        ("a", ("backspace", "enter"), ""),
    ],
)
def test_how_it_ends(value: str, keys: tuple[str, ...], result: str) -> None:
    assert typed(open_prompt(ask(value)), *keys) == result


def test_who_holds_backspace_down_stays_in_the_line() -> None:
    """What is typed next would be commands to the screen below."""
    line = typed(open_prompt(ask("a")), *["backspace"] * 9, "b")
    assert isinstance(line, PromptLine)
    assert line.text == "b"


def test_what_is_pasted_is_cut_to_the_room_and_to_what_can_be_shown() -> None:
    assert open_prompt(ask("ab")).insert("1\x1b[2J\n23456789xyz", LOOK).text == "ab1[2J 234"


def shown(line: PromptLine, look: Look = LOOK) -> str:
    row = line.draw(Canvas(look.width, look.height).frame(), look).text().split("\n")[-1]
    assert row.endswith(f" {KEYS}")
    return row.removesuffix(KEYS).rstrip()


def test_it_is_the_last_row_of_the_frame() -> None:
    frame = open_prompt(ask("hello")).draw(Canvas(60, 3).frame(), LOOK)
    assert frame.text().split("\n") == ["", "", f" Say hello{KEYS:>49}"]
    assert (" ", "caret") in frame.rows[2]
    assert sum(len(text) for text, _ in frame.rows[2]) == 60


def test_a_long_line_scrolls_with_the_cursor() -> None:
    line = open_prompt(Prompt("Say", 300, lambda text: None, "0123456789" * 5))
    assert shown(line).endswith("789")
    at_home = typed(line, "home")
    assert isinstance(at_home, PromptLine)
    assert shown(at_home).startswith(" Say 0123")


def test_every_character_has_cells_of_its_own() -> None:
    assert shown(open_prompt(ask("a漢\u0301b"))) == f" Say a漢{FILL}?b"
    behind = open_prompt(ask("漢漢")).draw(Canvas(60, 3).frame(), LOOK).rows[2]
    before = next(at for at, (_, role) in enumerate(behind) if role == "caret")
    assert sum(len(text) for text, _ in behind[:before]) == len(" Say ") + 4
    assert shown(open_prompt(ask("aéb")), Look(60, 3, ascii=True)) == " Say aeb"


def test_a_click_on_a_key_presses_it_and_one_on_the_text_nothing() -> None:
    frame = open_prompt(ask("Esc cancel", 20)).draw(Canvas(60, 3).frame(), LOOK)
    row = frame.text().split("\n")[-1]
    assert prompt_key_at(frame, LOOK, row.index("Enter done")) == "enter"
    assert prompt_key_at(frame, LOOK, row.rindex("Esc cancel") + 9) == "escape"
    assert [prompt_key_at(frame, LOOK, x) for x in (0, row.index("Esc cancel"), 59)] == [None, None, None]


def test_a_text_that_will_not_do_stays_with_the_reason_above_it_until_it_changes() -> None:
    picky = Prompt("Say", 10, lambda text: None, "abc", check=lambda text: "Too short." * (len(text) < 4))
    line = open_prompt(picky).press(Press("enter"), LOOK)
    assert isinstance(line, PromptLine)
    assert (line.text, line.note) == ("abc", "Too short.")
    assert line.draw(Canvas(60, 3).frame(), LOOK).text().split("\n")[1] == " Too short."
    longer = typed(line, "d")
    assert isinstance(longer, PromptLine)
    assert longer.note == ""
    assert longer.press(Press("enter"), LOOK) == "abcd"
    assert open_prompt(picky).press(Press("escape"), LOOK) == ""


def test_a_full_line_says_that_it_is_full() -> None:
    almost = open_prompt(ask("123456789"))
    assert almost.draw(Canvas(60, 3).frame(), LOOK).text().split("\n")[1] == ""
    full = typed(almost, "x", "y")
    assert isinstance(full, PromptLine)
    assert full.text == "123456789x"
    row = full.draw(Canvas(60, 3).frame(), LOOK).text().split("\n")[1]
    assert row == " Up to 10 characters."


def test_a_long_label_has_a_row_of_its_own_where_it_leaves_no_room() -> None:
    line = open_prompt(Prompt("Everything that you would like to say", 300, lambda text: None, "hello"))
    rows = line.draw(Canvas(60, 3).frame(), LOOK).text().split("\n")
    assert rows[1:] == [" Everything that you would like to say", f" hello{KEYS:>53}"]
    wide = line.draw(Canvas(90, 3).frame(), Look(90, 3)).text().split("\n")
    assert wide[1] == ""
    assert wide[2].startswith(" Everything that you would like to say hello")


def test_where_there_is_no_room_for_its_keys_there_is_still_some_for_the_text() -> None:
    for width in range(1, 40):
        frame = open_prompt(ask("hello")).draw(Canvas(width, 2).frame(), Look(width, 2))
        assert (frame.width, len(frame.rows)) == (width, 2)
    assert "hello" in open_prompt(ask("hello")).draw(Canvas(12, 2).frame(), Look(12, 2)).text()
