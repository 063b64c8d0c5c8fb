"""The example of the settings: it has each of them, explained, with the value that holds where it is left out."""

import re
import tomllib
from pathlib import Path

import msgspec
import pytest

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


@pytest.mark.parametrize("name", SETTING_NAMES)
def test_a_value_shown_is_the_one_that_holds(name: str, tmp_path: Path) -> None:
    file = tmp_path / "cartino.toml"
    file.write_text("\n".join(line[1:] for line in TEXT.splitlines() if line.startswith(f"#{name} = ")))
    shown = getattr(read_settings(str(file), {}, {}), name)
    assert shown == getattr(ServerSettings(), name) or name in MACHINE


@pytest.mark.parametrize("name", SETTING_NAMES)
def test_each_is_explained_above_it(name: str) -> None:
    """In a comment at the head of its paragraph, of which a few settings may share one."""
    [paragraph] = [part for part in TEXT.split("\n\n") if f"\n#{name} = " in part]
    first = paragraph.splitlines()[0]
    assert first.startswith("# ")
    assert not first.startswith("# --")
    assert len(_SETTING.findall(paragraph)) <= 3


@pytest.mark.parametrize("name", SETTING_NAMES)
def test_what_has_to_be_more_than_a_few_is_said_beside_it(name: str) -> None:
    _, found = msgspec.json.schema_components([ServerSettings])
    least = found["Settings"]["properties"][name].get("minimum", 0)
    [paragraph] = [part for part in TEXT.split("\n\n") if f"\n#{name} = " in part]
    assert least <= 1 or re.search(rf"\b{least}\b.* at least", paragraph)


def test_no_line_is_too_long_to_read() -> None:
    assert max(map(len, TEXT.splitlines())) <= 120
