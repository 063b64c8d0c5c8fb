"""The lobby: the tables of the house, and every way to one of them."""

from collections.abc import Sequence

import msgspec

from cartino_protocol.account import Account
from cartino_protocol.commands import Back, Command, History, Join, Leaders, Rename, Watch
from cartino_protocol.ids import read_code
from cartino_protocol.own_keys import Keys
from cartino_tui.arriving import kept_tables, name_missed
from cartino_tui.calling import YOUR_TURN
from cartino_tui.draw.canvas import Frame
from cartino_tui.games.description import titled
from cartino_tui.games.screen import AnyScreen, Look
from cartino_tui.keys import LOBBY, KeyTable
from cartino_tui.known import Known, entries
from cartino_tui.screens.account import AccountScreen
from cartino_tui.screens.base import HintRow, HouseScreen
from cartino_tui.screens.choosing import Choice
from cartino_tui.screens.form import new_form
from cartino_tui.screens.help import HelpScreen, lobby_help
from cartino_tui.screens.help_drawing import HelpModel
from cartino_tui.screens.history import HistoryScreen
from cartino_tui.screens.ignored import IgnoredScreen
from cartino_tui.screens.invitations import InvitationsScreen
from cartino_tui.screens.leaders import LeadersScreen
from cartino_tui.screens.lesson import LessonScreen
from cartino_tui.screens.lobby_drawing import LobbyModel, draw_lobby, entry_at, list_height, lobby_hints
from cartino_tui.screens.new_table import NewTableScreen
from cartino_tui.screens.parts import first_in_sight
from cartino_tui.screens.prompt import Ask
from cartino_tui.screens.question import Question
from cartino_tui.screens.settings import Preferred, SettingsScreen
from cartino_tui.screens.ssh_keys import SshKeysScreen
from cartino_tui.screens.stepping import step
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press, Tap

MOST_NAME = 16
MOST_CODE = 16
MOST_WORD = 64


