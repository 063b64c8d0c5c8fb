"""One's account and SSH keys on the screen: told, deleted with one's name; keys added by a code, and dropped."""

from cartino_protocol import accounts
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye
from cartino_tui.pages.account import ACCOUNT_PAGE, KEYS_PAGE
from cartino_tui.screens.lobby import LobbyScreen
from tests.support.pages import is_open
from tests.support.visit import welcome
from tests.tui.conftest import Visiting

VIEW = accounts.AccountView(
    "ann",
    keys=("SHA256:" + "d" * 43,),
    games=12,
    ratings=(accounts.AccountRating("cartino", 1043),),
    ignored=("eve",),
    tables=("K7QP",),
    chat=3,
)


async def test_what_is_kept_is_told(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("m")
        await v.until(lambda: is_open(v.app, ACCOUNT_PAGE))
        await v.says(accounts.Account())
        await v.hears(VIEW)
        assert "12 finished games" in v.text
        assert "cartino 1043" in v.text
        assert "Muted players: eve" in v.text
        await v.types("pagedown", "end", "home", "q")
        await v.until(lambda: isinstance(v.app.screen, LobbyScreen))


async def test_it_is_deleted_once_the_name_is_typed(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("m")
        await v.hears(VIEW)
        await v.types("d", *"anne", "enter")
        await v.says(accounts.Account(), accounts.DeleteAccount("anne"))
        await v.hears(Refusal("account-name", "ann", "DeleteAccount"))
        assert "your name here is ann" in v.text
        await v.types("backspace", "enter")
        await v.says(accounts.Account(), accounts.DeleteAccount("anne"), accounts.DeleteAccount("ann"))
        await v.hears(Bye("deleted"))
        await v.until(lambda: v.app.return_code is not None)
        assert "Your account is deleted." in (v.app.return_value or "")


async def test_a_guest_has_nothing_to_delete(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("m")
        await v.hears(accounts.AccountView("~gus", guest=True))
        assert "nothing is stored about you except your resume code" in v.text
        await v.types("d", *"gus", "enter")
        await v.says(accounts.Account())


MODERATION, LAPTOP = "SHA256:" + "d" * 43, "SHA256:" + "l" * 43
DAY = "2026-11-21T10:00:00Z"
BOTH = (accounts.KeyLine(MODERATION, here=True), accounts.KeyLine(LAPTOP, DAY, DAY))


async def test_the_keys_are_listed_and_a_code_is_made(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("y")
        await v.until(lambda: is_open(v.app, KEYS_PAGE))
        await v.says(accounts.Keys())
        await v.hears(accounts.KeysView(BOTH))
        assert f"► {MODERATION}" in v.text
        assert "in use here" in v.text
        assert "added 2026-11-21 · last used 2026-11-21" in v.text
        await v.click("n add a key")
        await v.says(accounts.Keys(), accounts.KeyCode())
        await v.hears(accounts.KeysView(BOTH, "code", "K7QPM-3XW9T", 10))
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
        await v.hears(accounts.KeysView(BOTH[:1]))
        await v.types("a", *"AAAAA-AAAAA", "enter")
        await v.says(accounts.Keys(), accounts.AddKey("AAAAA-AAAAA"))
        await v.hears(Refusal("bad-code", to="AddKey"))
        assert "Invalid or expired code" in v.text
        assert "AAAAA-AAAAA" in v.text
        await v.types("backspace", "B", "enter")
        await v.says(accounts.Keys(), accounts.AddKey("AAAAA-AAAAA"), accounts.AddKey("AAAAA-AAAAB"))
        await v.hears(accounts.KeysView(BOTH, "added"))
        assert "This key will belong to your account the next time you connect." in v.text


async def test_a_key_is_dropped_after_a_question(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("y")
        await v.hears(accounts.KeysView(BOTH))
        await v.types("down", "d", "n")
        await v.click(LAPTOP)
        await v.types("d")
        assert v.status.startswith("Remove this key?")
        await v.types("y")
        await v.says(accounts.Keys(), accounts.DropKey(LAPTOP))
        await v.hears(accounts.KeysView(BOTH[:1], "dropped"))
        assert LAPTOP not in v.text
        assert v.status.startswith("Key removed")


async def test_who_drops_the_key_in_use_has_to_go(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("y")
        await v.hears(accounts.KeysView(BOTH))
        await v.types("d")
        assert v.status.startswith("Remove the key you're using now, and leave?")
        await v.types("y")
        await v.says(accounts.Keys(), accounts.DropKey(MODERATION))
        await v.hears(Bye("key"))
        await v.until(lambda: v.app.return_code is not None)
        assert "was removed from your account" in (v.app.return_value or "")


async def test_a_guest_reads_how_to_make_a_key(visit: Visiting) -> None:
    async with visit(welcome("~Ann", guest=True)) as v:
        await v.types("y", "n", "a", "d")
        assert "ssh-keygen" in v.text
        assert not v.link.sent
