import pytest

from cartino_server.ssh.words import MOST, MOST_WORDS, WordsError, split


def test_words_are_split_as_a_shell_does() -> None:
    assert split("") == []
    assert split("new --game cartino 'two words'") == ["new", "--game", "cartino", "two words"]


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("join 'K7", "quote"),
        ("join \0", "UTF-8"),
        (b"join \xff".decode("utf-8", "surrogateescape"), "UTF-8"),
        ("x" * (MOST + 1), "too long"),
        ("x " * (MOST_WORDS + 1), "too long"),
    ],
)
def test_what_is_no_command_is_told_in_one_sentence(command: str, told: str) -> None:
    with pytest.raises(WordsError, match=told) as caught:
        split(command)
    assert "\n" not in str(caught.value)


def test_many_words_are_read() -> None:
    assert len(split("x " * MOST_WORDS)) == MOST_WORDS
