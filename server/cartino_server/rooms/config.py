"""What the house may be told: how long it waits and how much it takes."""

import msgspec


class HouseConfig(msgspec.Struct, frozen=True):
    """Times in seconds.

    `bot_pause`: how long people see a table before a bot moves; `empty_after`: how long a table with nobody at
    it stays; `lobby_every`: the least time between two lists of tables on one link; `most_rooms`: tables in the
    house; `burst` and `rate`: commands that a link may send at once, and then a second; `inbox`: commands of one
    link that wait; `refusals`: refusals that wait for a reader; `queue`: commands that wait at one table.
    """

    bot_pause: float = 1.0
    empty_after: float = 600.0
    lobby_every: float = 0.5
    most_rooms: int = 500
    burst: int = 40
    rate: float = 20.0
    inbox: int = 64
    refusals: int = 64
    queue: int = 1024
