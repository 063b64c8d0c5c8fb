"""Ratings and profiles: in the app, as text for people, as JSON for programs."""

import json

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
from tests.support.pages import in_stack, is_open
from tests.support.people import PeopleServer
from tests.support.visit import Visit, lobby, welcome
from tests.tui.conftest import Visiting


async def opened(v: Visit, *keys: str) -> None:
    """Open the list, type `keys` in the same burst, and wait for all the answers."""
    await v.types("l", *keys)
    await v.until(lambda: in_stack(v.app, LEADERS_PAGE))
    await v.until(lambda: v.link.all_heard and not v.app.context.typeahead.waiting)
    await v.pilot.pause()


async def test_the_lobby_leads_to_who_plays_best_and_back(visit: Visiting) -> None:
    async with visit(link=PeopleServer()) as v:
        await opened(v)
        await v.says(Leaders())
        assert "Leaderboard: Toy" in v.text
        rows = [row.split() for row in v.text.splitlines()[4:9]]
        assert rows[0] == ["►", "1", "Zoé", "1400", "12"]
        assert rows[4] == ["1", "bot", "greedy", "1300", "40"]
        assert "Your rank: 2, rating 1210." in v.text
        await v.types("q")
        await v.until(lambda: isinstance(v.app.screen, LobbyScreen))


@pytest.mark.parametrize(
    ("keys", "asked", "title"),
    [
        (("enter",), Profile(player=4), "Zoé"),
        (("down", "down", "down", "enter"), Profile(player=9), "bot greedy"),
        (("end", "home", "j", "k", "pagedown", "pageup", "enter"), Profile(player=4), "Zoé"),
        (("m",), Profile(), "Ann"),
        (("p", *"Bo", "enter"), Profile("Bo"), "Bo"),
    ],
)
async def test_a_profile_is_a_key_away(
    visit: Visiting, keys: tuple[str, ...], asked: Profile, title: str
) -> None:
    async with visit(link=PeopleServer()) as v:
        await opened(v, *keys)
        assert is_open(v.app, PROFILE_PAGE)
        assert v.link.sent[-1] == asked
        assert title in v.text.splitlines()[0]
        assert "2 games · 1 won (50%) · 55 points on average · turn: 31 in K7QP-12" in v.text


async def test_a_click_marks_and_another_opens(visit: Visiting) -> None:
    async with visit(link=PeopleServer()) as v:
        await opened(v)
        await v.click("bot greedy")
        assert v.text.splitlines()[8].startswith("  ►")
        await v.click("bot greedy")
        await v.until(lambda: is_open(v.app, PROFILE_PAGE))
        assert v.link.sent[-1] == Profile(player=9)


@pytest.mark.parametrize(
    ("keys", "asked"),
    [
        (("down", "enter"), History("mine")),
        (("enter",), History("player", "Zoé")),
        (("end", "enter"), History("player", "bot:greedy")),
    ],
)
async def test_a_profile_leads_to_the_games(visit: Visiting, keys: tuple[str, ...], asked: History) -> None:
    async with visit(link=PeopleServer()) as v:
        await opened(v, *keys, "enter")
        assert is_open(v.app, HISTORY_PAGE)
        assert v.link.sent[-1] == asked
        await v.types("q")
        await v.until(lambda: is_open(v.app, PROFILE_PAGE))


async def test_another_profile_takes_the_place_of_the_first(visit: Visiting) -> None:
    async with visit(link=PeopleServer()) as v:
        await opened(v, "enter", "v", *"Bo", "enter")
        assert v.link.sent[-1] == Profile(player=4, against="Bo")
        assert "against Bo" in v.text
        assert "2 games at the same table. Zoé finished ahead: 1. Bo finished ahead: 1." in v.text
        await v.types("v", *"Nobody", "enter")
        await v.until(lambda: "There is no player called Nobody to compare with." in v.text)
        await v.types("m")
        await v.until(lambda: "your own games" in v.text)
        await v.types("p", *"Nobody", "enter")
        await v.until(lambda: "Nobody hasn't finished a game" in v.text)
        await v.types("escape", "escape")
        await v.until(lambda: is_open(v.app, LEADERS_PAGE))


async def test_the_next_game_is_asked_for(visit: Visiting) -> None:
    async with visit(link=PeopleServer(), greeting=(welcome(odd=True), lobby())) as v:
        await opened(v, "tab")
        assert v.link.sent[-1] == Leaders("odd")
        assert "Leaderboard: odd" in v.text


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
