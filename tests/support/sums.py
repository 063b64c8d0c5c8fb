"""The sums of a journal that is no file: the real tables in memory, of which nothing else is used."""

from collections.abc import Mapping, Sequence

import apsw
import msgspec

from cartino_protocol.views import LeadersView, ProfileView
from cartino_server.store.figures import profiles
from cartino_server.store.figures.missed import missed_games, note_told
from cartino_server.store.migrations import migrate_journal
from cartino_server.store.port import (
    FinishedGame,
    GameScores,
    MissedGame,
    ProfileQuery,
    Rating,
    UncountedGame,
)
from cartino_server.store.queries import hash_finished


class Sums:
    """What `Journal` knows of people, for those that keep all the rest in another way."""

    def __init__(self) -> None:
        self.connection = apsw.Connection(":memory:")
        migrate_journal(self.connection)

    def end(self, number: int, ending: FinishedGame) -> None:
        """The game has come to its end."""
        body = msgspec.json.encode(ending)
        row = (number, ending.code, ending.listed, body, hash_finished(number, body))
        self.connection.execute(
            "INSERT INTO finished (number, code, listed, body, hash) VALUES (?, ?, ?, ?, ?)", row
        )
        seats = zip(range(16), ending.persons, ending.seats, strict=False)
        self.connection.executemany(
            "INSERT INTO seats (number, seat, person, name) VALUES (?, ?, ?, ?)",
            [(number, seat, person, name.casefold()) for seat, person, name in seats],
        )
        profiles.queue_game(self.connection, number)

    def due(self, most: int) -> Sequence[UncountedGame]:
        return profiles.uncounted_games(self.connection, most)

    def ratings(self, game: str, persons: Sequence[str]) -> Mapping[str, Rating]:
        return profiles.read_ratings(self.connection, game, persons)

    def tally(self, games: Sequence[GameScores]) -> None:
        profiles.count_games(self.connection, games)

    def missed(self, person: str, most: int) -> Sequence[MissedGame]:
        return missed_games(self.connection, person, most)

    def renamed(self, person: str, name: str) -> None:
        profiles.rename_player(self.connection, person, name)

    def told(self, persons: tuple[str, ...], number: int) -> None:
        note_told(self.connection, persons, number)

    def profile(self, asking: ProfileQuery) -> ProfileView | None:
        return profiles.read_profile(self.connection, asking)

    def leaders(self, game: str, person: str, evaluations: frozenset[str] = frozenset()) -> LeadersView:
        return profiles.read_leaders(self.connection, game, person, evaluations)

    def person_called(self, name: str) -> str | None:
        return profiles.person_called(self.connection, name)
