"""The lobby in plain mode: open tables, and every way to one."""

from collections.abc import Callable, Sequence
from functools import partial

from cartino_protocol.accounts import (
    Account,
    Keys,
)
from cartino_protocol.base import parse_code
from cartino_protocol.commands import History, Join, Leaders, Profile, Watch
from cartino_protocol.deals import Daily, League, PlayDaily
from cartino_protocol.views import HistoryView, QueryAnswer, ReplayView
from cartino_tui.game_port.description import bot_levels
from cartino_tui.game_port.speech import find_word
from cartino_tui.pages.deals import today_sentence
from cartino_tui.pages.page import row_sentence
from cartino_tui.pages.tables import TABLES_PAGE
from cartino_tui.plain.lobby_commands import (
    answer_sentences,
    come_back,
    go_to_code,
    learn,
    online_sentences,
    rename,
    server_speeches,
    still_here,
    tell_rules,
    today_sentences,
    typed_command,
)
from cartino_tui.plain.lobby_menus import HistoryMenu, NewTableMenu, choose_game, language_menu
from cartino_tui.plain.menu import ConfirmMenu, LineMenu, MenuChoice, PlainContext, TextPrompt
from cartino_tui.plain.replay_menu import ReplayMenu
from cartino_tui.visit.messages import kept_tables_message
from cartino_tui.visit.state import ClientState, LobbyEntry, lobby_entries


class LobbyMenu(LineMenu):
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

    def opening(self) -> Sequence[str]:
        """Return who the person is, who is here, and where it is their turn."""
        context, translator = self.context, self.translator
        lobby = context.client_state.lobby
        if lobby is None:
            return (translator.gettext("Loading the lobby."),)
        people = translator.ngettext("{n} person is here", "{n} people are here", lobby.people)
        tables = translator.ngettext("{n} table", "{n} tables", len(lobby_entries(context.client_state)))
        lines = [
            translator.gettext(
                "You're {name}, in the lobby. {people}; {tables}.",
                name=context.name,
                people=people,
                tables=tables,
            )
        ]
        lines += [
            row_sentence(TABLES_PAGE, entry, context.reader)
            for entry in lobby_entries(context.client_state)
            if entry.waits
        ]
        lines += filter(None, [kept := kept_tables_message(context.client_state.mine, translator)])
        today = today_sentence(context.client_state.today, context.reader)
        lines += [f"{today}."] if today else []
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
        """Return every way from here."""
        gettext, command_words = self.translator.gettext, self.translator.command_words
        context = self.context

        def asking(question: str, then: Callable[[PlainContext, str], None]) -> Callable[[], None]:
            return lambda: context.push(TextPrompt(context, question, partial(then, context)))

        def open_new() -> None:
            if context.games:
                context.push(NewTableMenu(context, context.games))

        return (
            MenuChoice(
                gettext("play now, with someone who is waiting or with a bot"),
                lambda: context.send(
                    context.preferences.quick_play(context.client_state.welcome, bot_levels(context.speeches))
                ),
                command_words("play"),
            ),
            MenuChoice(
                gettext("list the tables"),
                lambda: context.push(TablesMenu(context)),
                command_words("list", "join", "watch"),
            ),
            MenuChoice(gettext("open a new table"), open_new, (*command_words("new"), "n")),
            MenuChoice(
                gettext("join a table by code"),
                asking(gettext("Table code?"), go_to_code),
                (*command_words("code"), "c"),
            ),
            MenuChoice(
                gettext("return to your seat with a resume code"),
                asking(gettext("Your resume code?"), come_back),
                (*command_words("word"), "b"),
            ),
            MenuChoice(
                gettext("change your name"),
                asking(gettext("Your new name, 2 to 16 characters?"), rename),
                command_words("name"),
            ),
            MenuChoice(
                gettext("play today's daily game, or go on with it"),
                partial(context.send, PlayDaily()),
                command_words("daily"),
            ),
            MenuChoice(
                gettext("results of today's daily game"),
                partial(context.send, Daily()),
                command_words("results"),
            ),
            MenuChoice(gettext("leagues"), partial(context.send, League()), command_words("league")),
            MenuChoice(
                gettext("finished games"), partial(context.send, History("all")), command_words("history")
            ),
            MenuChoice(
                gettext("leaderboard"), partial(context.send, Leaders()), (*command_words("ratings"), "top")
            ),
            MenuChoice(gettext("your profile"), partial(context.send, Profile()), command_words("profile")),
            MenuChoice(
                gettext("settings"), lambda: context.push(language_menu(context)), command_words("settings")
            ),
            *self._ways_to_learn(),
            MenuChoice(gettext("your SSH keys"), partial(context.send, Keys()), command_words("keys")),
            MenuChoice(
                gettext("your account: see what is stored about you, or delete it"),
                partial(context.send, Account()),
                command_words("account"),
            ),
            MenuChoice(
                gettext("who is online"),
                lambda: context.tell(*online_sentences(context)),
                command_words("who"),
            ),
            MenuChoice(
                gettext("the games of the last 24 hours"),
                lambda: context.tell(*today_sentences(context)),
                command_words("today"),
            ),
        )

    def _ways_to_learn(self) -> Sequence[MenuChoice]:
        """Lessons and rules; where several games have them, the next question is which."""
        gettext, command_words, context = self.translator.gettext, self.translator.command_words, self.context
        speeches = server_speeches(context)
        lessons = [speech.name for speech in speeches if speech.lessons]
        rules = [speech.name for speech in speeches if speech.rules]
        ways = (
            (gettext("how to play: lessons"), gettext("Lessons: which game?"), lessons, learn),
            (gettext("how to play: the rules"), gettext("Rules: which game?"), rules, tell_rules),
        )
        words = command_words("learn"), command_words("rules")
        return [
            MenuChoice(label, partial(choose_game, context, question, names, then), known)
            for (label, question, names, then), known in zip(ways, words, strict=True)
            if names
        ]

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
        then = typed_command(self.context, text) or next(named, None) or self._listed(text)
        if then is None:
            return None

        def leave_the_list() -> None:
            self.context.keep(1)
            then()

        return leave_the_list

    def free(self, text: str) -> bool:
        """Do commands that have a name or code with them, and those that leave."""
        leaves = find_word(("quit", "q", *self.translator.command_words("leave")), text) is not None
        meant = typed_command(self.context, text) or (self.context.leave if leaves else None)
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
            translator.gettext("keys lists your SSH keys, and how to add or remove one."),
            translator.gettext("ignore NAME mutes someone; ignored lists who you've muted."),
            translator.gettext(
                "What others do is announced at once, but never in the middle of a line you're typing. For that to "
                "work, connect with ssh -t."
            ),
        )
        self.offer()

    def handle_answer(self, answer: QueryAnswer) -> bool:
        """Open the finished games, ratings or profile that were asked for."""
        if isinstance(answer, HistoryView):
            self.context.push(HistoryMenu(self.context, answer))
            return True
        if isinstance(answer, ReplayView):
            self.context.push(ReplayMenu(self.context, answer))
            return True
        told = answer_sentences(self.context, answer)
        self.context.tell(*told)
        return bool(told)

    def state_changed(self, before: ClientState) -> None:
        """Open with the first list."""
        context = self.context
        # One's own tables come right behind the list, so all is here then.
        complete = context.client_state.mine is not before.mine and context.visit.has_fresh_lobby
        free = context.client_state.table is None and not context.waiting and context.topics[-1] is self
        if complete and free and not self.is_open:
            self.open()

    def _listed(self, text: str) -> Callable[[], None] | None:
        code = parse_code(text)
        listed = (entry for entry in lobby_entries(self.context.client_state) if entry.line.code == code)
        return next((partial(go_to, self.context, entry) for entry in listed), None)


