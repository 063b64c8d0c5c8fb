"""How well people play, as openskill's Plackett-Luce model has it: two to four seats, equal ranks, no teams.

People's ratings move by games among people alone. A bot is measured against everybody at the table, and moves nobody's
rating but its own: so nobody climbs by playing against it, and where it stands can still be compared.
"""

from collections.abc import Mapping, Sequence

from cartino_protocol.ids import Seat
from cartino_server.store.standing import Rating

SCALE, BASE = 40, 1000
"""A rating as people see it: the level that somebody has almost certainly (mu - 3 sigma), times 40, and a thousand.

So whoever begins has 1000, and whoever plays no worse than all the others never has much less for long.
"""


def ranks(totals: Sequence[int], winners: Sequence[Seat]) -> tuple[int, ...]:
    """The rank of each seat, 0 for those who won; equal totals share it.

    Behind the winners it goes by totals: the high ones are better where a highest total won, else the low ones.
    """
    if not totals:
        return ()
    won = {totals[seat] for seat in winners}
    sign = 1 if max(totals) in won else -1
    worth = [(seat in winners, sign * total) for seat, total in enumerate(totals)]
    if not won & {max(totals), min(totals)}:
        worth = [(seat in winners, 0) for seat in range(len(totals))]
    return tuple(0 if own[0] else sum(other > own for other in worth) for own in worth)


def rate(players: Sequence[str], ranking: Sequence[int], known: Mapping[str, Rating]) -> dict[str, Rating]:
    """The ratings of `players` (ids, at least two, each once) after a game that ended with `ranking`.

    `known` are the ratings before it; whoever has none begins with the model's own.
    """
    # It takes some time to load, and whoever plays at home alone never needs it.
    from openskill.models import PlackettLuce  # noqa: PLC0415

    model = PlackettLuce()
    before = [known.get(player) or Rating(model.mu, model.sigma) for player in players]
    after = model.rate(
        [[model.rating(rating.mu, rating.sigma)] for rating in before],
        ranks=[float(rank) for rank in ranking],
    )
    return {
        player: Rating(team[0].mu, team[0].sigma, rating.games + 1, shown(team[0].mu, team[0].sigma))
        for player, rating, team in zip(players, before, after, strict=True)
    }


def shown(mu: float, sigma: float) -> int:
    """A rating in one number for people."""
    return BASE + round(SCALE * (mu - 3 * sigma))
