"""A Cartino table of 1974 read off a screen of 80 by 24 cells, as a person reads it, and played from there."""

import re
from collections.abc import Sequence

import msgspec
from rich.color import Color

from tests.support.games import DARK
from tests.support.terminals import Terminal, all_until

BURST = "1\re"
"""A whole turn, as the help promises: the first stone, on its better half, and the end of the turn."""

_BOARD = 57
_PANEL = 58
_CARD = r"(?:10|[2-9JQKA])[♠♥♦♣]|★"
_PLAYER = re.compile(r"(.)(.*?)(?: [●▼■◆])? +(−?\d+) *")
_TAG = r"(?:\w+, )?substitute|[a-z]*"
_CLOCK = r"\d+:\d\d|\d+ h(?: \d+ min)?|\d+ min"
_STONES = re.compile(rf" *(●+)(?: ?(\d+)(?:×20)?)? +■(\d+) *({_TAG})[ !]*({_CLOCK}|) *")
_SIGNS = "►●▼■◆▲"
_ROWS = (1, 2, 4, 5, 7, 8, 10, 11)
"""The rows of the halves; between the cards there is a row of felt."""
_LEFT = tuple(1 + 7 * column + (column >= 4) for column in range(8))
_HAND_TOP, _HAND_WIDTH = 13, 36
_VERDICT = 2
_FLYING = (DARK.style("fill-picked-S").color or Color.default()).get_truecolor().hex[1:]
_PART = r" +(?:·|[+−]\d+)"
_ACCOUNT = re.compile(rf" \d [●▼■◆] (\S.*?) +−?\d+(?:{_PART}){{3,4}} +(−?\d+)(  .*|) *")


class Player(msgspec.Struct, frozen=True):
    """A player's lines at the right of the board; `tag` is `you`, `bot`, `away` or "", and `clock` what is left.

    With a substitute the tag is `away, substitute`, `you, substitute` or `substitute`.
    """

    name: str
    total: int
    chips: int
    stones: int
    tag: str
    on_turn: bool
    clock: str = ""


class Settled(msgspec.Struct, frozen=True):
    """A player's account when the game is over."""

    name: str
    total: int
    hand: tuple[str, ...]


