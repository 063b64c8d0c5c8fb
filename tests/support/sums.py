"""The sums of a journal that is no file: the real tables in memory, of which nothing else is used."""

from collections.abc import Mapping, Sequence

import apsw
import msgspec

from cartino_protocol.views import LeadersView, ProfileView
from cartino_server.store import profiles, tallying
from cartino_server.store.port import Due, Ending
from cartino_server.store.queries import hash_ending
from cartino_server.store.schema import migrate
from cartino_server.store.standing import Asking, Rating, Tally


class Sums:
    """What `Journal` knows of people, for those that keep all the rest in another way."""

    def __init__(self) -> None:
        self.connection = apsw.Connection(":memory:")
        migrate(self.connection)

    def end(self, number: int, ending: Ending) -> None:
        """The game has come to its end."""
        body = msgspec.json.encode(ending)
        row = (number, ending.code, ending.listed, body, hash_ending(number, body))
        self.connection.execute(
            "INSERT INTO finished (number, code, listed, body, hash) VALUES (?, ?, ?, ?, ?)", row
        )
        tallying.place(self.connection, number)

    def due(self, most: int) -> Sequence[Due]:
        return tallying.due(self.connection, most)

    def ratings(self, game: str, persons: Sequence[str]) -> Mapping[str, Rating]:
        return tallying.ratings(self.connection, game, persons)

    def tally(self, games: Sequence[Tally]) -> None:
        for game in games:
            tallying.tally(self.connection, game)

    def profile(self, asking: Asking) -> ProfileView | None:
        return profiles.profile(self.connection, asking)

    def leaders(self, game: str, person: str) -> LeadersView:
        return profiles.leaders(self.connection, game, person)

    def person_called(self, name: str) -> str | None:
        return profiles.person_called(self.connection, name)
