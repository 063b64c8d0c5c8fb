"""Invitations and muted people: where they are told, and each answer to them."""

from tests.support.visit import toy_table
from tests.support.visit_script import visits
from tests.tui.conftest import Visiting

test_visits = visits(__file__)


async def test_the_command_goes_to_the_clipboard_and_is_shown(visit: Visiting) -> None:
    async with visit(toy_table("Ann -", "open")) as v:
        await v.types("y")
        await v.until(lambda: v.app.clipboard == "ssh -t games.example.org join K7QP")
        assert "Copied, if your terminal allows it:" in v.text
        v.app.session_depth = "mono"
        await v.types("y")
        await v.until(lambda: "can't copy to the clipboard. Copy it by hand:" in v.text)
