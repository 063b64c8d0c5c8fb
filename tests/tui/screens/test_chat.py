"""All that was said at a table, to be scrolled through, with more coming in meanwhile."""

import msgspec
import pytest

from cartino_protocol.accounts import Ignored, IgnoredPerson, Reported
from cartino_protocol.base import TableStatus
from cartino_protocol.commands import Ignore, Report, Say
from cartino_protocol.notices import Announced
from cartino_protocol.refusals import Refusal
from cartino_tui.pages.contacts import MUTED_PAGE
from cartino_tui.screens.chat import ChatScreen
from tests.support.pages import is_open
from tests.support.visit import Visit, chat, lobby, toy_table
from tests.tui.conftest import Visiting

LINES = [("Bo", f"line {number}") for number in range(100)]


async def opened(v: Visit) -> None:
    await v.types("T")
    await v.until(lambda: isinstance(v.app.screen, ChatScreen) and "Chat history" in v.text)


def seen(v: Visit) -> list[str]:
    return [row.split("line ")[1] for row in v.text.splitlines() if "line " in row]


def chosen(v: Visit) -> str:
    """The line that is marked, "" for none."""
    return next((row.split("line ")[1].strip() for row in v.text.splitlines() if row.startswith("►")), "")


def chosen_row(v: Visit) -> str:
    return next((row.strip() for row in v.text.splitlines() if row.startswith("►")), "")


async def test_it_opens_at_the_newest_and_scrolls_to_the_oldest_and_back(visit: Visiting) -> None:
    async with visit(toy_table(), chat(*LINES)) as v:
        await opened(v)
        assert (seen(v)[0], seen(v)[-1], chosen(v)) == ("80", "99", "")
        await v.types("up", "k")
        assert (seen(v)[-1], chosen(v)) == ("99", "98")
        await v.types("pageup")
        assert (seen(v)[0], chosen(v)) == ("79", "79")
        await v.types("home")
        assert (seen(v)[0], chosen(v)) == ("0", "0")
        await v.types("up", "down")
        assert (seen(v)[0], chosen(v)) == ("0", "1")
        await v.types("pagedown", "pagedown")
        assert (seen(v)[-1], chosen(v)) == ("39", "39")
        await v.types("end", "down")
        assert (seen(v)[-1], chosen(v)) == ("99", "")
        await v.wheel(down=False)
        assert chosen(v) == "99"
        await v.types("down")
        assert chosen(v) == ""


async def test_it_follows_the_talk_at_its_end_and_stays_with_the_line_one_chose(visit: Visiting) -> None:
    async with visit(toy_table("Ann Bo -", "open"), chat(*LINES[:50])) as v:
        await opened(v)
        await v.hears(chat(*LINES[:51]))
        assert seen(v)[-1] == "50"
        await v.types("up", "up")
        before = seen(v)
        await v.hears(chat(*LINES[:60]))
        assert (seen(v), chosen(v)) == (before, "49")


async def test_a_line_that_is_no_more_gives_its_mark_to_the_next(visit: Visiting) -> None:
    async with visit(toy_table(), chat(*LINES[:9])) as v:
        await opened(v)
        await v.types("home")
        view = chat(*LINES[:9])
        await v.hears(msgspec.structs.replace(view, lines=view.lines[3:]))
        assert chosen(v) == "3"
        await v.hears(msgspec.structs.replace(view, lines=()))
        assert "No messages yet" in v.text
        await v.types("up", "down", "pageup", "pagedown", "home", "end", "x", "r")
        assert v.status == "Nobody else has said anything here."


async def test_a_chosen_line_is_ignored_or_reported_by_key_and_by_mouse(visit: Visiting) -> None:
    view = chat(("Bo", "well"), ("Eve", "a rude word"))
    bo, eve = view.lines
    lines = (msgspec.structs.replace(bo, who="bo-mark1"), msgspec.structs.replace(eve, who="eve-mark"))
    async with visit(toy_table(), msgspec.structs.replace(view, lines=lines), Ignored(())) as v:
        await opened(v)
        assert "mute" not in v.text.splitlines()[-1]
        await v.types("x")
        assert v.status == "Press x again to mute Eve; ↑ and ↓ select another message."
        assert "a rude word" in next(row for row in v.text.splitlines() if row.startswith("►"))
        await v.types("end")
        await v.click("a rude word")
        assert "x mute" in v.text.splitlines()[-1]
        await v.types("r")
        assert v.status == "Report Eve's message to the host? (y/n)"
        await v.types("n", "r", "y")
        await v.says(Report(2))
        await v.hears(Reported(2, "Eve"))
        assert v.status == "Eve's message was reported to the host."
        await v.click("x mute")
        await v.says(Report(2), Ignore("eve-mark", "Eve"))
        await v.hears(Ignored((IgnoredPerson("eve-mark", "Eve"),)))
        assert v.status == "Eve is muted."
        assert "rude" not in v.text
        await v.types("home", "x")
        await v.hears(Refusal("too-many-ignored", "200", to="Ignore"))
        assert v.status == "You've muted 200 people already, the most allowed. Unmute someone first."


