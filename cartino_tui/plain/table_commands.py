"""The commands that work at every table: chat, who, invite, ignore, report, pause, rematch, rules."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from cartino_protocol.commands import Cut, Ignore, Invite, Pause, Rematch, Report, Review, Say
from cartino_protocol.deals import Duplicate
from cartino_protocol.notices import Notice
from cartino_protocol.refusals import REFUSALS
from cartino_protocol.text import N_
from cartino_protocol.views import ChatLine, TableView
from cartino_tui.draw.text import capitalized
from cartino_tui.game_port.description import SHUFFLE
from cartino_tui.game_port.speech import find_word
from cartino_tui.i18n import ENGLISH
from cartino_tui.plain.lobby_menus import rule_headings, rule_lines
from cartino_tui.plain.menu import PlainContext
from cartino_tui.plain.phrases import seat_line, seat_name
from cartino_tui.visit.messages import how_others_join, why_no_hint

LINES_REPEATED = 10
"""Lines that are told again on request."""


class ChatReader:
    """The chat of a table, and how far it was written."""

    def __init__(self, context: PlainContext) -> None:
        """Start with what is new; older lines are written on request."""
        self._context = context
        self._told: int | None = None

    def state_changed(self) -> None:
        """Tell what is new."""
        chat, heard = self._context.client_state.chat, self._context.client_state.heard
        if chat is None or heard is None:
            return
        told = self._told
        # People who are unmuted are heard from now on.
        self._told = max((each.n for each in heard.talk), default=0)
        if told is not None:
            self._context.tell(*(self._line(each) for each in chat.talk if each.n > told))

    def repeat_last_lines(self) -> None:
        """Tell the last lines once more."""
        chat = self._context.client_state.chat
        lines = () if chat is None else tuple(chat.talk)[-LINES_REPEATED:]
        self._context.tell(*(self._line(each) for each in lines))
        if not lines:
            self._context.explain(N_("No messages here yet."))

    def say(self, text: str) -> None:
        """Say `text`; who hears it stands before it, when it comes back."""
        most = self._context.client_state.chat_length
        if not text:
            self._context.explain(N_("Type say and your message."))
        elif len(text) > most:
            self._context.explain(N_("Too long: a message can have up to {n} characters."), n=most)
        else:
            self._context.send(Say(text), awaited=False)

    def report(self, number: str) -> None:
        """Have the host read the line of that number; without one the numbers are told."""
        translator, chat = self._context.translator, self._context.client_state.chat
        lines = () if chat is None else [line for line in chat.lines if line.name != self._context.name]
        wanted = int(number[:9]) if number.isascii() and number.isdigit() else 0
        if any(line.n == wanted for line in lines):
            self._context.send(Report(wanted))
        elif lines:
            self._context.tell(
                translator.gettext("Report which message? Type report and its number."),
                *(f"{line.n}: {self._line(line)}" for line in lines[-LINES_REPEATED:]),
            )
        else:
            self._context.explain(N_("Nobody else has said anything here."))

    def _line(self, each: ChatLine | Notice) -> str:
        translator = self._context.translator
        if isinstance(each, Notice):
            text = translator.render(each.news.words())
            return _with_full_stop(text if each.news.name else capitalized(text))
        watchers = each.channel == "watchers"
        if each.name == self._context.name:
            if watchers:
                return translator.gettext("You, to spectators: {text}", text=each.text)
            return translator.gettext("You: {text}", text=each.text)
        if watchers:
            return translator.gettext("{name}, watching: {text}", name=each.name, text=each.text)
        return translator.gettext("{name}: {text}", name=each.name, text=each.text)


def _with_full_stop(text: str) -> str:
    """Return a notice with its full stop: notices have none on the screen."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


MAX_NAME_LENGTH = 1000


def mute(context: PlainContext, name: str) -> None:
    """Mute `name`, preferring a person who has chatted here under that name."""
    if not name:
        context.explain(N_("Type ignore and a player's name."))
        return
    lines = () if context.client_state.chat is None else context.client_state.chat.lines
    who = next((line.who for line in reversed(lines) if _same_name(name, line.name)), "")
    context.send(Ignore(who, name[:MAX_NAME_LENGTH]))


def unmute(context: PlainContext, name: str) -> None:
    """Hear `name` again, as the list has it."""
    meant = next(
        (person for person in context.client_state.ignored or () if _same_name(name, person.name)), None
    )
    if not name:
        context.explain(N_("Type unignore and a name. Type ignored to hear who you've muted."))
    elif meant is None:
        context.explain(N_("You haven't muted anyone called {name}."), name=name)
    else:
        context.send(Ignore(meant.who, meant.name, on=False))


