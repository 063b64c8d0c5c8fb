"""Casino behind the `Game` port, as the rules file has it; pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from typing_extensions import override

from cartino_engine.chance import Chance, GivenOrder, Impossible
from cartino_engine.port import Game, Result, Step, winners_of
from cartino_games.casino.arithmetic import judge, plays, view_after_play
from cartino_games.casino.cards import BIG, CARDS, LOW, NUMBER, Customs
from cartino_games.casino.views import (
    CasinoDealLine,
    CasinoEvent,
    CasinoView,
    DealScoreLine,
    LeftLine,
    Play,
    PlayLine,
)
from cartino_protocol.base import Audience, Seat
from cartino_protocol.records import GameLine, RecordLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_, lazy_gettext
from cartino_protocol.views import OptionInfo

HIDDEN = "?"
"""Stands for a card that the reader of a running game's record may not see."""
_RECENT = 20
_SHOWN, _ROOM = 12, 150
"""The most captures a card in a view, and the most table cards in them, which keeps it below 4 KB."""

_plays = msgspec.msgpack.Decoder(Play)
_with = msgspec.structs.replace


class CasinoState(msgspec.Struct, frozen=True):
    """Everything that a game is at one moment: `table` as all see it, and beside it what is hidden.

    `pack` is what is still to be dealt in this deal; `taker` captured last in it. `turns` counts the game's plays.
    """

    table: CasinoView
    chance: Chance
    pack: tuple[str, ...]
    hands: tuple[tuple[str, ...], ...]
    piles: tuple[tuple[str, ...], ...]
    taker: Seat | None = None
    turns: int = 0

    def seen_by(self, seat: Seat) -> CasinoView:
        """Return the table with the hand of `seat`."""
        return _with(self.table, you=seat, hand=self.hands[seat])


