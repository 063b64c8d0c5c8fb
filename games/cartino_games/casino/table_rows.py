"""What Casino's table says in rows of text: the players, what each did last, the log, builds, points of a deal.

What a card can do is a list with numbers and a cursor.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from cartino_games.casino.arithmetic import ordered, plays, readings
from cartino_games.casino.scene import CasinoScene, Way
from cartino_games.casino.story import columns, event_template, gains, is_fresh, offer
from cartino_games.casino.views import CasinoView, Play
from cartino_games.kit.arrangement import Box
from cartino_games.kit.cards import PICTURED, Face, card_face
from cartino_games.kit.players import PlayerLine, seat_sign
from cartino_games.kit.result import Accounts, Heading, accounts_of, ledger, ledger_aside
from cartino_games.kit.scene import TableScene
from cartino_games.kit.since import in_a_row, since_own
from cartino_games.kit.text import Paragraph, Piece, Row, phrase, put_pieces, width
from cartino_protocol.base import Seat
from cartino_protocol.text import N_
from cartino_tui.draw.canvas import Canvas

_SPELT: Final = 30
"""The cells from which words stand in full."""
_LISTED: Final = 12
"""The captures that are listed for a card."""


class ListedChoice(NamedTuple):
    """A line of the list: `said` in pieces, as `inked` makes them, and what it scores; "" for nothing to show.

    `closed`: it can't be done now, and the line says why; it is dim.
    """

    said: Sequence[Piece]
    points: str = ""
    closed: bool = False


@lru_cache(maxsize=64)
def ways(view: CasinoView, card: str, chosen: tuple[str, ...]) -> Sequence[Way]:
    """Return what `card` can do with the `chosen` cards of the table, or with any if there are none.

    There is always a way, be it refused.
    """
    found = [] if chosen else [(play, None) for play in plays(view, card, _LISTED)]
    return [(ordered(view, play), rule) for play, rule in found or readings(view, card, chosen)]


def listed_choice(scene: CasinoScene, move: Play) -> ListedChoice:
    """Return a play as the list has it."""
    view, translator = scene.view, scene.look.translator
    gained = gains(view, move, translator, scene.marks.suits[view.customs.suit])
    return ListedChoice([(offer(view, move, translator, scene.shown), "text")], gained)


def face_of(scene: CasinoScene, cards: tuple[str, ...], *, picked: bool) -> Face:
    """Return a build with its value and its owner's sign, a lock, and its cards."""
    build = next((build for build in scene.view.builds if build.cards == cards), None)
    if build is None:
        return card_face(scene.marks, cards[0], picked=picked)
    text = f"{build.value}{seat_sign(scene, build.owner)[0]}{'#' * build.multiple}"
    number = str(build.value)
    picture = number if number in PICTURED else ""
    edge = "build-edge" * scene.plan.headed
    return Face(text, "build", "build", picked, scene.shown(cards), picture, edge)


def player_line(scene: CasinoScene, seat: Seat) -> PlayerLine:
    """Return what is said of a player."""
    view, gettext = scene.view, scene.look.translator.gettext
    counts = f"{gettext('hand {n}', n=view.held[seat])} {gettext('pile {n}', n=view.taken[seat])}"
    return PlayerLine(str(view.totals[seat]), [seat_sign(scene, seat), (counts, "text")])


def last_deed(scene: CasinoScene, seat: Seat) -> Sequence[Piece]:
    """Return the sweeps and the last play of a player, in a few signs."""
    event, sweeps = scene.view.last_play(seat), scene.view.sweeps[seat]
    word = N_("sweeps") if scene.score.width >= _SPELT else N_("swp")
    swept = [(f"{scene.look.translator.gettext(word)} {sweeps} ", "points")] if sweeps else []
    if event is None:
        return swept
    act = {"trail": "", "capture": " x "}.get(event.kind, f" = {event.value}")
    taken = scene.pieces(event.takes) if event.kind == "capture" else ()
    return [*swept, *scene.pieces([event.card]), (act, "dim"), *taken]


def aside_rows(scene: CasinoScene) -> tuple[str, Sequence[Row]]:
    """Return the points of the deal that was scored last, below the players, if all have room there."""
    title, box = scene.look.translator.gettext("Deal {n}", n=scene.view.deal + scene.is_over), scene.below
    rows = ledger_aside(scene, accounts(scene), box.width) if scene.view.score else []
    return title, rows if len(rows) <= box.height and scene.plan.headed else ()


