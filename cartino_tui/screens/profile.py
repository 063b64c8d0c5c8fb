"""A player's profile: ratings, games by kind, and results against another player. Also the help on ratings."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from cartino_protocol.commands import History, Profile, tag_of
from cartino_protocol.records import BOT
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ProfileView, QueryAnswer, RatingLine, ScoreLine
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Canvas, Frame, Row, Run, flow_labels, put_row, wrap_rows
from cartino_tui.draw.text import clean, plain
from cartino_tui.game_port.description import fact_name, game_title
from cartino_tui.game_port.screen import AnyScreen, Look
from cartino_tui.i18n import Translator
from cartino_tui.keys import INVITATIONS, LEADERS, PROFILE, KeyTable
from cartino_tui.profiles import best_line, meeting_line, never_met_message
from cartino_tui.screens.history import HistoryScreen
from cartino_tui.visit.pending import Press
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import AppScreen, HintRow
from cartino_tui.widgets.help import HelpModel, HelpPart, HelpScreen, current_keys_help, translate_keys
from cartino_tui.widgets.layout import Hints, cursor_step, footer, footer_height, glyphs, title_bar
from cartino_tui.widgets.prompt import Prompt

TEXT_TOP = 3
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


def profile_page_height(model: ProfileModel, look: Look) -> int:
    """How many rows of the text are in sight at once."""
    return max(1, look.height - TEXT_TOP - footer_height(look, model.status))


def profile_last_top(model: ProfileModel, look: Look, game_screens: Mapping[str, AnyScreen]) -> int:
    """The furthest that one can scroll."""
    return max(0, len(_profile_rows(model, look, game_screens)) - profile_page_height(model, look))


def draw_profile(
    model: ProfileModel, look: Look, game_screens: Mapping[str, AnyScreen], hints: Hints
) -> Frame:
    """The whole screen, `look.width` by `look.height` cells; `game_screens` by game name, `hints` for the last row."""
    canvas = Canvas(look.width, look.height)
    translator, view = look.translator, model.view
    name = translator.gettext("bot {name}", name=view.name) if view.bot else view.name
    title_bar(canvas, look, name, translator.gettext("your own games") if view.you else "")
    rows, height = _profile_rows(model, look, game_screens), profile_page_height(model, look)
    for line, row in enumerate(rows[model.top : model.top + height]):
        put_row(canvas, _LEFT, TEXT_TOP + line, row)
    if model.top:
        canvas.put(look.width - 1, TEXT_TOP, "^" if look.ascii else "↑", "key")
    if model.top + height < len(rows):
        canvas.put(look.width - 1, TEXT_TOP + height - 1, "v" if look.ascii else "↓", "key")
    footer(canvas, look, model.status, hints)
    return canvas.frame()


def _profile_rows(model: ProfileModel, look: Look, game_screens: Mapping[str, AnyScreen]) -> list[Row]:
    """All of the text, in rows."""
    view, translator = model.view, look.translator
    parts: list[tuple[str, list[Row]]] = []
    if view.ratings:
        parts.append(
            (
                translator.gettext("rating").upper(),
                [row for line in view.ratings for row in _rating_rows(line, look, game_screens)],
            )
        )
    if view.scores:
        parts.append(
            (
                translator.gettext("games").upper(),
                [row for line in view.scores for row in _score_rows(line, look, game_screens)],
            )
        )
    if view.against:
        title = translator.gettext("against {name}", name=view.against)
        parts.append(
            (
                title,
                [row for line in _meeting_sentences(view, translator) for row in _sentence_rows(line, look)],
            )
        )
    if not view.scores:
        parts.insert(0, ("", list(_sentence_rows(_empty_text(model, translator), look))))
    rows: list[Row] = []
    for title, lines in parts:
        if rows:
            rows.append(())
        rows += [((_printable(title, look), "heading"),)] if title else []
        rows += lines
    return rows


def _empty_text(model: ProfileModel, translator: Translator) -> str:
    if model.guest:
        return translator.gettext(
            "The games of guests are counted nowhere: come with a key, and they are. Your finished games are listed."
        )
    if model.view.you:
        return translator.gettext("No game of yours has come to its end yet.")
    return translator.gettext("There is no game here that you may see.")


def _rating_rows(line: RatingLine, look: Look, game_screens: Mapping[str, AnyScreen]) -> list[Row]:
    translator = look.translator
    labels: list[Run] = [(_plain_title(line.game, game_screens), "name"), (str(line.rating), "points")]
    if line.place:
        labels.append((translator.gettext("place {n}", n=line.place), "text"))
    labels.append((translator.ngettext("{n} rated game", "{n} rated games", line.games), "dim"))
    return _flow_labels(labels, look)


def _score_rows(line: ScoreLine, look: Look, game_screens: Mapping[str, AnyScreen]) -> list[Row]:
    translator = look.translator
    percent = round(100 * line.wins / line.games)
    title = _printable(game_title(game_screens, line.game, line.options, translator), look)
    labels: list[Run] = [
        (translator.ngettext("{n} game", "{n} games", line.games), "text"),
        (
            translator.ngettext("{n} won ({percent} %)", "{n} won ({percent} %)", line.wins, percent=percent),
            "text",
        ),
        (translator.ngettext("{n} point on average", "{n} points on average", round(line.mean)), "text"),
    ]
    for best in line.bests:
        fact = fact_name(game_screens, line.game, best.fact, translator)
        labels.append((best_line(best, fact, translator), "dim"))
    return [((title, "name"),), *((("  ", "text"), *row) for row in _flow_labels(labels, look))]


def _meeting_sentences(view: ProfileView, translator: Translator) -> Iterator[str]:
    """A sentence a game on how the two did at the same tables."""
    if not view.meetings:
        yield never_met_message(translator)
    for met in view.meetings:
        yield meeting_line(view, met, translator)


def _flow_labels(labels: Sequence[Run], look: Look) -> list[Row]:
    """`labels` on as many rows as they take."""
    between = (f" {glyphs(look).dot} ", "rule")
    safe = (((_printable(text, look), role),) for text, role in labels)
    return flow_labels(safe, between, look.width - _LEFT - _INSET)


def _sentence_rows(text: str, look: Look) -> list[Row]:
    return wrap_rows(text, "text", look.width - _LEFT - _INSET, ascii=look.ascii)


def _plain_title(game: str, game_screens: Mapping[str, AnyScreen]) -> str:
    game_screen = game_screens.get(game)
    return game_screen.title if game_screen is not None else game


def _printable(text: str, look: Look) -> str:
    return plain(text) if look.ascii else clean(text)


def people_help(translator: Translator, table: KeyTable, hints: HintRow) -> HelpModel:
    """The help of somebody who looks at the ratings or at a profile, and may do what `hints` of `table` say."""
    gettext = translator.gettext
    ratings = gettext(
        "A rating is what somebody almost certainly plays as well as: it begins at 1000, rises by games against those "
        "who play well, and is worth more the more games it stands on. People move each other's ratings alone, at "
        "tables that stand in the lobby, in games that come to their end. Bots are measured against everybody at "
        "their tables, and move nobody's rating. Guests have none."
    )
    told = gettext(
        "Games at private tables are counted in your own profile, and told to nobody who was not there. "
        "Games that were left before their end count nowhere."
    )
    return HelpModel(
        gettext("Help: people"),
        (
            *current_keys_help(table, hints, translator),
            HelpPart(gettext("Ratings"), text=ratings),
            HelpPart(gettext("Private tables"), text=told),
            HelpPart(gettext("In the list of ratings"), translate_keys(LEADERS.help(), translator)),
            HelpPart(gettext("In a profile"), translate_keys(PROFILE.help(), translator)),
            HelpPart(gettext("In your invitations"), translate_keys(INVITATIONS.help(), translator)),
        ),
    )


MAX_PROFILE_NAME: Final = 20
"""Characters of a name, with "bot" before it."""


class ProfileScreen(AppScreen):
    """A profile; another one takes its place."""

    def __init__(self, stage: AppContext, known: ClientState, view: ProfileView) -> None:
        """The profile that the house has told."""
        super().__init__(stage, known)
        self._guest = known.welcome is not None and known.welcome.guest
        self.model = self._model(view)
        self._asked: Profile | None = None

    def draw(self, look: Look) -> Frame:
        """As much as there is room for."""
        model = msgspec.structs.replace(self.model, status=self.news)
        top = min(model.top, profile_last_top(model, look, self.stage.game_screens))
        self.model = msgspec.structs.replace(model, top=top)
        return draw_profile(self.model, look, self.stage.game_screens, self.shown_hints())

    def keys(self) -> KeyTable:
        """The profile's keys."""
        return PROFILE

    def hints(self) -> HintRow:
        """What can be done with this profile."""
        return profile_hints(self.model)

    def press(self, press: Press) -> None:
        """Scroll, look at the games, or at somebody else."""
        action = PROFILE.action(press.key)
        by = cursor_step(action, profile_page_height(self.model, self.look) - 1, 0)
        if by is not None:
            self._scroll(by)
            return
        match action:
            case "games":
                self._games()
            case "mine":
                self._wait_for(Profile())
            case "player":
                label = self.look.translator.gettext("Profile of")
                self.ask(Prompt(label, MAX_PROFILE_NAME, self._open_named, to=(Profile.__name__,)))
            case "against":
                label = self.look.translator.gettext("Compare with")
                self.ask(Prompt(label, MAX_PROFILE_NAME, self._compare, to=(Profile.__name__,)))
            case "help":
                model = people_help(self.look.translator, PROFILE, self.hints())
                self.app.push_screen(HelpScreen(self.stage, self.known, model))
            case "back":
                self.app.pop_screen()

    def answered(self, answer: QueryAnswer) -> bool:
        """The other profile is here."""
        if self._asked is None or not isinstance(answer, ProfileView):
            return False
        if self._asked.against and not answer.against:
            self.status = self.look.translator.gettext(
                "There is nobody called {name} to compare with.", name=self._asked.against
            )
        self._asked = None
        self.model = self._model(answer)
        return True

    def refused(self, refusal: Refusal) -> bool:
        """Nothing comes of what was asked; what is shown stays."""
        if self._asked is not None and refusal.to in {"", tag_of(self._asked)}:
            self._asked = None
        return super().refused(refusal)

    def connection_lost(self) -> None:
        """What was asked for will not come."""
        self._asked = None

    def _model(self, view: ProfileView) -> ProfileModel:
        return ProfileModel(view, guest=self._guest and view.you)

    def _scroll(self, by: int) -> None:
        top = max(
            0, min(self.model.top + by, profile_last_top(self.model, self.look, self.stage.game_screens))
        )
        self.model = msgspec.structs.replace(self.model, top=top)

    def _games(self) -> None:
        view = self.model.view
        name = f"{BOT}{view.name}" if view.bot else view.name
        asked = History("mine") if view.you else History("player", name)
        self.wish(asked)
        self.app.push_screen(HistoryScreen(self.stage, self.known, asked))

    def _open_named(self, name: str) -> None:
        self._wait_for(Profile(name))

    def _compare(self, name: str) -> None:
        view = self.model.view
        self._wait_for(Profile("" if view.player else view.name, player=view.player, against=name))

    def _wait_for(self, command: Profile) -> None:
        self._asked = command
        self.wish(command)
