"""How much is measured: everything that repeats is counted here, so a run is bounded."""

from typing import Final

import msgspec


class Scale(msgspec.Struct, frozen=True):
    """How often each thing is done.

    `games` of each edition by random moves, `bot_games` between greedy bots; `thoughts` of bots in threads and in
    processes, `ticks` of a timer beside bots that loop; `logins`, `entries` (straight to a running table); `turns` at
    the table of 4 + 20; `cursor_turns` in which every stone's spots are tried; `crowd` sessions at tables of two,
    `keys` of the probe beside them and `updates` that each of them then gets; `commits` to the journal at full load,
    and `house` seconds of a hundred games that write every other second; `moves` through a house at full load, and
    `kept` games that a start finds, also beside `finished` ones.
    """

    games: int
    bot_games: int
    thoughts: int
    ticks: int
    logins: int
    entries: int
    turns: int
    cursor_turns: int
    crowd: int
    keys: int
    updates: int
    commits: int
    house: float
    moves: int
    kept: int
    finished: int


FULL: Final = Scale(
    games=200,
    bot_games=10,
    thoughts=1000,
    ticks=1000,
    logins=60,
    entries=30,
    turns=30,
    cursor_turns=8,
    crowd=50,
    keys=250,
    updates=200,
    commits=30_000,
    house=20.0,
    moves=20_000,
    kept=1_000,
    finished=200_000,
)
QUICK: Final = Scale(
    games=30,
    bot_games=2,
    thoughts=100,
    ticks=100,
    logins=16,
    entries=6,
    turns=3,
    cursor_turns=1,
    crowd=12,
    keys=40,
    updates=6,
    commits=5_000,
    house=4.0,
    moves=1_000,
    kept=50,
    finished=5_000,
)
