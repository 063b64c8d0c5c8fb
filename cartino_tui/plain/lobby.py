"""The lobby in plain mode: open tables, and every way to one."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from cartino_protocol.base import parse_code
from cartino_protocol.text import N_
from cartino_tui.game_port.description import bot_levels
from cartino_tui.game_port.speech import find_word
from cartino_tui.key_table import KeyRow
from cartino_tui.keys import LOBBY
from cartino_tui.pages.deals import today_sentence
from cartino_tui.pages.new_table import new_form
from cartino_tui.pages.page import row_sentence
from cartino_tui.pages.tables import TABLES_PAGE
from cartino_tui.plain.lobby_commands import (
    learn,
    online_sentences,
    server_speeches,
    still_here,
    tell_rules,
    typed_command,
)
from cartino_tui.plain.lobby_menus import NewTableMenu, choose_game, language_menu
from cartino_tui.plain.menu import ConfirmMenu, MenuChoice, PlainContext
from cartino_tui.plain.page_menu import ActionMenu, TablesMenu, action_words
from cartino_tui.visit.messages import kept_tables_message
from cartino_tui.visit.state import ClientState, lobby_entries

_ENTRIES: Final = (
    *("quick", "list", "new", "code", "word", "rename", "daily", "history", "leaders", "invited", "settings"),
    *("learn", "rules", "keys", "account", "ignored", "who"),
)
"""The actions of the lobby that are choices here, in their order."""
_ROWS: Final = {
    row.action: row
    for row in (
        *LOBBY.rows,
        KeyRow("list", (), "", N_("list the tables")),
        KeyRow("settings", ("o",), "", N_("choose your language")),
        KeyRow("rules", (), "", N_("read the rules")),
        KeyRow("who", (), "", N_("who is online")),
    )
}
"""The keys of the lobby's screen, and what is only here."""


