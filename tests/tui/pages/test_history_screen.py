"""The list of finished games in the app: three lists, older games, replays, and answers that come late."""

import pytest

from cartino_protocol.commands import History, Join, Replay, Review
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import HistoryView, PastGame
from cartino_tui.pages.history import HISTORY_PAGE
from cartino_tui.screens.lobby import LobbyScreen
from cartino_tui.screens.replay.screen import ReplayScreen
from cartino_tui.screens.table import TableScreen
from tests.support.pages import in_stack, is_open
from tests.support.past import STEPS, PastServer, moment_of, past
from tests.support.visit import Visit, line, lobby, toy_table
from tests.tui.conftest import Visiting

FEW = [past(12, "Ann Bo"), past(11, "Chika Bo", code="B4ZT"), past(10, "Ann Chika", code="QQ2M")]
MANY = [past(number) for number in range(1, 121)]


def marked(v: Visit) -> str:
    """The name in the marked row."""
    return next(row for row in v.text.splitlines() if "►" in row[:4]).split()[2]


def shown(v: Visit) -> list[str]:
    """The names of the games in sight."""
    rows = v.text.replace("►", " ").splitlines()[5:]
    rows = rows[: next(number for number, row in enumerate(rows) if row.startswith("─"))]
    return [row.split()[1] for row in rows if row.strip()]


async def opened(v: Visit, *keys: str) -> None:
    """Open the list, and type `keys` in the same burst."""
    await v.types("f", *keys)
    await v.until(lambda: in_stack(v.app, HISTORY_PAGE))
    await v.until(lambda: v.link.all_heard)
    await v.pilot.pause()


async def test_the_lobby_leads_to_the_newest_games_and_back(visit: Visiting) -> None:
    async with visit(link=PastServer(FEW)) as v:
        await opened(v)
        await v.says(History("all"))
        assert shown(v) == ["K7QP-12", "B4ZT-11", "QQ2M-10"]
        assert "[all]" in v.text
        await v.types("q")
        await v.until(lambda: isinstance(v.app.screen, LobbyScreen))
        assert v.app.is_running


async def test_a_click_on_the_lobbys_hint_opens_it_too(visit: Visiting) -> None:
    async with visit(link=PastServer(FEW), size=(120, 40)) as v:
        await v.click("f finished")
        await v.until(lambda: "K7QP-12" in v.text)


@pytest.mark.parametrize(
    ("games", "said"),
    [(FEW, "3 games; older ones are no longer kept"), ([], "Older games are no longer kept.")],
)
async def test_the_end_of_the_list_says_that_older_games_are_gone(
    visit: Visiting, games: list[PastGame], said: str
) -> None:
    async with visit(link=PastServer(games, pruned=True), size=(60, 20)) as v:
        await opened(v)
        assert said in v.text


@pytest.mark.parametrize("key", ["q", "escape", "backspace"])
async def test_every_way_back_leads_to_the_lobby(visit: Visiting, key: str) -> None:
    async with visit(link=PastServer([])) as v:
        await opened(v)
        assert "No game has been finished here yet." in v.text
        await v.types("enter", "e", "down", "pagedown", "up", key)
        await v.until(lambda: isinstance(v.app.screen, LobbyScreen))
        await v.says(History("all"))


@pytest.mark.parametrize(
    ("keys", "asked", "names"),
    [
        (("m",), History("mine"), ["K7QP-12", "QQ2M-10"]),
        (("tab",), History("mine"), ["K7QP-12", "QQ2M-10"]),
        (("p", *"Bo", "enter"), History("player", "Bo"), ["K7QP-12", "B4ZT-11"]),
        (("a",), History("all"), ["K7QP-12", "B4ZT-11", "QQ2M-10"]),
    ],
)
async def test_each_list_is_a_key_away(
    visit: Visiting, keys: tuple[str, ...], asked: History, names: list[str]
) -> None:
    async with visit(link=PastServer(FEW)) as v:
        await opened(v, *keys)
        await v.until(lambda: len(v.link.sent) == 2)
        await v.says(History("all"), asked)
        await v.until(lambda: shown(v) == names)
        label = f"player {asked.name}" if asked.name else asked.of
        assert f"[{label}]" in v.text


