"""Finished games as `ssh host games --finished` prints them."""

from collections.abc import Sequence

import msgspec

from cartino_games.registry import installed
from cartino_protocol.records import BOT
from cartino_protocol.views import PastGame
from cartino_tui.games.description import OLDER_GONE, ended, titled
from cartino_tui.tongue import ENGLISH, Tongue

MOST = 50
"""Games in one answer; `--before` asks for those before them."""


def as_json(games: Sequence[PastGame]) -> str:
    """A list of objects, newest first, at most MOST.

    Each has name ("K7QP-12": what `export` takes), number (its place in time), game, options, seats (names in seat
    order, a bot as bot:NAME), totals and winners (seats from 0) in the same order, reason ("out", "blocked",
    "points", "abandoned") and ended (RFC 3339, UTC).
    """
    return msgspec.json.format(msgspec.json.encode(games), indent=2).decode() + "\n"


def as_text(games: Sequence[PastGame], tongue: Tongue = ENGLISH, *, pruned: bool = False) -> str:
    """A line a game, for people who read `tongue`; where there may be more, a line that says how to see them.

    `pruned`: older games were removed, which the end of the list says.
    """
    more = tongue.say(OLDER_GONE) + "\n" if pruned else ""
    if not games:
        return more or tongue.say("No finished games here.") + "\n"
    if len(games) == MOST:
        command = f"`ssh HOST games --finished --before {games[-1].name}`"
        more = tongue.say("There may be more: {command}.", command=command) + "\n"
    return "".join(_line(game, tongue) + "\n" for game in games) + more


def _line(game: PastGame, tongue: Tongue) -> str:
    called = titled(installed().speeches, game.game, game.options, tongue)
    seats = ", ".join(_seat(game, seat, tongue) for seat in range(len(game.seats)))
    reason = ended(installed().speeches, game.game, game.reason, tongue)
    return f"{game.name:<8}  {game.ended[:10]}  {called}  {seats}; {reason}"


def _seat(game: PastGame, seat: int, tongue: Tongue) -> str:
    name = game.seats[seat]
    if name.startswith(BOT):
        name = tongue.say("bot {name}", name=name.removeprefix(BOT))
    scored = f"{name} {game.totals[seat]}"
    return tongue.say("{name} (won)", name=scored) if seat in game.winners else scored
