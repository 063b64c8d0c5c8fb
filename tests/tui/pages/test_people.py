"""Ratings and profiles: in the app, as text for people, as JSON for programs."""

import json
from collections.abc import Sequence
from typing import Final

import pytest
from syrupy.assertion import SnapshotAssertion

from cartino_protocol.commands import History, Leaders, Profile
from cartino_protocol.exit_status import NOT_FOUND
from cartino_protocol.views import (
    Goal,
    HeadToHead,
    Highlight,
    Leader,
    LeadersView,
    ProfileView,
    RatingLine,
    RatingRange,
    ScoreLine,
    Skill,
)
from cartino_server.app.command_handler import LocalBackend
from cartino_server.commands.context import shell_reader
from cartino_server.server import Server
from cartino_server.table.link import Person
from cartino_server.visitors import Visitor
from cartino_tui.pages.history import HISTORY_PAGE
from cartino_tui.pages.page import AnyPage, page_json, page_text
from cartino_tui.pages.people import LEADERS_PAGE, PROFILE_PAGE
from cartino_tui.screens.lobby import LobbyScreen
from tests.support.game_server import World, a_guest, new_server
from tests.support.journal import MemoryJournal
from tests.support.lasting import play, summed_up
from tests.support.people import PeopleServer
from tests.support.visit import lobby, welcome
from tests.support.visit_steps import Click, Sees, Shows, Step, follow
from tests.tui.conftest import Visiting

ZOE, OWN = Profile(player=4), Profile()
ROW = "2 games · 1 won (50%) · 55 points on average · turn: 31 in K7QP-12"
SCRIPTS: Final = {
    "who plays best and back": (
        "l",
        Leaders(),
        Sees("Leaderboard: Toy"),
        Sees("► 1 Zoé 1400 12"),
        Sees("1 bot greedy 1300 40"),
        Sees("Your rank: 2, rating 1210."),
        "q",
        Shows(LobbyScreen),
    ),
    "Enter shows a profile": ("l enter", Leaders(), ZOE, Shows(PROFILE_PAGE), Sees("Zoé"), Sees(ROW)),
    "also that of a bot": ("l down down down enter", Leaders(), Profile(player=9), Sees("bot greedy")),
    "keys move the cursor": ("l end home j k pagedown pageup enter", Leaders(), ZOE, Sees(ROW)),
    "one's own": ("l m", Leaders(), OWN, Sees("your own games")),
    "by name": ("l p 'Bo enter", Leaders(), Profile("Bo"), Sees("Bo"), Sees(ROW)),
    "a click marks and another opens": (
        *("l", Leaders(), Click("bot greedy"), Sees("► 1 bot greedy"), Click("bot greedy")),
        *(Shows(PROFILE_PAGE), Profile(player=9)),
    ),
    "a profile leads to one's own games": (
        *("l down enter enter", Shows(HISTORY_PAGE), Leaders(), Profile(player=3), History("mine"), "q"),
        Shows(PROFILE_PAGE),
    ),
    "to a player's": ("l enter enter", Leaders(), ZOE, History("player", "Zoé"), Shows(HISTORY_PAGE)),
    "to a bot's": ("l end enter enter", Leaders(), Profile(player=9), History("player", "bot:greedy")),
    "another profile takes the place of the first": (
        *("l enter v 'Bo enter", Leaders(), ZOE, Profile(player=4, against="Bo"), Sees("against Bo")),
        Sees("2 games at the same table. Zoé finished ahead: 1. Bo finished ahead: 1."),
        *("v 'Nobody enter", Sees("There is no player called Nobody to compare with.")),
        *(Profile(player=4, against="Nobody"), "m", OWN, Sees("your own games"), "p 'Nobody enter"),
        *(Profile("Nobody"), Sees("Nobody hasn't finished a game"), "escape escape", Shows(LEADERS_PAGE)),
    ),
}


@pytest.mark.parametrize("steps", SCRIPTS.values(), ids=SCRIPTS)
async def test_people_on_the_screen(visit: Visiting, steps: Sequence[Step]) -> None:
    async with visit(link=PeopleServer()) as v:
        await follow(v, steps)


