"""The rows around a table: the title at the top, the status sentence and the key hints at the bottom."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from cartino_games.kit.scene import TableScene
from cartino_games.kit.text import Piece, put_pieces
from cartino_protocol.base import Seat
from cartino_protocol.views import TableView
from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.text import safe, with_lead, wrap
from cartino_tui.game_port.screen import TITLE_DOT, Look

_APART: Final = 3
"""The least number of cells between the title and the facts."""
_STATUS_MOST: Final = 4
"""More rows than any sentence of ours takes; only what people typed may be cut."""
_GAP: Final = 2
_COMPANY: Final = 80
"""The columns from which pause and chat are among the hints where other people play."""
_LESSON: Final = 36
"""About the cells of a lesson's own hints: without them there is no way on."""


class Hint(NamedTuple):
    """A key hint of the game: what stands for the key, what it does (both translated), its name for a click.

    `key` is "" for a hint that stands for several keys and can't be clicked.
    """

    shown: str
    what: str
    key: str = ""


def draw_title(canvas: Canvas, scene: TableScene, signs: Sequence[Piece], facts: Sequence[str] = ()) -> None:
    """Draw the game's `signs`, the title, and as many facts as fit whole beside it.

    `facts` are the game's own, the most important first, the app's stand behind them.
    """
    canvas.fill(0, 0, scene.width, 1, "bar")
    x = put_pieces(canvas, 1, 0, signs)
    title, frames = scene.safe(scene.around.title), scene.safe(scene.around.facts)
    room = scene.width - x - 1 - _APART - 1
    dot = f" {scene.marks.dot} "
    variants = [dot.join(filter(None, some)) for some in ((*facts, frames), tuple(facts), tuple(facts[:1]))]
    right = next((text for text in variants if len(title) + len(text) <= room), "")
    canvas.put(x + 1, 0, _fit_title(scene, room + _APART - len(right)), "bar-title")
    canvas.put(scene.width - 1 - len(right), 0, right, "bar-facts")


def _fit_title(scene: TableScene, cells: int) -> str:
    """Return the title in at most `cells` cells; the game's name is cut before the code."""
    game, dot, code = scene.around.title.partition(TITLE_DOT)
    behind = scene.safe(dot + code)
    return scene.fit(game, max(0, cells - len(behind))) + scene.fit(behind, cells)


def draw_status(canvas: Canvas, scene: TableScene, state: str) -> None:
    """Draw the app's sentence, if it has one, else `state`, the game's; a long one covers the rows above.

    It is a banner while the game is paused.

    A question leaves `state` in sight at the right, where both fit.
    """
    width, last = scene.width - 2, scene.status_row
    said = scene.around.status
    role = "selected" if scene.table.paused else "status"
    text = said or with_lead(scene.around.lead, "" if scene.around.quiet else state, width)
    lines = wrap(text, width, _STATUS_MOST, ascii=scene.look.ascii) or [""]
    top = last + 1 - len(lines)
    inset = top == last and not scene.table.paused
    canvas.fill(int(inset), top, width if inset else width + 2, len(lines), role)
    for y, line in enumerate(lines, top):
        canvas.put(1, y, line, role)
    if scene.around.asks and inset and len(said) + _APART + len(state) <= width:
        canvas.put(width + 1 - len(state), last, scene.safe(state), "hint")


def waiting(scene: TableScene, seat: Seat) -> tuple[str, ...]:
    """Return what the table waits for while `seat`, another player, is on turn, in fewer and fewer words."""
    gettext, name = scene.look.translator.gettext, scene.name(seat)
    line = scene.seat(seat)
    here = line is None or line.here
    if line is not None and line.substitute:
        short = gettext("A substitute bot is playing for {name}.", name=name)
        return (
            (short,) if here else (gettext("{name} is away; a substitute bot is playing.", name=name), short)
        )
    if scene.you is None:
        short = gettext("It's {name}'s turn.", name=name)
        if here:
            return gettext("You're watching. It's {name}'s turn.", name=name), short
        return gettext("You're watching. It's {name}'s turn, but they're away.", name=name), short
    short = gettext("Waiting for {name}.", name=name)
    return (short,) if here else (gettext("Waiting for {name}, who is away.", name=name), short)


def describe_end(scene: TableScene) -> str:
    """Return the status sentence of a game that is over."""
    gettext = scene.look.translator.gettext
    no_rematch = scene.you is None or scene.table.once
    return gettext("The game is over.") if no_rematch else gettext("Game over. Press r for a rematch.")


def fitting_hints(table: TableView, look: Look, variants: Sequence[Sequence[Hint]]) -> Sequence[Hint]:
    """Return the first of `variants`, the longest first, that leaves room for help and the way out; else the last."""
    left = look.width - 1 - _frames(table, look)
    return next((some for some in variants if _all(some) <= left), variants[-1])


def has_company(table: TableView) -> bool:
    """Return whether somebody else plays, to talk to and to agree on a pause with."""
    return any(line.kind != "bot" and seat != table.you for seat, line in enumerate(table.seats))


def _frames(table: TableView, look: Look) -> int:
    """Return the cells that the app needs; a lesson, at a table without a code, needs more of them."""
    if not table.code:
        return _LESSON
    gettext, shown = look.translator.gettext, look.key_shown
    more = _width(shown(":"), gettext("more"))
    if has_company(table) and look.width >= _COMPANY:
        more += _width(shown("p"), gettext("pause")) + _width(shown("t"), gettext("chat"))
    return more + _width(shown("?"), gettext("help")) + _width(shown("q"), gettext("leave")) - _GAP + 1


def end_hints(look: Look) -> tuple[Hint, ...]:
    """Return the game's hints when it is over: the key that turns the pages."""
    return (Hint(look.key_name("Tab"), look.translator.gettext("next page"), "tab"),)


def draw_hints(canvas: Canvas, scene: TableScene, own: Sequence[Hint]) -> None:
    """Draw the game's hints, then as many of the app's as fit whole.

    The app's last one (the way out) is kept longest, then the help, the search among all actions, and, where other
    people play, pause and chat. Where the app's hints stand alone (it asks a question), the game's are left out.
    """
    own = () if scene.around.alone else own
    ascii = scene.look.ascii
    frames = [(safe(shown, ascii=ascii), safe(what, ascii=ascii)) for shown, what in scene.around.hints]
    left = scene.width - 1 + _GAP - _all(own) - 1
    kept = {scene.look.key_shown(key) for key in (":?pt" if has_company(scene.table) else ":?")}
    while len(frames) > 1 and sum(_width(*hint) for hint in frames) > left:
        del frames[next((at for at, (key, _) in enumerate(frames[:-1]) if key not in kept), 0)]
    canvas.fill(0, scene.hint_row, scene.width, 1, "bar")
    x = 1
    for shown, what in (*((hint.shown, scene.safe(hint.what)) for hint in own), *frames):
        x = canvas.put(x, scene.hint_row, shown, "bar-key")
        x = canvas.put(x + 1, scene.hint_row, what, "bar-hint") + _GAP


def hint_at(own: Sequence[Hint], x: int) -> str:
    """Return the key of the game's hint at cell `x` of the hint row, "" for none."""
    at = 1
    for hint in own:
        end = at + _width(hint.shown, hint.what) - _GAP
        if at <= x < end:
            return hint.key
        at = end + _GAP
    return ""


def _all(hints: Sequence[Hint]) -> int:
    return sum(_width(hint.shown, hint.what) for hint in hints)


def _width(shown: str, what: str) -> int:
    """Return the cells of a hint with the gap behind it."""
    return len(shown) + 1 + len(what) + _GAP
