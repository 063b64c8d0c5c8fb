"""The games that are over: all, one's own, those of a player; from here each can be looked at again."""

from typing import Literal

import msgspec

from cartino_protocol.commands import History, Replay, tag_of
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import HistoryView, ReplayView, Told
from cartino_tui.draw.canvas import Frame
from cartino_tui.farewell import UNREADABLE
from cartino_tui.games.screen import Look
from cartino_tui.keys import HISTORY, KeyTable
from cartino_tui.known import Known
from cartino_tui.reel import HouseReel
from cartino_tui.screens.base import HintRow, HouseScreen, Quit
from cartino_tui.screens.help import HelpScreen, history_help
from cartino_tui.screens.history_drawing import (
    HistoryModel,
    draw_history,
    game_at,
    history_hints,
    list_height,
)
from cartino_tui.screens.parts import first_in_sight
from cartino_tui.screens.prompt import Ask
from cartino_tui.screens.replay import ReplayScreen
from cartino_tui.screens.stepping import step
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press, Tap

MOST_NAME = 16


class HistoryScreen(HouseScreen):
    """A list of finished games with a cursor. What is shown changes with the house's answer, not before it."""

    def __init__(self, stage: Stage, known: Known, asked: History) -> None:
        """The list that the house was just `asked` for."""
        super().__init__(stage, known)
        self.model = HistoryModel(of=asked.of, name=asked.name)
        self._asked: History | Replay | None = asked

    def draw(self, look: Look) -> Frame:
        """The list, scrolled so that the cursor is in sight."""
        model = self.model
        top = first_in_sight(model.top, model.cursor, len(model.games), list_height(look, self.news))
        self.model = msgspec.structs.replace(
            model, top=top, waiting=self._asked is not None, status=self.news
        )
        return draw_history(self.model, look, self.stage.plugs, self.shown_hints())

    def keys(self) -> KeyTable:
        """The list's keys."""
        return HISTORY

    def hints(self) -> HintRow:
        """What can be done with the list as it is."""
        return history_hints(self.model)

    def press(self, press: Press) -> None:
        """Move the cursor, look at a game, or ask for another list."""
        action = HISTORY.action(press.key)
        by = step(action, list_height(self.look, self.news), len(self.model.games))
        match action:
            case "down" | "page-down" if by is not None:
                self._move_on(by)
            case _ if by is not None:
                self._move(by)
            case "open":
                self._replay()
            case "export":
                self._tell_export()
            case "help":
                self.app.push_screen(
                    HelpScreen(self.stage, self.known, history_help(self.look.tongue, self.hints()))
                )
            case "back":
                self.app.pop_screen()
            case _:
                self._list(action)

    def tap(self, tap: Tap) -> None:
        """A click marks a game; a click on the marked one, or a double click, replays it."""
        number = game_at(self.model, self.look, tap.y)
        if number is None:
            return
        again = number == self.model.cursor or tap.chain > 1
        self._move(number - self.model.cursor)
        if again:
            self._replay()

    def answered(self, answer: Told) -> bool:
        """The list or the game that was asked for is here."""
        asked, self._asked = self._asked, None
        match asked, answer:
            case History(), HistoryView():
                self._take_list(asked, answer)
            case Replay(), ReplayView():
                self._open(answer)
            case _:
                self._asked = asked
                return False
        return True

    def refused(self, refusal: Refusal) -> bool:
        """Nothing comes of what was asked; what is shown stays."""
        if self._asked is not None and refusal.to in {"", tag_of(self._asked)}:
            self._asked = None
        return super().refused(refusal)

    # Lists.

    def _list(self, action: str | None) -> None:
        match action, self.model.of:
            case ("all", _) | ("next", "player"):
                self._ask_list("all")
            case ("mine", _) | ("next", "all"):
                self._ask_list("mine")
            case "player" | "next", _:
                self.ask(Ask(self.look.tongue.say("Games of"), MOST_NAME, self._list_player))

    def _list_player(self, name: str) -> None:
        self._ask_list("player", name)

    def _ask_list(self, of: Literal["all", "mine", "player"], name: str = "") -> None:
        self._wait_for(History(of, name))

    def _take_list(self, asked: History, view: HistoryView) -> None:
        before = self.model.games if asked.before else ()
        games = (*before, *view.games)
        self.model = HistoryModel(
            of=view.of,
            name=view.name,
            games=games,
            more=view.more,
            pruned=view.pruned,
            cursor=min(len(before), max(0, len(games) - 1)),
            top=self.model.top if before else 0,
            arrived=True,
        )

    def _move(self, by: int) -> None:
        cursor = max(0, min(self.model.cursor + by, len(self.model.games) - 1))
        self.model = msgspec.structs.replace(self.model, cursor=cursor)

    def _move_on(self, by: int) -> None:
        """Down; from the last game of those that are here, to the older ones in the house."""
        model = self.model
        if model.more and model.cursor == len(model.games) - 1:
            self._wait_for(History(model.of, model.name, model.games[-1].number))
        else:
            self._move(by)

    # The marked game.

    def _replay(self) -> None:
        if self.model.games:
            self._wait_for(Replay(self.model.games[self.model.cursor].name))

    def _open(self, view: ReplayView) -> None:
        game = view.room.game
        plug = self.stage.plugs.get(game)
        if plug is None:
            self.status = self.look.tongue.say(
                "This program is too old to show a game of {game}; that needs a newer one.", game=game
            )
            return
        try:
            self.app.push_screen(ReplayScreen(self.stage, self.known, HouseReel(view), plug))
        except msgspec.DecodeError:
            self.post_message(Quit(UNREADABLE))

    def _tell_export(self) -> None:
        if self.model.games:
            name = self.model.games[self.model.cursor].name
            export = self.stage.door.export(name)
            self.status = self.look.tongue.say("Its record, in a file: {command}", command=export)

    def _wait_for(self, command: History | Replay) -> None:
        self._asked = command
        self.wish(command)
