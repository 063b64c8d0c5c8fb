"""The commands that work at every table: chat, who, invite, ignore, report, pause, rematch, rules."""

from collections.abc import Callable, Mapping
from functools import partial

from cartino_protocol.commands import Cut, Ignore, Invite, Pause, Rematch, Report, Say
from cartino_protocol.notices import Notice
from cartino_protocol.text import N_
from cartino_protocol.views import ChatLine, RoomView
from cartino_tui.game_port.description import SHUFFLE
from cartino_tui.game_port.speech import find_word
from cartino_tui.plain.lobby_menus import rule_headings, rule_lines
from cartino_tui.plain.menu import PlainContext
from cartino_tui.plain.phrases import seat_line, seat_name

LINES_REPEATED = 10
"""Lines that are told again on request."""


class ChatReader:
    """The chat of a table, and how far it was written."""

    def __init__(self, floor: PlainContext) -> None:
        """Start with what is new; older lines are written on request."""
        self._floor = floor
        self._told: int | None = None

    def state_changed(self) -> None:
        """Tell what is new."""
        chat, heard = self._floor.known.chat, self._floor.known.heard
        if chat is None or heard is None:
            return
        told = self._told
        # People who are unmuted are heard from now on.
        self._told = max((each.n for each in heard.talk), default=0)
        if told is not None:
            self._floor.tell(*(self._line(each) for each in chat.talk if each.n > told))

    def again(self) -> None:
        """Tell the last lines once more."""
        chat = self._floor.known.chat
        lines = () if chat is None else tuple(chat.talk)[-LINES_REPEATED:]
        self._floor.tell(*(self._line(each) for each in lines))
        if not lines:
            self._floor.explain(N_("Nothing was said here yet."))

    def say(self, text: str) -> None:
        """Say `text`; who hears it stands before it, when it comes back."""
        most = self._floor.known.chat_length
        if not text:
            self._floor.explain(N_("Type say and what you want to say."))
        elif len(text) > most:
            self._floor.explain(N_("That is too long; a line has up to {n} characters."), n=most)
        else:
            self._floor.say(Say(text), awaited=False)

    def report(self, number: str) -> None:
        """Have the host read the line of that number; without one the numbers are told."""
        translator, chat = self._floor.translator, self._floor.known.chat
        lines = () if chat is None else [line for line in chat.lines if line.name != self._floor.name]
        wanted = int(number[:9]) if number.isascii() and number.isdigit() else 0
        if any(line.n == wanted for line in lines):
            self._floor.say(Report(wanted))
        elif lines:
            self._floor.tell(
                translator.gettext("Which line shall the host read? Type report and its number."),
                *(f"{line.n}: {self._line(line)}" for line in lines[-LINES_REPEATED:]),
            )
        else:
            self._floor.explain(N_("Nobody else has said anything here."))

    def _line(self, each: ChatLine | Notice) -> str:
        translator = self._floor.translator
        if isinstance(each, Notice):
            text = translator.render(each.news.words())
            return _with_full_stop(text if each.news.name else text[:1].upper() + text[1:])
        watchers = each.channel == "watchers"
        if each.name == self._floor.name:
            if watchers:
                return translator.gettext("You, to those who watch: {text}", text=each.text)
            return translator.gettext("You: {text}", text=each.text)
        if watchers:
            return translator.gettext("{name}, watching: {text}", name=each.name, text=each.text)
        return translator.gettext("{name}: {text}", name=each.name, text=each.text)


