"""The lobby of a large terminal: preview, people online, best players, games of a day. Small ones have the list."""

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from cartino_protocol.commands import Command, Join, Preview, Summary
from cartino_protocol.link import ConnectionStatus
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import (
    Answer,
    Leader,
    Left,
    Mine,
    OnlineView,
    PastGame,
    PreviewView,
    SummaryView,
    TopPlayers,
)
from tests.support.visit import Visit, line, lobby, toy_table, welcome
from tests.tui.conftest import Visiting

LARGE, SMALL = (120, 40), (80, 24)
OPEN, FULL, MINE = (
    line("K7QP", "Bo -"),
    line("B4ZT", "Bo Chika", "playing", 2, turn=(1,), clock="60s"),
    line("QQ2MQQ2M", "Ann Bo", "playing"),
)
ONLINE = OnlineView(("Ann", "Bo", "Chika", "Bartholomew_1234"))


def past(name: str, seats: tuple[str, ...], totals: tuple[int, ...]) -> PastGame:
    return PastGame(name, 1, "toy", {"size": "big"}, seats, totals, (0,), "out", "2026-01-31T12:00:00Z")


SUMMARY = SummaryView(
    "Café Kartenhaus",
    (
        TopPlayers("toy", (Leader(1, 7, "Bartholomew_1234", 1240, 9), Leader(2, 8, "Bo", 1100, 3))),
        TopPlayers("odd", (Leader(1, 8, "Bo", 1010, 1),)),
    ),
    (past("K7QP-2", ("Ann", "bot:greedy"), (20, 7)), past("K7QP-1", ("Bo", "Chika", "Dunja"), (20, 12, 3))),
)
HERE: tuple[Answer, ...] = (lobby(OPEN, FULL, people=5), ONLINE, SUMMARY)


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (115, 40), (120, 35), (116, 36), (120, 40), (160, 50)])
async def test_each_size_has_what_fits(
    visit: Visiting, snapshot: SnapshotAssertion, size: tuple[int, int]
) -> None:
    """From 116x36 on the panels stand around the list; below it is the list alone, place and people in its title."""
    async with visit(*HERE, size=size) as v:
        await v.hears(PreviewView("K7QP", toy_table("Bo -", "open", you=None)))
        assert v.text == snapshot


async def test_a_running_table_is_drawn_by_its_game(visit: Visiting, snapshot: SnapshotAssertion) -> None:
    """Title, code and spectators are in the frame; the game's title row and its last two rows are cut off."""
    async with visit(lobby(FULL), *HERE[1:], size=LARGE) as v:
        await v.hears(
            PreviewView("B4ZT", toy_table("Bo Chika", you=None, code="B4ZT", laid=3, watchers=("Eve", "Al")))
        )
        assert v.text == snapshot


async def test_an_empty_lobby_says_what_to_do_beside_the_panels(
    visit: Visiting, snapshot: SnapshotAssertion
) -> None:
    """With nothing to rank and no game over, the panels say so; there is no frame for a preview of nothing."""
    async with visit(lobby(people=1), OnlineView(("Ann",)), SummaryView(), size=LARGE) as v:
        assert v.text == snapshot


async def test_in_ascii_no_other_character_is_drawn(visit: Visiting) -> None:
    async with visit(*HERE, size=LARGE, ascii=True) as v:
        await v.hears(PreviewView("K7QP", toy_table("Bo -", "open", you=None)))
        assert "Cafe Kartenhaus" in v.text
        assert v.text.isascii()


@pytest.mark.parametrize("tables", [12, 40])
async def test_many_tables_take_a_line_each_and_scroll(visit: Visiting, tables: int) -> None:
    codes = [f"A{first}{second}Z" for first in "BCDEFGH" for second in "JKLMNP"][:tables]
    async with visit(lobby(*map(line, codes)), *HERE[1:], size=LARGE) as v:
        shown = [row.split()[0] for row in v.text.replace("►", " ").splitlines()[4:] if row[4:8] in codes]
        assert shown == codes[: len(shown)]
        assert len(shown) >= min(tables, 20)
        assert "Finished in the last 24 hours" in v.text
        await v.types("end")
        assert codes[-1] in v.text


async def test_the_summary_is_asked_for_once_in_the_lobby(visit: Visiting) -> None:
    async with visit(lobby(OPEN)) as v:
        await v.hears(lobby(FULL), toy_table(), Left("left"), lobby(OPEN))
        assert v.link.said.count(Summary()) == 1


async def test_on_the_way_to_a_table_nobody_asks_for_it(visit: Visiting) -> None:
    async with visit(intent=Join("K7QP")) as v:
        await v.hears(lobby(OPEN), toy_table())
        assert Summary() not in v.link.said


