"""The example of the settings: it has each of them, explained, with the value that holds where it is left out."""

import re
import tomllib
from pathlib import Path

import msgspec

from cartino_server.operations.settings import SETTING_NAMES, ServerSettings, read_settings

EXAMPLE = Path(__file__).parents[2] / "share" / "cartino.toml"
TEXT = EXAMPLE.read_text()
_SETTING = re.compile(r"^#(\w+) = .*$", re.MULTILINE)
MACHINE = {"workers"}
"""What depends on the machine; the example has another machine's."""


def test_as_it_is_it_changes_nothing() -> None:
    assert tomllib.loads(TEXT) == {}
    assert read_settings(str(EXAMPLE), {}, {}) == ServerSettings()


def test_it_has_every_setting_once_and_no_other() -> None:
    assert sorted(_SETTING.findall(TEXT)) == sorted(SETTING_NAMES)


def test_the_values_shown_are_those_that_hold(tmp_path: Path) -> None:
    file = tmp_path / "cartino.toml"
    file.write_text(re.sub(r"^#(?=\w+ = )", "", TEXT, flags=re.MULTILINE))
    shown, held = read_settings(str(file), {}, {}), ServerSettings()
    assert {name for name in SETTING_NAMES if getattr(shown, name) != getattr(held, name)} <= MACHINE


def paragraph_of(name: str) -> str:
    [paragraph] = [part for part in TEXT.split("\n\n") if f"\n#{name} = " in part]
    return paragraph


def test_each_is_explained_above_it() -> None:
    """In a comment at the head of its paragraph, of which a few settings may share one."""
    unexplained = [name for name in SETTING_NAMES if not re.match(r"# (?!--)", paragraph_of(name))]
    crowded = [name for name in SETTING_NAMES if len(_SETTING.findall(paragraph_of(name))) > 3]
    assert (unexplained, crowded) == ([], [])


def test_what_has_to_be_more_than_a_few_is_said_beside_it() -> None:
    _, found = msgspec.json.schema_components([ServerSettings])
    least = {name: found["ServerSettings"]["properties"][name].get("minimum", 0) for name in SETTING_NAMES}
    assert [
        name
        for name in SETTING_NAMES
        if least[name] > 1 and not re.search(rf"\b{least[name]}\b.* at least", paragraph_of(name))
    ] == []


def test_no_line_is_too_long_to_read() -> None:
    assert max(map(len, TEXT.splitlines())) <= 120