def _with_full_stop(text: str) -> str:
    """A notice with its full stop: notices have none on the screen."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


MAX_NAME_LENGTH = 1000


def mute(floor: PlainContext, name: str) -> None:
    """Mute `name`, preferring a person who has chatted here under that name."""
    if not name:
        floor.explain(N_("Type ignore and the name of a person."))
        return
    lines = () if floor.known.chat is None else floor.known.chat.lines
    who = next((line.who for line in reversed(lines) if _same_name(name, line.name)), "")
    floor.say(Ignore(who, name[:MAX_NAME_LENGTH]))


def unmute(floor: PlainContext, name: str) -> None:
    """Hear `name` again, as the list has it."""
    meant = next((person for person in floor.known.ignored or () if _same_name(name, person.name)), None)
    if not name:
        floor.explain(N_("Type unignore and a name; ignored tells whom you ignore."))
    elif meant is None:
        floor.explain(N_("You don't ignore anybody called {name}."), name=name)
    else:
        floor.say(Ignore(meant.who, meant.name, on=False))


def list_muted(floor: PlainContext) -> None:
    """List the muted people."""
    people = floor.known.ignored
    if not people:
        floor.explain(N_("You ignore nobody; ignore NAME hears no more of somebody."))
        return
    floor.tell(
        floor.translator.ngettext(
            "You ignore {n} person: {names}.",
            "You ignore {n} people: {names}.",
            len(people),
            names=", ".join(person.name for person in people),
        )
    )
    floor.explain(N_("unignore NAME hears somebody again."))


def _same_name(typed: str, name: str) -> bool:
    return typed.casefold() == name.casefold()


_SHORTCUTS: dict[str, str] = {
    "t": "say",
    "p": "pause",
    "r": "rematch",
    "q": "leave",
    "x": "cut",
    "quit": "leave",
}
"""The letters that mean the same on the screen."""
MAX_CUT_LENGTH = 100


class TableMenuCommands:
    """The words that the frame has at a table."""

    def __init__(self, floor: PlainContext, talk: ChatReader) -> None:
        self._floor = floor
        self._talk = talk

    def free(self, text: str, room: RoomView) -> bool:
        """Do what `text` asks for; False where it is none of these words."""
        head, _, rest = text.partition(" ")
        rest, floor = rest.strip(), self._floor
        actions: Mapping[str, Callable[[], None]] = {
            "say": partial(self._talk.say, rest),
            "talk": self._talk.again,
            "report": partial(self._talk.report, rest),
            "ignore": partial(mute, floor, rest),
            "unignore": partial(unmute, floor, rest),
            "ignored": partial(list_muted, floor),
            "who": partial(self._who, room),
            "invite": partial(self._invite, rest),
            "cut": partial(self._cut, room, rest),
            "shuffle": partial(self._shuffle, room),
            "rules": partial(self._rules, room, rest),
            "code": partial(self._code, room),
            "pause": partial(self._pause, room),
            "rematch": partial(self._rematch, room),
            "leave": floor.topics[-1].go_back,
        }
        act = actions.get(self._word(head))
        if act is not None:
            act()
        return act is not None

    def help(self, room: RoomView) -> None:
        """Tell the words that mean something now."""
        translator = self._floor.translator
        self._floor.tell(
            translator.gettext("say WORDS: say something to those who are here. talk: what was said last."),
            translator.gettext(
                "who: who is here. code: how a friend comes. invite NAME: ask somebody to this table."
            ),
            translator.gettext("ignore NAME: hear no more of somebody. ignored: whom you ignore."),
            translator.gettext("report: have the host read what somebody said."),
            translator.gettext("rules: the rules of the game."),
            translator.gettext(
                "shuffle: what was promised of it. leave: back to the lobby; a seat in a game stays yours."
            ),
        )
        if room.state == "playing":
            self._floor.explain(N_("pause: want the game to stop, or to go on; it does when all want it."))
        else:
            self._floor.explain(N_("cut WORDS: your cut of the next shuffle, any words."))
        if room.state == "finished":
            self._floor.explain(N_("rematch: another game; it begins when all who played want it."))

    def _word(self, typed: str) -> str:
        """Return the English command that `typed` is, "" for none."""
        if typed.casefold() in _SHORTCUTS:
            return _SHORTCUTS[typed.casefold()]
        command_words = self._floor.translator.command_words
        talking = command_words("say", "talk", "ignore", "unignore", "ignored", "report", "invite")
        asking = command_words("who", "rules", "code", "shuffle", "cut", "pause", "rematch", "leave")
        for words in (talking, asking):
            number = find_word(words, typed)
            if number is not None:
                # The second half is English.
                return words[len(words) // 2 + number % (len(words) // 2)]
        return ""

    def _who(self, room: RoomView) -> None:
        floor = self._floor
        for number, seat in enumerate(room.seats):
            if seat.stand_in and number != room.you:
                name = seat_name(seat, floor.translator)
                floor.explain(N_("Seat {n}: {name}; a stand-in plays."), n=number + 1, name=name)
            else:
                floor.tell(seat_line(room, number, floor.translator))
        if room.spectators:
            names = ", ".join(room.watchers)
            floor.tell(
                floor.translator.ngettext(
                    "{n} is watching: {names}", "{n} are watching: {names}", room.spectators, names=names
                )
            )

    def _invite(self, name: str) -> None:
        if name:
            self._floor.say(Invite(name[:1000]), awaited=False)
        else:
            self._floor.explain(N_("Type invite and the name of a person."))

    def _code(self, room: RoomView) -> None:
        translator, door, own = self._floor.translator, self._floor.door, self._floor.visit.shell
        self._floor.explain(N_("The code of this table is {code}."), code=" ".join(room.code))
        if door.words:
            self._floor.explain(N_("A friend comes with: {command}"), command=door.join(room.code))
        word = "" if self._floor.known.welcome is None else self._floor.known.welcome.word
        if word:
            self._floor.explain(
                N_("You come back from anywhere with: {command}"), command=translator.render(own.back(word))
            )

    def _cut(self, room: RoomView, words: str) -> None:
        if room.state == "playing":
            self._floor.explain(N_("The shuffle is cut before a game; this one runs."))
        elif room.you is None:
            self._floor.explain(N_("Only those who play cut the shuffle."))
        elif not words or len(words) > MAX_CUT_LENGTH:
            self._floor.explain(N_("Type cut and any words, up to {n} characters."), n=MAX_CUT_LENGTH)
        else:
            self._floor.say(Cut(words), awaited=False)
            self._floor.explain(N_("Your cut goes into the shuffle."))

    def _shuffle(self, room: RoomView) -> None:
        translator = self._floor.translator
        speech = self._floor.speeches.get(room.game)
        words = speech.chance_of(room.options) if speech else SHUFFLE
        if words is None:
            self._floor.explain(N_("Nothing is left to chance in this game."))
            return
        fixed = translator.gettext(words.open if room.state == "open" else words.begun)
        self._floor.tell(f"{fixed} {room.commitment}")
        if room.seed:
            self._floor.explain(N_("The seed itself: {seed}."), seed=room.seed)
        if room.next_commitment:
            self._floor.explain(N_("The next game here is promised with {hash}."), hash=room.next_commitment)

    def _rules(self, room: RoomView, wanted: str) -> None:
        floor, translator = self._floor, self._floor.translator
        speech = floor.speeches.get(room.game)
        chapters = () if speech is None else tuple(section.said(translator) for section in speech.rules)
        if wanted:
            floor.tell(*rule_lines(chapters, wanted, translator))
        else:
            title = floor.title(room.game, {})
            floor.tell(
                translator.gettext(
                    "The rules of {game}. Type rules and the number of a part, or a word.", game=title
                ),
                *rule_headings(chapters),
            )

    def _pause(self, room: RoomView) -> None:
        if room.state != "playing":
            self._floor.explain(N_("Only a game that runs can be paused."))
        elif room.you is None:
            self._floor.explain(N_("Those who play decide on a pause; you are watching."))
        else:
            voted = room.you in room.votes
            self._floor.say(Pause(room.paused == voted), awaited=False)

    def _rematch(self, room: RoomView) -> None:
        if room.state != "finished":
            self._floor.explain(N_("You can ask for another game when this one is over."))
        elif room.you is None:
            self._floor.explain(N_("Those who played decide on another game; you will hear it."))
        elif room.you in room.again:
            self._floor.explain(N_("You want another game; it begins when the others want it too."))
        else:
            self._floor.say(Rematch())
