"""Invitations and muted people: where they are told, and each answer to them."""

from cartino_protocol.accounts import Ignored, IgnoredPerson, Invitations
from cartino_protocol.commands import Decline, Ignore, Invite, Join, Watch
from cartino_protocol.refusals import Refusal
from cartino_tui.pages.contacts import INVITATIONS_PAGE, MUTED_PAGE
from cartino_tui.screens.chat import ChatScreen
from cartino_tui.screens.lobby import LobbyScreen
from tests.support.pages import is_open
from tests.support.people import ASKED, PeopleServer
from tests.support.visit import ScriptedLink, chat, toy_table
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