class Casino(Game[CasinoState, Play]):
    """The game. See Game for what each method is."""

    name = "casino"
    title = "Casino (card game)"
    seats = (2, 4)
    options = (
        OptionInfo(
            "special_suit",
            (N_("clubs"), N_("spades")),
            "clubs",
            N_("the suit that scores 2 points; its 2 is little casino, its 5 takes everything"),
            N_("Special suit"),
        ),
        OptionInfo(
            "sweeps_cancel",
            (N_("on"), N_("off")),
            "on",
            N_("on: sweeps cancel out; off: each scores"),
            N_("Sweeps cancel"),
        ),
        OptionInfo(
            "hand_values",
            (N_("either"), N_("high")),
            "either",
            N_("values of A, 10♦ and 2♣ in your hand: either, or the high one only"),
            N_("Hand values"),
        ),
        OptionInfo("target", ("21", "16", "11"), "21", N_("points to win the game"), N_("Play to")),
    )
    lines = (CasinoDealLine, PlayLine, LeftLine, DealScoreLine)

    @override
    def start(self, options: Mapping[str, str], seats: Sequence[str], chance: Chance) -> Step[CasinoState]:
        if not self.seats[0] <= len(seats) <= self.seats[1] or self.read_options(options) != options:
            raise ValueError(f"no game for {len(seats)} with {dict(options)}")
        none = (0,) * len(seats)
        table = CasinoView(msgspec.convert(options, Customs), none, -1, dealer=len(seats) - 2)
        return _deal(CasinoState(table, chance, (), ((),) * len(seats), ()))

    @override
    def on_turn(self, state: CasinoState) -> tuple[Seat, ...]:
        return () if state.table.on_turn is None else (state.table.on_turn,)

    @override
    def legal(self, state: CasinoState, seat: Seat) -> Iterator[Play]:
        """Card by card at most 64 captures, the biggest first, and every other play."""
        if seat == state.table.on_turn:
            for card in state.hands[seat]:
                yield from plays(state.seen_by(seat), card)

    @override
    def apply(self, state: CasinoState, seat: Seat, move: Play) -> Step[CasinoState] | Refusal:
        """Return what a play leads to; when all hands are empty the next hand is dealt, or the deal is scored."""
        if state.table.on_turn not in (None, seat):
            return Refusal("not-your-turn")
        rule = "over" if state.table.on_turn is None else judge(state.seen_by(seat), move)
        if rule:
            return Refusal("illegal", rule)
        state, line = _play(state, seat, move)
        if any(state.hands):
            return Step(state, (line,))
        step = _deal_hand(state) if state.pack else _score(state)
        return Step(step.state, (line, *step.lines))

    @override
    def view(self, state: CasinoState, audience: Audience) -> CasinoView:
        if audience is None or not 0 <= audience < len(state.hands):
            return state.table
        view = state.seen_by(audience)
        if audience != view.on_turn:
            return view
        few = min(_SHOWN, _ROOM // max(1, len(view.cards)))
        return _with(view, plays=tuple(play for card in view.hand for play in plays(view, card, few)))

    @override
    def turns(self, state: CasinoState) -> int:
        return state.turns

    @override
    def totals(self, state: CasinoState) -> tuple[int, ...]:
        """Return the points of scored deals."""
        return state.table.totals

    @override
    def result(self, state: CasinoState) -> Result | None:
        totals = state.table.totals
        return Result(totals, winners_of(totals), "points") if state.table.on_turn is None else None

    @override
    def highlights(self, lines: Sequence[RecordLine]) -> dict[str, list[int]]:
        """Return the most points in a deal."""
        deals = [line.points for line in lines if isinstance(line, DealScoreLine)]
        return {"deal": [max(points) for points in zip(*deals, strict=True)]} if deals else {}

    @override
    def read_move(self, raw: bytes) -> Play:
        return _plays.decode(raw)

    @override
    def move_of(self, line: RecordLine) -> tuple[Seat, Play] | None:
        if not isinstance(line, PlayLine):
            return None
        return line.seat, Play(line.card, line.act, line.value, line.takes)

    @override
    def drawn(self, options: Mapping[str, str], lines: Sequence[RecordLine]) -> Chance:
        """Return the order in which the cards of the `deal` lines came off the pack."""
        seats = len(lines[0].seats) if isinstance(lines[0], GameLine) else 0
        orders: list[list[int]] = []
        for line in lines:
            if isinstance(line, CasinoDealLine):
                orders += [] if line.hand and orders else [[]]
                piles = list(map(iter, (*line.hands, line.table)))
                for place in _places(seats, line.dealer, line.hand):
                    card = next(piles[place], "") if place < len(piles) else ""
                    if card == HIDDEN:
                        raise Impossible(lazy_gettext("the draws stay hidden while the game is running"))
                    if NUMBER.get(card) in (None, *orders[-1]):
                        raise Impossible(
                            lazy_gettext("the card {card} is dealt twice or doesn't exist", card=card)
                        )
                    orders[-1].append(NUMBER[card])
        return GivenOrder(*([*order, *(set(range(len(CARDS))) - set(order))] for order in orders))

    @override
    def redact(self, line: RecordLine, state: CasinoState, audience: Audience = None) -> RecordLine:
        """Return the line without the others' hands, hidden until their deal is scored."""
        if isinstance(line, CasinoDealLine) and self.on_turn(state) and line.deal == state.table.deal:
            hidden = [(HIDDEN,) * len(hand) for hand in line.hands]
            if audience is not None:
                hidden[audience] = line.hands[audience]
            return _with(line, hands=tuple(hidden))
        return line


def _places(seats: int, dealer: Seat, hand: int) -> list[int]:
    """Whose each card is: two each from the dealer's left, two to the table (`seats`) in hand 0; the same once more."""
    order = [*((dealer + 1 + step) % seats for step in range(seats)), *([] if hand else [seats])]
    return [place for place in order for _ in range(2)] * 2


def _deal(state: CasinoState) -> Step[CasinoState]:
    """Begin the next deal; the deal passes to the left, the last seat has the first (ours)."""
    table, none = state.table, (0,) * len(state.hands)
    pack = tuple(CARDS[number] for number in state.chance.order(len(CARDS), table.deal + 1))
    dealer = (table.dealer + 1) % len(none)
    table = _with(table, deal=table.deal + 1, dealer=dealer, hand_number=-1, seen=0, loose=())
    table = _with(table, sweeps=none, taken=none)
    return _deal_hand(_with(state, table=table, pack=pack, piles=((),) * len(none), taker=None))


def _deal_hand(state: CasinoState) -> Step[CasinoState]:
    """Deal four cards each; each hand is begun by the next seat round, the first by the dealer's left."""
    table, seats, hand = state.table, len(state.hands), state.table.hand_number + 1
    places = _places(seats, table.dealer, hand)
    dealt, pack = state.pack[: len(places)], state.pack[len(places) :]
    got = [tuple(card for at, card in zip(places, dealt, strict=True) if at == to) for to in range(seats + 1)]
    hands, fresh = tuple(got[:seats]), got[seats]
    line = CasinoDealLine(table.deal, hand, table.dealer, hands, fresh, not pack)
    first = (table.dealer + 1 + hand) % seats
    table = _with(table, hand_number=hand, pack=len(pack), on_turn=first, held=(4,) * seats)
    table = _seen(
        table, CasinoEvent("deal", table.dealer, value=hand, takes=fresh), fresh, table.loose + fresh
    )
    return Step(_with(state, table=table, pack=pack, hands=hands), (line,))


def _seen(table: CasinoView, event: CasinoEvent, cards: Sequence[str], loose: tuple[str, ...]) -> CasinoView:
    seen = table.seen | sum(1 << NUMBER[card] for card in cards)
    recent = (*table.recent, event)[-_RECENT:]
    return _with(table, recent=recent, told=table.told + 1, seen=seen, loose=loose)


def _play(state: CasinoState, seat: Seat, play: Play) -> tuple[CasinoState, PlayLine]:
    """Move the cards of an allowed play and pass the turn on."""
    table, piles, capture = state.table, state.piles, play.act == "capture"
    then = view_after_play(state.seen_by(seat), play)
    sweep = capture and not then.cards
    if capture:
        piles = _at(piles, seat, (*piles[seat], play.card, *play.takes))
    takes = tuple(sorted(play.takes, key=lambda card: card not in table.loose))
    event = CasinoEvent(play.act, seat, play.card, play.value, takes, sweep)
    hands, sweeps = _at(state.hands, seat, then.hand), _at(table.sweeps, seat, table.sweeps[seat] + sweep)
    table = _seen(table, event, (play.card,), then.loose)
    held, taken = tuple(map(len, hands)), tuple(map(len, piles))
    turn = (seat + 1) % len(hands)
    table = _with(table, builds=then.builds, sweeps=sweeps, held=held, taken=taken, on_turn=turn)
    taker = seat if capture else state.taker
    done = _with(state, table=table, hands=hands, piles=piles, taker=taker, turns=state.turns + 1)
    return done, PlayLine(seat, play.card, play.act, play.value, play.takes, sweep)


def _score(state: CasinoState) -> Step[CasinoState]:
    """Score the deal (rules, Scoring a deal); deal the next one, or end the game."""
    table, piles, taker, lines = state.table, state.piles, state.taker, list[RecordLine]()
    if table.loose and taker is not None:
        lines.append(LeftLine(taker, table.loose))
        piles = _at(piles, taker, piles[taker] + table.loose)
        table = _seen(table, CasinoEvent("left", taker, takes=table.loose), (), ())
    customs = table.customs
    off = min(table.sweeps) if customs.sweeps_cancel == "on" else 0
    parts = (
        _most([sum(card[-1] == customs.suit for card in pile) for pile in piles], 2),
        _most([len(pile) for pile in piles], 1),
        tuple(2 * (BIG in pile) for pile in piles),
        tuple(int("2" + customs.suit in pile) for pile in piles),
        tuple(sum(LOW[card] == 1 for card in pile) for pile in piles),
        tuple(int(seat == taker) for seat in range(len(piles))),
        tuple(number - off for number in table.sweeps),
    )
    points = tuple(map(sum, zip(*parts, strict=True)))
    totals = tuple(map(sum, zip(table.totals, points, strict=True)))
    score = DealScoreLine(*parts, points, totals)
    table = _seen(table, CasinoEvent("score", table.dealer, value=table.deal), (), ())
    table = _with(table, totals=totals, course=(*table.course, totals), score=score, piles=piles)
    table = _with(table, taken=tuple(map(len, piles)))
    if max(totals) >= int(customs.target):
        return Step(_with(state, table=_with(table, on_turn=None), piles=piles), (*lines, score))
    step = _deal(_with(state, table=table))
    return Step(step.state, (*lines, score, *step.lines))


def _most(counts: Sequence[int], points: int) -> tuple[int, ...]:
    """Return `points` for the seat with most; a tie is nobody's."""
    best = max(counts)
    return tuple(points * (count == best and counts.count(best) == 1) for count in counts)


def _at(of: tuple[Any, ...], place: int, new: Any) -> tuple[Any, ...]:
    return (*of[:place], new, *of[place + 1 :])
