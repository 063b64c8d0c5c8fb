"""The people whom one ignores: the list is reached from the lobby and the talk, and leads to hearing them again."""

from cartino_protocol.accounts import Ignored, IgnoredPerson
from cartino_protocol.commands import Ignore
from cartino_protocol.refusals import Refusal
from cartino_tui.pages.contacts import MUTED_PAGE
from cartino_tui.screens.chat import ChatScreen
from cartino_tui.screens.lobby import LobbyScreen
from tests.support.pages import is_open
from tests.support.visit import chat, toy_table
from tests.tui.conftest import Visiting

PEOPLE = tuple(IgnoredPerson(f"mark{number:04}", f"Eve {number}") for number in range(40))


async def test_it_is_reached_from_the_lobby_and_somebody_is_heard_again(visit: Visiting) -> None:
    async with visit(Ignored(PEOPLE[:2])) as v:
        await v.types("x")
        await v.until(lambda: is_open(v.app, MUTED_PAGE))
        assert "► Eve 0" in v.text
        await v.types("down", "enter")
        await v.says(Ignore("mark0001", "Eve 1", on=False))
        await v.hears(Ignored(PEOPLE[:1]))
        assert v.status == "You've unmuted Eve 1."
        assert "► Eve 0" in v.text
        await v.types("q")
        await v.until(lambda: isinstance(v.app.screen, LobbyScreen))


async def test_whom_one_ignores_already_is_no_news(visit: Visiting) -> None:
    async with visit() as v:
        await v.hears(Ignored(PEOPLE[:2]))
        assert "Eve" not in v.text


async def test_somebody_is_ignored_by_name(visit: Visiting) -> None:
    async with visit(Ignored(())) as v:
        await v.types("x")
        await v.until(lambda: "You haven't muted anyone." in v.text)
        await v.types("enter", "n", *"Adam", "enter")
        await v.says(Ignore(name="Adam"))
        await v.hears(Refusal("unknown-person", "Adam", to="Ignore"))
        assert "Nobody called Adam is here" in v.text


async def test_a_long_list_scrolls_by_key_wheel_and_click(visit: Visiting) -> None:
    async with visit(toy_table(), chat(), Ignored(PEOPLE)) as v:
        await v.types("T")
        await v.until(lambda: isinstance(v.app.screen, ChatScreen))
        await v.click("i mute list")
        await v.until(lambda: "Muted players" in v.text)
        await v.types("pagedown", "pagedown", "pagedown")
        assert "► Eve 39" in v.text
        await v.wheel(down=False)
        assert "► Eve 38" in v.text
        await v.types("pageup", "pageup", "pageup")
        assert "► Eve 0" in v.text
        await v.click("Eve 3")
        assert "► Eve 3" in v.text
        await v.types("escape")
        await v.until(lambda: isinstance(v.app.screen, ChatScreen))
