"""Finished games for the toy: as lists show them, as replays show them, and a server that tells of both."""

from collections.abc import Sequence

from cartino_protocol.commands import Command, History, Replay, Review
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Answer, HistoryView, PastGame, ReplayView, ReviewView
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look
from tests.support.visit import ScriptedLink, toy_table

PAGE = 50
STEPS = 24


def whole(frame: Frame, look: Look) -> str:
    """The frame's text, once every row is known to be as wide as it must be."""
    assert (frame.width, frame.height) == (look.width, look.height)
    for row in frame.rows:
        assert sum(len(text) for text, _ in row) == look.width
    if look.ascii:
        assert frame.text().isascii()
    return frame.text()


def past(
    number: int,
    seats: str = "Ann bot:greedy",
    totals: Sequence[int] = (120, 98),
    winners: Sequence[int] = (0,),
    *,
    code: str = "K7QP",
    reason: str = "out",
    game: str = "toy",
    ended: str = "2026-01-31T18:30:59Z",
) -> PastGame:
    """A game that is over, its players written as `Ann bot:greedy`."""
    return PastGame(
        name=f"{code}-{number}",
        number=number,
        game=game,
        options={"size": "small"},
        seats=tuple(seats.split()),
        totals=tuple(totals),
        winners=tuple(winners),
        reason=reason,
        ended=ended,
    )


def moment_of(game: str, step: int, steps: int = STEPS, of: str = "toy") -> ReplayView:
    """The toy after `step` of `steps`: as many stones were laid."""
    at = min(step, steps)
    return ReplayView(game, at, steps, at + 2, toy_table(number=at, laid=at, code=game, you=None, game=of))


class PastServer(ScriptedLink):
    """A link to a server that answers `History`, `Replay` and `Review` as the real one does, when it is let.

    Where it has `pruned` games, the end of a list says so. With `slow` set what it has to say waits in `due` until
    `answer`.
    """

    def __init__(self, games: Sequence[PastGame], *, slow: bool = False, pruned: bool = False) -> None:
        super().__init__(self._hear)
        self.pruned = pruned
        self.games = sorted(games, key=lambda game: -game.number)
        self.slow = slow
        self.reviews: dict[str, ReviewView] = {}
        """The reviews by game; of others there is none."""
        self.silent = False
        """Whether nothing is said of reviews."""
        self.due: list[Answer] = []

    def answer(self) -> None:
        """Say the first thing that is due."""
        self.tell(self.due.pop(0))

    def _hear(self, command: Command) -> None:
        match command:
            case History():
                self.due.append(self._listed(command))
            case Replay():
                self.due.append(moment_of(command.game, command.step))
            case Review(game=game) if not self.silent:
                self.tell(self.reviews.get(game) or Refusal("no-review", game, to="Review"))
        if self.due and not self.slow:
            self.answer()

    def _listed(self, asked: History) -> HistoryView:
        name = "Ann" if asked.of == "mine" else asked.name
        wanted = [
            game
            for game in self.games
            if (not name or name in game.seats) and (not asked.before or game.number < asked.before)
        ]
        more = len(wanted) > PAGE
        return HistoryView(asked.of, asked.name, tuple(wanted[:PAGE]), more, self.pruned and not more)
