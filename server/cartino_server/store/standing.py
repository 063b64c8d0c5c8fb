"""What the rooms tell the journal of a game that is over, for it to sum up, and what it has summed up by then."""

import msgspec


class Rating(msgspec.Struct, frozen=True):
    """How well somebody plays: `mu` give or take `sigma`, after so many `games`; `shown` is that in one number."""

    mu: float
    sigma: float
    games: int = 0
    shown: int = 0


class Score(msgspec.Struct, frozen=True):
    """What one seat made of a game: who sat there, the total, the rank (0: won; equal ones share it).

    `person` is an id, a bot's `bot:NAME`. `bests` are the most it made of something, by the game's word for it;
    `rating` is the one after the game, None where the game changed none.
    """

    person: str
    name: str
    points: int
    rank: int
    bests: dict[str, int] = {}
    rating: Rating | None = None


class Tally(msgspec.Struct, frozen=True):
    """A game to be summed up: `options` are those by which its games are told apart; no `scores`: it counts nowhere.

    `listed` as in `Ending`. The scores are of different persons: of several bots of a kind none has one. `day` is when
    it ended, in days since 1970.
    """

    place: int
    number: int
    game: str
    options: dict[str, str]
    listed: bool
    scores: tuple[Score, ...] = ()
    day: int = 0


class Asking(msgspec.Struct, frozen=True):
    """Whose sums somebody asks for: `person` is who asks ("" for nobody).

    The player with the number `player`, else the one of the id `of`, else the one called `name`. `against` is an id,
    or else a name, of whom to compare them with; "" for nobody.
    """

    person: str
    player: int = 0
    of: str = ""
    name: str = ""
    against: str = ""
    against_name: str = ""
