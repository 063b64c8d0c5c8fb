"""The end of a game as two pages: who won and what every total is made of; the course and the proof of the shuffle.

The first has as much of the second as the terminal has room for, and the talk goes on below it.
"""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple

import msgspec

from cartino_games.kit.arrangement import Box
from cartino_games.kit.log import draw_talk, talks
from cartino_games.kit.marks import number, signed
from cartino_games.kit.players import seat_sign
from cartino_games.kit.scene import NAME_CELLS, TableScene
from cartino_games.kit.text import (
    Piece,
    Placed,
    Row,
    draw_panel,
    draw_rows,
    flowing,
    rows_width,
)
from cartino_protocol.base import Seat
from cartino_protocol.views import TableView
from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.chart import LEAST_HEIGHT, LEAST_WIDTH, ChartLine, draw_chart
from cartino_tui.draw.text import clean
from cartino_tui.game_port.description import SHUFFLE, ChanceWords

Page = Literal["result", "course", "board"]
"""What is shown when the game is over; `board` is the table as it stood at the end."""
PAGES: Final[tuple[Page, ...]] = ("result", "course", "board")
TURNS: Final = {"tab": 1, "right": 1, "l": 1, "shift+tab": -1, "left": -1, "h": -1}
"""The keys that turn the pages then, and by how many."""

_TALK: Final = 2
"""The least number of rows for the talk."""
_CHART_MOST: Final = 20
_CHART_LEAST: Final = 10
"""The rows of a chart below which it isn't worth its place beside other things in a large terminal."""
_FRAMED: Final = 100
_FRAMED_ROWS: Final = 30
"""The columns and rows of a terminal from which there are frames."""
_ROOMY: Final = 20
"""The rows left below the accounts from which a blank one stands above their frame."""
_APART: Final = 3
_TOTAL: Final = 5
"""The cells of a total with the blank before it."""


class Heading(NamedTuple):
    """The heading of a column of numbers, in full and in the fewest cells, both translated."""

    full: str
    short: str


class Entry(NamedTuple):
    """A player's line: `rank` from 1 (equal totals share one), a piece a column, and what stands behind them.

    `rest` is shown only where there is room (what was left in hand); it is no part of the columns.
    """

    seat: Seat
    rank: int
    cells: Sequence[Piece]
    rest: Sequence[Piece] = ()


class Accounts(NamedTuple):
    """Headings and the players' lines, the best first; the last column is the total."""

    headings: Sequence[Heading]
    entries: Sequence[Entry]


class Ending(msgspec.Struct, frozen=True):
    """What a game says of its end.

    `why`: the sentence why it was over; `best`: the turn that scored most, or another highlight, in a sentence; ""
    for none. `accounts`: what every total is made of. `courses`: for each seat the total before the first turn and
    after every one; () for none. `steps` is the heading of their chart, translated; "" for one a turn;
    `gain` that of the most that a step brought, which is in `gains` a seat where the courses have more than steps.
    `best_steps` tells each player's best step, in pieces. `review`: what the reader learns of their own game.
    `chance`: the sentences about the seed; None without a seed to show.
    """

    why: str
    best: str
    accounts: Accounts
    courses: Sequence[tuple[int, ...]] = ()
    steps: str = ""
    gain: str = ""
    gains: Sequence[int] = ()
    best_steps: Sequence[tuple[Seat, Sequence[Piece]]] = ()
    review: Sequence[str] = ()
    chance: ChanceWords | None = SHUFFLE


def turned(page: Page, key: str) -> Page:
    """Return the page that `key`, one of TURNS, turns to; after the last one comes the first."""
    return PAGES[(PAGES.index(page) + TURNS[key]) % len(PAGES)]


def headline(scene: TableScene) -> str:
    """Return who won with how many points, in a sentence."""
    result, gettext = scene.table.result, scene.look.translator.gettext
    if result is None or not result.totals:
        return gettext("The game is over.")
    if not result.winners:
        return gettext("The game was abandoned; nobody won.")
    points = number(result.totals[result.winners[0]], scene.marks)
    if len(result.winners) == 1:
        seat = result.winners[0]
        if seat == scene.you:
            return gettext("You win with {points}.", points=points)
        return gettext("{name} wins with {points}.", name=scene.name(seat), points=points)
    *names, last = [scene.name(seat) for seat in result.winners]
    return gettext(
        "{names} and {last} share the win with {points}.", names=", ".join(names), last=last, points=points
    )


def reasons(scene: TableScene, why: str) -> str:
    """Return by how many points it was won, and `why` it was over; "" where nobody has won."""
    result, translator = scene.table.result, scene.look.translator
    if result is None or not result.winners:
        return ""
    totals = sorted(result.totals, reverse=True)
    ahead = totals[0] - totals[1] if len(totals) > 1 else 0
    lead = translator.ngettext("One point ahead.", "{n} points ahead.", ahead) if ahead else ""
    return " ".join(filter(None, (lead, why)))


