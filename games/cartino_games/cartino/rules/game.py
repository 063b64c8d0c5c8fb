"""Cartino behind the `Game` port: names become numbers here, and nowhere else."""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import msgspec
from typing_extensions import override

from cartino_engine.chance import Chance, Impossible
from cartino_engine.port import Game, Result, Step, winners_of
from cartino_games.cartino.lines import HIDDEN, LINES, DrawLine, LayLine, TurnLine
from cartino_games.cartino.moves import EndTurn, Lay, Move, Rule
from cartino_games.cartino.rules.bag import chance_of
from cartino_games.cartino.rules.laying import can_lay, forbidden, lay, legal_lays
from cartino_games.cartino.rules.lessons import LESSONS
from cartino_games.cartino.rules.setup import deal
from cartino_games.cartino.rules.state import CartinoState
from cartino_games.cartino.rules.tables import TABLES, Tables
from cartino_games.cartino.rules.turning import close_turn
from cartino_games.cartino.rules.view import view
from cartino_games.cartino.views import CartinoView
from cartino_protocol.base import Audience, Seat
from cartino_protocol.records import GameLine, RecordLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_, lazy_gettext
from cartino_protocol.views import OptionInfo

_moves = msgspec.msgpack.Decoder(Move)


class Cartino(Game[CartinoState, Move]):
    """The game. See Game for what each method is."""

    name = "cartino"
    title = "Cartino"
    seats = (2, 4)
    options = (
        OptionInfo(
            "edition",
            ("1974", "1969"),
            "1974",
            N_("1974: 32 cards, 66 stones; 1969: 52 cards, 106 stones"),
            N_("Edition"),
        ),
        OptionInfo(
            "joker_swap",
            (N_("later"), N_("any")),
            "later",
            N_("when a laid joker may be replaced: from the next turn on, or at once"),
            N_("Joker swap"),
        ),
        OptionInfo(
            "bag",
            (N_("one"), N_("apart")),
            "one",
            N_("one bag for all, or independent draws"),
            N_("Bag"),
        ),
    )
    absent: ClassVar = {"joker_swap": "any", "bag": "one"}
    comparable: ClassVar = {"bag": "apart"}
    lines = LINES
    endings = ("out", "blocked")
    lessons = LESSONS

    @override
    def start(self, options: Mapping[str, str], seats: Sequence[str], chance: Chance) -> Step[CartinoState]:
        least, most = self.seats
        if not least <= len(seats) <= most:
            raise Impossible(
                lazy_gettext(
                    "{name} is for {least} to {most} players, not {seats}",
                    name=self.title,
                    least=least,
                    most=most,
                    seats=len(seats),
                )
            )
        chosen = {**self.absent, **options}
        later, apart = chosen["joker_swap"] == "later", chosen["bag"] == "apart"
        return deal(_tables(options), len(seats), chance, swap_later=later, apart=apart)

    @override
    def on_turn(self, state: CartinoState) -> tuple[Seat, ...]:
        return () if state.settlement else (state.seat,)

    @override
    def legal(self, state: CartinoState, seat: Seat) -> Iterator[Move]:
        """Yield all of them, lays by stone and spot, then the end of the turn."""
        if state.settlement or seat != state.seat:
            return
        board = state.tables.board
        for stone, spot, _ in legal_lays(state):
            yield Lay(board.stone_names[stone], board.spots[spot])
        if state.laid:
            yield EndTurn()

    @override
    def apply(self, state: CartinoState, seat: Seat, move: Move) -> Step[CartinoState] | Refusal:
        """Return what a move leads to; a turn in which nothing more can be laid closes by itself (ours)."""
        if state.settlement:
            return _against("over")
        if seat != state.seat:
            return Refusal("not-your-turn")
        if isinstance(move, EndTurn):
            return close_turn(state) if state.laid else _against("lay-first")
        board = state.tables.board
        stone = board.stone_number.get(move.stone)
        if stone is None:
            return _against("no-such-stone")
        spot = board.spot_number.get(move.spot)
        if spot is None:
            return _against("no-such-spot")
        rule = forbidden(state, stone, spot)
        if rule:
            return _against(rule)
        after, line = lay(state, stone, spot)
        if can_lay(after):
            return Step(after, (line,))
        closed = close_turn(after)
        return Step(closed.state, (line, *closed.lines))

    @override
    def view(self, state: CartinoState, audience: Audience) -> CartinoView:
        return view(state, audience)

    @override
    def sealed_view(self, state: CartinoState, audience: Audience) -> CartinoView:
        return msgspec.structs.replace(view(state, audience), hands=())

    @override
    def turns(self, state: CartinoState) -> int:
        """Return the number of turns; a pass is one, too."""
        return len(state.course)

    @override
    def totals(self, state: CartinoState) -> tuple[int, ...]:
        return state.totals

    @override
    def result(self, state: CartinoState) -> Result | None:
        if not state.settlement:
            return None
        return Result(state.totals, winners_of(state.totals), "out" if state.settlement.out else "blocked")

    @override
    def kind(self, options: Mapping[str, str]) -> dict[str, str]:
        """Games of one edition are compared, whatever else was chosen."""
        return {"edition": options["edition"]}

    @override
    def highlights(self, lines: Sequence[RecordLine]) -> dict[str, list[int]]:
        """Return the best `turn` with its bonus for five stones, and the best single `lay`."""
        head = lines[0]
        seats = len(head.seats) if isinstance(head, GameLine) else 0
        best = {"turn": [0] * seats, "lay": [0] * seats}
        turn = 0
        for line in lines:
            if isinstance(line, LayLine):
                turn += line.points
                best["lay"][line.seat] = max(best["lay"][line.seat], line.points)
            elif isinstance(line, TurnLine):
                best["turn"][line.seat] = max(best["turn"][line.seat], turn + line.bonus)
                turn = 0
        return best

    @override
    def read_move(self, raw: bytes) -> Move:
        move: Move = _moves.decode(raw)
        return move

    @override
    def move_of(self, line: RecordLine) -> tuple[Seat, Move] | None:
        """Return a lay, and a turn that the player closed while more could have been laid."""
        if isinstance(line, LayLine):
            return line.seat, Lay(line.stone, line.spot)
        if isinstance(line, TurnLine):
            return line.seat, EndTurn()
        return None

    @override
    def drawn(self, options: Mapping[str, str], lines: Sequence[RecordLine]) -> Chance:
        tables = _tables(options)
        left = {name: [2 * card, 2 * card + 1] for name, card in tables.board.stone_number.items()}
        draws = list[tuple[int, int]]()
        for line in lines:
            if not isinstance(line, DrawLine):
                continue
            for name in line.stones:
                if name == HIDDEN:
                    raise Impossible(lazy_gettext("the draws stay hidden while the game is running"))
                if not left.get(name):
                    raise Impossible(
                        lazy_gettext("the stone {stone} is drawn too often or doesn't exist", stone=name)
                    )
                draws.append((line.seat, left[name].pop(0)))
        return chance_of(draws, len(tables.stones), apart=options.get("bag") == "apart")

    @override
    def redact(self, line: RecordLine, state: CartinoState, audience: Audience = None) -> RecordLine:
        """Return the line without what was drawn, which its owner alone knows."""
        if isinstance(line, DrawLine) and line.seat != audience:
            return DrawLine(line.seat, (HIDDEN,) * len(line.stones))
        return line


def _tables(options: Mapping[str, str]) -> Tables:
    edition = options.get("edition")
    if edition not in TABLES:
        raise Impossible(lazy_gettext("there is no edition {edition!r} of Cartino", edition=edition))
    return TABLES[edition]


def _against(rule: Rule) -> Refusal:
    return Refusal("illegal", rule)
