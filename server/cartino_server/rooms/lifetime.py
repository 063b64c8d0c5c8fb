"""How long a table at which nobody is stays open."""

from cartino_server.rooms.config import HouseConfig
from cartino_server.rooms.room import Room


def time_left(room: Room, config: HouseConfig) -> float | None:
    """The seconds that `room`, at which nobody is, waits for somebody; None where it waits for ever.

    Players of a running game come back tomorrow, if they have a key, and to one that they paused next month; a game
    by correspondence comes to its end with nobody there.
    """
    if room.play is None:
        return min(config.empty_after, config.unused_after)
    if room.state != "playing":
        return config.empty_after
    if not any(chair.person and not chair.guest for chair in room.seating.chairs):
        return config.empty_after
    if room.rounds.match_is_paused:
        return max(config.paused_after, config.unfinished_after)
    return None if room.order.patience.by_correspondence else config.unfinished_after