async def test_tab_goes_through_the_three_in_turn(visit: Visiting) -> None:
    async with visit(link=PastServer(FEW)) as v:
        await opened(v, "tab", "tab", *"Chika", "enter")
        await v.until(lambda: "[player Chika]" in v.text)
        await v.types("tab")
        await v.until(lambda: "[all]" in v.text)
        await v.says(History("all"), History("mine"), History("player", "Chika"), History("all"))


async def test_a_name_not_given_asks_nothing(visit: Visiting) -> None:
    async with visit(link=PastServer(FEW)) as v:
        await opened(v, "p", "enter", "p", "x", "escape", "down")
        await v.until(lambda: marked(v) == "B4ZT-11")
        await v.says(History("all"))


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        (("down",), "K7QP-119"),
        (("j", "j", "k"), "K7QP-119"),
        (("up",), "K7QP-120"),
        (("pagedown",), "K7QP-108"),
        (("pagedown", "pageup"), "K7QP-120"),
        (("end",), "K7QP-71"),
        (("G", "g"), "K7QP-120"),
    ],
)
async def test_the_cursor_moves_within_what_is_here(
    visit: Visiting, keys: tuple[str, ...], name: str
) -> None:
    async with visit(link=PastServer(MANY)) as v:
        await opened(v, *keys)
        await v.until(lambda: marked(v) == name)
        await v.says(History("all"))


@pytest.mark.parametrize("key", ["pagedown", "down", "j"])
async def test_below_the_last_are_older_games_until_there_are_none(visit: Visiting, key: str) -> None:
    async with visit(link=PastServer(MANY)) as v:
        await opened(v, "end", key)
        await v.until(lambda: marked(v) == "K7QP-70")
        assert "latest 100" in v.text
        await v.types("end", key)
        await v.until(lambda: marked(v) == "K7QP-20")
        assert "120 games" in v.text
        await v.types("end", key)
        await v.until(lambda: marked(v) == "K7QP-1")
        await v.says(History("all"), History("all", "", 71), History("all", "", 21))
        await v.types("home")
        await v.until(lambda: marked(v) == "K7QP-120")


async def test_older_games_of_a_player_are_asked_for_as_theirs(visit: Visiting) -> None:
    async with visit(link=PastServer(MANY)) as v:
        await opened(v, "p", *"Ann", "enter", "end", "pagedown")
        await v.until(lambda: len(v.link.sent) == 3)
        assert v.link.sent[-1] == History("player", "Ann", 71)


async def test_enter_replays_the_marked_game_and_quitting_comes_back_to_it(visit: Visiting) -> None:
    async with visit(link=PastServer(FEW)) as v:
        await opened(v, "down", "enter")
        await v.until(lambda: isinstance(v.app.screen, ReplayScreen))
        await v.until(lambda: f"Toy small · B4ZT-11 | 1/{STEPS + 1}" in v.text)
        await v.types("q")
        await v.until(lambda: is_open(v.app, HISTORY_PAGE))
        assert marked(v) == "B4ZT-11"
        await v.says(History("all"), Replay("B4ZT-11"), Review("B4ZT-11"))


async def test_what_is_typed_on_the_way_to_a_replay_is_for_the_replay(visit: Visiting) -> None:
    server = PastServer(FEW, slow=True)
    async with visit(link=server) as v:
        await v.types("f", "enter", "right", "right")
        await v.says(History("all"))
        server.answer()
        await v.until(lambda: len(v.link.sent) == 2)
        server.slow = False
        server.answer()
        await v.until(lambda: "laid 2 " in v.text)
        asked = [command for command in v.link.sent if not isinstance(command, Review)]
        assert asked == [History("all"), Replay("K7QP-12"), Replay("K7QP-12", 1), Replay("K7QP-12", 2)]


async def test_the_same_list_again_is_an_answer_too(visit: Visiting) -> None:
    """Two answers that are equal are two answers: keys typed behind the second wish don't wait for ever."""
    async with visit(link=PastServer(FEW)) as v:
        await opened(v, "a", "a", "down")
        await v.until(lambda: marked(v) == "B4ZT-11")
        await v.says(*[History("all")] * 3)