class LobbyMenu(ActionMenu):
    """Where a visit begins, and what lies under everything."""

    def __init__(self, context: PlainContext) -> None:
        super().__init__(context)
        self.is_open = False
        """Whether it was written since the person came here."""
        self._lessons_first: str | None = None
        """The game whose lessons come before the choices, "" for the first one; None for no lessons."""

    def ask_for_lessons(self, game: str) -> None:
        """Begin with the lessons of `game`, "" for the first one, when this opens next."""
        self._lessons_first = game

    def open(self) -> None:
        """Begin the lessons, if the person came for them, else tell the lobby."""
        self.is_open = True
        asked, self._lessons_first = self._lessons_first, None
        if asked is None:
            super().open()
        else:
            learn(self.context, asked)

    def resume(self) -> None:
        """Say where the person is."""
        self.context.tell(still_here(self.translator))

    def opening(self) -> Sequence[str]:
        """Return who the person is, who is here, and where it is their turn."""
        context, translator, entries = self.context, self.translator, lobby_entries(self.context.client_state)
        lobby = context.client_state.lobby
        if lobby is None:
            return (translator.gettext("Loading the lobby."),)
        people = translator.ngettext("{n} person is here", "{n} people are here", lobby.people)
        tables = translator.ngettext("{n} table", "{n} tables", len(entries))
        who = N_("You're {name}, in the lobby. {people}; {tables}.")
        kept = kept_tables_message(context.client_state.mine, translator)
        today = today_sentence(context.client_state.today, context.reader)
        lines = [
            translator.gettext(who, name=context.name, people=people, tables=tables),
            *(row_sentence(TABLES_PAGE, entry, context.reader) for entry in entries if entry.waits),
            kept,
            f"{today}." if today else "",
        ]
        lessons = [speech for speech in server_speeches(context) if speech.lessons]
        if (
            lessons
            and context.preferences.is_offered_lessons
            and not (context.client_state.mine.tables or kept)
        ):
            # Once is enough: it stands among the choices.
            context.preferences.choose(taught=True)
            context.save_settings()
            game = context.title(lessons[0].name, {})
            lines.append(
                translator.gettext("New here? Type learn to learn {game} in three minutes.", game=game)
            )
        return lines

    def choices(self) -> Sequence[MenuChoice]:
        """Return every way from here: what the keys of the lobby's screen do, and what is only here."""
        context, actions = self.context, TABLES_PAGE.actions
        speeches = server_speeches(context)
        lessons = [speech.name for speech in speeches if speech.lessons]
        rules = [speech.name for speech in speeches if speech.rules]
        own: dict[str, Callable[[], None]] = {
            "quick": self._play_now,
            "list": self._list_tables,
            "new": self._open_new,
            "settings": lambda: context.push(language_menu(context)),
            "learn": lambda: choose_game(context, N_("Lessons: which game?"), lessons, learn),
            "rules": lambda: choose_game(context, N_("Rules: which game?"), rules, tell_rules),
            "who": lambda: context.tell(*online_sentences(context)),
        }
        rows = (
            _ROWS[name] for name in _ENTRIES if (name != "learn" or lessons) and (name != "rules" or rules)
        )
        return [
            MenuChoice(
                self.translator.gettext(row.help or row.what),
                own.get(row.action) or partial(self.run, actions[row.action]),
                action_words(row, self.translator),
            )
            for row in rows
        ]

    def _play_now(self) -> None:
        context = self.context
        levels = bot_levels(context.speeches)
        context.send(context.preferences.quick_play(context.client_state.welcome, levels))

    def _list_tables(self) -> None:
        self.context.push(TablesMenu(self.context, TABLES_PAGE))

    def _open_new(self) -> None:
        welcome = self.context.client_state.welcome
        form = None if welcome is None else new_form(welcome, bot_levels(self.context.speeches))
        if form is not None:
            self.context.push(NewTableMenu(self.context, form))

    def back_label(self) -> str:
        """Return what 0 does: quit."""
        return self.translator.gettext("quit")

    def go_back(self) -> None:
        """Ask whether to quit: elsewhere 0 goes one step back, and not everybody knows where they are."""
        question = self.translator.gettext("Quit?")
        self.context.push(
            ConfirmMenu(self.context, question, self.context.leave, still_here(self.translator))
        )

    def word(self, text: str) -> Callable[[], None] | None:
        """Return what `text` does from a list above the lobby, closing that list."""
        named = (each.then for each in self.choices() if find_word(each.words, text) is not None)
        then = self._typed(text) or next(named, None) or self._listed(text)
        if then is None:
            return None

        def leave_the_list() -> None:
            self.context.keep(1)
            then()

        return leave_the_list

    def free(self, text: str) -> bool:
        """Do commands that have a name or code with them, and those that leave."""
        leaves = find_word(("quit", "q", *self.translator.command_words("leave")), text) is not None
        meant = self._typed(text) or (self.context.leave if leaves else None)
        if meant is not None:
            meant()
        return meant is not None

    def handle_unknown_line(self, text: str) -> None:
        """Take the code of a listed table, after all words: a code may look like one."""
        (self._listed(text) or partial(super().handle_unknown_line, text))()

    def help(self) -> None:
        """Tell what can be typed here and everywhere."""
        translator = self.translator
        self.context.tell(
            translator.gettext("Type the number or the word of a choice. An empty line repeats the choices."),
            translator.gettext(
                "0 goes back; in a game, type leave instead. Type help to hear what you can do now."
            ),
            translator.gettext("join CODE and watch CODE take you to a table; name NAME changes your name."),
            translator.gettext("profile NAME gives a player's profile."),
            translator.gettext("ignore NAME mutes someone; ignored lists who you've muted."),
            translator.gettext(
                "What others do is announced at once, but never in the middle of a line you're typing. For that to "
                "work, connect with ssh -t."
            ),
        )
        self.offer()

    def state_changed(self, before: ClientState) -> None:
        """Open with the first list."""
        context = self.context
        # One's own tables come right behind the list, so all is here then.
        complete = context.client_state.mine is not before.mine and context.visit.has_fresh_lobby
        free = context.client_state.table is None and not context.waiting and context.topics[-1] is self
        if complete and free and not self.is_open:
            self.open()

    def _typed(self, text: str) -> Callable[[], None] | None:
        lists = find_word(self.translator.command_words("join", "watch"), text) is not None
        return self._list_tables if lists else typed_command(self.context, text)

    def _listed(self, text: str) -> Callable[[], None] | None:
        code, join = parse_code(text), TABLES_PAGE.actions["join"]
        listed = (entry for entry in lobby_entries(self.context.client_state) if entry.line.code == code)
        return next((partial(self.run, join, None, entry) for entry in listed), None)