def list_muted(context: PlainContext) -> None:
    """List the muted people."""
    people = context.client_state.ignored
    if not people:
        context.explain(N_("You haven't muted anyone. Type ignore and a name to mute someone."))
        return
    context.tell(
        context.translator.ngettext(
            "You've muted {n} person: {names}.",
            "You've muted {n} people: {names}.",
            len(people),
            names=", ".join(person.name for person in people),
        )
    )
    context.explain(N_("unignore NAME unmutes someone."))


def _same_name(typed: str, name: str) -> bool:
    return typed.casefold() == name.casefold()


_SHORTCUTS: dict[str, str] = {
    "t": "say",
    "p": "pause",
    "r": "rematch",
    "f": "review",
    "q": "leave",
    "x": "cut",
    "i": "hint",
    "quit": "leave",
}
"""The letters that mean the same on the screen."""
MAX_CUT_LENGTH = 100
_COMMANDS: Final = (
    *ENGLISH.command_words("say", "talk", "ignore", "unignore", "ignored", "report", "invite", "review"),
    *ENGLISH.command_words("who", "rules", "code", "shuffle", "cut", "pause", "rematch", "hint", "leave"),
    *ENGLISH.command_words("results"),
)


class TableMenuCommands:
    """The words that the frame has at a table."""

    def __init__(self, context: PlainContext, talk: ChatReader) -> None:
        self._context = context
        self._talk = talk

    def free(self, text: str, table: TableView) -> bool:
        """Do what `text` asks for; False where it is none of these words."""
        head, _, rest = text.partition(" ")
        rest, context = rest.strip(), self._context
        actions: Mapping[str, Callable[[], None]] = {
            "say": partial(self._talk.say, rest),
            "talk": self._talk.repeat_last_lines,
            "report": partial(self._talk.report, rest),
            "ignore": partial(mute, context, rest),
            "unignore": partial(unmute, context, rest),
            "ignored": partial(list_muted, context),
            "who": partial(self._who, table),
            "invite": partial(self._invite, rest),
            "cut": partial(self._cut, table, rest),
            "shuffle": partial(self._shuffle, table),
            "rules": partial(self._rules, table, rest),
            "code": partial(self._code, table),
            "pause": partial(self._pause, table),
            "rematch": partial(self._rematch, table),
            "review": partial(self._review, table),
            "results": partial(self._results, table),
            "hint": partial(self._hint, table, rest),
            "leave": context.topics[-1].go_back,
        }
        act = actions.get(self._word(head))
        if act is not None:
            act()
        return act is not None

    def help(self, table: TableView) -> None:
        """Tell the words that mean something now."""
        playing, over = table.state == "playing", table.state == "finished"
        sentences = (
            N_("say WORDS: send a message. talk: the latest messages."),
            N_("who: who is here. code: how friends can join. invite NAME: invite someone to this table."),
            N_("ignore NAME: mute someone. ignored: who you've muted."),
            N_("report: report a message to the host."),
            N_("rules: the rules of the game."),
            N_("shuffle: the hash and seed of the shuffle."),
            N_("leave: back to the lobby; your seat in a game is kept."),
            N_("pause: vote to pause or resume the game; all players must agree.") if playing else "",
            N_("hint: what to do, in games against bots. hint off, hint on: switch hints.")
            if playing
            else "",
            "" if playing else N_("cut WORDS: add your own text to the next shuffle."),
            N_("rematch: play again; everyone who played must agree.") if over and not table.once else "",
            N_("review: how many points short of the best each player's turns were.") if over else "",
            N_("results: the results of this deal.") if table.once else "",
        )
        for sentence in sentences:
            self._context.explain(sentence)

    def _word(self, typed: str) -> str:
        """Return the English command that `typed` is, "" for none."""
        pgettext, letter = self._context.translator.pgettext, _SHORTCUTS.get(typed.casefold())
        known = (
            word for word in _COMMANDS if find_word((pgettext("command", word), word), typed) is not None
        )
        return letter or next(known, "")

    def _who(self, table: TableView) -> None:
        context = self._context
        for number, seat in enumerate(table.seats):
            if seat.substitute and number != table.you:
                name = seat_name(seat, context.translator)
                context.explain(N_("Seat {n}: {name}; a substitute bot is playing."), n=number + 1, name=name)
            else:
                context.tell(seat_line(table, number, context.translator))
        if table.spectators:
            names = ", ".join(table.watchers)
            context.tell(
                context.translator.ngettext(
                    "{n} spectator: {names}", "{n} spectators: {names}", table.spectators, names=names
                )
            )

    def _invite(self, name: str) -> None:
        if name:
            self._context.send(Invite(name[:1000]), awaited=False)
        else:
            self._context.explain(N_("Type invite and a player's name."))

    def _code(self, table: TableView) -> None:
        translator, shell_commands, own = (
            self._context.translator,
            self._context.shell_commands,
            self._context.visit.shell,
        )
        if table.duplicate:
            self._context.explain(
                N_("This duplicate match's code is {code}."), code=" ".join(table.duplicate)
            )
        elif table.practice:
            self._context.explain(
                N_("This is your own table, for practice; ranked players play another deal.")
            )
        elif table.once:
            self._context.explain(N_("This is your own table of a daily game; everybody has one."))
        else:
            self._context.explain(N_("This table's code is {code}."), code=" ".join(table.code))
        self._context.tell(*filter(None, (how_others_join(table, shell_commands, translator),)))
        word = "" if self._context.client_state.welcome is None else self._context.client_state.welcome.word
        if word:
            self._context.explain(
                N_("To come back from anywhere: {command}"),
                command=translator.render(own.describe_return(word)),
            )

    def _cut(self, table: TableView, words: str) -> None:
        if table.state == "playing":
            self._context.explain(N_("You can only cut before a game; this one has started."))
        elif table.you is None:
            self._context.explain(N_("Only players can cut the deck."))
        elif not words or len(words) > MAX_CUT_LENGTH:
            self._context.explain(N_("Type cut and any text, up to {n} characters."), n=MAX_CUT_LENGTH)
        else:
            self._context.send(Cut(words), awaited=False)
            self._context.explain(N_("Your text was added to the shuffle."))

    def _shuffle(self, table: TableView) -> None:
        translator = self._context.translator
        speech = self._context.speeches.get(table.game)
        words = speech.chance_of(table.options) if speech else SHUFFLE
        if words is None:
            self._context.explain(N_("Nothing is left to chance in this game."))
            return
        fixed = translator.gettext(words.open if table.state == "open" else words.begun)
        self._context.tell(f"{fixed} {table.commitment}")
        if table.seed:
            self._context.explain(N_("The seed: {seed}."), seed=table.seed)
        if table.next_commitment:
            self._context.explain(N_("Hash of the next game's seed: {hash}."), hash=table.next_commitment)

    def _rules(self, table: TableView, wanted: str) -> None:
        context, translator = self._context, self._context.translator
        speech = context.speeches.get(table.game)
        rules = () if speech is None else speech.rules_of(table.options)
        chapters = tuple(section.translate_section(translator) for section in rules)
        if wanted:
            context.tell(*rule_lines(chapters, wanted, translator))
        else:
            title = context.title(table.game, {})
            context.tell(
                translator.gettext(
                    "The rules of {game}. Type rules and a section's number, or a word.", game=title
                ),
                *rule_headings(chapters),
            )

    def _hint(self, table: TableView, wanted: str) -> None:
        """Tell a hint, or switch hints on or off."""
        context, translator = self._context, self._context.translator
        switch = find_word(translator.command_words("on", "off"), wanted)
        if switch is not None:
            context.preferences.choose(hints=switch % 2 == 0)
            context.save_settings()
            context.explain(
                N_("Hints are off.") if switch % 2 else N_("Hints are on. Type hint on your turn.")
            )
            return
        off = N_("Hints are off. Type hint on to switch them on.")
        why_not = why_no_hint(context.preferences.settings, table, translator, off=off)
        speech = context.speeches.get(table.game)
        if why_not or speech is None:
            context.tell(why_not)
            return
        lines = speech.hint(table, speech.read(table.game_view), translator)
        context.tell(*lines or (translator.gettext("This game has no hints."),))

    def _pause(self, table: TableView) -> None:
        if table.state != "playing":
            self._context.explain(N_("Only a running game can be paused."))
        elif table.you is None:
            self._context.explain(N_("Only players can vote on a pause; you're watching."))
        else:
            voted = table.you in table.votes
            self._context.send(Pause(table.paused == voted), awaited=False)

    def _review(self, table: TableView) -> None:
        if table.state == "finished":
            self._context.send(Review(table.code))
        else:
            self._context.explain(N_("You can review this game when it's over."))

    def _results(self, table: TableView) -> None:
        if table.once and table.you is not None:
            self._context.send(Duplicate(table.code))
        else:
            self._context.explain(N_("Only daily games and duplicate matches have results to compare."))

    def _rematch(self, table: TableView) -> None:
        if table.state != "finished":
            self._context.explain(N_("You can ask for a rematch when this game is over."))
        elif table.you is None:
            self._context.explain(N_("The players decide on a rematch; you'll hear when it starts."))
        elif table.once:
            self._context.explain(REFUSALS["played-once"])
        elif table.you in table.again:
            self._context.explain(N_("Rematch requested. Waiting for the others."))
        else:
            self._context.send(Rematch())