class LobbyScreen(HouseScreen):
    """The list of tables, with a cursor that stays on its table once it was moved there."""

    def __init__(self, stage: Stage, known: Known) -> None:
        """The lobby as `known` has it."""
        super().__init__(stage, known)
        self.model = LobbyModel()
        self._moved = False
        self._wanted = ""
        self._new = True
        """Whether the house has not said yet who one is."""
        self.learned()

    def mark(self, code: str) -> None:
        """Put the cursor on the table `code`, now or when it comes into the list."""
        self._wanted = code
        self.learned()

    def learned(self) -> None:
        """The list, the name or the number of people is new."""
        # Until a key moved it the cursor stays on top: that is where one's own tables come in.
        chosen = self._moved and self.model.entries
        marked = self.model.entries[self.model.cursor].line.code if chosen else ""
        tables = entries(self.known)
        codes = [entry.line.code for entry in tables]
        if self._wanted in codes:
            marked, self._wanted, self._moved = self._wanted, "", True
        cursor = codes.index(marked) if marked in codes else self.model.cursor
        welcome, lobby = self.known.welcome, self.known.lobby
        if welcome is not None and self._new and welcome.missed:
            self.status = self.look.tongue.tell(name_missed(welcome))
        self._new = self._new and welcome is None
        self.model = LobbyModel(
            entries=tables,
            cursor=max(0, min(cursor, len(tables) - 1)),
            top=self.model.top,
            name=welcome.name if welcome else "",
            guest=welcome.guest if welcome else False,
            people=lobby.people if lobby else 0,
            arrived=lobby is not None,
            invited=len(self.known.invitations),
        )

    def draw(self, look: Look) -> Frame:
        """The list, scrolled so that the cursor is in sight."""
        model = self.model
        height = list_height(look, self._said)
        top = first_in_sight(model.top, model.cursor, len(model.entries), height)
        self.model = msgspec.structs.replace(model, top=top, status=self._said, link_time=self.link_time)
        return draw_lobby(self.model, look, self.stage.plugs, self.shown_hints())

    def keys(self) -> KeyTable:
        """The lobby's keys."""
        return LOBBY

    def hints(self) -> HintRow:
        """What can be done with the list as it is."""
        return lobby_hints(self.model)

    def press(self, press: Press) -> None:
        """Move the cursor, go to a table, or ask for what is needed to get to one."""
        action = LOBBY.action(press.key)
        by = step(action, list_height(self.look, self._said), len(self.model.entries))
        if by is not None:
            self._move(by)
            return
        match action:
            case "join":
                self._go(watch=False)
            case "watch":
                self._go(watch=True)
            case "quick":
                self.wish(self.stage.preferences.quick_play(self.known.welcome))
            case "quit":
                self._quit()
            case "back":
                self.question = Question(self.look.tongue.say("Leave the house?"), self._quit)
            case _:
                self._open(action)

    def tap(self, tap: Tap) -> None:
        """A click marks a table; a click on the marked one, or a double click, goes there."""
        number = entry_at(self.model, self.look, tap.y)
        if number is None:
            return
        again = number == self.model.cursor or tap.chain > 1
        self._move(number - self.model.cursor)
        if again:
            self._go(watch=False)

    def _open(self, action: str | None) -> None:
        """What opens something over the lobby."""
        match action:
            case "new":
                self._new_table()
            case "code":
                self.ask(self._ask_for_code())
            case "word":
                word = self.look.tongue.say("Your word to come back")
                self.ask(Ask(word, MOST_WORD, self._come_back, to=(Back.__name__,)))
            case "rename":
                name = self.look.tongue.say("Your name")
                self.ask(Ask(name, MOST_NAME, self._rename, self.model.name, to=(Rename.__name__,)))
            case "learn":
                self.teach()
            case "history":
                self._history()
            case "leaders":
                best = Leaders()
                self.wish(best)
                self.app.push_screen(LeadersScreen(self.stage, self.known, best))
            case "invited":
                self.app.push_screen(InvitationsScreen(self.stage, self.known))
            case "ignored":
                self.app.push_screen(IgnoredScreen(self.stage, self.known))
            case "keys" | "account":
                self._own(keys=action == "keys")
            case "settings":
                self.app.push_screen(SettingsScreen(self.stage, self.known))
            case "help":
                self.app.push_screen(HelpScreen(self.stage, self.known, self._help_model()))

    @property
    def _said(self) -> str:
        """What the status line says; where there is nothing else, whose turn it is, and how a newcomer learns."""
        waiting = [entry.line.code for entry in self.model.entries if entry.waits]
        if waiting and not self.news:
            return self._your_turn(waiting)
        kept = kept_tables(self.known.mine, self.look.tongue)
        if kept and not self.news:
            return kept
        new = not (self.stage.preferences.settings.taught or self.known.mine.rooms)
        if self.news or not (new and self.model.entries and self._taught_games()):
            # An empty house says so in its middle.
            return self.news
        return self.look.tongue.say("New here? Press h to learn a game in three minutes.")

    def _your_turn(self, waiting: list[str]) -> str:
        tongue = self.look.tongue
        if len(waiting) == 1:
            return tongue.say(YOUR_TURN, code=waiting[0])
        return tongue.count(
            "It is your turn at {n} table; it stands first.",
            "It is your turn at {n} tables; they stand first.",
            len(waiting),
        )

    def _taught_games(self) -> Sequence[AnyScreen]:
        """The games of the server that have lessons."""
        names = [game.name for game in self.known.welcome.games] if self.known.welcome else []
        plugs = (self.stage.plugs.get(name) for name in names)
        return [plug for plug in plugs if plug is not None and plug.lessons]

    def teach(self, game: str = "") -> None:
        """Open the lessons of `game`, or of one chosen from a list where several games have some."""
        taught = {plug.name: plug for plug in self._taught_games()}
        if not taught:
            self.status = self.look.tongue.say("There are no lessons here; ? has the rules.")
        elif game in taught:
            self._learn(taught[game])
        elif len(taught) == 1:
            self._learn(*taught.values())
        else:
            titles = [Choice(titled(taught, name, {}, self.look.tongue), "", name) for name in taught]
            heading = self.look.tongue.say("Lessons: which game?")
            self.choose(titles, lambda name: self._learn(taught[name]), heading)

    def _learn(self, plug: AnyScreen) -> None:
        if not self.stage.preferences.settings.taught:
            self.stage.preferences.choose(taught=True)
            self.post_message(Preferred())
        self.app.push_screen(LessonScreen(self.stage, self.known, plug, self._taught))

    def _taught(self) -> None:
        self.status = self.look.tongue.say("Now you know how to play: p plays at once.")
        self.redraw()

    def _move(self, by: int) -> None:
        self._moved, self._wanted = True, ""
        cursor = max(0, min(self.model.cursor + by, len(self.model.entries) - 1))
        self.model = msgspec.structs.replace(self.model, cursor=cursor)

    def _go(self, *, watch: bool) -> None:
        if not self.model.entries:
            self.status = self.look.tongue.say("There is no table yet: p plays now, n opens one.")
            return
        entry = self.model.entries[self.model.cursor]
        sits = entry.mine or (entry.free and not watch)
        self.wish(Join(entry.line.code) if sits else Watch(entry.line.code))

    def _ask_for_code(self) -> Ask:
        return Ask(
            self.look.tongue.say("The code, or: watch CODE"),
            MOST_CODE,
            self._enter_code,
            check=self._no_code,
            to=(Join.__name__, Watch.__name__),
        )

    def _no_code(self, text: str) -> str:
        """Why `text` leads to no table, "" where it may."""
        if _read_way(text) is not None:
            return ""
        return self.look.tongue.say("That is no code: a code is 4 or 8 letters and digits.")

    def _enter_code(self, text: str) -> None:
        command = _read_way(text)
        if command is not None:
            self.wish(command)

    def _come_back(self, word: str) -> None:
        self.wish(Back(word))

    def _rename(self, name: str) -> None:
        if name != self.model.name:
            self.wish(Rename(name), awaited=False)

    def _history(self) -> None:
        newest = History("all")
        self.wish(newest)
        self.app.push_screen(HistoryScreen(self.stage, self.known, newest))

    def _own(self, *, keys: bool) -> None:
        """What the server knows of one: by which keys, or all of it."""
        say = self.look.tongue.say
        if not self.stage.door.words:
            self.status = (
                say("In a house of your own machine there are no keys.")
                if keys
                else say("Nothing is kept of you at a table on your own machine.")
            )
            return
        guest = self.known.welcome is None or self.known.welcome.guest
        self.app.push_screen((SshKeysScreen if keys else AccountScreen)(self.stage, self.known))
        if not (keys and guest):
            self.wish(Keys() if keys else Account())

    def _new_table(self) -> None:
        form = new_form(self.known.welcome) if self.known.welcome else None
        if form is None:
            self.status = self.look.tongue.say(
                "The house has not said yet which games it has; try again in a moment."
            )
            return
        self.app.push_screen(NewTableScreen(self.stage, self.known, form))

    def _help_model(self) -> HelpModel:
        plugs = self.stage.plugs.values()
        return lobby_help(self.look.tongue, self.known.welcome, self.hints(), plugs)


def _read_way(text: str) -> Command | None:
    """What a code means, or `watch` and a code; None where there is none in `text`."""
    first, _, rest = text.partition(" ")
    watch = first.lower() == "watch" and bool(rest.strip())
    code = read_code(rest if watch else text)
    if code is None:
        return None
    return Watch(code) if watch else Join(code)
