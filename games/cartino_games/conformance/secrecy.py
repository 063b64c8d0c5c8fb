"""Checks of secrecy: twin games, which differ in cards or in a choice that somebody may not see."""

from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from random import Random
from typing import Any, Final

from cartino_engine.chance import Chance
from cartino_engine.port import AnyGame, Step
from cartino_games.conformance.trial import FEW, Check, PlayedGame, Trial, chance
from cartino_games.kit.declared.game import DeclaredGame
from cartino_protocol.base import Audience
from cartino_protocol.refusals import Refusal
from cartino_protocol.wire import encode

_SWAPS: Final = 120


def secrecy(trial: Trial) -> Check:
    """Twin games, which differ in what somebody may not see: what they are shown does not tell which."""
    found = [_Twins(trial.game, played) for played in trial.played[: trial.game.seats[1]]]
    problems = tuple(islice(dict.fromkeys(each for twins in found for each in twins.problems()), FEW))
    return Check("secrecy", problems, f"{sum(twins.hidden for twins in found)} twins")


class _Swapped:
    """A chance in which two things of one deal have changed places."""

    def __init__(self, chance: Chance, deal: int | str | None, places: Sequence[int]) -> None:
        self._chance = chance
        self._deal = deal
        self._places = places

    def order(self, count: int, deal: int | str | None = None) -> tuple[int, ...]:
        order = list(self._chance.order(count, deal))
        one, two = self._places
        if deal == self._deal and max(one, two) < count:
            order[one], order[two] = order[two], order[one]
        return tuple(order)


