"""The sentences that are marked are found, and nothing else."""

import tomllib
from pathlib import Path

import pytest

from tests.tools.words.conftest import CODE
from tools.words.finding import SOURCES, Marked, Unmarkable, by_sentence, found_in, sentences


def test_what_is_marked_is_found_in_its_order() -> None:
    assert list(sentences(CODE, "table.py")) == [
        Marked("The line is lost; next try in {n} s."),
        Marked("{name} is watching"),
        Marked("{n} stone", "{n} stones"),
        Marked("Jack", context="card"),
        Marked("Jack"),
    ]


def test_commands_are_found_in_their_context() -> None:
    found = list(sentences('translator.command_words("join", "code")', "x.py"))
    assert found == [Marked("join", context="command"), Marked("code", context="command")]


def test_a_sentence_in_pieces_is_one() -> None:
    assert list(sentences('N_("one "\n   "two")', "x.py")) == [Marked("one two")]


@pytest.mark.parametrize(
    "code",
    [
        "say(text)",
        'link.say(Say("hi"))',
        'words.count("a")',
        "say()",
        'say("")',
        'WAY = {"lost": lazy_gettext}\ndef f(WAY): say(WAY["lost"])',
        'KIND = "name"\ndef f():\n    for KIND in kinds: say(KIND)',
        'KIND = "name"\ndef f(*, KIND): say(KIND)',
        'KIND = "·"\nsay(KIND)',
    ],
)
def test_what_only_looks_like_it_is_not(code: str) -> None:
    assert list(sentences(code, "x.py")) == []


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ('say("a" if y else "b")', ["a", "b"]),
        ('say(text or "b")', ["b"]),
        ('text = N_("a") if y else ""\nsay(text)', ["a"]),
        ('pgettext("card", "Jack" if y else "Queen")', ["Jack", "Queen"]),
    ],
)
def test_each_of_several_sentences_is_found(code: str, texts: list[str]) -> None:
    assert [each.text for each in sentences(code, "x.py")] == texts


@pytest.mark.parametrize(
    "code",
    [
        'say(f"{name} left")',
        'lazy_gettext(f"{name} left")',
        'count(f"{n} a", "b", n)',
        'say("a" + x)',
        'say("a %s" % b)',
        'say("x".format(b))',
        'lazy_gettext("Hello " + name)',
        'say(text="Hi")',
        'N_(text="Hi")',
        "N_()",
        "N_(text)",
        "lazy_gettext(text)",
        "lazy_ngettext(one, many, n)",
        'count("a", more, n)',
        'count("a" if y else "b", "c" if y else "d", n)',
        'pgettext(where, "Jack")',
        'pgettext("card", "Ja" + "ck")',
        'say("a" if y else f"{n} b")',
        "say(*texts)",
        'say(words.get(word, "something else"))',
        "from cartino_protocol.text import N_ as _",
    ],
)
def test_a_sentence_that_is_put_together_is_refused_with_its_place(code: str) -> None:
    with pytest.raises(Unmarkable, match=r"x\.py:1: "):
        list(sentences(code, "x.py"))


@pytest.mark.parametrize(
    "code",
    [
        'HELLO = "Hello"\ndef f(): tongue.say(HELLO)',
        'HELLO: Final = "Hello"\ndef f(): tongue.say(HELLO)',
        'WAY = {"lost": "It is lost."}\ndef f(): tongue.say(WAY["lost"])',
        'WAY = {"lost": "It is lost."}\ndef f(): tongue.say(WAY.get(way))',
        'def f():\n    text = f"{n} stones"\n    tongue.say(text)',
        'def f():\n    text = "no stones" if n else N_("a stone")\n    tongue.say(text)',
        'def f():\n    text = N_("a stone")\n    text = "no stones"\n    tongue.say(text)',
        'WAY = "It is lost."\ndef f(way): return lambda: tongue.say(way or WAY)',
    ],
)
def test_a_name_that_stands_for_a_text_that_nobody_marked_is_refused(code: str) -> None:
    with pytest.raises(Unmarkable, match=r"x\.py:\d+: .*without a mark"):
        list(sentences(code, "x.py"))


@pytest.mark.parametrize(
    "code",
    [
        "from cartino_server.words import LOST\ntongue.say(LOST)",
        "from cartino_server import words\ntongue.say(words.LOST)",
        "from cartino_server.words import LOST as GONE\ntongue.say(GONE)",
        'from cartino_server.words import WAYS\ntongue.say(WAYS["lost"])',
    ],
)
def test_one_that_its_own_module_does_not_mark_is_refused_too(tree: Path, code: str) -> None:
    (tree / "cartino_tui/new.py").write_text(code)
    words = tree / "server/cartino_server/words.py"
    words.parent.mkdir()
    words.write_text('LOST = N_("It is lost.")\nWAYS = {"lost": LOST}')
    assert Marked("It is lost.") in by_sentence(found_in(tree))
    words.write_text('LOST = "It is lost."\nWAYS = {"lost": "It is lost."}')
    with pytest.raises(Unmarkable, match=r"cartino_tui/new\.py:2: .*without a mark"):
        list(found_in(tree))


def test_each_sentence_is_listed_once_with_all_its_files(tree: Path) -> None:
    (tree / "server/room.py").write_text(
        'lazy_gettext("{name} is watching", name=1); lazy_gettext("Jack"); lazy_gettext("Jack")'
    )
    files = by_sentence(found_in(tree))
    assert files[Marked("{name} is watching")] == ["cartino_tui/table.py", "server/room.py"]
    assert files[Marked("Jack")] == ["cartino_tui/table.py", "server/room.py"]
    assert files[Marked("Jack", context="card")] == ["cartino_tui/table.py"]


def test_every_package_of_the_wheel_is_searched() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert {Path(package).parts[0] for package in packages} == set(SOURCES)
