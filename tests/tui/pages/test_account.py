"""One's account on the screen: reached from the lobby, told line by line, deleted once the name was typed."""

from cartino_protocol.accounts import Account, AccountRating, AccountView, DeleteAccount
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye
from cartino_tui.pages.account import ACCOUNT_PAGE
from cartino_tui.screens.lobby import LobbyScreen
from tests.support.pages import is_open
from tests.tui.conftest import Visiting

VIEW = AccountView(
    "ann",
    keys=("SHA256:" + "d" * 43,),
    games=12,
    ratings=(AccountRating("cartino", 1043),),
    ignored=("eve",),
    tables=("K7QP",),
    chat=3,
)


async def test_what_is_kept_is_told(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("m")
        await v.until(lambda: is_open(v.app, ACCOUNT_PAGE))
        await v.says(Account())
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
        await v.says(Account(), DeleteAccount("anne"))
        await v.hears(Refusal("account-name", "ann", "DeleteAccount"))
        assert "your name here is ann" in v.text
        await v.types("backspace", "enter")
        await v.says(Account(), DeleteAccount("anne"), DeleteAccount("ann"))
        await v.hears(Bye("deleted"))
        await v.until(lambda: v.app.return_code is not None)
        assert "Your account is deleted." in (v.app.return_value or "")


async def test_a_guest_has_nothing_to_delete(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("m")
        await v.hears(AccountView("~gus", guest=True))
        assert "nothing is stored about you except your resume code" in v.text
        await v.types("d", *"gus", "enter")
        await v.says(Account())
