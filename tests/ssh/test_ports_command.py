import pytest

from cartino_server.ssh.ports import MAX_COMMAND, MAX_WORDS, UnreadableCommand, split_command


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
