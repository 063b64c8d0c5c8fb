"""The waiting room: take a seat, invite people, cut the shuffle, and start the game."""

from cartino_protocol.commands import Invite, Leave, Sit, Stand, Start
from cartino_protocol.views import TableView
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import AnyScreen, Look
from cartino_tui.keys import WAITING
from cartino_tui.screens.chat import RecentChat, can_mute, chat_prompt
from cartino_tui.screens.table_actions import TABLE_OVERLAYS, copy_join_command
from cartino_tui.screens.waiting_drawing import (
    WaitingDrawing,
    WaitingModel,
    waiting_actions,
    waiting_drawing,
    waiting_hints,
)
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import AppScreen, HintRow
from cartino_tui.widgets.help import HelpScreen, cut_prompt, waiting_help
from cartino_tui.widgets.prompt import Prompt

MAX_NAME = 16


class WaitingScreen(AppScreen):
    """The table before a game: take seats, share the code, cut the shuffle."""

    KEYS = WAITING
    SHOWS_CHAT = True

    def __init__(
        self,
        context: AppContext,
        known: ClientState,
        table: TableView,
        game_screen: AnyScreen,
        begun: str | None = None,
    ) -> None:
        """Create the screen for `table`; `begun` is a half-typed chat line."""
        super().__init__(context, known)
        self.table = table
        self.game_screen = game_screen
        self._begun = begun
        free = (number for number, seat in enumerate(table.seats) if seat.kind == "empty")
        self.cursor = table.you if table.you is not None else next(free, 0)
        self._heard = RecentChat(newest=0)
        self._drawn: WaitingDrawing | None = None
        """What is shown: clicks refer to it."""

    def on_mount(self) -> None:
        """Reopen a half-typed chat line."""
        if self._begun is not None:
            self.ask(chat_prompt(self, self.known.chat, self._begun))

    def state_changed(self) -> None:
        """Show the new table."""
        table = self.known.table
        if table is not None:
            if (table.seats, table.owner) != (self.table.seats, self.table.owner):
                # It was about the old seating.
                self.status = ""
            self.table = table
            self.cursor = min(self.cursor, len(self.table.seats) - 1)

    def draw(self, look: Look) -> Frame:
        """Draw the table."""
        self._drawn = waiting_drawing(self._model(look), look)
        return self._drawn.frame()

    def _model(self, look: Look) -> WaitingModel:
        table, game_screen = self.table, self.game_screen
        seated = {seat.name for seat in table.seats}
        game = game_screen.title_of(table.options, self.look.translator)
        return WaitingModel(
            table=table,
            title=look.translator.gettext("{game}: table {code}", game=game, code=table.code),
            cursor=self.cursor,
            said=self._heard.format_newest_lines(self.known.chat, look.translator),
            status=self.status_text,
            lead=self.lead,
            shell_commands=self.context.shell_commands,
            word=self.known.welcome.word if self.known.welcome else "",
            hints=self.shown_hints(),
            chance=game_screen.chance_of(table.options),
            rules=tuple(
                part.translate_section(look.translator) for part in game_screen.rules_of(table.options)
            ),
            online=tuple(name for name in self.known.online.names if name not in seated),
        )

    def hints(self) -> HintRow:
        """Return the hints for what can be done now."""
        return waiting_hints(self.table, sure=self.game_screen.chance_of(self.table.options) is None)

    def can(self, action: str) -> bool:
        """Return whether `action` does something at this seat, or to a spectator."""
        if action == "copy":
            return bool(self.context.shell_commands.words)
        if action not in {"sit", "stand", "start", "cut", "invite"}:
            return can_mute(action, self.known)
        sure = self.game_screen.chance_of(self.table.options) is None
        return action in waiting_actions(self.table, sure=sure)

    def press(self, press: Press) -> None:
        """Handle a key."""
        action = WAITING.action(press.key)
        match action:
            case "up":
                self.cursor = (self.cursor - 1) % len(self.table.seats)
            case "down":
                self.cursor = (self.cursor + 1) % len(self.table.seats)
            case "sit":
                self._sit(self.cursor)
            case "stand":
                self.send(Stand())
            case "start":
                self.send(Start())
            case "cut":
                self._ask_for_cut()
            case "invite" | "copy":
                self._call_friends(by_name=action == "invite")
            case "chat":
                self.ask(chat_prompt(self, self.known.chat))
            case "help":
                self._help()
            case str(over) if over in TABLE_OVERLAYS:
                self.app.push_screen(TABLE_OVERLAYS[over](self.context, self.known))
            case "leave":
                self.send(Leave())
            case "number":
                self._sit(int(press.key) - 1)

    def tap(self, tap: Tap) -> None:
        """Select a seat; take the selected one or one that is double-clicked."""
        seat = self._drawn.seat_at(tap.x, tap.y) if self._drawn is not None else None
        if seat is None:
            return
        if seat == self.cursor or tap.chain > 1:
            self._sit(seat)
        self.cursor = seat

    def _help(self) -> None:
        help = waiting_help(
            self.game_screen,
            self.table,
            self.known.welcome,
            self.context.shell_commands,
            self.look.translator,
            self.hints(),
        )
        self.app.push_screen(HelpScreen(self.context, self.known, help))

    def _call_friends(self, *, by_name: bool) -> None:
        """Ask whom to invite, or copy the join command."""
        translator = self.look.translator
        if by_name:
            self.ask(
                Prompt(translator.gettext("Invite whom?"), MAX_NAME, self._invite, to=(Invite.__name__,))
            )
        else:
            self.status = copy_join_command(self, self.table)

    def _invite(self, name: str) -> None:
        self.send(Invite(name), awaited=False)

    def _sit(self, seat: int) -> None:
        translator, seats = self.look.translator, len(self.table.seats)
        if seat >= seats:
            self.status = translator.ngettext("This table has {n} seat.", "This table has {n} seats.", seats)
        elif seat == self.table.you:
            self.status = translator.gettext("You're already sitting there.")
        elif self.table.you is not None:
            self.status = translator.gettext("You already have a seat. Press u to give it up.")
        elif self.table.seats[seat].kind != "empty":
            self.status = translator.gettext("That seat is taken. Choose a free one.")
        else:
            self.cursor = seat
            self.send(Sit(seat))

    def _ask_for_cut(self) -> None:
        translator = self.look.translator
        if self.table.you is None:
            self.status = translator.gettext(
                "Only seated players can add text to the shuffle; take a seat first."
            )
        else:
            self.ask(cut_prompt(lambda cut: self.send(cut, awaited=False), translator))
