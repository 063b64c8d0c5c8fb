"""What travels in a game of Casino: the one kind of move, refusals, the view, and the record's own lines."""

from itertools import takewhile
from typing import Annotated, Literal

import msgspec

from cartino_games.casino.cards import Customs
from cartino_protocol.base import Message, Part, Row
from cartino_protocol.records import RecordLine

Act = Literal["trail", "capture", "build", "raise", "add"]
Card = Annotated[str, msgspec.Meta(max_length=3)]


class Play(Message, frozen=True, array_like=True):
    """Play `card`; `takes` are all the table cards taken or built with, whole builds included, in any order.

    `value` is the one named or built: 0 for a trail, 5 for the taking five. A raise takes the build it raises; one
    that it joins by the new value is not named.
    """

    card: Card
    act: Act
    value: Annotated[int, msgspec.Meta(ge=0, le=99)] = 0
    takes: Annotated[tuple[Card, ...], msgspec.Meta(max_length=52)] = ()


CardRule = Literal["not-in-hand", "not-on-table", "card-twice", "whole-build", "wrong-cards", "not-a-value"]
"""whole-build: a build can't be taken apart; wrong-cards: this act needs other table cards (a trail none, build one
loose card, raise one build, add one build and at most one loose card); not-a-value: the card doesn't count that."""
CaptureRule = Literal["nothing-taken", "five-takes-all", "other-build", "does-not-add-up", "keep-for-build"]
"""other-build: a build of another value; keep-for-build: no card of your own build's value would be left."""
BuildRule = Literal["own-a-build", "not-your-build", "no-card-for-build", "multiple-never-raised", "above-16"]
"""own-a-build: beside your own build no trail and no other build; not-your-build: nor a raise or add to another."""
Rule = Literal["over", CardRule, CaptureRule, BuildRule, "use-add"]
"""Why a play is refused. over: the game is over; use-add: a build of that value lies."""


class Build(Row, frozen=True):
    """A build on the table. `owner` is who last built, raised or added; a `multiple` one is never raised."""

    value: int
    cards: tuple[str, ...]
    owner: int
    multiple: bool


class CasinoEvent(Row, frozen=True):
    """A play (fields as in `Play`, loose cards first in `takes`), or what happens between plays.

    deal: `seat` is the dealer, `value` the hand, from 0, `takes` the new cards on the table; left: the last cards go
    to `seat`; score: the deal of number `value` is scored.
    """

    kind: Literal[Act, "deal", "left", "score"]
    seat: int
    card: str = ""
    value: int = 0
    takes: tuple[str, ...] = ()
    sweep: bool = False


class CasinoDealLine(RecordLine, frozen=True, tag="deal"):
    """Cards dealt for the next hand. `hand` counts from 0 in each deal; `last`: the pack is used up."""

    deal: int
    hand: int
    dealer: int
    hands: tuple[tuple[str, ...], ...]
    table: tuple[str, ...]
    last: bool


class PlayLine(RecordLine, frozen=True, tag="play"):
    """A play, see `Play`; `sweep`: it cleared the table."""

    seat: int
    card: str
    act: Act
    value: int
    takes: tuple[str, ...]
    sweep: bool


class LeftLine(RecordLine, frozen=True, tag="left"):
    """The cards left at a deal's end go to the last capturer; there is no line where none are left."""

    seat: int
    cards: tuple[str, ...]


class DealScoreLine(RecordLine, frozen=True, tag="score"):
    """A scored deal: the points a seat for each thing, `sweeps` after cancelling, and the new totals."""

    suit: tuple[int, ...]
    cards: tuple[int, ...]
    big: tuple[int, ...]
    little: tuple[int, ...]
    aces: tuple[int, ...]
    last: tuple[int, ...]
    sweeps: tuple[int, ...]
    points: tuple[int, ...]
    total: tuple[int, ...]


class CasinoView(Part, frozen=True):
    """The table. `you`, `hand` and `plays` are the audience's own, all else is everybody's.

    `on_turn` is None after the game.
    `held` and `taken` count the cards in each seat's hand and pile, `pack` those still to be dealt (0: the last hand);
    `sweeps` are this deal's. `seen` has bit `NUMBER[card]` for every card that lay or was played openly in this deal.
    `plays` are for the seat on turn: at most 12 captures a card, the biggest first (`arithmetic` judges all others).
    `recent` are the last 20 of the `told` events, oldest first; `score` and `piles` are of the deal that was scored
    last; `course` are the totals after each deal.
    """

    customs: Customs
    totals: tuple[int, ...]
    deal: int = 0
    hand_number: int = -1
    dealer: int = 0
    pack: int = 52
    held: tuple[int, ...] = ()
    taken: tuple[int, ...] = ()
    sweeps: tuple[int, ...] = ()
    loose: tuple[str, ...] = ()
    builds: tuple[Build, ...] = ()
    seen: int = 0
    score: DealScoreLine | None = None
    piles: tuple[tuple[str, ...], ...] = ()
    course: tuple[tuple[int, ...], ...] = ()
    you: int | None = None
    plays: tuple[Play, ...] = ()
    on_turn: int | None = None
    recent: tuple[CasinoEvent, ...] = ()
    hand: tuple[str, ...] = ()
    told: int = 0

    def last_play(self, seat: int) -> CasinoEvent | None:
        """Return what `seat` played last, if that is recent and in this deal."""
        since = takewhile(lambda event: (event.kind, event.value) != ("deal", 0), self.recent[::-1])
        return next((event for event in since if event.seat == seat and event.card), None)

    @property
    def cards(self) -> tuple[str, ...]:
        """Every card on the table, loose ones first."""
        return (*self.loose, *(card for build in self.builds for card in build.cards))

    @property
    def own(self) -> Build | None:
        """The build that `you` own; there is never a second one."""
        return next((build for build in self.builds if build.owner == self.you), None)

    def keeps(self, card: str, value: int) -> bool:
        """Return whether `hand` has a card of `value` besides `card`."""
        return any(value in self.customs.in_hand(each) for each in self.hand if each != card)
