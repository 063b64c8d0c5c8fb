"""What follows when the game of a table begins or ends, or its challenge expires."""

from collections.abc import Sequence

from cartino_protocol.base import TableStatus
from cartino_protocol.views import TableLine
from cartino_server.bots.limits import BotGames
from cartino_server.correspondence.missed import MissedNews
from cartino_server.deals.attempts import SharedDeals
from cartino_server.lobby.background_tasks import BackgroundTasks, Timekeeper
from cartino_server.lobby.finished.ratings import RatingJobs
from cartino_server.lobby.finished.result_news import ResultNews
from cartino_server.lobby.people.presence import PresenceRegistry
from cartino_server.table.state import TableState


class GameEvents:
    """Counts games as they begin and end, and tells their players."""

    def __init__(
        self,
        presence: PresenceRegistry,
        background: BackgroundTasks,
        missed: MissedNews,
        news: ResultNews,
        ratings: RatingJobs,
        bot_games: BotGames,
        deals: SharedDeals,
        timekeeper: Timekeeper,
    ) -> None:
        self._presence = presence
        self._background = background
        self._missed = missed
        self._news = news
        self._ratings = ratings
        self._bot_games = bot_games
        self._deals = deals
        self._timekeeper = timekeeper

    def record_change(
        self, table: TableState, line: TableLine, was: TableStatus | None, persons: Sequence[str]
    ) -> None:
        """Note a game that begins or ends at a table, or a challenge that expires.

        Its state in lists `was` another, None for a new table; `persons` have or had a seat there.
        """
        if line.state == "playing" and was != "playing":
            self._bot_games.count_game(table)
        if line.state == "finished" and was != "finished":
            self._ratings.wake()
            self._missed.record_end(table)
        if line.state == "playing" and was == "open":
            self._missed.record_begin(table)
            for person in table.seating.persons() if line.clock == "day" else ():
                if person not in table.attendance.present and self._presence.people.is_here(person):
                    self._background.run(self._news.tell_missed(person))
        if table.is_overdue:
            gone = set(persons) - {*table.seating.persons(), *table.attendance.present}
            if gone:
                self._background.run(self._news.tell_expired(table, sorted(gone)))
        self._deals.record_attempt_end(table)
        if line.clock != "none":
            self._timekeeper.wake()

    def forget_table(self, table: TableState) -> None:
        """Forget a table that closed, and have the game counted that was abandoned with it."""
        self._missed.forget_table(table.code)
        if table.match is not None:
            self._ratings.wake()
