"""`check_game`: our own games pass, and each mistake a game may have is found by the check for it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import msgspec
import pytest

from cartino_crazy_eights import PACKAGE, CrazyEights, State
from cartino_games.conformance import check_game
from cartino_games.conformance.checks import CHECKS
from cartino_games.conformance.trial import play
from cartino_games.kit.declared.game import AnyDeclared, Deal, Played, Position
from cartino_games.kit.declared.package import generic_package
from cartino_protocol import declared as table
from cartino_protocol.base import Audience, Seat
from cartino_protocol.declared import Choose
from cartino_protocol.records import RecordLine
from tests.support.declared import Bids, LowestBid, Raising, TooMany
from tests.support.games import PACKAGES


class Two(CrazyEights):
    """For two alone, to be quick."""

    seats = (2, 3)


class Open(Two):
    """Every hand is seen by everybody."""

    def show(self, state: State, audience: Audience) -> table.DeclaredView:
        hands = tuple(table.CardRow(table.say("Hand"), tuple(map(table.Card, hand))) for hand in state.hands)
        shown = super().show(state, audience)
        return msgspec.structs.replace(shown, areas=(*shown.areas, *hands))


class OpenToPlayers(Open):
    """Players see each other's hands, spectators none."""

    def show(self, state: State, audience: Audience) -> table.DeclaredView:
        return Two.show(self, state, None) if audience is None else super().show(state, audience)


class OpenToSpectators(Open):
    """Spectators see the hand of the seat on turn."""

    def show(self, state: State, audience: Audience) -> table.DeclaredView:
        return Two.show(self, state, state.seat if audience is None else audience)


class Untouched(Two):
    """The record of a running game tells the deals."""

    def redact(self, line: RecordLine, state: Position[State], audience: Audience = None) -> RecordLine:
        return line


class Fickle(Two):
    """Draws by dice of its own."""

    dice = Random(1)

    def play(self, state: State, seat: int, word: str, deal: Deal) -> Played[State]:
        played = super().play(state, seat, word, deal)
        stock = list(played.state.stock)
        self.dice.shuffle(stock)
        return Played(msgspec.structs.replace(played.state, stock=tuple(stock)), played.log)


class Refusing(Two):
    """Says that drawing is legal, and refuses it."""

    def legal(self, state: Position[State], seat: Seat) -> Iterator[Choose]:
        yield from super().legal(state, seat)
        yield Choose("draw")


class Offering(Two):
    """Offers one thing more than may be chosen."""

    def view(self, state: Position[State], audience: Audience) -> table.DeclaredView:
        seen = super().view(state, audience)
        return msgspec.structs.replace(seen, choices=(*seen.choices, table.Choice("nothing")))


class Blabbing(LowestBid):
    """The record of a running game tells bids that lie face down."""

    def show(self, state: Bids, audience: Audience) -> table.DeclaredView:
        bids = ((table.say(bid if seat == audience else ""),) for seat, bid in enumerate(state.bids))
        return msgspec.structs.replace(super().show(state, audience), facts=tuple(bids))

    def secret(self, state: Bids) -> int:
        return 0


class Undecided(Two):
    """Nobody wins."""

    def won(self, state: State) -> list[int]:
        return []


class Nameless(Two):
    """Ends for a reason that it doesn't declare."""

    def end_reason(self, state: State) -> str:
        return "whatever"


class Twice(LowestBid):
    """Two choices with the same word."""

    def choices(self, state: object, seat: int) -> Sequence[table.Choice]:
        return (table.Choice("bid"), table.Choice("BID"))


def failed(game: AnyDeclared, *only: str) -> set[str]:
    """The names of the checks that fail."""
    return {check.name for check in check_game(generic_package(game), only) if check.problems}


@pytest.mark.parametrize("name", list(PACKAGES))
def test_our_own_games_pass_all_checks(name: str) -> None:
    """But for that of the bots, which kit/test_levels.py has at more tables."""
    found = check_game(PACKAGES[name], CHECKS.keys() - {"bots"})
    assert {check.name: check.problems for check in found if check.problems} == {}


def test_a_game_without_deals_passes() -> None:
    assert failed(LowestBid()) == set()


@pytest.mark.parametrize(
    ("game", "check"),
    [
        (Open(), "secrecy"),
        (OpenToPlayers(), "secrecy"),
        (OpenToSpectators(), "secrecy"),
        (Untouched(), "secrecy"),
        (Blabbing(), "secrecy"),
        (Fickle(), "records"),
        (Refusing(), "moves"),
        (Offering(), "offers"),
        (Undecided(), "play to the end"),
        (Nameless(), "play to the end"),
        (Twice(), "moves"),
        (TooMany(), "views"),
    ],
    ids=lambda each: each if isinstance(each, str) else type(each).__name__,
)
def test_a_mistake_is_found(game: AnyDeclared, check: str) -> None:
    assert failed(game, check) == {check}


def test_what_a_game_raises_is_a_problem_with_its_place() -> None:
    (check, *_) = check_game(generic_package(Raising()), ["play to the end"])
    assert check.problems[0].startswith("raised ZeroDivisionError: a mistake in a game (declared.py:")


def test_a_game_that_hides_nothing_can_say_so() -> None:
    class AllOpen(Open):
        hides = False

    assert "secrecy" not in failed(AllOpen(), "secrecy")


def test_a_move_that_takes_long_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter(range(1000))
    monkeypatch.setattr("time.perf_counter", lambda: next(seconds))
    (check,) = check_game(generic_package(LowestBid()), ["time a move"])
    assert check.problems == ("a move takes 250.0 ms, at most 50 ms leave others their time",)


def test_golden_games_beside_the_rules_are_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not list(check_game(PACKAGE, ["golden games"])), "there are none"
    game = CrazyEights()
    record = play(game, {}, 2, Random(3)).record(game)
    (tmp_path / "golden").mkdir()
    (tmp_path / "golden/right.jsonl").write_bytes(record)
    (tmp_path / "golden/wrong.jsonl").write_bytes(record.replace(b'"totals":[', b'"totals":[1'))
    monkeypatch.setattr("inspect.getfile", lambda _: str(tmp_path / "rules.py"))
    (golden,) = check_game(PACKAGE, ["golden games"])
    assert golden.note == "2 games"
    assert [problem.split(":")[0] for problem in golden.problems] == ["wrong.jsonl"]
