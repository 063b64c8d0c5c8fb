"""The lobby in plain mode: open tables, and every way to one."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from cartino_protocol.accounts import (
    Account,
    AccountView,
    AddKey,
    DeleteAccount,
    DropKey,
    KeyCode,
    Keys,
    KeysView,
)
from cartino_protocol.base import parse_code
from cartino_protocol.commands import Back, Decline, History, Join, Leaders, Profile, Rename, Watch
from cartino_protocol.text import N_
from cartino_protocol.views import HistoryView, LeadersView, ProfileView, QueryAnswer
from cartino_tui.draw.text import clean
from cartino_tui.game_port.description import easy_bots
from cartino_tui.game_port.speech import find_word
from cartino_tui.pages.account import ACCOUNT_PAGE, KEYS_PAGE
from cartino_tui.pages.page import page_sentences
from cartino_tui.pages.people import LEADERS_PAGE, PROFILE_PAGE
from cartino_tui.plain.lesson import LessonMenu
from cartino_tui.plain.lobby_menus import HistoryMenu, NewTableMenu, RulesMenu, language_menu
from cartino_tui.plain.menu import ConfirmMenu, LineMenu, MenuChoice, PlainContext, TextPrompt
from cartino_tui.plain.phrases import table_line
from cartino_tui.plain.table_commands import list_muted, mute, unmute
from cartino_tui.visit.messages import kept_tables_message
from cartino_tui.visit.state import ClientState, LobbyEntry, lobby_entries

_MAX_TYPED: Final = 64
"""Characters that the server reads of a key code or a name."""


class LobbyMenu(LineMenu):
    """Where a visit begins, and what lies under everything."""

    def __init__(self, floor: PlainContext) -> None:
        super().__init__(floor)
        self.is_open = False
        """Whether it was written since the person came here."""
        self.lessons_first: str | None = None
        """The game whose lessons come before the choices, "" for the first one; None for no lessons."""

    def open(self) -> None:
        """Begin the lessons, if the person came for them, else tell the lobby."""
        self.is_open = True
        asked, self.lessons_first = self.lessons_first, None
        if asked is None:
            super().open()
        else:
            self._learn(asked)

    def opening(self) -> Sequence[str]:
        """Who the person is, who is here, and where it is their turn."""
        floor, translator = self.floor, self.translator
        lobby = floor.known.lobby
        if lobby is None:
            return (translator.gettext("Loading the lobby."),)
        people = translator.ngettext("{n} person is here", "{n} people are here", lobby.people)
        tables = translator.ngettext("{n} table", "{n} tables", len(lobby_entries(floor.known)))
        lines = [
            translator.gettext(
                "You're {name}, in the lobby. {people}; {tables}.",
                name=floor.name,
                people=people,
                tables=tables,
            )
        ]
        lines += [table_line(floor, entry) for entry in lobby_entries(floor.known) if entry.waits]
        lines += filter(None, [kept := kept_tables_message(floor.known.mine, translator)])
        lessons = self._games_with_lessons()
        if lessons and floor.preferences.is_offered_lessons and not (floor.known.mine.rooms or kept):
            # Once is enough: it stands among the choices.
            floor.preferences.choose(taught=True)
            floor.save_settings()
            game = floor.title(lessons[0], {})
            lines.append(
                translator.gettext("New here? Type learn to learn {game} in three minutes.", game=game)
            )
        return lines

    def choices(self) -> Sequence[MenuChoice]:
        """Every way from here."""
        gettext, command_words = self.translator.gettext, self.translator.command_words
        floor = self.floor
        return (
            MenuChoice(
                gettext("play now, with someone who is waiting or with a bot"),
                lambda: floor.say(
                    floor.preferences.quick_play(floor.known.welcome, easy_bots(floor.speeches))
                ),
                command_words("play"),
            ),
            MenuChoice(
                gettext("list the tables"),
                lambda: floor.push(TablesMenu(floor)),
                command_words("list", "join", "watch"),
            ),
            MenuChoice(gettext("open a new table"), self._new, (*command_words("new"), "n")),
            MenuChoice(gettext("join a table by code"), self._ask_code, (*command_words("code"), "c")),
            MenuChoice(
                gettext("return to your seat with a resume code"),
                self._ask_word,
                (*command_words("word"), "b"),
            ),
            MenuChoice(gettext("change your name"), self._ask_name, command_words("name")),
            MenuChoice(
                gettext("finished games"), partial(floor.say, History("all")), command_words("history")
            ),
            MenuChoice(
                gettext("leaderboard"), partial(floor.say, Leaders()), (*command_words("ratings"), "top")
            ),
            MenuChoice(gettext("your profile"), partial(floor.say, Profile()), command_words("profile")),
            MenuChoice(
                gettext("settings"), lambda: floor.push(language_menu(floor)), command_words("settings")
            ),
            *(
                MenuChoice(
                    gettext("how to play {game}: lessons", game=floor.title(game, {})),
                    partial(self._learn, game),
                    command_words("learn"),
                )
                for game in self._games_with_lessons()
            ),
            *(
                MenuChoice(
                    gettext("how to play {game}: the rules", game=floor.title(game, {})),
                    partial(self._tell_rules, game),
                    command_words("rules"),
                )
                for game in self._games_with_rules()
            ),
            MenuChoice(gettext("your SSH keys"), partial(floor.say, Keys()), command_words("keys")),
            MenuChoice(
                gettext("your account: see what is stored about you, or delete it"),
                partial(floor.say, Account()),
                command_words("account"),
            ),
            MenuChoice(gettext("who is online"), self._who, command_words("who")),
        )

    def _who(self) -> None:
        """Name the place and the people online; an older server only counts them."""
        known, translator = self.floor.known, self.translator
        names = known.online.names
        people = max(known.lobby.people if known.lobby is not None else 0, len(names))
        told = translator.ngettext("{n} person is online", "{n} people are online", people)
        shown = ", ".join(map(clean, names))
        if len(names) < people and names:
            shown = translator.gettext("{names} and {n} more", names=shown, n=people - len(names))
        sentence = translator.gettext("{people}: {names}.", people=told, names=shown) if names else f"{told}."
        place = clean(known.summary.place) if known.summary is not None else ""
        here = (translator.gettext("This is {place}.", place=place),) if place else ()
        self.floor.tell(*here, sentence, self._still_here())

    def back(self) -> str:
        """What 0 does: quit."""
        return self.translator.gettext("quit")

    def go_back(self) -> None:
        """Ask whether to quit: elsewhere 0 goes one step back, and not everybody knows where they are."""
        question = self.translator.gettext("Quit?")
        self.floor.push(ConfirmMenu(self.floor, question, self.floor.leave, self._still_here()))

    def _learn(self, name: str) -> None:
        """Begin the lessons of the game of that name, or of the first one, and remember that they were found."""
        games, preferences = self._games_with_lessons(), self.floor.preferences
        found = next((game for game in games if name.casefold() in {"", game}), None)
        if found is None:
            self.floor.explain(N_("There are no lessons here. Type rules for the rules."))
            return
        if not preferences.settings.taught:
            preferences.choose(taught=True)
            self.floor.save_settings()
        self.floor.push(LessonMenu(self.floor, self.floor.speeches[found]))

    def _tell_rules(self, name: str) -> None:
        speech = self.floor.speeches[name]
        chapters = tuple(section.said(self.translator) for section in speech.rules)
        self.floor.push(RulesMenu(self.floor, self.floor.title(name, {}), chapters))

    def word(self, text: str) -> Callable[[], None] | None:
        """Return what `text` does from a list above the lobby, closing that list."""
        named = (each.then for each in self.choices() if find_word(each.words, text) is not None)
        then = self._meant(text) or next(named, None) or self._listed(text)
        if then is None:
            return None

        def leave_the_list() -> None:
            self.floor.keep(1)
            then()

        return leave_the_list

    def free(self, text: str) -> bool:
        """The words that take what they need along, and those that leave."""
        meant = self._meant(text) or self._leaving(text)
        if meant is not None:
            meant()
        return meant is not None

    def _meant(self, text: str) -> Callable[[], None] | None:
        """What `join CODE`, `watch CODE`, `profile NAME`, `back WORD` and such do."""
        command_words, say = self.translator.command_words, self.floor.say
        head, _, rest = text.partition(" ")
        rest = rest.strip()
        if find_word(command_words("ignored"), text) is not None:
            return partial(list_muted, self.floor)
        # Without a name these two say what is wanted.
        if find_word(command_words("ignore"), head) is not None:
            return partial(mute, self.floor, rest)
        if find_word(command_words("unignore"), head) is not None:
            return partial(unmute, self.floor, rest)
        if not rest:
            return None
        for words, then in (
            (command_words("join", "code"), partial(self._join, rest)),
            (command_words("watch"), partial(self._watch, rest)),
            (command_words("name"), partial(self._rename, rest)),
            ((*command_words("back"), "b"), partial(self._come_back, rest)),
            (command_words("profile"), partial(say, Profile(rest[:1000]))),
            (command_words("decline"), partial(say, Decline(rest[:64]), awaited=False)),
            ((*command_words("ratings"), "top"), partial(say, Leaders(rest.casefold()[:64]))),
            (command_words("learn"), partial(self._learn, rest)),
            (command_words("keys"), partial(self._keys, rest)),
            (command_words("account"), partial(self._account, rest)),
        ):
            if find_word(words, head) is not None:
                return then
        return None

    def otherwise(self, text: str) -> None:
        """The code of a table that is listed, behind all words: a code may look like one."""
        (self._listed(text) or partial(super().otherwise, text))()

    def help(self) -> None:
        """What can be typed here and everywhere."""
        translator = self.translator
        self.floor.tell(
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

    def answered(self, answer: QueryAnswer) -> bool:
        """The finished games, the ratings or the profile that was asked for."""
        match answer:
            case HistoryView():
                self.floor.push(HistoryMenu(self.floor, answer))
            case LeadersView():
                self.floor.tell(*page_sentences(LEADERS_PAGE, answer, self.floor.reader), self._still_here())
            case ProfileView():
                self.floor.tell(*page_sentences(PROFILE_PAGE, answer, self.floor.reader), self._still_here())
            case AccountView():
                self.floor.tell(
                    *page_sentences(ACCOUNT_PAGE, answer, self.floor.reader), self._account_words(answer)
                )
            case KeysView():
                self.floor.tell(
                    *page_sentences(KEYS_PAGE, answer, self.floor.reader), self._key_words(answer)
                )
            case _:
                return False
        return True

    def _account_words(self, view: AccountView) -> str:
        """What can be typed about the account."""
        if view.guest:
            return self._still_here()
        return self.translator.gettext(
            "account delete, followed by your name, deletes your account for good."
        )

    def _account(self, text: str) -> None:
        head, _, name = text.partition(" ")
        if name and find_word(self.translator.command_words("delete"), head) is not None:
            self.floor.say(DeleteAccount(name.strip().removeprefix("--yes ").strip()[:_MAX_TYPED]))
        else:
            self.floor.say(Account())

    def _key_words(self, view: KeysView) -> str:
        """What can be typed about keys."""
        if view.done:
            return self._still_here()
        return self.translator.gettext(
            "keys code makes a code for another key, keys add CODE uses one, and keys drop followed by eight "
            "letters of a key's name removes that key."
        )

    def _keys(self, text: str) -> None:
        head, _, rest = text.partition(" ")
        translator = self.translator
        if find_word(translator.command_words("code"), text) is not None:
            self.floor.say(KeyCode())
        elif rest and find_word(translator.command_words("add"), head) is not None:
            self.floor.say(AddKey(rest.strip()[:_MAX_TYPED]))
        elif rest and find_word(translator.command_words("drop"), head) is not None:
            self.floor.say(DropKey(rest.strip()[:_MAX_TYPED]))
        else:
            self.floor.say(Keys())

    def state_changed(self, before: ClientState) -> None:
        """Open with the first list."""
        floor = self.floor
        # One's own tables come right behind the list, so all is here then.
        complete = floor.known.mine is not before.mine and floor.visit.has_fresh_lobby
        free = floor.known.room is None and not floor.waiting and floor.topics[-1] is self
        if complete and free and not self.is_open:
            self.open()

    # What the choices do.

    def _leaving(self, text: str) -> Callable[[], None] | None:
        leaving = ("quit", "q", *self.translator.command_words("leave"))
        return None if find_word(leaving, text) is None else self.floor.leave

    def _listed(self, text: str) -> Callable[[], None] | None:
        code = parse_code(text)
        listed = (entry for entry in lobby_entries(self.floor.known) if entry.line.code == code)
        return next((partial(go_to, self.floor, entry) for entry in listed), None)

    def _still_here(self) -> str:
        return self.translator.gettext("You're in the lobby. An empty line repeats the choices.")

    def _games_with_rules(self) -> Sequence[str]:
        speeches = self.floor.speeches
        return [game.name for game in self.floor.games if game.name in speeches and speeches[game.name].rules]

    def _games_with_lessons(self) -> Sequence[str]:
        speeches = self.floor.speeches
        return [
            game.name for game in self.floor.games if game.name in speeches and speeches[game.name].lessons
        ]

    def _new(self) -> None:
        if self.floor.games:
            self.floor.push(NewTableMenu(self.floor, self.floor.games))

    def _ask_code(self) -> None:
        self.floor.push(TextPrompt(self.floor, self.translator.gettext("Table code?"), self._join))

    def _ask_word(self) -> None:
        self.floor.push(TextPrompt(self.floor, self.translator.gettext("Your resume code?"), self._come_back))

    def _ask_name(self) -> None:
        question = self.translator.gettext("Your new name, 2 to 16 characters?")
        self.floor.push(TextPrompt(self.floor, question, self._rename))

    def _join(self, typed: str) -> None:
        self._go(typed, watch=False)

    def _watch(self, typed: str) -> None:
        self._go(typed, watch=True)

    def _go(self, typed: str, *, watch: bool) -> None:
        code = parse_code(typed)
        if code is None:
            self.floor.explain(N_("A code has four or eight letters or digits, like K7QP."))
        else:
            self.floor.say(Watch(code) if watch else Join(code))

    def _come_back(self, word: str) -> None:
        self.floor.say(Back(word[:64]))

    def _rename(self, name: str) -> None:
        self.floor.say(Rename(name), awaited=False)


class TablesMenu(LineMenu):
    """The tables as they were listed: a number means the same table until they are listed again."""

    def opening(self) -> Sequence[str]:
        """How to choose."""
        if not lobby_entries(self.floor.known):
            return (self.translator.gettext("No tables are open. Type 3 in the lobby to open one."),)
        return (
            self.translator.gettext(
                "Which table? Type its number to take a free seat, or to watch if there is none. Type watch and "
                "its number just to watch."
            ),
        )

    def choices(self) -> Sequence[MenuChoice]:
        """The tables."""
        return [
            MenuChoice(table_line(self.floor, entry), partial(go_to, self.floor, entry), (entry.line.code,))
            for entry in lobby_entries(self.floor.known)
        ]

    def open(self) -> None:
        """List them; go back where there is none."""
        super().open()
        if not self._offered:
            self.floor.topics.remove(self)

    def free(self, text: str) -> bool:
        """`watch 2` and `join 2`; with a code they mean here what they do in the lobby."""
        head, _, number = text.partition(" ")
        number = number.strip()
        watches = head == "w" or find_word(self.translator.command_words("watch"), head) is not None
        joins = find_word(self.translator.command_words("join"), head) is not None
        numbered = number.isascii() and number.isdigit() and 0 < int(number[:4]) <= len(self._offered)
        if not (watches or joins) or not numbered:
            return False
        (code,) = self._offered[int(number) - 1].words
        self.floor.say(Watch(code) if watches else Join(code))
        return True


def go_to(floor: PlainContext, entry: LobbyEntry) -> None:
    """Go to a listed table: sit down on an own or free seat, else watch."""
    code = entry.line.code
    floor.say(Join(code) if entry.mine or entry.free else Watch(code))
