"""One's ssh keys on the screen: reached from the lobby, a code to add one, a code to type, one to drop."""

from cartino_protocol.accounts import AddKey, DropKey, KeyCode, KeyLine, Keys, KeysView
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye
from cartino_tui.pages.account import KEYS_PAGE
from cartino_tui.screens.lobby import LobbyScreen
from tests.support.pages import is_open
from tests.support.visit import welcome
from tests.tui.conftest import Visiting

MODERATION, LAPTOP = "SHA256:" + "d" * 43, "SHA256:" + "l" * 43
DAY = "2026-11-21T10:00:00Z"
BOTH = (KeyLine(MODERATION, here=True), KeyLine(LAPTOP, DAY, DAY))


async def test_the_keys_are_listed_and_a_code_is_made(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("y")
        await v.until(lambda: is_open(v.app, KEYS_PAGE))
        await v.says(Keys())
        await v.hears(KeysView(BOTH))
        assert f"► {MODERATION}" in v.text
        assert "in use here" in v.text
        assert "added 2026-11-21 · last used 2026-11-21" in v.text
        await v.click("n add a key")
        await v.says(Keys(), KeyCode())
        await v.hears(KeysView(BOTH, "code", "K7QPM-3XW9T", 10))
        assert "Within 10 minutes, connect with the other key and type this once:" in v.text
        assert "keys add K7QPM-3XW9T" in v.text
        # It stays there, whatever is pressed.
        await v.types("down", "up")
        assert "K7QPM-3XW9T" in v.text
        await v.types("q")
        await v.until(lambda: isinstance(v.app.screen, LobbyScreen))


async def test_a_code_is_typed_and_stays_there_if_it_is_none(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("y")
        await v.hears(KeysView(BOTH[:1]))
        await v.types("a", *"AAAAA-AAAAA", "enter")
        await v.says(Keys(), AddKey("AAAAA-AAAAA"))
        await v.hears(Refusal("bad-code", to="AddKey"))
        assert "Invalid or expired code" in v.text
        assert "AAAAA-AAAAA" in v.text
        await v.types("backspace", "B", "enter")
        await v.says(Keys(), AddKey("AAAAA-AAAAA"), AddKey("AAAAA-AAAAB"))
        await v.hears(KeysView(BOTH, "added"))
        assert "This key will belong to your account the next time you connect." in v.text


async def test_a_key_is_dropped_after_a_question(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("y")
        await v.hears(KeysView(BOTH))
        await v.types("down", "d", "n")
        await v.click(LAPTOP)
        await v.types("d")
        assert v.status.startswith("Remove this key?")
        await v.types("y")
        await v.says(Keys(), DropKey(LAPTOP))
        await v.hears(KeysView(BOTH[:1], "dropped"))
        assert LAPTOP not in v.text
        assert v.status.startswith("Key removed")


async def test_who_drops_the_key_in_use_has_to_go(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("y")
        await v.hears(KeysView(BOTH))
        await v.types("d")
        assert v.status.startswith("Remove the key you're using now, and leave?")
        await v.types("y")
        await v.says(Keys(), DropKey(MODERATION))
        await v.hears(Bye("key"))
        await v.until(lambda: v.app.return_code is not None)
        assert "was removed from your account" in (v.app.return_value or "")


async def test_a_guest_reads_how_to_make_a_key(visit: Visiting) -> None:
    async with visit(welcome("~Ann", guest=True)) as v:
        await v.types("y", "n", "a", "d")
        assert "ssh-keygen" in v.text
        assert not v.link.sent
