"""The ratings of a game: people, then bots, and one's own place."""

from typing import NamedTuple

import msgspec

from cartino_protocol.commands import Leaders, Profile, tag_of
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Leader, LeadersView, ProfileView, QueryAnswer
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Canvas, Frame, put_rows, wrap_rows
from cartino_tui.draw.text import fit
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import Translator
from cartino_tui.keys import LEADERS, KeyTable
from cartino_tui.screens.profile import MAX_PROFILE_NAME, ProfileScreen, people_help
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import AppScreen, HintRow
from cartino_tui.widgets.help import HelpScreen
from cartino_tui.widgets.layout import (
    Hints,
    cursor_step,
    footer,
    footer_height,
    glyphs,
    put_centred,
    put_heading,
    scroll_top,
    title_bar,
)
from cartino_tui.widgets.prompt import Prompt

LIST_TOP = 4
"""The row where the list begins."""
_PLACE, _PLACE_WIDTH = 4, 5
_NUMBER_WIDTH = 6
_GAP = 2


class LeadersModel(msgspec.Struct, frozen=True):
    """What the screen shows: the house's answer (None: none yet), the game's title, the marked one.

    `guest`: one has no key, and so no rating ever. `games`: how many games the house has. `waiting`: an answer will
    come.
    """

    view: LeadersView | None = None
    title: str = ""
    cursor: int = 0
    top: int = 0
    guest: bool = False
    games: int = 1
    waiting: bool = False
    status: str = ""

    @property
    def lines(self) -> tuple[Leader, ...]:
        """All that can be marked: people, then bots."""
        return () if self.view is None else (*self.view.people, *self.view.bots)

    @property
    def marked(self) -> Leader | None:
        """The marked one."""
        return self.lines[self.cursor] if self.lines else None


class LeaderColumns(NamedTuple):
    """Where the columns begin, in cells; the ratings and the games are right-aligned to end before `end`."""

    name: int
    rating: int
    games: int
    end: int


def leaders_hints(model: LeadersModel) -> tuple[tuple[str, str], ...]:
    """The keys that do something with the list as it is, in English."""
    marked = ("open",) if model.lines else ()
    games = ("next",) if model.games > 1 else ()
    return LEADERS.hints(*marked, "mine", "player", *games, "actions", "help", "back")


def list_height(model: LeadersModel, look: Look) -> int:
    """How many rows of the list are in sight at once."""
    return max(1, look.height - LIST_TOP - len(_rows_below(model, look)) - footer_height(look, model.status))


def leaders_top(model: LeadersModel, look: Look) -> int:
    """The first row in sight, so that the marked one is."""
    rows = _list_rows(model)
    at = next((row for row, line in enumerate(rows) if line == model.cursor), 0)
    top = scroll_top(model.top, at, len(rows), list_height(model, look))
    # The heading above the first bot comes along.
    return at - 1 if top == at > 0 and rows[at - 1] is None else top


def leader_at(model: LeadersModel, look: Look, y: int) -> int | None:
    """The number of the line that stands in row `y`, or None."""
    row, rows = y - LIST_TOP, _list_rows(model)
    if 0 <= row < list_height(model, look) and model.top + row < len(rows):
        return rows[model.top + row]
    return None


