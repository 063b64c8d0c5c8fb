"""How much is measured, in a full and a quick run."""

from typing import Final

import msgspec


class Scale(msgspec.Struct, frozen=True):
    """How often each thing is done.

    `games` of each kind by random moves, `bot_games` between greedy bots; `matches`, as a share of all between
    bots; `thoughts` of bots in threads and in processes, `ticks` of a timer beside bots that loop; `logins`,
    `entries` (straight to a running table), a `burst` to the lobby; `starts` of programs; `turns` at the table of
    4 + 20; `cursor_turns` in which every stone's spots are tried; `crowd` sessions at tables of two, and `updates`
    that each of them gets; `commits` to the journal at full load, and `server` seconds of a hundred games that write
    every other second; `moves` through a server at full load, and `kept` games that a start finds, also beside
    `finished` ones, and `parked` ones; `sessions` that press a key a second for so many `seconds` and until there are
    `keys`, then `more` of them each time, up to the `most`; `storm` seconds of log-ins, `drops` of a line; `still`
    seconds without a key, which with the 4 before them are less than a keepalive's 15; `watched_moves` before so many
    `spectators`; `peer_sessions` at what is put beside us, and whether fifty more are (`peer_crowds`); `at_workers`
    sessions at a server of several processes; `days` of `day_games` finished games each; tables `filled` to so many
    sessions, and people in the `lobby`.
    """

    games: int
    bot_games: int
    matches: float
    thoughts: int
    ticks: int
    logins: int
    entries: int
    burst: int
    starts: int
    turns: int
    cursor_turns: int
    crowd: int
    keys: int
    updates: int
    commits: int
    server: float
    moves: int
    kept: int
    parked: int
    finished: int
    sessions: tuple[int, ...]
    seconds: int
    more: int
    most: int
    storm: int
    still: float
    drops: int
    watched_moves: int
    spectators: tuple[int, ...]
    peer_sessions: int
    peer_crowds: bool
    at_workers: int
    days: int
    day_games: int
    filled: tuple[int, ...]
    lobby: int


FULL: Final = Scale(
    games=200,
    bot_games=10,
    matches=1.0,
    thoughts=600,
    ticks=300,
    logins=60,
    entries=20,
    burst=100,
    starts=9,
    turns=12,
    cursor_turns=6,
    crowd=50,
    keys=10,
    updates=200,
    commits=30_000,
    server=6.0,
    moves=6_000,
    kept=1_000,
    parked=30_000,
    finished=200_000,
    sessions=(1, 51, 200, 400),
    seconds=8,
    more=100,
    most=1_000,
    storm=5,
    still=5.0,
    drops=500,
    watched_moves=12,
    spectators=(60, 500),
    peer_sessions=5,
    peer_crowds=True,
    at_workers=1_000,
    days=2,
    day_games=111_000,
    filled=(50, 200, 600),
    lobby=200,
)
QUICK: Final = Scale(
    games=30,
    bot_games=2,
    matches=0.05,
    thoughts=100,
    ticks=100,
    logins=16,
    entries=6,
    burst=20,
    starts=1,
    turns=3,
    cursor_turns=1,
    crowd=12,
    keys=4,
    updates=6,
    commits=5_000,
    server=2.0,
    moves=1_000,
    kept=50,
    parked=1_000,
    finished=5_000,
    sessions=(1, 10),
    seconds=2,
    more=10,
    most=10,
    storm=1,
    still=1.0,
    drops=10,
    watched_moves=2,
    spectators=(60,),  # so many that they are shown no motion, as those of a full run
    peer_sessions=1,
    peer_crowds=False,
    at_workers=20,
    days=2,
    day_games=5_000,
    filled=(10, 30),
    lobby=20,
)