def note_rows(scene: CasinoScene) -> Sequence[Row]:
    """Return the points of a deal until somebody plays, then the builds: rows below the table's cards."""
    gettext = scene.look.translator.gettext
    if is_fresh(scene.view) and not aside_rows(scene)[1]:
        heading, *rows = ledger(scene, accounts(scene), scene.plan.main.width - 2, with_rest=False)
        # Blanks for points not scored and one role a row: half the bytes for each spectator.
        rows = [[(x, text, row[2][2]) for x, text, _ in row if x and text != scene.marks.dot] for row in rows]
        return [(), ((0, gettext("Deal {n}", n=scene.view.deal + scene.is_over), "dim"), *heading), *rows]
    rows = []
    for build in scene.view.builds:
        said = N_("{n} by {name}, locked: {cards}") if build.multiple else N_("{n} by {name}: {cards}")
        name, cards = scene.name(build.owner), scene.shown(build.cards)
        said = scene.fit(gettext(said, n=build.value, name=name, cards=cards), scene.plan.main.width - 2)
        rows.append([(0, said, "dim")])
    return rows


def plays_since_own(scene: CasinoScene) -> int:
    """Return how many entries of the log came after the reader's own last move."""
    return since_own([event.seat if event.card else None for event in scene.view.recent], scene)


def log_lines(scene: CasinoScene) -> Iterator[Paragraph]:
    """Yield what happened, the newest first."""
    told = set[int]()
    for event in reversed(scene.view.recent):
        said, taken, n = event_template(scene.view, event, mine=False)
        said = N_("{name} deals.") if event.kind == "deal" and event.takes else said
        newest = bool(event.card) and event.seat not in told
        told |= {event.seat} if newest else set()
        card, number = scene.pieces([event.card]), (str(n), "name")
        cards = scene.pieces(taken) if event.card else [(scene.shown(taken), "dim")]
        words, cells = scene.look.translator.gettext(said), scene.plan.moves.width
        places = {"card": card, "cards": cards, "n": [number]}
        yield phrase(in_a_row(scene, words, event.seat, cells, newest=newest, **places))


def accounts(scene: CasinoScene) -> Accounts:
    """Return what each player scored in the deal that was scored last, and the totals, the best first."""
    found = columns(scene.view, scene.look.translator, scene.marks)
    return accounts_of(
        scene, [(Heading(full, short), points) for full, short, points in found], scene.view.totals
    )


_NUMBERED: Final = 9
"""Choices beyond it have no number: the cursor reaches them."""
_HEAD: Final = 3
"""The cells before a text: the cursor's mark, the number, a blank."""


def first_choice(box: Box, count: int, cursor: int) -> int:
    """Return the number of the first of `count` choices that `box` shows, so that the one at `cursor` is in sight."""
    return max(0, min(cursor - box.height // 2, count - box.height))


def choice_at(box: Box, count: int, cursor: int, x: int, y: int) -> int | None:
    """Return the number of the choice at the cell (x, y), counted from 0; None for none."""
    number = first_choice(box, count, cursor) + y - box.y
    return number if box.holds(x, y) and number < count else None


def draw_choices(
    canvas: Canvas, scene: TableScene, box: Box, choices: Sequence[ListedChoice], cursor: int | None = None
) -> None:
    """Draw a choice a row: the cursor's mark, its number from 1 to 9, its text, at the right end what it scores.

    Where `box` is lower than the list, the choices around the cursor are shown, and marks at the right end say that
    there are more above or below. Texts that are too long are cut.
    """
    first = first_choice(box, len(choices), cursor or 0)
    shown = choices[first : first + box.height]
    scrolled = len(shown) < len(choices)
    end = box.x + box.width - 2 * scrolled
    for y, (at, choice) in enumerate(enumerate(shown, first), box.y):
        if at == cursor:
            canvas.put(box.x, y, scene.marks.left, "cursor")
        if at < _NUMBERED:
            canvas.put(box.x + 1, y, str(at + 1), "dim" if choice.closed else "key")
        cells = end - box.x - _HEAD - (len(choice.points) + 1 if choice.points else 0)
        said = [(text, "dim") for text, _ in choice.said] if choice.closed else choice.said
        put_pieces(canvas, box.x + _HEAD, y, cut(scene, said, cells))
        canvas.put(end - len(choice.points), y, choice.points, "dim" if choice.closed else "points")
    if first > 0:
        canvas.put(box.x + box.width - 1, box.y, scene.marks.above, "dim")
    if first + len(shown) < len(choices):
        canvas.put(box.x + box.width - 1, box.y + len(shown) - 1, scene.marks.below, "dim")


def cut(scene: TableScene, pieces: Sequence[Piece], cells: int) -> list[Piece]:
    """Return `pieces` in at most `cells` cells; what was cut shows as the mark for more."""
    if width(pieces) <= cells:
        return list(pieces)
    kept: list[Piece] = []
    left = max(cells - 1, 0)
    for text, role in pieces:
        kept.append((text[:left], role))
        left -= len(kept[-1][0])
    return [*(piece for piece in kept if piece[0]), (scene.marks.more, "dim")]
