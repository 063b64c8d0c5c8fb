"""Draw the README's pictures from the real app, the same bytes each time: `python tools/picture.py`.

A server in this process, with fixed dice, has one player and one bot; a few turns are played by keys, a stone is
picked, and the screen is exported as SVG.
"""

import asyncio
import io
import random
import re
from pathlib import Path

from rich.console import Console
from rich.segment import Segment, Segments

from cartino_games.registry import installed
from cartino_protocol.commands import Create
from cartino_server.limits import ServerConfig
from cartino_server.lobby.server import Server
from cartino_server.table.environment import Ports
from cartino_server.table.link import Person
from cartino_tui.app import CartinoApp
from cartino_tui.widgets.frame_screen import FrameScreen

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
TURNS = 9


def fixed_ports() -> Ports:
    """Return ports with a fixed clock and chance."""
    dice = random.Random(1969)
    return Ports(entropy=dice.randbytes, now=lambda: "1974-01-01T12:00:00Z", random_code=lambda _: "K7QP")


async def drawn(size: tuple[int, int], edition: str) -> str:
    """Return the SVG of a few turns into a game of that edition, at `size` cells."""
    server = Server(
        installed().rules, installed().bots, config=ServerConfig(bot_pause=0), ports=fixed_ports()
    )
    intent = Create("cartino", {"edition": edition}, 2, ("greedy",), open=False)
    app = CartinoApp(
        server.open_link(Person("ann", "Ann")), intent, game_screens=installed().screens, depth="true"
    )
    # Points that fly would be caught in another place each time.
    app.context.preferences.choose(motion="off")
    async with app.run_test(size=size) as pilot:
        for _ in range(TURNS):
            number = await turn_after(app, -1)
            await pilot.press("1", "enter", "e")
            await turn_after(app, number)
        await pilot.press("3")
        await pilot.pause()
        svg = picture(app)
    await server.close()
    # Textual gives each export's styles a random prefix.
    return re.sub(r"terminal-\d+", "terminal", svg)


def picture(app: CartinoApp) -> str:
    """Return the screen in front as SVG."""
    assert isinstance(app.screen, FrameScreen)
    frame, style = app.screen.shown, app.session_theme.style
    console = Console(
        width=frame.width,
        height=frame.height,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        record=True,
        legacy_windows=False,
    )
    for y, row in enumerate(frame.rows, 1):
        cells = [Segment(text, style(role)) for text, role in row]
        console.print(Segments([*cells, Segment.line()] if y < frame.height else cells), end="")
    return console.export_svg(title="ssh -t -p 2222 ann@host")


async def turn_after(app: CartinoApp, number: int) -> int:
    """Wait until it is one's turn in a state later than `number`; the number of that state."""
    while True:
        room = app.known.room
        if room is not None and room.number > number and room.turn == (room.you,):
            return room.number
        await asyncio.sleep(0.01)


PICTURED = {"table": ((80, 24), "1974"), "table-1969": ((120, 40), "1969")}
"""Each picture's size and edition, by its name."""


def main() -> None:
    """Draw them all."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name, (size, edition) in PICTURED.items():
        PICTURES.joinpath(f"{name}.svg").write_text(asyncio.run(drawn(size, edition)), encoding="utf-8")


if __name__ == "__main__":
    main()
