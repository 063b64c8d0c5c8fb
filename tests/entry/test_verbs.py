"""Words behind `ssh host`: what they lead to, and a sentence for each way of getting them wrong."""

import pytest

from cartino_server.entry.errors import MISUSE, CommandError
from cartino_server.entry.verbs import HELP, Export, Games, Go, Help, Open, Verb, read_verb
from cartino_server.entry.words import Asked


@pytest.mark.parametrize(
    ("words", "verb"),
    [
        ("join K7QP", Go("K7QP", watch=False)),
        ("join k7-qp", Go("K7QP", watch=False)),
        ("watch K7QP", Go("K7QP", watch=True)),
        ("new", Open("cartino", {"edition": "1974"}, 2, (), open=True)),
        (
            "new --game cartino --edition 1969 --seats 3 --bots 1",
            Open("cartino", {"edition": "1969"}, 3, ("greedy",), open=True),
        ),
        (
            "new --bots 1 --bot random --private",
            Open("cartino", {"edition": "1974"}, 2, ("random",), open=False),
        ),
        ("games", Games(json=False)),
        ("games --json", Games(json=True)),
        ("export K7QP", Export("K7QP")),
        ("help", Help()),
    ],
)
def test_words_are_read(words: str, verb: Verb) -> None:
    assert read_verb(words.split()) == verb


@pytest.mark.parametrize(
    "words",
    [
        "dance",
        "x" * 5000,
        "join",
        "join K7Q",
        "join K7QP more",
        "new --edition 1970",
        "new --seats 1",
        "new --seats 5",
        "new --seats two",
        "new --bots 2",
        "new --bots -1",
        "new --bot chess",
        "new --bogus",
        "games --yaml",
        "export",
        "export \x1b[2J",
        "help me",
        "games \x1b[2J",
        "games " + "x" * 9000,
    ],
)
def test_wrong_words_are_one_short_sentence(words: str) -> None:
    with pytest.raises(CommandError) as error:
        read_verb(words.split())
    sentence = str(error.value)
    assert error.value.code == MISUSE
    assert sentence.isprintable(), "what was typed comes back without its control characters, in one line"
    assert len(sentence) < 250
    assert sentence.endswith(".")


def test_each_verb_helps() -> None:
    with pytest.raises(Asked, match="--edition"):
        read_verb(["new", "--help"])
    for verb in ("join", "watch", "new", "games", "export", "help"):
        assert verb in HELP