def draw_page(canvas: Canvas, scene: TableScene, ending: Ending, page: Page) -> None:
    """Draw `page`, result or course, between the title and the status line."""
    margin = int(_framed(scene))
    box = Box(margin, 2, scene.width - 2 * margin, scene.status_row - 2)
    draw = _draw_course if page == "course" else _draw_result
    draw(canvas, scene, ending, box)


def _draw_result(canvas: Canvas, scene: TableScene, ending: Ending, box: Box) -> None:
    """Draw the verdict, the accounts, and where there is room the course and the proof in a line."""
    accounts = _with_gains(scene, ending)
    wide = ledger(scene, accounts, box.width - 2, with_rest=True)
    left = rows_width(wide) + 2
    chart = Box(box.x + left + _APART, box.y, box.width - left - _APART - 1, box.height)
    enough = chart.width >= LEAST_WIDTH + NAME_CELLS + _TOTAL and chart.height > _CHART_LEAST
    if ending.courses and enough and chart.width >= 2 * chart.height:
        _draw_totals(canvas, scene, ending, chart)
        _draw_column(canvas, scene, ending, Box(box.x, box.y, left, box.height), with_chart=False)
    else:
        _draw_column(canvas, scene, ending, box, with_chart=bool(ending.courses))


def _with_gains(scene: TableScene, ending: Ending) -> Accounts:
    """Return the accounts with the most that a turn brought each player, before the total."""
    if not ending.courses or len(ending.courses[0]) <= 2:
        return ending.accounts
    gettext, accounts = scene.look.translator.gettext, ending.accounts
    heading = Heading(ending.gain or gettext("best turn"), gettext("best"))
    steps = (pairwise(course) for course in ending.courses)
    gains = ending.gains or [max(after - before for before, after in each) for each in steps]
    entries = [
        entry._replace(cells=[*entry.cells[:-1], part(scene, gains[entry.seat]), entry.cells[-1]])
        for entry in accounts.entries
    ]
    return Accounts([*accounts.headings[:-1], heading, accounts.headings[-1]], entries)


def _draw_course(canvas: Canvas, scene: TableScene, ending: Ending, box: Box) -> None:
    """Draw the course of the game as large as it can be, and below it the proof of the shuffle."""
    proof = proof_rows(scene, box.width - 2, ending.chance)
    height = box.height - len(proof) - bool(proof)
    if ending.courses and height > LEAST_HEIGHT:
        _draw_totals(canvas, scene, ending, Box(box.x, box.y, box.width - 1, height))
    draw_rows(canvas, box.x + 1, box.y + box.height - len(proof), proof)