class SeenTable:
    """One look at a window."""

    def __init__(self, window: Terminal) -> None:
        self.rows = window.rows()
        self._halves = {
            (x, y): self.rows[y][x : x + 6] for y in _ROWS for x in _LEFT if window.is_block(x + 2, y)
        }
        """What stands on the halves with a stone."""
        if self.picked:
            self._halves = {at: text for at, text in self._halves.items() if not text.startswith("►")}
        lit = any(text.startswith("►") for text in self._halves.values())
        self.moves = lit or any(window.is_block(*at, _FLYING) for at in self._halves)
        """Whether stones are lit, with their points in the place of their value."""

    @property
    def status(self) -> str:
        """The sentence above the hints."""
        return self.rows[22].strip()

    @property
    def asks_to_leave(self) -> bool:
        """Whether the table asks if its player wants to leave."""
        return self.status.startswith("Leave the table?")

    @property
    def code(self) -> str:
        """The table's code."""
        found = re.search(r"· ([A-Z0-9]{4,8}) ", self.rows[0])
        return found[1] if found else ""

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return re.match(r" .*(wins? with|share the win)", self.rows[_VERDICT]) is not None

    @property
    def ends(self) -> bool:
        """Whether no stone can be laid any more: what happened last is still shown, or the end already is."""
        return self.status.startswith(("The game is over", "Game over"))

    @property
    def turn_is_open(self) -> bool:
        """Whether a stone of the running turn lies already."""
        return any(re.search(r"turn: \w+, \d stone", row) for row in self.rows[13:17])

    @property
    def weight(self) -> int:
        """A number that rises with every stone laid, also with one that takes a joker's place."""
        stones = self._halves.values()
        return 2 * len(stones) - sum("★" in text for text in stones)

    @property
    def hand(self) -> tuple[str, ...]:
        """The private hand, in order; () where none is shown."""
        if not self.rows[_HAND_TOP].startswith(" 1 "):
            return ()
        return cards(self.rows[_HAND_TOP + 1][:_HAND_WIDTH])

    @property
    def picked(self) -> bool:
        """Whether a stone of the hand is up."""
        return "►" in self.rows[_HAND_TOP + 1][:_HAND_WIDTH]

    @property
    def taken(self) -> frozenset[tuple[int, int]]:
        """The halves with a stone, as (row, column) of the screen."""
        return frozenset((y, x) for x, y in self._halves)

    @property
    def laid(self) -> frozenset[str]:
        """The cells of which at least one half is taken."""
        return frozenset(card for text in self._halves.values() for card in cards(text)[:1])

    def players(self) -> list[Player]:
        """The players in seat order."""
        found = []
        for top in (y for y in range(1, 12) if self.rows[y][_PANEL] in _SIGNS):
            name = _PLAYER.fullmatch(self.rows[top][_PANEL:])
            facts = _STONES.fullmatch(self.rows[top + 2][_PANEL:])
            if name and facts:
                found.append(
                    Player(
                        name[2],
                        number(name[3]),
                        int(facts[2] or len(facts[1])),
                        int(facts[3]),
                        facts[4],
                        name[1] == "►",
                        facts[5],
                    )
                )
        return found

    def on_turn(self) -> str:
        """The name of who is on turn, "" for nobody."""
        return next((player.name for player in self.players() if player.on_turn), "")

    def settlement(self) -> list[Settled]:
        """The players as the end shows them, the winner first."""
        lines = filter(None, map(_ACCOUNT.fullmatch, self.rows))
        return [Settled(line[1], number(line[2]), cards(line[3])) for line in lines]

    def is_whole(self) -> bool:
        """Whether title, board, players, status and hints are where they belong, none of them cut or wrapped.

        When the game is over, verdict and accounts in place of board and players.
        """
        if self.moves:
            return False
        if self.over:
            return len(self.settlement()) >= 2 and self._is_framed()
        rows = self.rows
        cells = all(len(cards(rows[y][:_BOARD].replace("★", " "))) >= 8 for y in _ROWS)
        return cells and len(self.players()) >= 2 and self._is_framed()

    def _is_framed(self) -> bool:
        """Whether the rows are as wide as the window, with title, status and hints around them."""
        rows = self.rows
        return (
            len(rows) == 24
            and all(len(row) == 80 for row in rows)
            and rows[0].startswith(" ♠♥♦♣ Cartino 1974 · ")
            and self.status != ""
            and rows[23].rstrip().endswith("q leave")
        )


def cards(text: str) -> tuple[str, ...]:
    """The cards and jokers named in `text`, in order."""
    return tuple(re.findall(_CARD, text))


def number(text: str) -> int:
    """A shown total as a number."""
    return int(text.replace("−", "-"))


def all_seen(windows: Sequence[Terminal]) -> list[SeenTable]:
    """What is seen in all `windows` at once, when each of them is whole."""
    all_until(windows, lambda window: SeenTable(window).is_whole(), "whole tables in all windows")
    return [SeenTable(window) for window in windows]


def turn_comes_to(
    windows: Sequence[Terminal], names: Sequence[str], weight: int, *, goes_on: bool = False
) -> None:
    """Wait until every window shows more than `weight` laid and a turn of one of `names` begun, or the end.

    With `goes_on` the end won't do. All are whole in the look that is the last: a frame may come in more than one
    piece.
    """

    def settled(window: Terminal) -> bool:
        seen = SeenTable(window)
        begun = not seen.ends and not seen.turn_is_open
        if seen.picked and weight >= 0:
            return False  # it hides which of its neighbours are jokers, which the weight counts
        free = seen.on_turn() in names and begun and seen.weight > weight
        return seen.is_whole() and (free or (seen.over and not goes_on))

    all_until(windows, settled, "the next turn of a person, or the end")


def play_to_the_end(players: dict[str, Terminal], others: Sequence[Terminal] = ()) -> int:
    """Let `players`, by name, play a BURST a turn until the game is over; how many turns they had.

    Before every turn, and at the end, all windows come to be whole.
    """
    windows = [*players.values(), *others]
    turns = 0
    turn_comes_to(windows, list(players), -1)
    while not (seen := all_seen(windows)[0]).over:
        assert [window.faults for window in windows] == [[]] * len(windows)
        players[seen.on_turn()].type(BURST)
        turns += 1
        turn_comes_to(windows, list(players), seen.weight)
    assert [window.faults for window in windows] == [[]] * len(windows)
    return turns
