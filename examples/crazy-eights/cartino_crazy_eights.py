"""Crazy Eights: match the top card by suit or rank; an eight is wild and names the suit."""

from collections.abc import Mapping

import msgspec

from cartino_games.kit.declared.game import Deal, DeclaredGame, LogEvent, Played
from cartino_games.kit.declared.package import generic_package
from cartino_protocol import declared as table

Hand = tuple[str, ...]
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = {"D": "diamonds", "H": "hearts", "S": "spades", "C": "clubs"}


class State(msgspec.Struct, frozen=True):
    """Cards by code, the pile's top card last; `suit` is to be played, so many seats have passed in a row."""

    hands: tuple[Hand, ...]
    stock: Hand
    pile: Hand
    suit: str
    seat: int
    passed: int = 0


class CrazyEights(DeclaredGame[State]):
    """The game, one deal for two to five players."""

    name = "crazy-eights"
    title = "Crazy Eights"
    seats = (2, 5)
    endings = ("out", "blocked")
    about = (
        "Play a card of the same suit or rank as the top card; if you can't, draw one and your turn ends. "
        "An eight goes on anything, and you name the suit that follows.",
        "The first player without cards wins the points in the other hands: 50 for an eight, 10 for a court "
        "card, otherwise the number. If nobody can play or draw, the lowest hand wins and scores nothing.",
    )

    def begin(self, options: Mapping[str, str], seats: int, deal: Deal) -> State:
        """Deal seven cards to each of two players, five to each of more, and turn up the next one."""
        each = 7 if seats == 2 else 5
        cards = tuple(RANKS[number % 13] + "DHSC"[number // 13] for number in deal(52))
        hands = tuple(tuple(sorted(cards[seat * each :][:each], key=_order)) for seat in range(seats))
        top, *stock = cards[seats * each :]
        return State(hands, tuple(stock), (top,), top[-1], 0)

    def acting(self, state: State) -> tuple[int, ...]:
        """Return the seat on turn, until one is out of cards or all have passed."""
        over = not all(state.hands) or state.passed == len(state.hands)
        return () if over else (state.seat,)

    def choices(self, state: State, seat: int) -> list[table.Choice]:
        """Return the cards that fit, an eight once for each suit; without any, to draw or to pass."""
        found = []
        for at, code in enumerate(state.hands[seat]):
            uses, card = (table.Ref(0, at),), table.Card(code)
            if code.startswith("8"):
                for suit, name in SUITS.items():
                    text = table.say("Play {card} and name {suit}.", card=card, suit=name)
                    found.append(table.Choice(f"{code}-{suit}", text, uses=uses))
            elif code[-1] == state.suit or code[:-1] == state.pile[-1][:-1]:
                found.append(table.Choice(code, table.say("Play {card}.", card=card), uses=uses))
        if not found and not state.stock and len(state.pile) == 1:
            return [table.Choice("pass", table.say("Pass."))]
        return found or [table.Choice("draw", table.say("Draw a card."), uses=(table.Ref(1, 0),))]

    def play(self, state: State, seat: int, word: str, deal: Deal) -> Played[State]:
        """Play a card, draw one (of the pile shuffled again where the stock is empty), or pass."""
        who, hand, stock, pile = table.Player(seat), state.hands[seat], state.stock, state.pile
        after, suit = (seat + 1) % len(state.hands), state.suit
        if word == "pass":
            passed = msgspec.structs.replace(state, seat=after, passed=state.passed + 1)
            return Played(passed, [table.say("{who} passes.", who=who)])
        if word == "draw":
            if not stock:
                stock, pile = tuple(pile[at] for at in deal(len(pile) - 1)), pile[-1:]
            card, stock = stock[0], stock[1:]
            hand = tuple(sorted((*hand, card), key=_order))
            drew = LogEvent(table.say("You draw {card}.", card=table.Card(card)), only=seat)
            log = [LogEvent(table.say("{who} draws a card.", who=who)), drew]
        else:
            card, _, named = word.partition("-")
            hand, pile = tuple(held for held in hand if held != card), (*pile, card)
            suit = named or card[-1]
            text = "{who} plays {card} and names {suit}." if named else "{who} plays {card}."
            log = [LogEvent(table.say(text, who=who, card=table.Card(card), suit=SUITS[suit]))]
        hands = (*state.hands[:seat], hand, *state.hands[seat + 1 :])
        return Played(State(hands, stock, pile, suit, after), log)

    def show(self, state: State, audience: int | None) -> table.DeclaredView:
        """Show the player's own hand, the piles and the number of cards; every hand once it is over."""
        over, own = not self.acting(state), () if audience is None else (audience,)
        hands = [
            table.CardRow(table.say("{who}'s hand", who=table.Player(seat)), tuple(map(table.Card, hand)))
            for seat, hand in enumerate(state.hands)
            if over or seat in own
        ]
        suit = SUITS[state.suit]
        stock = table.Pile(table.say("stock"), len(state.stock))
        pile = table.Pile(table.say("pile"), len(state.pile), table.Card(state.pile[-1]))
        piles = table.Piles(table.say("Table, {suit}", suit=suit), (stock, pile))
        facts = tuple((table.count("{n} card", "{n} cards", len(hand)),) for hand in state.hands)
        status = table.say("Play {suit}, the same rank or an eight.", suit=suit)
        return table.DeclaredView((*hands[:1], piles, *hands[1:]), facts, status)

    def points(self, state: State) -> tuple[int, ...]:
        """Return the points in the other hands for the player without cards."""
        held = _held(state)
        return tuple(0 if hand else sum(held) for hand in state.hands)

    def won(self, state: State) -> list[int]:
        """Return the lowest hands: the empty one, if there is one."""
        held = _held(state)
        return [seat for seat, points in enumerate(held) if points == min(held)]

    def end_reason(self, state: State) -> str:
        """Return why the game was over."""
        return "blocked" if all(state.hands) else "out"


def _held(state: State) -> list[int]:
    return [
        sum(50 if card[0] == "8" else min(_order(card)[1] + 1, 10) for card in hand) for hand in state.hands
    ]


def _order(card: str) -> tuple[str, int]:
    return card[-1], RANKS.index(card[:-1])


PACKAGE = generic_package(CrazyEights())
