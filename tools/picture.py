"""Draw the README's pictures from the real app, the same bytes each time: `python -m tools.picture`.

A server in this process, with fixed dice, has one player and one bot; a few turns are played by keys, and the screen
is exported as SVG.
"""

import asyncio
import io
import random
import re
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.segment import Segment, Segments

from cartino_games.registry import installed
from cartino_protocol.commands import Create
from cartino_server.environment import Ports
from cartino_server.limits import ServerConfig
from cartino_server.server import Server
from cartino_server.table.link import Person
from cartino_tui.app import CartinoApp
from cartino_tui.widgets.frame_screen import FrameScreen

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"


class Picture(NamedTuple):
    """What a picture shows: a table of `game` after some turns."""

    size: tuple[int, int]
    game: str
    options: dict[str, str]
    turns: tuple[str, ...]
    """The keys of each turn, with blanks between."""
    last: str
    """The keys pressed in the turn that is shown."""


PICTURED = {
    "cartino": Picture((80, 24), "cartino", {"edition": "1974"}, ("1 enter e",) * 9, "3"),
    "cartino-1969": Picture((120, 40), "cartino", {"edition": "1969"}, ("1 enter e",) * 9, "3"),
    "caro": Picture((80, 24), "caro", {}, tuple(f"{digit} enter" for digit in "13422413"), "1"),
    "casino": Picture((80, 24), "casino", {}, ("1 1 enter",) * 5, "2"),
}
"""The pictures by the names of their files."""


def fixed_ports() -> Ports:
    """Return ports with a fixed clock and chance."""
    dice = random.Random(1969)
    return Ports(entropy=dice.randbytes, now=lambda: "1974-01-01T12:00:00Z", random_code=lambda _: "K7QP")


async def drawn(picture: Picture) -> str:
    """Return the SVG of `picture`."""
    server = Server(
        installed().rules, installed().bots, config=ServerConfig(bot_pause=0), ports=fixed_ports()
    )
    intent = Create(picture.game, picture.options, 2, ("greedy",), open=False)
    app = CartinoApp(
        server.open_link(Person("ann", "Ann")), intent, game_screens=installed().screens, depth="true"
    )
    # Points that fly would be caught in another place each time.
    app.context.preferences.choose(motion="off")
    async with app.run_test(size=picture.size) as pilot:
        number = await turn_after(app, -1)
        for keys in picture.turns:
            await pilot.press(*keys.split())
            number = await turn_after(app, number)
        await pilot.press(*picture.last.split())
        await pilot.pause()
        svg = svg_of(app)
    await server.close()
    # Textual gives each export's styles a random prefix.
    return re.sub(r"terminal-\d+", "terminal", svg)


def svg_of(app: CartinoApp) -> str:
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
        table = app.client_state.table
        if table is not None and table.number > number and table.turn == (table.you,):
            return table.number
        await asyncio.sleep(0.01)


def main() -> None:
    """Draw them all."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name, shown in PICTURED.items():
        PICTURES.joinpath(f"{name}.svg").write_text(asyncio.run(drawn(shown)), encoding="utf-8")


if __name__ == "__main__":
    main()