async def test_the_next_game_is_asked_for(visit: Visiting) -> None:
    async with visit(link=PeopleServer(), greeting=(welcome(odd=True), lobby())) as v:
        await follow(v, ("l tab", Leaders(), Leaders("odd"), Sees("Leaderboard: odd")))


ANN = ProfileView(
    name="Ann",
    player=3,
    scores=(
        ScoreLine("cartino", {"edition": "1974"}, 3, 2, 83.4, (Highlight("turn", 31, "K7QP-12"),)),
        ScoreLine("odd", {"size": "big"}, 1, 1, 1.0, (Highlight("sweep", 2, "K7QP-13"),)),
    ),
    ratings=(RatingLine("cartino", 1210, 13, 2, RatingRange(1210, 1620)), RatingLine("odd", 900, 1, 0)),
    skill=(
        Skill("cartino", {"edition": "1974"}, 2, 40, 20.2, 2.8),
        Skill("cartino", {"edition": "1969"}, 3, 1, 31.0),
    ),
    goals=(
        Goal("cartino", {"edition": "1974"}, 2, "greedy", 5, 3, 41, "turn", 38),
        Goal("cartino", {"edition": "1974"}, 2, "expert", 1, 0, -7, "turn", 20),
    ),
    streak=4,
    against="Bob",
    head_to_head=(HeadToHead("cartino", 2, 1, 1), HeadToHead("odd", 3, 1, 0)),
)
TOP = LeadersView(
    "cartino",
    (
        Leader(
            1,
            4,
            "Zoé",
            1400,
            12,
            RatingRange(1400, 1920),
            (Skill("cartino", {"edition": "1974"}, 2, 9, 15.0, 4.1), Skill("cartino", {}, 4, 1, 1.0)),
        ),
        Leader(2, 3, "Ann", 1210, 3),
    ),
    (Leader(1, 9, "greedy", 1300, 40),),
    Leader(2, 3, "Ann", 1210, 3),
)


PRUNED = ScoreLine("odd", {}, 1, 1, 1.0, (Highlight("sweep", 2, ""),))


@pytest.mark.parametrize(
    ("page", "view"),
    [
        (PROFILE_PAGE, ANN),
        (PROFILE_PAGE, ProfileView("Ann", you=True)),
        (PROFILE_PAGE, ProfileView("Ann", scores=(PRUNED,))),
        (PROFILE_PAGE, ProfileView("greedy", bot=True, against="Ann")),
        (LEADERS_PAGE, TOP),
        (LEADERS_PAGE, LeadersView("cartino", ())),
    ],
    ids=["profile", "nothing yet", "without the game's record", "never met", "leaders", "no leaders"],
)
def test_people_as_text_and_as_json(page: AnyPage, view: object, snapshot: SnapshotAssertion) -> None:
    reader = shell_reader()
    assert page_text(page, view, reader) + page_json(page, view, reader) == snapshot


async def test_the_server_answers_without_a_terminal() -> None:
    journal = MemoryJournal()
    server: Server = new_server(World(), journal=journal)
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    await play(ann, bob)
    await summed_up(journal)
    host = LocalBackend(server)

    async def say(words: str, name: str = "ann") -> tuple[str, str, int]:
        person = Person(f"id-{name}", name)
        reply = await host.run_command(Visitor("1", person.id, person.name, False), words.split())
        return reply.stdout, reply.stderr, reply.status

    own, _, _ = await say("profile")
    assert own.splitlines()[0] == "ann"
    met = json.loads((await say("profile bob --json"))[0])
    assert (met["against"], met["meetings"][0]["behind"]) == ("ann", 1)
    assert await say("profile joe") == (
        "",
        "joe hasn't finished a game that you can see.\n",
        NOT_FOUND,
    )
    assert await say("top") == ("", "There is no game called cartino here.\n", NOT_FOUND), "it has races"
    await server.close()
