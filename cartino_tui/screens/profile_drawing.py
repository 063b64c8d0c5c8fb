"""What somebody has played, as a frame: ratings, games by kind, and how one did against them. Scrolls where it must."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from cartino_protocol.views import ProfileView, RatingLine, ScoreLine
from cartino_tui.draw.canvas import Canvas, Frame, Row, Run
from cartino_tui.draw.flowing import flow, in_rows, put_row
from cartino_tui.draw.text import clean, plain
from cartino_tui.games.description import fact_of, titled
from cartino_tui.games.screen import AnyScreen, Look
from cartino_tui.keys import PROFILE
from cartino_tui.meetings import meeting_words, never_met
from cartino_tui.screens.parts import Hints, bar, foot, foot_height, marks
from cartino_tui.tongue import Tongue

TOP = 3
"""The row where the text begins."""
_LEFT, _INSET = 2, 4


class ProfileModel(msgspec.Struct, frozen=True):
    """What the screen shows: the house's answer, the first row of it in sight, and a line about what happened.

    `guest`: it is a guest's own.
    """

    view: ProfileView
    top: int = 0
    guest: bool = False
    status: str = ""


def profile_hints(model: ProfileModel) -> tuple[tuple[str, str], ...]:
    """The keys that do something here, in English."""
    own = () if model.view.you else ("mine",)
    return PROFILE.hints("games", "player", "against", *own, "actions", "help", "back")


def page_height(model: ProfileModel, look: Look) -> int:
    """How many rows of the text are in sight at once."""
    return max(1, look.height - TOP - foot_height(look, model.status))


def last_top(model: ProfileModel, look: Look, plugs: Mapping[str, AnyScreen]) -> int:
    """The furthest that one can scroll."""
    return max(0, len(_rows(model, look, plugs)) - page_height(model, look))


def draw_profile(model: ProfileModel, look: Look, plugs: Mapping[str, AnyScreen], hints: Hints) -> Frame:
    """The whole screen, `look.width` by `look.height` cells; `plugs` by game name, `hints` for the last row."""
    canvas = Canvas(look.width, look.height)
    tongue, view = look.tongue, model.view
    name = tongue.say("bot {name}", name=view.name) if view.bot else view.name
    bar(canvas, look, name, tongue.say("your own games") if view.you else "")
    rows, height = _rows(model, look, plugs), page_height(model, look)
    for line, row in enumerate(rows[model.top : model.top + height]):
        put_row(canvas, _LEFT, TOP + line, row)
    if model.top:
        canvas.put(look.width - 1, TOP, "^" if look.ascii else "↑", "key")
    if model.top + height < len(rows):
        canvas.put(look.width - 1, TOP + height - 1, "v" if look.ascii else "↓", "key")
    foot(canvas, look, model.status, hints)
    return canvas.frame()


def _rows(model: ProfileModel, look: Look, plugs: Mapping[str, AnyScreen]) -> list[Row]:
    """All of the text, in rows."""
    view, tongue = model.view, look.tongue
    parts: list[tuple[str, list[Row]]] = []
    if view.ratings:
        parts.append(
            (
                tongue.say("rating").upper(),
                [row for line in view.ratings for row in _rating(line, look, plugs)],
            )
        )
    if view.scores:
        parts.append(
            (tongue.say("games").upper(), [row for line in view.scores for row in _score(line, look, plugs)])
        )
    if view.against:
        title = tongue.say("against {name}", name=view.against)
        parts.append((title, [row for line in _met(view, tongue) for row in _sentence(line, look)]))
    if not view.scores:
        parts.insert(0, ("", list(_sentence(_nothing(model, tongue), look))))
    rows: list[Row] = []
    for title, lines in parts:
        if rows:
            rows.append(())
        rows += [((_safe(title, look), "heading"),)] if title else []
        rows += lines
    return rows


def _nothing(model: ProfileModel, tongue: Tongue) -> str:
    if model.guest:
        return tongue.say(
            "The games of guests are counted nowhere: come with a key, and they are. Your finished games are listed."
        )
    if model.view.you:
        return tongue.say("No game of yours has come to its end yet.")
    return tongue.say("There is no game here that you may see.")


def _rating(line: RatingLine, look: Look, plugs: Mapping[str, AnyScreen]) -> list[Row]:
    tongue = look.tongue
    labels: list[Run] = [(_title(line.game, plugs), "name"), (str(line.rating), "points")]
    if line.place:
        labels.append((tongue.say("place {n}", n=line.place), "text"))
    labels.append((tongue.count("{n} rated game", "{n} rated games", line.games), "dim"))
    return _flowing(labels, look)


def _score(line: ScoreLine, look: Look, plugs: Mapping[str, AnyScreen]) -> list[Row]:
    tongue = look.tongue
    percent = round(100 * line.wins / line.games)
    title = _safe(titled(plugs, line.game, line.options, tongue), look)
    labels: list[Run] = [
        (tongue.count("{n} game", "{n} games", line.games), "text"),
        (tongue.count("{n} won ({percent} %)", "{n} won ({percent} %)", line.wins, percent=percent), "text"),
        (tongue.count("{n} point on average", "{n} points on average", round(line.mean)), "text"),
    ]
    for best in line.bests:
        fact = fact_of(plugs, line.game, best.fact, tongue)
        labels.append(
            (tongue.say("{fact}: {value} in {game}", fact=fact, value=best.value, game=best.game), "dim")
        )
    return [((title, "name"),), *((("  ", "text"), *row) for row in _flowing(labels, look))]


def _met(view: ProfileView, tongue: Tongue) -> Iterator[str]:
    """A sentence a game on how the two did at the same tables."""
    if not view.meetings:
        yield never_met(tongue)
    for met in view.meetings:
        yield meeting_words(view, met, tongue)


def _flowing(labels: Sequence[Run], look: Look) -> list[Row]:
    """`labels` on as many rows as they take."""
    between = (f" {marks(look).dot} ", "rule")
    safe = (((_safe(text, look), role),) for text, role in labels)
    return flow(safe, between, look.width - _LEFT - _INSET)


def _sentence(text: str, look: Look) -> list[Row]:
    return in_rows(text, "text", look.width - _LEFT - _INSET, ascii=look.ascii)


def _title(game: str, plugs: Mapping[str, AnyScreen]) -> str:
    plug = plugs.get(game)
    return plug.title if plug is not None else game


def _safe(text: str, look: Look) -> str:
    return plain(text) if look.ascii else clean(text)
