"""A flat TOML file: its keys with their lines, and a clause for each way of getting it wrong."""

import pytest

from cartino_server.operations.settings import MAX_TOML_CHARACTERS, SettingError, find_line, parse_toml


def test_keys_come_with_their_lines() -> None:
    text = '# a = 0\na = 1\n"b" = """\na = 3\n"""\n\n  c.d = 4\n[e]\n'
    read = parse_toml(text)
    assert read == {"a": 1, "b": "a = 3\n", "c": {"d": 4}, "e": {}}
    assert [find_line(text, key) for key in read] == [2, 3, 7, 8]
    hidden = '"\\u0061" = 1'
    assert parse_toml(hidden) == {"a": 1}
    assert find_line(hidden, "a") == 0, "written in a way that hides it"
    assert parse_toml("") == {}


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("a = 1\na = 2\n", "a appears twice (line 2)"),
        ("a = 1\n\na = [\n1,\n2]\nb = 1", "a appears twice (line 5)"),
        ("[a]\n[a]", "a appears twice (line 2)"),
        ('a = 1\n"a" = 2', "a appears twice (line 2)"),
        ("a = 1 2\nb = 3", "line 1 isn't KEY"),
        ("b = 3\na", "line 2 isn't KEY"),
        ("b = 3\na\n\n", "line 2 isn't KEY"),
        ('a = "x\nb = 1', "line 1 isn't KEY"),
        ("a = " + "9" * 5000, "a number in it is too long"),
        ("a = " + "[" * 5000, "it is nested too deeply"),
        ("a." * 5000 + "a = 1", "it is nested too deeply"),
        ("a = {" + "b . 'c'.\"d\"." * 2000 + "a = 1}", "it is nested too deeply"),
        ("#" * (MAX_TOML_CHARACTERS + 1), "it is longer than 65536 characters"),
    ],
)
def test_what_is_wrong_is_a_clause(text: str, clause: str) -> None:
    with pytest.raises(SettingError) as fault:
        parse_toml(text)
    assert str(fault.value).startswith(clause)
    assert "\n" not in str(fault.value)


def test_long_lists_of_addresses_are_no_deep_keys() -> None:
    assert len(parse_toml(f"a = {['10.0.0.0/8'] * 100}")) == 1
