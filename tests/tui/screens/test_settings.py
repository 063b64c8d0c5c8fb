"""Each setting can be reached and changed by keys and by clicks, holds at once, and is kept."""

from typing import ClassVar

import msgspec
import pytest

from cartino_protocol.commands import Back, Prefer
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ABSENT, Welcome
from cartino_protocol.wire import encode_raw
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import ENGLISH
from cartino_tui.pages.settings_rows import SETTING_ROWS, chosen_index, next_value, value_text
from cartino_tui.preferences import Preferences, Settings, decode_settings
from cartino_tui.screens.settings import SettingsDrawing, SettingsModel
from cartino_tui.visit import visit as visits
from cartino_tui.widgets.app_screen import SendCommand
from tests.support.visit import ToyScreen, Visit, lobby, toy_table, welcome
from tests.tui.conftest import Visiting


def kept(visit: Visit) -> list[Settings]:
    """What the server was asked to keep."""
    return [decode_settings(bytes(said.settings)) for said in visit.link.said if isinstance(said, Prefer)]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server is told at the end, or by a test that waits for no time."""
    monkeypatch.setattr(visits, "SAVE_DELAY", 3600)


def test_there_is_a_line_for_every_setting_and_every_value_of_it() -> None:
    own_lines = {setting.name for setting in SETTING_ROWS}
    assert own_lines == set(Settings.__struct_fields__) - {"own_keys", "taught", "lessons", "game", "wins"}
    for setting in SETTING_ROWS:
        for value, _ in setting.choices:
            wanted = Preferences()
            wanted.choose(**{setting.name: value})
            assert decode_settings(bytes(encode_raw(wanted.settings))) == wanted.settings
            assert setting.choices[chosen_index(setting, wanted)][0] == value
    assert all(len(setting.choices) > 1 for setting in SETTING_ROWS)


@pytest.mark.parametrize("setting", SETTING_ROWS, ids=lambda setting: setting.name)
def test_turning_leads_through_all_choices_and_round(setting: object) -> None:
    wanted = Preferences()
    row = next(each for each in SETTING_ROWS if each is setting)
    begun = chosen_index(row, wanted)
    for _ in row.choices:
        wanted.choose(**{row.name: next_value(row, wanted, 1)})
    assert chosen_index(row, wanted) == begun
    wanted.choose(**{row.name: next_value(row, wanted, -1)})
    assert chosen_index(row, wanted) == (begun - 1) % len(row.choices)


def test_an_automatic_value_says_what_it_comes_to() -> None:
    wanted = Preferences("de", ascii=True, ground="light")
    said = {row.name: value_text(row, wanted, ENGLISH) for row in SETTING_ROWS}
    assert said["language"] == "auto: Deutsch"
    assert said["letters"] == "auto: A K D B"
    assert said["theme"] == "auto: light"
    assert said["characters"] == "auto: plain (ASCII)"
    assert said["deck"] == "four colours"


async def test_they_are_a_key_away_from_the_lobby_and_from_a_table(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("o")
        assert "Settings" in v.text
        await v.types("escape")
        assert "Settings" not in v.text
        for state in ("open", "playing"):
            await v.hears(toy_table(state=state, you=0))
            await v.types("o")
            assert "Settings" in v.text
            await v.types("q")
            assert "Settings" not in v.text


async def test_a_table_has_the_settings_of_its_own_game_alone(
    visit: Visiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Bare(ToyScreen):
        """A game without cards."""

        name = "bare"
        settings: ClassVar[frozenset[str]] = frozenset()

    async with visit(game_screens={"toy": ToyScreen(), "bare": Bare()}) as v:
        for game, has_cards in (("", True), ("bare", False), ("toy", True)):
            if game:
                await v.hears(toy_table(state="playing", you=0, game=game))
            await v.types("o")
            assert ("Card letters" in v.text, "Deck" in v.text) == (has_cards, has_cards)
            await v.types("escape")


async def test_a_choice_holds_at_once_and_is_kept_when_one_leaves(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("o", "down", "down", *["right"] * 3)
        assert v.app.session_theme.name == "light"
        assert "light" in v.text
        await v.types("down", "enter")
        assert v.app.session_theme.style("spade") == v.app.session_theme.style("club")
        assert kept(v) == []
        await v.types("escape", "q")
    assert kept(v) == [Settings(theme="light", deck="two")]


async def test_it_is_kept_a_moment_later_too(visit: Visiting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visits, "SAVE_DELAY", 0.001)
    async with visit() as v:
        await v.types("o", "end", "right")
        await v.until(lambda: kept(v) == [Settings(hints=True)])


async def test_what_was_kept_holds_from_the_welcome_on(visit: Visiting) -> None:
    chosen = Settings(theme="contrast", letters="de")
    greeting = (msgspec.structs.replace(welcome(), settings=encode_raw(chosen)),)
    async with visit(greeting=greeting) as v:
        assert v.app.session_theme.name == "contrast"
        assert v.app.context.preferences.letters == "de"
        await v.hears(
            msgspec.structs.replace(welcome(), name="other", settings=encode_raw(Settings(theme="dark")))
        )
        assert v.app.session_theme.name == "contrast", "it is older than what was chosen here"


async def test_a_guest_who_comes_back_has_theirs(visit: Visiting) -> None:
    async with visit() as v:
        v.app.on_send_command(SendCommand(Back("a word")))
        await v.hears(msgspec.structs.replace(welcome(), settings=encode_raw(Settings(theme="light"))))
        assert v.app.session_theme.name == "light"


async def test_what_was_just_chosen_is_kept_for_who_chose_it(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("o", "down", "down", *["right"] * 3)
        v.app.on_send_command(SendCommand(Back("a word")))
        assert isinstance(v.link.said[-2], Prefer)
        assert v.link.said[-1] == Back("a word")
        await v.hears(msgspec.structs.replace(welcome(), settings=encode_raw(Settings(deck="two"))))
        assert v.app.context.preferences.settings == Settings(deck="two")
    assert kept(v) == [Settings(theme="light")], "nothing of it is said of the one from before"


async def test_who_had_chosen_nothing_comes_back_to_that(visit: Visiting) -> None:
    greeting = (msgspec.structs.replace(welcome(), settings=encode_raw(Settings(theme="light"))),)
    async with visit(greeting=greeting) as v:
        v.app.on_send_command(SendCommand(Back("a word")))
        await v.hears(welcome())
        assert v.app.session_theme.name == "felt"


async def test_what_could_not_be_kept_is_said(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("o", "right")
        await v.hears(Refusal("not-saved", to="Prefer"))
        assert "can't save" in v.text


async def test_all_of_it_can_be_forgotten_after_a_question(visit: Visiting) -> None:
    greeting = (msgspec.structs.replace(welcome(), settings=encode_raw(Settings(theme="light"))), lobby())
    async with visit(greeting=greeting) as v:
        await v.types("o", "d", "n")
        assert v.app.session_theme.name == "light"
        await v.types("d", "y")
        assert v.app.session_theme.name == "felt"
        assert v.app.context.preferences.settings == Settings()


async def test_the_mouse_marks_turns_and_opens(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("o")
        there = SettingsDrawing(SettingsModel(), Look(80, 24), v.app.context.preferences)
        row = there.first + 3
        await v.pilot.click(offset=(5, row))
        assert "four colours" in v.text
        assert v.text.splitlines()[row].startswith(" ►")
        await v.pilot.click(offset=(there.value_x + 4, row))
        assert "two colours" in v.text
        await v.pilot.click(offset=(there.value_x, row))
        assert "four colours" in v.text
        hints = v.text.splitlines()[-1]
        await v.pilot.click(offset=(hints.index("m my keys") + 3, 23))
        assert "Your keys" in v.text


async def test_what_only_other_games_use_is_not_offered(visit: Visiting) -> None:
    class Plain(ToyScreen):
        settings: ClassVar[frozenset[str]] = frozenset()

    async with visit(game_screens={"toy": Plain()}) as v:
        await v.types("o")
        assert "Card letters" not in v.text
        assert "Deck" not in v.text
        await v.types("c", "d")
        assert "d deck" not in v.text
        assert "Deck" not in v.text
        assert v.app.context.preferences.deck == "four"


async def test_the_settings_show_a_sample_of_each_game(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("o")
        assert "\n    toy" in v.text


def test_what_is_beside_the_lines_is_nothing() -> None:
    drawing = SettingsDrawing(SettingsModel(), Look(80, 24), Preferences())
    assert drawing.setting_at(5, 0) is None
    assert drawing.setting_at(5, 22) is None
    assert drawing.setting_at(79, 4) == (1, 0)


def test_nothing_kept_is_nothing_sent() -> None:
    assert Welcome(1, "ann", False, ()).settings is ABSENT