class TablesMenu(LineMenu):
    """The tables as they were listed: a number means the same table until they are listed again."""

    def opening(self) -> Sequence[str]:
        """Return how to choose."""
        if not lobby_entries(self.context.client_state):
            return (self.translator.gettext("No tables are open. Type 3 in the lobby to open one."),)
        return (
            self.translator.gettext(
                "Which table? Type its number to take a free seat, or to watch if there is none. Type watch and "
                "its number just to watch."
            ),
        )

    def choices(self) -> Sequence[MenuChoice]:
        """Return the tables."""
        return [
            MenuChoice(
                row_sentence(TABLES_PAGE, entry, self.context.reader),
                partial(go_to, self.context, entry),
                (entry.line.code,),
            )
            for entry in lobby_entries(self.context.client_state)
        ]

    def open(self) -> None:
        """List them; go back where there is none."""
        super().open()
        if not self._offered:
            self.context.topics.remove(self)

    def free(self, text: str) -> bool:
        """Do `watch 2` and `join 2`; with a code they mean what they do in the lobby."""
        head, _, number = text.partition(" ")
        number = number.strip()
        watches = head == "w" or find_word(self.translator.command_words("watch"), head) is not None
        joins = find_word(self.translator.command_words("join"), head) is not None
        numbered = number.isascii() and number.isdigit() and 0 < int(number[:4]) <= len(self._offered)
        if not (watches or joins) or not numbered:
            return False
        (code,) = self._offered[int(number) - 1].words
        self.context.send(Watch(code) if watches else Join(code))
        return True


def go_to(context: PlainContext, entry: LobbyEntry) -> None:
    """Go to a listed table: sit down on an own or free seat, else watch."""
    code = entry.line.code
    context.send(Join(code) if entry.mine or entry.free else Watch(code))
