"""Invitations and muted people: where they are told, and each answer to them."""

from typing import Final

import pytest

from cartino_protocol.accounts import Ignored, IgnoredPerson, Invitations
from cartino_protocol.commands import Decline, Ignore, Invite, Join, Watch
from cartino_protocol.refusals import Refusal
from cartino_tui.pages.contacts import INVITATIONS_PAGE, MUTED_PAGE
from cartino_tui.screens.chat import ChatScreen
from cartino_tui.screens.lobby import LobbyScreen
from tests.support.people import ASKED, PeopleServer
from tests.support.visit import chat, toy_table
from tests.support.visit_steps import Click, Hides, Script, Sees, Shows, Status, follow
from tests.tui.conftest import Visiting

PEOPLE = tuple(IgnoredPerson(f"mark{number:04}", f"Eve {number}") for number in range(40))
SCRIPTS: Final = {
    "the lobby says so and its key answers": Script(
        (),
        (
            *(Hides("invitations"), Invitations(ASKED[:1])),
            *(Sees("Bo invites you to K7QP. Press i to answer."), Sees("i invitations"), "i"),
            *(Shows(INVITATIONS_PAGE), Sees("► Bo invites you to K7QP: Toy"), "enter", Join("K7QP")),
        ),
    ),
    "at a table it is said, too": Script(
        (toy_table("Ann Bo", "open"), Invitations(ASKED[1:])),
        (Sees("Zoé invites you to B4ZT. In the lobby, press i to answer."),),
    ),
    "one may watch instead": Script((Invitations(ASKED),), ("i w", Watch("K7QP"))),
    "clicks select and join": Script(
        (Invitations(ASKED),), ("i", Click("Zoé invites"), Click("Zoé invites"), Join("B4ZT"))
    ),
    "somebody is unmuted": Script(
        (Ignored(PEOPLE[:2]),),
        (
            *("x", Shows(MUTED_PAGE), Sees("► Eve 0"), "down enter", Ignore("mark0001", "Eve 1", on=False)),
            *(Ignored(PEOPLE[:1]), Status("You've unmuted Eve 1."), Sees("► Eve 0"), "q", Shows(LobbyScreen)),
        ),
    ),
    "people who are muted already are no news": Script((), (Ignored(PEOPLE[:2]), Hides("Eve"))),
    "somebody is muted by name": Script(
        (Ignored(()),),
        (
            *("x", Sees("You haven't muted anyone."), "enter n 'Adam enter", Ignore(name="Adam")),
            *(Refusal("unknown-person", "Adam", to="Ignore"), Sees("Nobody called Adam is here")),
        ),
    ),
    "a long list scrolls by key and click": Script(
        (toy_table(), chat(), Ignored(PEOPLE)),
        (
            *("T", Shows(ChatScreen), Click("i mute list"), Sees("Muted players")),
            *("pagedown pagedown pagedown", Sees("► Eve 39"), "pageup pageup pageup", Sees("► Eve 0")),
            *(Click("Eve 3"), Sees("► Eve 3"), "escape", Shows(ChatScreen)),
        ),
    ),
}
ANSWERED: Final = {
    "each answer has a key": Script(
        (Invitations(ASKED),),
        (
            *("i down n", Decline("B4ZT"), "x", Status("Mute Bo, at tables too? (y/n)")),
            *("n x y", Decline("K7QP", for_good=True), Sees("No invitations.")),
            *("enter n w q", Shows(LobbyScreen)),
        ),
    ),
    "at one's own table others are invited": Script(
        (toy_table("Ann -", "open"),),
        (
            *("i 'Bo enter", Invite("Bo"), Sees("Invitation sent to Bo."), "i 'Zoe enter", Invite("Zoe")),
            Sees("Zoe isn't here, but will see the invitation on the next visit."),
        ),
    ),
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
async def test_people_are_invited_and_muted(visit: Visiting, script: Script) -> None:
    async with visit(*script.answers, **script.settings) as v:
        await follow(v, script.steps)


@pytest.mark.parametrize("script", ANSWERED.values(), ids=ANSWERED)
async def test_the_server_answers(visit: Visiting, script: Script) -> None:
    async with visit(*script.answers, link=PeopleServer()) as v:
        await follow(v, script.steps)


async def test_the_command_goes_to_the_clipboard_and_is_shown(visit: Visiting) -> None:
    async with visit(toy_table("Ann -", "open")) as v:
        await v.types("y")
        await v.until(lambda: v.app.clipboard == "ssh -t games.example.org join K7QP")
        assert "Copied, if your terminal allows it:" in v.text
        v.app.session_depth = "mono"
        await v.types("y")
        await v.until(lambda: "can't copy to the clipboard. Copy it by hand:" in v.text)
