"""Ratings and profiles: in the app, as text for people, as JSON for programs."""

import json

import pytest
from syrupy.assertion import SnapshotAssertion

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
from cartino_tui.pages.page import AnyPage, page_json, page_text
from cartino_tui.pages.people import LEADERS_PAGE, PROFILE_PAGE
from tests.support.game_server import World, a_guest, new_server
from tests.support.journal import MemoryJournal
from tests.support.lasting import play, summed_up
from tests.support.visit_script import visits

test_visits = visits(__file__)


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
