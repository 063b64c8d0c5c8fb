"""What is counted of one table: the moves and games that were saved, and how long its commands took."""

import msgspec

from cartino_server.metering.figures import COMMAND_TO_COMMIT, GAMES_BEGUN, GAMES_OVER, METER, MOVES
from cartino_server.rooms.outcome import Job, Outcome
from cartino_server.rooms.room import Room


def timed(job: Job) -> Job:
    """`job`, whose time runs from now until what it changed is saved; what changes nothing is not timed."""
    begun = COMMAND_TO_COMMIT.begin()
    if not begun:
        return job

    def served() -> Outcome | None:
        outcome = job()
        if outcome is None or outcome.then is None or outcome.undone is None:
            return outcome
        then = outcome.then

        def told() -> object:
            COMMAND_TO_COMMIT.end(begun)
            return then()

        return msgspec.structs.replace(outcome, then=told)

    return served


class Counted:
    """Compares a table with how it was when it was last saved."""

    def __init__(self, room: Room) -> None:
        """What has happened at `room` until now is not counted."""
        self._room = room
        self._note()

    def saved(self) -> None:
        """The table is saved as it stands."""
        if METER.on:
            self._count()
            self._note()

    def _count(self) -> None:
        play, name = self._room.play, self._room.order.game.name
        if play is None:
            return
        if play is not self._play:
            GAMES_BEGUN.add(name)
        elif play.number > self._number:
            MOVES.add(name, by=play.number - self._number)
        if play.result is not None and (play is not self._play or not self._over):
            GAMES_OVER.add(name, play.result.reason)

    def _note(self) -> None:
        self._play = play = self._room.play
        self._number = 0 if play is None else play.number
        self._over = play is not None and play.result is not None
