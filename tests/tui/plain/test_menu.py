"""What is read out can be typed, wherever one stands; and nothing leads further away than was meant."""

import re

from cartino_server.server import Server
from tests.support.plain import on_turn, two
from tests.support.talk_script import talks

test_talks = talks(__file__)


async def test_a_nought_leaves_no_running_game_by_mistake(server: Server) -> None:
    first, _ = on_turn(*await two(server))
    first.types("0")
    await first.reads("Nothing is selected. Type leave to go back")
    first.types("leave")
    await first.reads("0: quit")
    first.types("0", "no", "0", "0")
    await first.reads("An empty line repeats")
    await first.reads("An empty line repeats")
    first.types("0", "yes")
    assert await first.ends() == 0
    assert re.search("0: no\\n", first.paper.text)