class _Counting:
    """A chance that notes what was dealt."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self.deals: dict[int | str | None, int] = {}

    def order(self, count: int, deal: int | str | None = None) -> tuple[int, ...]:
        self.deals[deal] = count
        return self._chance.order(count, deal)


class _Twins:
    """One played game, and others with two cards of a deal swapped, or with another last move.

    Who sees a difference between the two at some moment knows one of the cards. Nothing says here who may, but it is
    never a spectator without all players, and of two cards one of which nobody knows, one player or everybody.
    """

    def __init__(self, game: AnyGame, played: PlayedGame) -> None:
        self._game = game
        self._played = played
        self._shown: dict[tuple[int, Audience], bytes] = {}
        self.hidden = 0
        """Twins in which somebody sees no difference, and somebody does."""

    def problems(self) -> Iterator[str]:
        game, played, dice = self._game, self._played, Random(len(self._played.names))
        counting = _Counting(chance(played.seed, len(played.names)))
        game.start(played.options, played.names, counting)
        last, open_to_all = max(len(played.moves) - 1, 0), 0
        for deal, count in counting.deals.items():
            yield from self._at_the_deal(deal, count, dice)
            for _ in range(_SWAPS if count > 1 else 0):
                places, until = dice.sample(range(count), 2), dice.randint(0, last)
                twin = self._twin(deal, places, until)
                if twin is None:
                    continue
                told = self._told_apart(twin)
                open_to_all += None in told
                yield from self._leaks(twin, told, f"move {until}, cards {places} of the deal")
        for until in played.sample():
            twin = self._with_other_move(until, dice)
            if twin is not None:
                yield from self._leaks(twin, self._told_apart(twin), f"move {until}, another one made")
        hides = isinstance(game, DeclaredGame) and game.hides
        if hides and open_to_all and not self.hidden:
            yield "spectators see all that players see; if nothing is hidden in this game, set `hides = False`"

    def _leaks(self, twin: Sequence[Step[Any]], told: set[Audience], where: str) -> Iterator[str]:
        """Yield a fault for each audience that can tell this game from its `twin` and isn't `told`, or the reverse."""
        seats = len(self._played.names)
        self.hidden += len(told) > 0 and None not in told
        if None in told and len(told) <= seats:
            yield f"{seats} seats, {where}: spectators see what a player doesn't"
        for reader in self._exports(twin, told):
            whom = "spectators" if reader is None else f"seat {reader}"
            yield f"{seats} seats, {where}: the record of the running game tells {whom} more than the table"

    def _at_the_deal(self, deal: int | str | None, count: int, dice: Random) -> Iterator[str]:
        """Right after the deal, what a player holds is known to that player alone, or to everybody."""
        told: list[set[Audience]] = []
        for _ in range(_SWAPS if count > 1 else 0):
            twin = self._twin(deal, dice.sample(range(count), 2), 0)
            told.append(set() if twin is None else self._told_apart(twin))
        hidden = [who for who in told if who and None not in who]
        alone = {seat for who in hidden if len(who) == 1 for seat in who}
        shared = {seat for who in hidden for seat in who} - alone
        if shared and (alone or self._are_strangers(deal, count, dice)):
            yield f"right after the deal, others know what the seats {sorted(map(str, shared))} hold"

    def _are_strangers(self, deal: int | str | None, count: int, dice: Random) -> bool:
        """Return whether one card more than there are players all belong to somebody else.

        Then one of them is in no hand, and where it takes the place of a player's card that player alone can tell.
        """
        cards = len(self._played.names) + 1
        for _ in range(_SWAPS if count >= cards else 0):
            places = dice.sample(range(count), cards)
            twins = [self._twin(deal, pair, 0) for pair in combinations(places, 2)]
            told = [set() if twin is None else self._told_apart(twin) for twin in twins]
            if all(who and None not in who for who in told):
                return True
        return False

    def _twin(self, deal: int | str | None, places: Sequence[int], until: int) -> Sequence[Step[Any]] | None:
        """Return the steps of the twin; None where the same moves can't be made, or others have to."""
        game, played = self._game, self._played
        swapped = _Swapped(chance(played.seed, len(played.names)), deal, places)
        steps = [game.start(played.options, played.names, swapped)]
        for at, (seat, move) in enumerate(played.moves[:until]):
            if game.on_turn(steps[-1].state) != game.on_turn(played.states[at]):
                return None
            step = game.apply(steps[-1].state, seat, move)
            if isinstance(step, Refusal):
                return None
            steps.append(step)
        return steps if game.on_turn(steps[-1].state) == game.on_turn(played.states[until]) else None

    def _with_other_move(self, until: int, dice: Random) -> Sequence[Step[Any]] | None:
        """Return the steps of the same game but for the last of `until` moves; None where no other can be made."""
        game, played = self._game, self._played
        if not until:
            return None
        seat, move = played.moves[until - 1]
        others = [each for each in islice(game.legal(played.states[until - 1], seat), 50) if each != move]
        step = game.apply(played.states[until - 1], seat, dice.choice(others)) if others else None
        if not isinstance(step, Step):
            return None
        return [*map(Step, played.states[:until], played.lines), step]

    def _told_apart(self, twin: Sequence[Step[Any]]) -> set[Audience]:
        """Return the audiences whose views of the two games differ so far."""
        differ = [
            (at, step.state) for at, step in enumerate(twin) if step.state is not self._played.states[at]
        ]
        return {
            audience
            for audience in (None, *range(len(self._played.names)))
            if any(
                encode(self._game.view(state, audience)) != self._view(at, audience) for at, state in differ
            )
        }

    def _view(self, at: int, audience: Audience) -> bytes:
        """Return what the audience was shown after so many moves; the same for every twin."""
        shown = self._shown.get((at, audience))
        if shown is None:
            shown = encode(self._game.view(self._played.states[at], audience))
            self._shown[at, audience] = shown
        return shown

    def _exports(self, twin: Sequence[Step[Any]], told: set[Audience]) -> Iterator[Audience]:
        """Yield audiences whose exports of the two running games differ although their views don't."""
        game, played, until = self._game, self._played, len(twin) - 1
        state = played.states[until]
        audiences = (None, *range(len(played.names)))
        # In what order cards came that have all been played since is no secret any more, and in no view.
        is_live = any(
            encode(game.view(twin[-1].state, each)) != encode(game.view(state, each)) for each in audiences
        )
        if not game.on_turn(state) or not is_live:
            return
        for audience in set(audiences) - told:
            here = [
                game.redact(line, state, audience) for lines in played.lines[: until + 1] for line in lines
            ]
            there = [game.redact(line, twin[-1].state, audience) for step in twin for line in step.lines]
            if here != there:
                yield audience
