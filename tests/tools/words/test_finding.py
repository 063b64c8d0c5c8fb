"""The sentences that are marked are found, and nothing else; one-line cases stand in `finding.txt`."""

import tomllib
from pathlib import Path

import pytest

from tests.tools.words.conftest import CODE
from tools.words.finding import SOURCES, Marked, Unmarkable, by_sentence, found_in, sentences

CASES = [
    line.split(" =>")
    for line in Path(__file__).with_name("finding.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


@pytest.mark.parametrize(("line", "found"), CASES)
def test_line(line: str, found: str) -> None:
    code = line.replace("\\n", "\n")
    if "!" in found:
        with pytest.raises(Unmarkable, match=r"x\.py:\d+: ") as error:
            list(sentences(code, "x.py"))
        assert found.removeprefix(" ! ") in str(error.value)
    else:
        assert [each.text for each in sentences(code, "x.py")] == [
            text for text in found[1:].split(" | ") if text
        ]


def test_what_is_marked_is_found_in_its_order() -> None:
    assert list(sentences(CODE, "table.py")) == [
        Marked("The line is lost; next try in {n} s."),
        Marked("{name} is watching"),
        Marked("{n} stone", "{n} stones"),
        Marked("Jack", context="card"),
        Marked("Jack"),
    ]
    assert [each.context for each in sentences('translator.command_words("join")', "x.py")] == ["command"]


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
