"""The sentences that are marked are found, and nothing else."""

from pathlib import Path

import pytest

from tests.words.conftest import CODE
from tools.words.finding import Marked, Unmarkable, by_sentence, found_in, sentences


def test_what_is_marked_is_found_in_its_order() -> None:
    assert list(sentences(CODE, "table.py")) == [
        Marked("The line is lost; next try in {n} s."),
        Marked("{name} is watching"),
        Marked("{n} stone", "{n} stones"),
        Marked("Jack", context="card"),
        Marked("Jack"),
    ]


def test_a_sentence_in_pieces_is_one() -> None:
    assert list(sentences('N_("one "\n   "two")', "x.py")) == [Marked("one two")]


@pytest.mark.parametrize("code", ["say(text)", 'link.say(Say("hi"))', 'words.count("a")', "say()", 'say("")'])
def test_what_only_looks_like_it_is_not(code: str) -> None:
    assert list(sentences(code, "x.py")) == []


@pytest.mark.parametrize("code", ['say(f"{name} left")', 'later(f"{name} left")', 'count(f"{n} a", "b", n)'])
def test_a_sentence_that_is_put_together_is_refused_with_its_place(code: str) -> None:
    with pytest.raises(Unmarkable, match=r"x\.py:1: "):
        list(sentences(code, "x.py"))


def test_each_sentence_is_listed_once_with_all_its_files(tree: Path) -> None:
    (tree / "server/room.py").write_text('later("{name} is watching", name=1); later("Jack"); later("Jack")')
    files = by_sentence(found_in(tree))
    assert files[Marked("{name} is watching")] == ["cartino_tui/table.py", "server/room.py"]
    assert files[Marked("Jack")] == ["cartino_tui/table.py", "server/room.py"]
    assert files[Marked("Jack", context="card")] == ["cartino_tui/table.py"]
