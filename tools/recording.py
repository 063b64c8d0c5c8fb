"""Draw the README's moving picture from the real app: `python tools/recording.py`.

Somebody plays the first turns of a game with a bot, key by key, in a server with fixed dice.
"""

import asyncio

from cartino_games.registry import installed
from cartino_protocol.commands import Create
from cartino_server.limits import ServerConfig
from cartino_server.server import Server
from cartino_server.table.link import Person
from cartino_tui.app import CartinoApp
from cartino_tui.draw.theme import theme_of
from cartino_tui.widgets.app_screen import AppScreen
from tools.moving_picture import Shot, moving_picture
from tools.picture import PICTURES, fixed_ports, turn_after

SIZE = (80, 24)
PLAYED = (("1", "up", "down", "enter"), ("1", "enter"), ("2", "right", "enter"), ("1", "enter"))
"""Keys of one turn after the other, until they are refused by themselves: `e` ends each."""
LOOK, KEY, LAST = 1.4, 0.7, 3.0
"""Seconds on the table before a turn, after a key, and at the end."""


async def record() -> list[Shot]:
    """Return the frames of those turns."""
    server = Server(
        installed().rules, installed().bots, config=ServerConfig(bot_pause=0), ports=fixed_ports()
    )
    intent = Create("cartino", {"edition": "1974"}, 2, ("greedy",), open=False)
    app = CartinoApp(
        server.open_link(Person("ann", "Ann")), intent, game_screens=installed().screens, depth="true"
    )
    shots: list[Shot] = []

    def shoot(seconds: float) -> None:
        assert isinstance(app.screen, AppScreen)
        shots.append(Shot(app.screen.shown, seconds))

    # Points that fly would be caught in another place each time.
    app.context.preferences.choose(motion="off")
    async with app.run_test(size=SIZE) as pilot:
        number = await turn_after(app, -1)
        for keys in PLAYED:
            await pilot.pause()
            shoot(LOOK)
            for key in keys:
                await pilot.press(key)
                while app.context.typeahead.waiting:
                    await pilot.pause()
                await pilot.pause()
                shoot(KEY)
            await pilot.press("e")
            number = await turn_after(app, number)
        await pilot.pause()
        shoot(LAST)
    await server.close()
    return shots


async def recorded() -> str:
    """Return the moving picture of those turns."""
    theme = theme_of("felt", roles=installed().roles)
    return moving_picture(await record(), theme, "Somebody plays four turns of Cartino against a bot")


def main() -> None:
    """Write docs/pictures/playing.svg."""
    PICTURES.joinpath("playing.svg").write_text(asyncio.run(recorded()), encoding="utf-8")


if __name__ == "__main__":
    main()
