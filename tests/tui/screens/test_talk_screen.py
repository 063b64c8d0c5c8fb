"""All that was said at a table, to be scrolled through, with more coming in meanwhile."""

from cartino_protocol.commands import Say
from cartino_protocol.refusals import Refusal
from cartino_tui.screens.talk_screen import TalkScreen
from tests.support.visit import Visit, chat, lobby, room
from tests.tui.conftest import Visiting

LINES = [("Bo", f"line {number}") for number in range(100)]


async def opened(v: Visit) -> None:
    await v.types("T")
    await v.until(lambda: isinstance(v.app.screen, TalkScreen) and "All that was said" in v.text)


def seen(v: Visit) -> list[str]:
    return [row.split("line ")[1] for row in v.text.splitlines() if "line " in row]


async def test_it_opens_at_the_newest_and_scrolls_to_the_oldest_and_back(visit: Visiting) -> None:
    async with visit(room(), chat(*LINES)) as v:
        await opened(v)
        assert seen(v)[-1] == "99"
        assert seen(v)[0] == "80"
        await v.types("up", "k")
        assert seen(v)[-1] == "97"
        await v.types("pageup")
        assert seen(v)[-1] == "78"
        await v.types("home")
        assert seen(v)[0] == "0"
        await v.types("up", "down")
        assert seen(v)[0] == "1"
        await v.types("end", "down")
        assert seen(v)[-1] == "99"
        await v.wheel(down=False)
        assert seen(v)[-1] == "98"


async def test_it_follows_the_talk_at_its_end_and_stays_where_one_reads(visit: Visiting) -> None:
    async with visit(room("Ann Bo -", "open"), chat(*LINES[:50])) as v:
        await opened(v)
        await v.hears(chat(*LINES[:51]))
        assert seen(v)[-1] == "50"
        await v.types("up", "up")
        await v.hears(chat(*LINES[:60]))
        assert seen(v)[-1] == "48"


async def test_a_long_line_is_whole_behind_its_name(visit: Visiting) -> None:
    async with visit(room(), chat(("Bo", "word " * 60), ("Chika", "hi"))) as v:
        await opened(v)
        assert v.text.count("word") == 60
        assert "Chika  hi" in v.text


async def test_one_talks_from_here_and_hears_why_not(visit: Visiting) -> None:
    async with visit(room()) as v:
        await opened(v)
        assert "Nobody has said anything yet" in v.text
        await v.types("t", *"hi", "enter")
        await v.says(Say("hi"))
        await v.hears(Refusal("busy", to="Say"))
        assert v.status == Refusal("busy").sentence()


async def test_every_way_back_leads_to_the_table_and_leaving_it_to_the_lobby(visit: Visiting) -> None:
    async with visit(room("Ann Bo -", "open"), chat(*LINES)) as v:
        for back in ("q", "escape", "backspace", "T"):
            await opened(v)
            await v.types(back)
            await v.until(lambda: "FRIENDS" in v.text)
        await v.click("T all talk")
        await v.until(lambda: "All that was said" in v.text)
        await v.click("Esc back")
        await v.until(lambda: "FRIENDS" in v.text)
        await v.hears(lobby())
