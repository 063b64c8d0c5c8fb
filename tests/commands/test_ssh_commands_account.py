"""`ssh HOST account` as it is read and printed."""

import json

import pytest

from cartino_protocol.accounts import Account, AccountRating, AccountView, DeleteAccount
from cartino_protocol.exit_status import MISUSE
from cartino_server.lobby.account import AccountData
from cartino_server.visitors import BecomeBot
from cartino_tui.pages.account import ACCOUNT_PAGE
from cartino_tui.pages.page import Reader, page_json, page_text
from tests.support.ssh_words import answer


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (["account"], Account()),
        (["account", "show"], Account()),
        (["account", "delete", "--yes", "ann"], DeleteAccount("ann")),
        (["account", "delete", "--yes", "mary", "ann"], DeleteAccount("mary ann")),
        (["account", "delete", "--yes", "x" * 100], DeleteAccount("x" * 64)),
        (["account", "bot", "--yes", "ann"], BecomeBot("ann")),
    ],
)
async def test_what_is_said_is_read(monkeypatch: pytest.MonkeyPatch, words: list[str], asked: object) -> None:
    queries: list[object] = []

    async def answered(self: AccountData, *given: object) -> AccountView:
        queries.append(given[-2])
        return AccountView("ann")

    monkeypatch.setattr(AccountData, "answer_account_query", answered)
    assert (await answer(" ".join([*words, "--json"]))).status == 0
    assert queries == [asked]


@pytest.mark.parametrize(
    "words", [["delete"], ["--yes", "ann"], ["show", "--yes", "ann"], ["erase"], ["delete", "ann"], ["bot"]]
)
async def test_nothing_is_deleted_by_a_slip(words: list[str]) -> None:
    assert (await answer(" ".join(["account", *words]))).status == MISUSE


def test_it_is_printed_for_people_and_programs() -> None:
    view = AccountView(
        "ann", keys=("SHA256:d",), games=2, ratings=(AccountRating("caro", 990),), ignored=("eve",)
    )
    told = page_text(ACCOUNT_PAGE, view, Reader())
    assert "2 finished games" in told
    assert "caro 990" in told
    assert json.loads(page_json(ACCOUNT_PAGE, view, Reader())) == {
        "name": "ann",
        "guest": False,
        "keys": ["SHA256:d"],
        "games": 2,
        "attempts": 0,
        "ratings": {"caro": 990},
        "settings": 0,
        "ignored": ["eve"],
        "invitations": [],
        "tables": [],
        "chat": 0,
        "reports": 0,
        "reported": 0,
        "deleted": False,
        "bot": False,
    }
    deleted = AccountView("ann", done="deleted")
    assert json.loads(page_json(ACCOUNT_PAGE, deleted, Reader()))["deleted"] is True
    became = AccountView("bot+ann", done="bot")
    assert json.loads(page_json(ACCOUNT_PAGE, became, Reader()))["bot"] is True
    assert "bot+ann" in page_text(ACCOUNT_PAGE, became, Reader())
