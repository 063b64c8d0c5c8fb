"""What a session asks for: commands are split, few variables are kept."""

import pytest

from cartino_server.ssh.ports import (
    MAX_COMMAND,
    MAX_VARIABLE_BYTES,
    MAX_VARIABLES,
    MAX_WORDS,
    Environment,
    UnreadableCommand,
    split_command,
)


def test_words_are_split_as_a_shell_does() -> None:
    assert split_command("") == []
    assert split_command("new --game cartino 'two words'") == ["new", "--game", "cartino", "two words"]


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("join 'K7", "quote"),
        ("join \0", "UTF-8"),
        (b"join \xff".decode("utf-8", "surrogateescape"), "UTF-8"),
        ("x" * (MAX_COMMAND + 1), "too long"),
        ("x " * (MAX_WORDS + 1), "too long"),
    ],
)
def test_what_is_no_command_is_told_in_one_sentence(command: str, told: str) -> None:
    with pytest.raises(UnreadableCommand, match=told) as caught:
        split_command(command)
    assert "\n" not in str(caught.value)


def test_many_words_are_read() -> None:
    assert len(split_command("x " * MAX_WORDS)) == MAX_WORDS


def test_only_what_speaks_of_the_terminal_is_kept() -> None:
    environ = Environment()
    for name in (b"LANG", b"LC_ALL", b"COLORTERM", b"NO_COLOR", b"TZ"):
        assert environ.offer(name, b"value")
    for name in (b"PATH", b"LD_PRELOAD", b"TEXTUAL", b"lang", b"L\xff"):
        assert not environ.offer(name, b"value")
    assert sorted(environ.kept) == ["COLORTERM", "LANG", "LC_ALL", "NO_COLOR", "TZ"]


@pytest.mark.parametrize("value", [b"x" * (MAX_VARIABLE_BYTES + 1), b"\xff", b"a\x1b[2Jb", b"a\nb"])
def test_values_are_short_and_printable(value: bytes) -> None:
    assert not Environment().offer(b"LANG", value)


def test_there_is_an_end_to_how_many() -> None:
    environ = Environment()
    for number in range(MAX_VARIABLES * 3):
        environ.offer(b"LC_%d" % number, b"x")
    assert len(environ.kept) == MAX_VARIABLES
    assert environ.offer(b"LC_0", b"y")
    assert not environ.offer(b"LC_" + b"x" * MAX_VARIABLE_BYTES, b"y")
