"""Choosing one's own keys: any action any key, by keyboard and mouse, seen at once, kept, at every size."""

import pytest

from cartino_protocol.commands import Prefer
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import LANGUAGES, Language, translator_for
from cartino_tui.preferences import Settings, decode_settings, keymap_of
from cartino_tui.screens.settings import (
    KeyBindingsDrawing,
    KeyBindingsModel,
    KeyBindingsScreen,
    bindable_keys,
)
from cartino_tui.visit import visit as visits
from tests.support.visit import TOYS, Visit
from tests.tui.conftest import Visiting


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visits, "SAVE_DELAY", 3600)


def own(visit: Visit) -> dict[str, str]:
    settings = visit.app.context.preferences.settings
    assert settings.keymap == "own"
    return settings.own_keys


async def test_a_key_that_is_pressed_does_what_is_marked_and_says_what_becomes_of_the_other(
    visit: Visiting,
) -> None:
    async with visit() as v:
        await v.types("o", "m", "enter")
        assert v.status == "Press the new key, or Esc to cancel."
        await v.types("p")
        assert own(v) == {"up": "p"}
        assert v.status == "Set to p. Its old action moved to P."
        await v.types("p")
        assert own(v) == {"up": "p"}
        assert f"{len(bindable_keys(TOYS))}/{len(bindable_keys(TOYS))}" in v.text, (
            "it moves up, round to the last"
        )
        await v.types("escape", "escape", "q")
        await v.until(lambda: v.app.return_code is not None)
    kept = [decode_settings(bytes(said.settings)) for said in v.link.said if isinstance(said, Prefer)]
    assert kept[-1].own_keys == {"up": "p"}


async def test_a_key_that_does_nothing_else_just_is_it(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("o", "m", "down", "enter", "z")
        assert v.status == "Set to z."
        assert own(v) == {"down": "z"}


async def test_one_key_is_for_one_thing_and_can_be_taken_back(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("o", "m", "enter", "z", "down", "enter", "z")
        assert own(v) == {"down": "z"}
        await v.types("d")
        assert own(v) == {}


@pytest.mark.parametrize("key", ["5", "f5", "pageup"])
async def test_what_means_the_same_to_all_is_refused_and_escape_leaves_all_as_it_is(
    visit: Visiting, key: str
) -> None:
    async with visit() as v:
        await v.types("o", "m", "enter", key)
        assert v.status.startswith("Choose a letter or a symbol")
        await v.types("enter", "escape")
        assert isinstance(v.app.screen, KeyBindingsScreen)
        assert v.app.context.preferences.settings == Settings()


async def test_by_mouse(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("o", "m")
        await v.click("down")
        await v.click("down")
        await v.types("z")
        assert own(v) == {"down": "z"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (200, 60)])
def test_every_line_is_whole_and_hit_where_it_is_seen(size: tuple[int, int], language: Language) -> None:
    wasd = keymap_of(Settings(keymap="own", own_keys={"up": "w", "left": "a", "down": "s", "right": "d"}))
    look = Look(*size, translator=translator_for(language), keymap=wasd)
    rows = bindable_keys(TOYS)
    for cursor, (_, what) in enumerate(rows):
        drawing = KeyBindingsDrawing(KeyBindingsModel(rows, cursor), look)
        text = drawing.frame(()).text()
        assert " ".join(look.translator.gettext(what).split()) in " ".join(text.split())
        lines = text.splitlines()
        y = next(y for y, line in enumerate(lines) if line.startswith(" ►"))
        assert drawing.binding_at(y) == cursor
    assert KeyBindingsDrawing(KeyBindingsModel(rows), look).binding_at(0) is None
    assert KeyBindingsDrawing(KeyBindingsModel(rows), look).binding_at(size[1] - 1) is None
