"""What the house may be told: how long it waits and how much it takes."""

import msgspec


class HouseConfig(msgspec.Struct, frozen=True):
    """Times in seconds.

    `bot_pause`: how long people see a table before a bot moves; `bot_patience`: how long a bot may think;
    `empty_after`: how long a table with nobody at it stays, `unused_after` the same for one where nothing was ever
    dealt, if that is less; `unfinished_after`: how long a running game waits for players with a key who all went,
    `paused_after` one that they paused; `lobby_every`: the least time between two lists of tables on one link;
    `retry`: after which the house tries again what it could not save; `most_rooms`: tables in the house;
    `rooms_each`: those that one person may have opened, `rooms_a_source` those of one source (see `giving_way`), 0 for
    any number; `burst` and `rate`: commands that a person may send at once,
    and then a second; `chat_lines` in `chat_seconds`: lines of chat among them, of `chat_length` characters each;
    `seats_burst` and `seats_rate`: changes of seat, of name, of what is preferred, and of whatever else is written down
    of people: keys, whom they ignore, what they report; `games_a_day`: finished games that are kept a day (see
    `quota`), 0 for any number; `inbox`: commands of one link
    that wait; `refusals`: refusals that wait for a reader; `queue`: commands that wait at one table.
    """

    bot_pause: float = 1.0
    bot_patience: float = 4.0
    empty_after: float = 600.0
    unfinished_after: float = 3 * 86_400.0
    paused_after: float = 60 * 86_400.0
    unused_after: float = 120.0
    lobby_every: float = 0.5
    gallery_every: float = 1.0
    retry: float = 1.0
    most_rooms: int = 500
    rooms_each: int = 5
    rooms_a_source: int = 20
    games_a_day: int = 100
    burst: int = 40
    rate: float = 20.0
    chat_lines: int = 5
    chat_seconds: float = 10.0
    chat_length: int = 300
    seats_burst: int = 10
    seats_rate: float = 1.0
    inbox: int = 64
    refusals: int = 64
    queue: int = 1024