async def test_a_replay_that_is_refused_leaves_one_in_the_list_with_the_sentence(visit: Visiting) -> None:
    server = PastServer(FEW, slow=True)
    async with visit(link=server) as v:
        await v.types("f")
        server.answer()
        await v.until(lambda: "K7QP-12" in v.text)
        await v.types("enter", "q")
        await v.until(lambda: len(v.link.sent) == 2)
        refusal = Refusal("no-past-game", "K7QP-12", "Replay")
        await v.hears(refusal)
        assert is_open(v.app, HISTORY_PAGE), "what was typed behind it was meant for a yes"
        assert v.status == refusal.sentence()
        await v.types("down")
        await v.until(lambda: marked(v) == "B4ZT-11")


async def test_a_list_that_is_refused_can_be_asked_for_again(visit: Visiting) -> None:
    server = PastServer(FEW, slow=True)
    async with visit(link=server) as v:
        await v.types("f")
        await v.until(lambda: "Loading…" in v.text)
        server.due.clear()
        await v.hears(Refusal("busy", to="History"))
        assert "Couldn't load the list. Press a to try again." in v.text
        assert v.status == Refusal("busy").sentence()
        server.slow = False
        await v.types("a")
        await v.until(lambda: "K7QP-12" in v.text)


async def test_the_export_is_a_line_to_copy_without_a_terminal(visit: Visiting) -> None:
    async with visit(link=PastServer(FEW)) as v:
        await opened(v, "down", "e")
        await v.until(lambda: v.status != "")
        assert v.status == ("Save its record: ssh games.example.org export B4ZT-11 > B4ZT-11.jsonl")
        await v.types("up")
        await v.until(lambda: v.status == "")


async def test_a_click_marks_and_a_second_click_replays(visit: Visiting) -> None:
    async with visit(link=PastServer(FEW)) as v:
        await opened(v)
        await v.click("QQ2M-10")
        await v.until(lambda: marked(v) == "QQ2M-10")
        await v.pilot.click(offset=(40, 15))
        await v.says(History("all"))
        await v.click("QQ2M-10")
        await v.until(lambda: "QQ2M-10 | 1/" in v.text)


async def test_help_tells_the_keys_of_list_and_replay(visit: Visiting) -> None:
    async with visit(link=PastServer(FEW), size=(80, 60)) as v:
        await opened(v, "question_mark")
        await v.until(lambda: "Help: finished games" in v.text)
        assert "go forward ten steps" in v.text
        await v.types("q")
        await v.until(lambda: "K7QP-12" in v.text)


async def test_a_game_without_a_screen_is_a_sentence_and_the_visit_goes_on(visit: Visiting) -> None:
    server = PastServer([past(5, game="chess")], slow=True)
    async with visit(link=server) as v:
        await v.types("f", "enter")
        server.answer()
        await v.until(lambda: len(v.link.sent) == 2)
        await v.hears(moment_of("K7QP-5", 0, of="chess"))
        assert v.status == "This program is too old to show a game of chess. Please update it."
        assert is_open(v.app, HISTORY_PAGE)


async def test_a_table_takes_one_away_from_list_and_replay(visit: Visiting) -> None:
    async with visit(lobby(line("K7QP", "Bo -")), link=PastServer(FEW)) as v:
        await v.types("enter")
        await v.says(Join("K7QP"))
        await opened_over(v)
        await v.hears(toy_table())
        assert isinstance(v.app.screen, TableScreen)
        assert len(v.app.screen_stack) == 2


async def opened_over(v: Visit) -> None:
    """The lobby's wish is refused; the list and a replay are opened instead."""
    await v.hears(Refusal("busy", to="Join"))
    await opened(v, "enter")
    await v.until(lambda: isinstance(v.app.screen, ReplayScreen))


async def test_an_answer_that_nobody_waits_for_any_more_changes_nothing(visit: Visiting) -> None:
    async with visit(link=PastServer(FEW)) as v:
        before = v.text
        await v.hears(HistoryView("all", "", tuple(FEW), more=False), moment_of("K7QP-12", 3))
        assert v.text == before
        await opened(v, "down")
        await v.until(lambda: marked(v) == "B4ZT-11")
        before = v.text
        await v.hears(HistoryView("all", "", (), more=False), moment_of("K7QP-12", 3))
        assert v.text == before
