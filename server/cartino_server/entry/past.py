"""Finished games as `ssh host games --finished` prints them."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import msgspec

from cartino_protocol.records import BOT
from cartino_protocol.views import PastGame

MOST = 50
"""Games in one answer; `--before` asks for those before them."""

_ENDED: Mapping[str, str] = MappingProxyType(
    {
        "out": "a player went out",
        "blocked": "nobody could go on",
        "points": "the points to win were reached",
        "abandoned": "left before its end",
    }
)


def as_json(games: Sequence[PastGame]) -> str:
    """A list of objects, newest first, at most MOST.

    Each has name ("K7QP-12": what `export` takes), number (its place in time), game, options, seats (names in seat
    order, a bot as bot:NAME), totals and winners (seats from 0) in the same order, reason ("out", "blocked",
    "points", "abandoned") and ended (RFC 3339, UTC).
    """
    return msgspec.json.format(msgspec.json.encode(games), indent=2).decode() + "\n"


def as_text(games: Sequence[PastGame]) -> str:
    """A line a game, for people; where there may be more, a line that says how to see them."""
    if not games:
        return "No finished games here.\n"
    more = ""
    if len(games) == MOST:
        more = f"There may be more: `ssh HOST games --finished --before {games[-1].name}`.\n"
    return "".join(_line(game) + "\n" for game in games) + more


def _line(game: PastGame) -> str:
    options = " ".join(game.options.values())
    seats = ", ".join(_seat(game, seat) for seat in range(len(game.seats)))
    reason = _ENDED.get(game.reason, game.reason)
    return f"{game.name:<8}  {game.ended[:10]}  {game.game} {options}  {seats}; {reason}"


def _seat(game: PastGame, seat: int) -> str:
    name = game.seats[seat]
    name = f"bot {name.removeprefix(BOT)}" if name.startswith(BOT) else name
    return f"{name} {game.totals[seat]}{' (won)' if seat in game.winners else ''}"
