"""One's account and SSH keys on the screen: told, deleted with one's name; keys added by a code, and dropped."""

from typing import Final

import pytest

from cartino_protocol import accounts
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye
from cartino_tui.pages.account import ACCOUNT_PAGE, KEYS_PAGE
from cartino_tui.screens.lobby import LobbyScreen
from cartino_tui.visit.farewell import ACCOUNT_DELETED
from tests.support.visit import welcome
from tests.support.visit_steps import Click, Ends, Hides, Script, Sees, Shows, Status, follow
from tests.tui.conftest import Visiting

MODERATION, LAPTOP = "SHA256:" + "d" * 43, "SHA256:" + "l" * 43
DAY = "2026-11-21T10:00:00Z"
BOTH = (accounts.KeyLine(MODERATION, here=True), accounts.KeyLine(LAPTOP, DAY, DAY))
KEYS, ACCOUNT = accounts.Keys(), accounts.Account()
VIEW = accounts.AccountView(
    "ann",
    keys=(MODERATION,),
    games=12,
    ratings=(accounts.AccountRating("cartino", 1043),),
    ignored=("eve",),
    tables=("K7QP",),
    chat=3,
)
KEY_GONE = "The key you connected with was removed from your account. Connect with another of your keys."
SCRIPTS: Final = {
    "what is kept is told": Script(
        (),
        (
            *("m", Shows(ACCOUNT_PAGE), ACCOUNT, VIEW, Sees("12 finished games"), Sees("cartino 1043")),
            *(Sees("Muted players: eve"), "pagedown end home q", Shows(LobbyScreen)),
        ),
    ),
    "an account is deleted once the name is typed": Script(
        (),
        (
            *("m", ACCOUNT, VIEW, "d 'anne enter", accounts.DeleteAccount("anne")),
            *(Refusal("account-name", "ann", "DeleteAccount"), Sees("your name here is ann")),
            *("backspace enter", accounts.DeleteAccount("ann"), Bye("deleted"), Ends(0, ACCOUNT_DELETED)),
        ),
    ),
    "a guest has nothing to delete": Script(
        (),
        (
            *("m", ACCOUNT, accounts.AccountView("~gus", guest=True)),
            *(Sees("nothing is stored about you except your resume code"), "d 'gus enter"),
        ),
    ),
    "keys are listed and a code is made, which stays there": Script(
        (),
        (
            *("y", Shows(KEYS_PAGE), KEYS, accounts.KeysView(BOTH), Sees(f"► {MODERATION}")),
            *(Sees("in use here"), Sees("added 2026-11-21 · last used 2026-11-21"), Click("n add a key")),
            *(accounts.KeyCode(), accounts.KeysView(BOTH, "code", "K7QPM-3XW9T", 10)),
            Sees("Within 10 minutes, connect with the other key and type this once:"),
            *("down up", Sees("keys add K7QPM-3XW9T"), "q", Shows(LobbyScreen)),
        ),
    ),
    "a code is typed and stays there if it is none": Script(
        (),
        (
            *("y", KEYS, accounts.KeysView(BOTH[:1]), "a 'AAAAA-AAAAA enter", accounts.AddKey("AAAAA-AAAAA")),
            *(Refusal("bad-code", to="AddKey"), Sees("Invalid or expired code"), Sees("AAAAA-AAAAA")),
            *("backspace B enter", accounts.AddKey("AAAAA-AAAAB"), accounts.KeysView(BOTH, "added")),
            Sees("This key will belong to your account the next time you connect."),
        ),
    ),
    "a key is dropped after a question": Script(
        (),
        (
            *("y", KEYS, accounts.KeysView(BOTH), "down d n", Click(LAPTOP), "d", Status("Remove this key?")),
            *("y", accounts.DropKey(LAPTOP), accounts.KeysView(BOTH[:1], "dropped"), Status("Key removed")),
            Hides(LAPTOP),
        ),
    ),
    "who drops the key in use has to go": Script(
        (),
        (
            *("y", KEYS, accounts.KeysView(BOTH), "d", Status("Remove the key you're using now, and leave?")),
            *("y", accounts.DropKey(MODERATION), Bye("key"), Ends(3, KEY_GONE)),
        ),
    ),
    "a guest reads how to make a key": Script(
        (welcome("~Ann", guest=True),), ("y n a d", Sees("ssh-keygen"))
    ),
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
async def test_an_account_and_its_keys(visit: Visiting, script: Script) -> None:
    async with visit(*script.answers, **script.settings) as v:
        await follow(v, script.steps)
