"""From the lobby to who plays best, to what each of them has played, and to their games."""

import pytest

from cartino_protocol.commands import History, Leaders, Profile
from cartino_tui.pages.history import HISTORY_PAGE
from cartino_tui.pages.people import LEADERS_PAGE, PROFILE_PAGE
from cartino_tui.screens.lobby import LobbyScreen
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


async def test_help_tells_what_a_rating_is(visit: Visiting) -> None:
    async with visit(link=PeopleServer()) as v:
        await opened(v, "question_mark")
        await v.types("slash", *"rating is", "enter")
        await v.until(lambda: "A rating is cautious" in v.text)


async def test_a_guest_reads_why_there_is_nothing(visit: Visiting) -> None:
    server = PeopleServer()
    async with visit(link=server, greeting=(welcome("Ann", guest=True), lobby())) as v:
        await opened(v, "m")
        assert "your own games" in v.text