async def test_after_a_cut_it_is_asked_for_again(visit: Visiting) -> None:
    async with visit(*HERE, size=LARGE) as v:
        await v.says(Preview("K7QP"))
        await v.hears(ConnectionStatus("lost", 2.0), ConnectionStatus("back"), welcome(), *HERE)
        assert v.link.said.count(Summary()) == 2
        await v.says(Preview("K7QP"), Preview("K7QP"))


async def test_an_older_server_is_never_told_of_in_the_lobby(visit: Visiting) -> None:
    """It can't read the question; the lobby is the list, as it was."""
    async with visit(lobby(OPEN), size=LARGE) as v:
        await v.hears(Refusal("malformed"))
        assert Refusal("malformed").sentence() not in v.text
        assert "K7QP" in v.text
        await v.says()


async def asks(v: Visit, *commands: Command) -> None:
    """It asks for these previews and nothing else, when the cursor has rested."""
    await v.until(lambda: len(v.link.sent) >= len(commands), f"it asks {commands}")
    assert v.link.sent == list(commands)


async def test_the_preview_follows_the_cursor_when_it_rests(visit: Visiting) -> None:
    third = line("M5CD", "Bo -")
    async with visit(lobby(OPEN, third, FULL), *HERE[1:], size=LARGE) as v:
        await asks(v, Preview("K7QP"))
        await v.types("down", "down")
        await asks(v, Preview("K7QP"), Preview("B4ZT"))


async def test_a_private_table_of_ones_own_is_not_asked_for(visit: Visiting) -> None:
    async with visit(lobby(OPEN), Mine((MINE,)), *HERE[1:], size=LARGE) as v:
        assert v.link.sent == []
        assert "No preview of this table." in v.text
        await v.types("down")
        await asks(v, Preview("K7QP"))
        await v.hears(PreviewView("K7QP", toy_table("Bo -", "open", you=None)))
        assert "Waiting for players." in v.text
        await v.types("up")
        await asks(v, Preview("K7QP"), Preview())
        await v.until(lambda: "Waiting for players." not in v.text, "nothing is left of the other table")


@pytest.mark.parametrize("key", ["question_mark", "o"])
async def test_under_another_screen_the_preview_stops(visit: Visiting, key: str) -> None:
    async with visit(*HERE, size=LARGE) as v:
        await asks(v, Preview("K7QP"))
        await v.types(key)
        await v.hears(lobby(OPEN, people=9))
        await asks(v, Preview("K7QP"), Preview())
        await v.types("escape")
        await asks(v, Preview("K7QP"), Preview(), Preview("K7QP"))


async def test_back_from_a_table_it_is_asked_for_again(visit: Visiting) -> None:
    async with visit(*HERE, size=LARGE) as v:
        await asks(v, Preview("K7QP"))
        await v.hears(PreviewView("K7QP", toy_table("Bo -", "open", you=None)))
        await v.hears(toy_table(), Left("left"), *HERE)
        await asks(v, Preview("K7QP"), Preview("K7QP"))
        assert "Waiting for players." not in v.text


async def test_a_small_terminal_asks_for_none(visit: Visiting) -> None:
    async with visit(*HERE, size=SMALL) as v:
        await v.types("down", "up")
        await v.says()


async def test_a_refused_preview_is_no_sentence_and_no_second_try(visit: Visiting) -> None:
    async with visit(*HERE, size=LARGE) as v:
        await asks(v, Preview("K7QP"))
        await v.hears(Refusal("busy", to="Preview"))
        assert Refusal("busy").sentence() not in v.text
        await v.hears(lobby(OPEN, FULL, people=9))
        await v.says(Preview("K7QP"))


async def test_a_table_of_which_nothing_can_be_seen_says_so(visit: Visiting) -> None:
    """It has closed, the game isn't known, or the game can't read it."""
    async with visit(*HERE, size=LARGE) as v:
        for nothing in (
            None,
            toy_table(game="odd", you=None),
            toy_table(you=None, table=msgspec.Raw(b"\xc1")),
        ):
            await v.hears(PreviewView("K7QP", nothing))
            assert "No preview of this table." in v.text


async def test_a_click_beside_the_list_selects_nothing(visit: Visiting) -> None:
    async with visit(*HERE, size=LARGE) as v:
        await v.pilot.click(offset=(100, 6))
        await v.pilot.click(offset=(100, 6))
        await asks(v, Preview("K7QP"))
        await v.pilot.click(offset=(8, 6))
        await asks(v, Preview("K7QP"), Preview("B4ZT"))