def draw_leaders(model: LeadersModel, look: Look, hints: Hints) -> Frame:
    """The whole screen, `look.width` by `look.height` cells, with `hints` in the last row."""
    translator = look.translator
    canvas = Canvas(look.width, look.height)
    count = len(model.view.people) if model.view is not None else 0
    facts = translator.ngettext("{n} player", "{n} players", count) if count else ""
    title_bar(
        canvas,
        look,
        translator.gettext("Who plays best: {game}", game=model.title) if model.title else "",
        facts,
    )
    if model.lines:
        _draw_list(canvas, model, look)
    else:
        put_centred(canvas, look.height // 2 - 1, _empty_text(model, translator), "text", ascii=look.ascii)
    below = _rows_below(model, look)
    y = look.height - footer_height(look, model.status) - len(below)
    put_rows(canvas, 1, y, (((text, "dim"),) for text in below))
    footer(canvas, look, model.status, hints)
    return canvas.frame()


def _empty_text(model: LeadersModel, translator: Translator) -> str:
    if model.view is None and model.waiting:
        return translator.gettext("Looking for them…")
    if model.view is None:
        return translator.gettext("The list did not come; go back and open it again.")
    return translator.gettext(
        "Nobody has a rating yet. It takes a game between people with keys, at a table that stands in the lobby."
    )


def _rows_below(model: LeadersModel, look: Look) -> list[str]:
    """What stands below the list: one's own place, or why one has none; rows of text."""
    view, translator = model.view, look.translator
    if view is None:
        return []
    you = view.you
    if you is not None and you.place:
        text = translator.gettext("Your place: {place}, with {rating}.", place=you.place, rating=you.rating)
    elif you is not None:
        text = translator.gettext("Your rating: {rating}.", rating=you.rating)
    elif model.guest:
        text = translator.gettext("Guests get no rating: come with a key, and you have one.")
    else:
        text = translator.gettext("You have no rating here yet.")
    rows = wrap_rows(text, "dim", look.width - 2, ascii=look.ascii)
    return ["", *("".join(part for part, _ in row) for row in rows)]


def _list_rows(model: LeadersModel) -> list[int | None]:
    """What stands in each row of the list: the number of a line, or None for the heading of the bots."""
    if model.view is None:
        return []
    people = len(model.view.people)
    rows: list[int | None] = list(range(people))
    if model.view.bots:
        rows += [None, *range(people, len(model.lines))]
    return rows


def _leader_columns(model: LeadersModel, look: Look) -> LeaderColumns:
    """The same for every row, so that they stay where they are while the list scrolls."""
    gettext = look.translator.gettext
    name = max(_PLACE + _PLACE_WIDTH, _PLACE + len(gettext("place")) + 1)
    rating = max(_NUMBER_WIDTH, len(gettext("rating")))
    games = max(_NUMBER_WIDTH, len(gettext("games")))
    names = [len(_display_name(model, number, look.translator)) for number in range(len(model.lines))]
    room = look.width - 2 - name - rating - games - 2 * _GAP
    wide = max(min(max(names), room), len(gettext("player")))
    rating_x = name + wide + _GAP
    games_x = rating_x + rating + _GAP
    return LeaderColumns(name, rating_x, games_x, games_x + games)


def _draw_list(canvas: Canvas, model: LeadersModel, look: Look) -> None:
    gettext, columns = look.translator.gettext, _leader_columns(model, look)
    put_heading(canvas, _PLACE, LIST_TOP - 1, gettext("place"))
    put_heading(canvas, columns.name, LIST_TOP - 1, gettext("player"))
    put_heading(canvas, columns.games - _GAP - len(gettext("rating")), LIST_TOP - 1, gettext("rating"))
    put_heading(canvas, columns.end - len(gettext("games")), LIST_TOP - 1, gettext("games"))
    rows, height = _list_rows(model), list_height(model, look)
    for line, number in enumerate(rows[model.top : model.top + height]):
        if number is None:
            put_heading(canvas, _PLACE, LIST_TOP + line, gettext("bots, by their games with everybody"))
            continue
        _draw_leader(canvas, LIST_TOP + line, number, model, look, columns)
    if model.top:
        canvas.put(look.width - 1, LIST_TOP, "^" if look.ascii else "↑", "key")
    if model.top + height < len(rows):
        canvas.put(look.width - 1, LIST_TOP + height - 1, "v" if look.ascii else "↓", "key")


def _draw_leader(
    canvas: Canvas, y: int, number: int, model: LeadersModel, look: Look, columns: LeaderColumns
) -> None:
    line = model.lines[number]
    own = model.view is not None and model.view.you is not None and line.player == model.view.you.player
    canvas.put(_PLACE, y, str(line.place).rjust(_PLACE_WIDTH - 2), "dim")
    name = fit(
        _display_name(model, number, look.translator), columns.rating - columns.name - 1, ascii=look.ascii
    )
    canvas.put(columns.name, y, name, "you" if own else "text")
    canvas.put(columns.games - _GAP - len(str(line.rating)), y, str(line.rating), "points")
    canvas.put(columns.end - len(str(line.games)), y, str(line.games), "dim")
    if number == model.cursor:
        canvas.put(2, y, glyphs(look).pick, "selected")
        canvas.paint(1, y, look.width - 2, "selected")


def _display_name(model: LeadersModel, number: int, translator: Translator) -> str:
    line = model.lines[number]
    bot = model.view is not None and number >= len(model.view.people)
    return translator.gettext("bot {name}", name=line.name) if bot else line.name


class LeadersScreen(AppScreen):
    """The list of the best at one game, with a cursor."""

    def __init__(self, stage: AppContext, known: ClientState, asked: Leaders) -> None:
        """The list that the house was just `asked` for."""
        super().__init__(stage, known)
        welcome = known.welcome
        self.model = LeadersModel(
            guest=welcome is not None and welcome.guest,
            games=len(welcome.games) if welcome is not None else 1,
        )
        self._asked: Leaders | Profile | None = asked

    def draw(self, look: Look) -> Frame:
        """The list, scrolled so that the cursor is in sight."""
        model = msgspec.structs.replace(self.model, waiting=self._asked is not None, status=self.news)
        self.model = msgspec.structs.replace(model, top=leaders_top(model, look))
        return draw_leaders(self.model, look, self.shown_hints())

    def keys(self) -> KeyTable:
        """The list's keys."""
        return LEADERS

    def hints(self) -> HintRow:
        """What can be done with the list as it is."""
        return leaders_hints(self.model)

    def press(self, press: Press) -> None:
        """Move the cursor, open a profile, or go to the next game."""
        action = LEADERS.action(press.key)
        by = cursor_step(action, list_height(self.model, self.look), len(self.model.lines))
        if by is not None:
            self._move(by)
            return
        match action:
            case "open":
                self._open_marked()
            case "mine":
                self._wait_for(Profile())
            case "player":
                player = self.look.translator.gettext("Profile of")
                self.ask(Prompt(player, MAX_PROFILE_NAME, self._open_named, to=(Profile.__name__,)))
            case "next":
                self._next_game()
            case "help":
                model = people_help(self.look.translator, LEADERS, self.hints())
                self.app.push_screen(HelpScreen(self.stage, self.known, model))
            case "back":
                self.app.pop_screen()

    def tap(self, tap: Tap) -> None:
        """A click marks a line; a click on the marked one, or a double click, opens the profile."""
        number = leader_at(self.model, self.look, tap.y)
        if number is None:
            return
        again = number == self.model.cursor or tap.chain > 1
        self._move(number - self.model.cursor)
        if again:
            self._open_marked()

    def answered(self, answer: QueryAnswer) -> bool:
        """The list or the profile that was asked for is here."""
        asked, self._asked = self._asked, None
        match asked, answer:
            case Leaders(), LeadersView():
                game_screen = self.stage.game_screens.get(answer.game)
                title = game_screen.title if game_screen is not None else answer.game
                self.model = msgspec.structs.replace(self.model, view=answer, title=title, cursor=0, top=0)
            case Profile(), ProfileView():
                self.app.push_screen(ProfileScreen(self.stage, self.known, answer))
            case _:
                self._asked = asked
                return False
        return True

    def refused(self, refusal: Refusal) -> bool:
        """Nothing comes of what was asked; what is shown stays."""
        if self._asked is not None and refusal.to in {"", tag_of(self._asked)}:
            self._asked = None
        return super().refused(refusal)

    def connection_lost(self) -> None:
        """What was asked for will not come."""
        self._asked = None

    def _move(self, by: int) -> None:
        cursor = max(0, min(self.model.cursor + by, len(self.model.lines) - 1))
        self.model = msgspec.structs.replace(self.model, cursor=cursor)

    def _open_marked(self) -> None:
        if self.model.marked is not None:
            self._wait_for(Profile(player=self.model.marked.player))

    def _open_named(self, name: str) -> None:
        self._wait_for(Profile(name))

    def _next_game(self) -> None:
        welcome, view = self.known.welcome, self.model.view
        names = [game.name for game in welcome.games] if welcome is not None else []
        if view is not None and view.game in names and len(names) > 1:
            self._wait_for(Leaders(names[(names.index(view.game) + 1) % len(names)]))

    def _wait_for(self, command: Leaders | Profile) -> None:
        self._asked = command
        self.wish(command)