@pytest.mark.parametrize("state", ["open", "playing"])
async def test_whoever_seeks_it_at_the_table_is_led_to_what_somebody_else_said_last(
    state: TableStatus, visit: Visiting
) -> None:
    view = chat(("Eve", "a rude word"), ("Ann", "please don't"))
    eve, ann = view.lines
    lines = (msgspec.structs.replace(eve, who="eve-mark"), ann)
    async with visit(
        toy_table("Ann Bo", state), msgspec.structs.replace(view, lines=lines), Ignored(())
    ) as v:
        for sought, told in (
            ("mute", "Press x again to mute Eve; ↑ and ↓ select another message."),
            ("report", "Press r again to report Eve's message; ↑ and ↓ select another."),
        ):
            await v.types("colon", *sought, "enter")
            await v.until(lambda: isinstance(v.app.screen, ChatScreen))
            assert (v.status, chosen_row(v)) == (told, "►Eve  a rude word")
            await v.types("escape")
        await v.types("colon", *"report", "enter", "r", "y")
        await v.says(Report(1))
        await v.types("x")
        await v.says(Report(1), Ignore("eve-mark", "Eve"))
        await v.types("escape", "colon", *"see who you've muted", "enter")
        await v.until(lambda: is_open(v.app, MUTED_PAGE))


async def test_the_line_that_is_sought_is_in_sight_behind_much_talk_of_one_s_own(visit: Visiting) -> None:
    async with visit(toy_table(), chat(*LINES[:70], *(("Ann", "mine") for _ in range(30)))) as v:
        await v.types("colon", *"report", "enter")
        await v.until(lambda: isinstance(v.app.screen, ChatScreen))
        assert chosen(v) == "69"
        await v.types("down")
        assert chosen_row(v).endswith("mine")


async def test_a_long_line_is_whole_behind_its_name(visit: Visiting) -> None:
    async with visit(toy_table(), chat(("Bo", "word " * 60), ("Chika", "hi"))) as v:
        await opened(v)
        assert v.text.count("word") == 60
        assert "Chika  hi" in v.text


async def test_one_talks_from_here_and_hears_why_not(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        await opened(v)
        assert "No messages yet" in v.text
        await v.types("t", *"hi", "enter")
        await v.says(Say("hi"))
        await v.hears(Refusal("busy", to="Say"))
        assert v.status == Refusal("busy").sentence()


async def test_every_way_back_leads_to_the_table_and_leaving_it_to_the_lobby(visit: Visiting) -> None:
    async with visit(toy_table("Ann Bo -", "open"), chat(*LINES)) as v:
        for back in ("q", "escape", "backspace", "T"):
            await opened(v)
            await v.types(back)
            await v.until(lambda: "FRIENDS" in v.text)
        await v.click("T chat log")
        await v.until(lambda: "Chat history" in v.text)
        await v.click("Esc back")
        await v.until(lambda: "FRIENDS" in v.text)
        await v.hears(lobby())


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (200, 60)])
async def test_what_the_host_said_stands_where_it_was_said(visit: Visiting, size: tuple[int, int]) -> None:
    async with visit(size=size) as v:
        await v.hears(lobby(), Announced("says", "before you came"), toy_table(), chat(*LINES[:2]))
        await v.hears(Announced("muted", "a rude word", "2026-01-31 12:00"), chat(*LINES[:3]))
        await opened(v)
        text = " ".join(v.text.split())
        parts = (
            "*** The host says: before you came Bo line 0 Bo line 1",
            "*** The host muted you until 2026-01-31 12:00 UTC: a rude word Bo line 2",
        )
        assert " ".join(parts) in text
        await v.hears(Announced("says", "one more"))
        assert "Bo line 2 *** The host says: one more" in " ".join(v.text.split())
        await v.click("*** The host says: before")
        assert chosen(v) == "0", "a line of the host's is nobody's to report"


async def test_what_the_host_said_first_is_read_at_the_first_line(visit: Visiting) -> None:
    async with visit() as v:
        await v.hears(lobby(), Announced("says", "before you came"), toy_table(), chat(*LINES))
        await opened(v)
        assert "before you came" not in v.text
        await v.types("home")
        assert "before you came" in v.text
        assert chosen(v) == "0"
        await v.types("down", "up")
        assert "before you came" in v.text


async def test_the_reason_of_who_goes_on_talking_stands_there_once(visit: Visiting) -> None:
    async with visit(toy_table(), chat(*LINES[:2])) as v:
        for _ in range(9):
            await v.hears(Refusal("muted", to="Say"), Announced("reason", "a rude word"))
        assert "*** The host's reason: a rude word · Not sent: the host muted you." in (
            " ".join(v.text.split())
        )
        await opened(v)
        await v.types("home")
        assert v.text.count("a rude word") == 1
