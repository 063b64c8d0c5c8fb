"""Somebody is asked to a table: they read of it wherever they are, and answer in the lobby."""

from cartino_protocol.accounts import Invitations
from cartino_protocol.commands import Decline, Invite, Join, Watch
from cartino_tui.pages.contacts import INVITATIONS_PAGE
from cartino_tui.screens.lobby import LobbyScreen
from tests.support.pages import is_open
from tests.support.people import ASKED, PeopleServer
from tests.support.visit import ScriptedLink, toy_table
from tests.tui.conftest import Visiting


async def test_the_lobby_says_so_and_its_key_answers(visit: Visiting) -> None:
    async with visit(link=PeopleServer()) as v:
        assert "invitations" not in v.text
        await v.hears(Invitations(ASKED[:1]))
        assert "Bo invites you to K7QP. Press i to answer." in v.text
        assert v.text.splitlines()[-1].strip().startswith("i invitations")
        await v.types("i")
        await v.until(lambda: is_open(v.app, INVITATIONS_PAGE))
        assert "► Bo invites you to K7QP: Toy" in v.text
        await v.types("enter")
        await v.says(Join("K7QP"))


async def test_at_a_table_it_is_said_too(visit: Visiting) -> None:
    async with visit(toy_table("Ann Bo", "open")) as v:
        await v.hears(Invitations(ASKED[1:]))
        assert "Zoé invites you to B4ZT. In the lobby, press i to answer." in v.text


async def test_each_answer_has_a_key(visit: Visiting) -> None:
    async with visit(Invitations(ASKED), link=PeopleServer()) as v:
        await v.types("i", "down", "n")
        await v.says(Decline("B4ZT"))
        await v.until(lambda: "B4ZT" not in v.text)
        await v.types("x")
        assert v.status == "Mute Bo, at tables too? (y/n)"
        await v.types("n", "x", "y")
        await v.says(Decline("B4ZT"), Decline("K7QP", for_good=True))
        await v.until(lambda: "No invitations." in v.text)
        await v.types("enter", "n", "w", "q")
        await v.until(lambda: isinstance(v.app.screen, LobbyScreen))
        assert len(v.link.sent) == 2


async def test_one_may_look_on_instead_and_use_the_mouse(visit: Visiting) -> None:
    async with visit(Invitations(ASKED)) as v:
        await v.types("i", "w")
        await v.says(Watch("K7QP"))
    async with visit(Invitations(ASKED)) as v:
        await v.types("i")
        await v.click("Zoé invites")
        await v.click("Zoé invites")
        await v.says(Join("B4ZT"))


async def test_at_ones_own_table_others_are_invited(visit: Visiting) -> None:
    async with visit(toy_table("Ann -", "open"), link=PeopleServer()) as v:
        await v.types("i", *"Bo", "enter")
        await v.says(Invite("Bo"))
        await v.until(lambda: "Invitation sent to Bo." in v.text)
        await v.types("i", *"Zoe", "enter")
        await v.until(lambda: "Zoe isn't here, but will see the invitation on the next visit." in v.text)


async def test_the_command_goes_to_the_clipboard_and_is_shown(visit: Visiting) -> None:
    async with visit(toy_table("Ann -", "open"), link=ScriptedLink()) as v:
        await v.types("y")
        await v.until(lambda: v.app.clipboard == "ssh -t games.example.org join K7QP")
        assert "Copied, if your terminal allows it:" in v.text
        v.app.session_depth = "mono"
        await v.types("y")
        await v.until(lambda: "can't copy to the clipboard. Copy it by hand:" in v.text)