def _draw_column(canvas: Canvas, scene: TableScene, ending: Ending, box: Box, *, with_chart: bool) -> None:
    """Draw all of it one below the other, the most important first; what is left has the talk."""
    width, framed = box.width - 2, _framed(scene)
    tables = (
        ledger(scene, accounts, width, with_rest=rest)
        for accounts, rest in ((_with_gains(scene, ending), True), (ending.accounts, True))
    )
    table = next((table for table in tables if rows_width(table) <= width), None)
    table = table or ledger(scene, ending.accounts, width, with_rest=False)
    verdict = _verdict(scene, ending, width)
    if framed:
        table += _best_rows(scene, ending, width)
    used = len(verdict) + 1 + len(table) + framed
    apart = int(used + _TALK <= box.height) + int(framed and used + _ROOMY <= box.height)
    y = draw_rows(canvas, box.x + 1, box.y, verdict) + apart
    y = draw_rows(canvas, box.x + 1, y, table) + framed
    if framed:
        inside = Box(box.x + 1, y - 1 - len(table), width, len(table))
        draw_panel(canvas, scene, inside, scene.look.translator.gettext("Score"))
    proof = _folded(scene, ending.chance, width)
    free = box.y + box.height - y - (_TALK + 2 * framed) * (talks(scene) or bool(scene.around.said))
    # A small chart is better than half a page that is empty; the proof has its place before that.
    least = (_CHART_LEAST + 3 if framed else LEAST_HEIGHT + 2) if with_chart else 0
    chart = least if least + (len(proof) + 1 if proof else 0) <= free else 0
    below = [(), *proof] if proof and len(proof) < free - chart else []
    if chart:
        chart += min(_CHART_MOST, (free - chart - len(below)) * 2 // 3)
        top = y + (not framed)
        _draw_totals(canvas, scene, ending, Box(box.x, top, box.width - 1, y + chart - top))
    y = draw_rows(canvas, box.x + 1, y + chart, below)
    top, end = y + bool(below or chart), box.y + box.height
    if framed and top + _TALK < end and talks(scene):
        talk = Box(box.x + 1, top + 1, width, end - top - 2)
        draw_panel(canvas, scene, talk, scene.look.translator.gettext("Chat"))
        draw_talk(canvas, scene, talk)
    elif top < end:
        draw_talk(canvas, scene, Box(box.x, top, box.width, end - top))


def _best_rows(scene: TableScene, ending: Ending, width: int) -> list[Row]:
    """Return each player's best step behind their name, below a heading; nothing where one is too long."""
    rows: list[Row] = []
    x = 6 + max((len(scene.name(seat)) for seat, _ in ending.best_steps), default=0)
    for seat, pieces in ending.best_steps:
        sign, colour = seat_sign(scene, seat)
        row: list[Placed] = [(2, sign, colour), (4, scene.name(seat), "name")]
        at = x
        for text, role in pieces:
            row.append((at, text, role))
            at += len(text) + 1
        rows.append(row)
    heading = scene.safe(scene.look.translator.gettext("Best turns"))
    return [(), [(2, heading, "dim")], *rows] if rows and rows_width(rows) <= width else []


def _framed(scene: TableScene) -> bool:
    """Return whether there is room for frames."""
    return scene.width >= _FRAMED and scene.look.height >= _FRAMED_ROWS


def _folded(scene: TableScene, words: ChanceWords | None, width: int) -> list[Row]:
    """Return the proof in a line, with the key that turns to all of it; in full where a promise was broken."""
    kept = kept_promise(scene.table)
    if words is None or kept is None:
        return []
    said = scene.look.translator.gettext(words.short if kept else words.broken)
    details = scene.safe(scene.look.translator.gettext("details"))
    turn = f"{scene.look.key_name('Tab')}:"
    rows = flowing(scene, said, width - len(f" {turn} {details}") - 1, "points" if kept else "error")
    x = rows_width(rows[-1:]) + 2
    rows[-1] = (*rows[-1], (x, turn, "key"), (x + len(turn) + 1, details, "dim"))
    return rows


def _verdict(scene: TableScene, ending: Ending, width: int) -> list[Row]:
    """Return who won and why, the best turn, and who wants a rematch."""
    again = ", ".join(scene.name(seat) for seat in scene.table.again)
    wanting = scene.look.translator.gettext("Ready for a rematch: {names}.", names=again) if again else ""
    said = " ".join(filter(None, (reasons(scene, ending.why), ending.best)))
    return [
        *flowing(scene, headline(scene), width, "winner"),
        *flowing(scene, said, width, "text"),
        *(row for sentence in ending.review for row in flowing(scene, sentence, width, "you")),
        *flowing(scene, wanting, width, "notice"),
    ]


def _draw_totals(canvas: Canvas, scene: TableScene, ending: Ending, box: Box) -> None:
    """Draw the heading, and the totals over the turns; one's own line, or the winner's, on top."""
    heading = scene.safe(ending.steps or scene.look.translator.gettext("Totals by turn"))
    x, y, width, height = box.x + 1, box.y + 1, box.width - 1, box.height - 1
    if _framed(scene):
        height -= 1
        draw_panel(canvas, scene, Box(x, y, width, height), heading)
    else:
        canvas.put(x, box.y, heading, "heading")
    found = [
        ChartLine(f"{scene.name(seat)} {number(line[-1], scene.marks)}", line, *seat_sign(scene, seat))
        for seat, line in enumerate(ending.courses)
    ]
    top = ending.accounts.entries[0].seat if scene.you is None else scene.you
    found.append(found.pop(top))
    draw_chart(canvas, x, y, width, height, found, ascii=scene.look.ascii)


def part(scene: TableScene, points: int) -> Piece:
    """Return a part of a total as a cell of the ledger: with its sign, or no more than a dot for 0."""
    if points == 0:
        return scene.marks.dot, "dim"
    return signed(points, scene.marks), "points" if points > 0 else "error"


def accounts_of(
    scene: TableScene, columns: Sequence[tuple[Heading, Sequence[int]]], totals: Sequence[int]
) -> Accounts:
    """Return the accounts of `columns`, each with its points a seat, and of the `totals`."""
    total = scene.look.translator.pgettext("account", "total")
    entries = []
    for seat in sorted(range(len(totals)), key=lambda seat: -totals[seat]):
        cells = [*(part(scene, points[seat]) for _, points in columns)]
        rank = 1 + sum(other > totals[seat] for other in totals)
        entries.append(Entry(seat, rank, [*cells, (number(totals[seat], scene.marks), "points")]))
    return Accounts([*(heading for heading, _ in columns), Heading(total, total)], entries)


def ledger(scene: TableScene, accounts: Accounts, width: int, *, with_rest: bool) -> list[Row]:
    """Return the accounts, a line a player: with full headings if `width` has room for them, else with short ones.

    `with_rest`: with what stands behind the columns. May be wider than `width` if even that is too much.
    """
    full, short = ([scene.safe(heading[kind]) for heading in accounts.headings] for kind in (0, 1))
    for headings in (full, short):
        table = list(_aligned(scene, accounts.entries, headings, 2, with_rest=with_rest))
        if rows_width(table) <= width:
            return table
    return list(_aligned(scene, accounts.entries, short, 1, with_rest=with_rest))


def ledger_aside(scene: TableScene, accounts: Accounts, width: int) -> list[Row]:
    """Return the accounts with a row a heading and a column a player, below their signs in the order of the seats.

    Headings are full if all of them fit into `width`, else short.
    """
    entries = sorted(accounts.entries, key=lambda entry: entry.seat)
    cells = [width - _TOTAL * at for at in range(len(entries))][::-1]
    signs = [seat_sign(scene, entry.seat) for entry in entries]
    names = [[scene.safe(heading[kind]) for heading in accounts.headings] for kind in (0, 1)]
    labels = next((each for each in names if max(map(len, each)) <= cells[0] - _TOTAL), names[1])
    return [
        [
            (0, label, "dim"),
            *((end - len(text), text, role) for (text, role), end in zip(row, cells, strict=True)),
        ]
        for label, row in zip(
            ["", *labels], [signs, *zip(*(entry.cells for entry in entries), strict=True)], strict=True
        )
    ]


def _aligned(
    scene: TableScene, entries: Sequence[Entry], headings: Sequence[str], gap: int, *, with_rest: bool
) -> Iterator[Row]:
    """Yield the headings, then a row a player: rank, sign, name, numbers, and the rest."""
    end = 4 + max(len(scene.name(entry.seat)) for entry in entries)
    ends: list[int] = []
    for column, heading in enumerate(headings):
        end += gap + max(len(heading), *(len(entry.cells[column][0]) for entry in entries))
        ends.append(end)
    yield [(end - len(heading), heading, "dim") for heading, end in zip(headings, ends, strict=True)]
    for entry in entries:
        role = "winner" if entry.rank == 1 else "you" if entry.seat == scene.you else "name"
        sign, colour = seat_sign(scene, entry.seat)
        row: list[Placed] = [
            (0, str(entry.rank), role),
            (2, sign, colour),
            (4, scene.name(entry.seat), role),
        ]
        row += [
            (end - len(text), text, its_role) for (text, its_role), end in zip(entry.cells, ends, strict=True)
        ]
        x = ends[-1] + 2
        for text, its_role in entry.rest if with_rest else ():
            row.append((x, text, its_role))
            x += len(text) + 1
        yield row


def kept_promise(table: TableView) -> bool | None:
    """Return whether the seed has the hash that was shown before the deal; None while the seed is unknown."""
    if not table.seed:
        return None
    try:
        seed = bytes.fromhex(table.seed)
    except ValueError:
        return False
    return hashlib.sha256(seed).hexdigest() == table.commitment.lower()


class Proof(NamedTuple):
    """What there is to prove: a sentence, and the promised hash and the seed with what they are."""

    verdict: str
    values: Sequence[tuple[str, str]]

    @classmethod
    def from_scene(cls, scene: TableScene, words: ChanceWords | None) -> "Proof":
        """Return the proof of a scene, empty while the seed is unknown."""
        gettext, table, kept = scene.look.translator.gettext, scene.table, kept_promise(scene.table)
        if kept is None or words is None:
            return cls("", ())
        verdict = gettext(words.kept if kept else words.broken)
        names = scene.safe(gettext("hash")), scene.safe(gettext("seed"))
        return cls(verdict, tuple(zip(names, (clean(table.commitment), clean(table.seed)), strict=True)))

    @property
    def label(self) -> int:
        """How many cells the names of the values take, with the gap behind them."""
        return max((len(name) for name, _ in self.values), default=0) + 2

    @property
    def width(self) -> int:
        """How many cells the values take behind their names."""
        return self.label + max((len(value) for _, value in self.values), default=0)


def proof_rows(scene: TableScene, width: int, words: ChanceWords | None) -> list[Row]:
    """Return the proof in `width` cells: each value behind its name, or below it, in two halves where it has to be."""
    proof = Proof.from_scene(scene, words)
    rows = flowing(scene, proof.verdict, width, "text")
    for name, value in proof.values:
        if proof.width <= width:
            rows.append(((0, name, "dim"), (proof.label, value, "facts")))
            continue
        half = len(value) // 2
        halves = [value] if len(value) <= width else [value[:half], value[half:]]
        rows += [((0, name, "dim"),), *(((2 * (len(halves) > 1), half, "facts"),) for half in halves)]
    return rows
