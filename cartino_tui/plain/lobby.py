"""The lobby in lines: what is open, and every way to a table."""

from collections.abc import Sequence
from functools import partial

from cartino_protocol.commands import Back, Decline, History, Join, Leaders, Profile, QuickPlay, Rename, Watch
from cartino_protocol.ids import read_code
from cartino_protocol.views import HistoryView, LeadersView, ProfileView, Told
from cartino_tui import farewell
from cartino_tui.games.spoken import find
from cartino_tui.known import Entry, Known, entries
from cartino_tui.plain.floor import Floor
from cartino_tui.plain.listing import is_own_turn, table
from cartino_tui.plain.ordering import NewTable
from cartino_tui.plain.past import Past
from cartino_tui.plain.people import leaders_lines, profile_lines
from cartino_tui.plain.personal import Personal
from cartino_tui.plain.topic import Choice, Question, Topic


class Lobby(Topic):
    """Where a visit begins, and what lies under everything."""

    def __init__(self, floor: Floor) -> None:
        """The lobby of a visit."""
        super().__init__(floor)
        self.is_open = False
        """Whether it was told since one came here."""

    def open(self) -> None:
        """See Topic."""
        self.is_open = True
        super().open()

    def opening(self) -> Sequence[str]:
        """Who one is, who is here, which tables wait."""
        floor, tongue = self.floor, self.tongue
        lobby = floor.known.lobby
        if lobby is None:
            return (tongue.say("Looking round the house."),)
        people = tongue.count("{n} person is here", "{n} people are here", lobby.people)
        tables = tongue.count("{n} table", "{n} tables", len(entries(floor.known)))
        lines = [
            tongue.say(
                "You are {name}, in the lobby. {people}; {tables}.",
                name=floor.name,
                people=people,
                tables=tables,
            )
        ]
        lines += [
            table(floor, Entry(line, mine=True))
            for line in floor.known.mine.rooms
            if is_own_turn(floor, line)
        ]
        return lines

    def choices(self) -> Sequence[Choice]:
        """Every way from here."""
        tongue = self.tongue

        return (
            Choice(
                tongue.say("play now, with somebody who waits or with a bot"),
                lambda: self.floor.say(QuickPlay()),
                ("play", tongue.say_in("command", "play")),
            ),
            Choice(
                tongue.say("list the tables"),
                lambda: self.floor.push(Tables(self.floor)),
                ("list", tongue.say_in("command", "list")),
            ),
            Choice(tongue.say("open a new table"), self._new, ("new", "n", tongue.say_in("command", "new"))),
            Choice(
                tongue.say("go to a table by its code"),
                self._ask_code,
                ("code", "c", tongue.say_in("command", "code")),
            ),
            Choice(
                tongue.say("come back to a seat with a word"),
                self._ask_word,
                ("word", "b", tongue.say_in("command", "word")),
            ),
            Choice(
                tongue.say("change your name"), self._ask_name, ("name", tongue.say_in("command", "name"))
            ),
            Choice(
                tongue.say("finished games"),
                lambda: self.floor.say(History("all")),
                ("history", tongue.say_in("command", "history")),
            ),
            Choice(
                tongue.say("who plays best"),
                lambda: self.floor.say(Leaders()),
                ("ratings", "top", tongue.say_in("command", "ratings")),
            ),
            Choice(
                tongue.say("what you have played"),
                lambda: self.floor.say(Profile()),
                ("profile", tongue.say_in("command", "profile")),
            ),
            Choice(
                tongue.say("settings"),
                lambda: self.floor.push(Personal(self.floor)),
                ("settings", tongue.say_in("command", "settings")),
            ),
        )

    def back(self) -> str:
        """Out of the house."""
        return self.tongue.say("leave the house")

    def go_back(self) -> None:
        """Leave."""
        self.floor.leave(farewell.own_wish(self.floor.known, self.floor.own_door))

    def free(self, text: str) -> bool:
        """The words that take what they need along: `join CODE`, `watch CODE`, `profile NAME`, `back WORD` and such."""
        tongue = self.tongue
        head, _, rest = text.partition(" ")
        rest = rest.strip()
        if not rest:
            return self._leaves(text)
        for english, said, then in (
            ("join", tongue.say_in("command", "join"), self._join),
            ("code", tongue.say_in("command", "code"), self._join),
            ("watch", tongue.say_in("command", "watch"), self._watch),
            ("name", tongue.say_in("command", "name"), self._rename),
            ("back", tongue.say_in("command", "back"), self._come_back),
            ("profile", tongue.say_in("command", "profile"), self._profile),
            ("decline", tongue.say_in("command", "decline"), self._decline),
        ):
            if find((english, said), head) is not None or (english == "back" and head == "b"):
                then(rest)
                return True
        return False

    def help(self) -> None:
        """What can be typed here and everywhere."""
        tongue = self.tongue
        self.floor.tell(
            tongue.say("Type the number of a choice, or its word. An empty line tells the choices again."),
            tongue.say("0 goes back, from everywhere. help tells what can be typed just now."),
            tongue.say("join CODE and watch CODE lead to a table, name NAME changes your name."),
            tongue.say("profile NAME tells what somebody has played."),
            tongue.say(
                "What others do is told when it happens, never in the middle of a line that you type; "
                "so that the house can tell, connect with ssh -t."
            ),
        )
        self.offer()

    def answered(self, answer: Told) -> bool:
        """The finished games, the ratings or the profile that was asked for."""
        match answer:
            case HistoryView():
                self.floor.push(Past(self.floor, answer))
            case LeadersView():
                self.floor.tell(*leaders_lines(answer, self.tongue))
            case ProfileView():
                self.floor.tell(*profile_lines(answer, self.floor.naming, self.tongue))
            case _:
                return False
        return True

    def learned(self, before: Known) -> None:
        """The first list, and turns that have come to oneself elsewhere."""
        floor = self.floor
        if floor.known.room is not None or floor.known.mine is before.mine:
            return
        if not self.is_open:
            # One's own tables come right behind the list, so all is here now.
            if floor.topics[-1] is self and not floor.waiting and floor.known.lobby is not None:
                self.open()
            return
        turned = {line.code for line in before.mine.rooms if is_own_turn(floor, line)}
        for line in floor.known.mine.rooms:
            if line.code not in turned and is_own_turn(floor, line):
                floor.tell(self.tongue.say("It is your turn at the table {code}.", code=line.code))

    # What the choices do.

    def _profile(self, name: str) -> None:
        self.floor.say(Profile(name[:1000]))

    def _leaves(self, text: str) -> bool:
        tongue = self.tongue
        leaving = ("quit", "q", "leave", tongue.say_in("command", "leave"))
        if find(leaving, text) is None:
            return False
        self.go_back()
        return True

    def _new(self) -> None:
        welcome = self.floor.known.welcome
        if welcome is not None and welcome.games:
            self.floor.push(NewTable(self.floor, welcome.games))

    def _ask_code(self) -> None:
        self.floor.push(Question(self.floor, self.tongue.say("The code of the table?"), self._join))

    def _ask_word(self) -> None:
        self.floor.push(Question(self.floor, self.tongue.say("Your word to come back?"), self._come_back))

    def _ask_name(self) -> None:
        question = self.tongue.say("Your new name, 2 to 16 characters?")
        self.floor.push(Question(self.floor, question, self._rename))

    def _join(self, typed: str) -> None:
        self._go(typed, watch=False)

    def _watch(self, typed: str) -> None:
        self._go(typed, watch=True)

    def _go(self, typed: str, *, watch: bool) -> None:
        code = read_code(typed)
        if code is None:
            self.floor.tell(self.tongue.say("A code has four letters or digits, as K7QP."))
        else:
            self.floor.say(Watch(code) if watch else Join(code))

    def _decline(self, code: str) -> None:
        self.floor.say(Decline(code[:64]), awaited=False)

    def _come_back(self, word: str) -> None:
        self.floor.say(Back(word[:64]))

    def _rename(self, name: str) -> None:
        self.floor.say(Rename(name), awaited=False)


class Tables(Topic):
    """The tables as they were when they were told: a number means the same one until they are told again."""

    def opening(self) -> Sequence[str]:
        """How to choose."""
        if not entries(self.floor.known):
            return (self.tongue.say("No table is open; 3 in the lobby opens one."),)
        return (
            self.tongue.say(
                "Which table? Its number sits down where a seat is free, else looks on; "
                "watch and its number looks on in any case."
            ),
        )

    def choices(self) -> Sequence[Choice]:
        """The tables."""
        return [
            Choice(table(self.floor, entry), partial(self._go, entry)) for entry in entries(self.floor.known)
        ]

    def open(self) -> None:
        """Tell them; without one nobody stays here."""
        super().open()
        if not self._offered:
            self.floor.topics.remove(self)

    def free(self, text: str) -> bool:
        """`watch 2`."""
        head, _, rest = text.partition(" ")
        code = rest.strip()
        watches = find(("watch", "w", self.tongue.say_in("command", "watch")), head) is not None
        if not watches or not code:
            return False
        if code.isascii() and code.isdigit() and 0 < int(code[:4]) <= len(self._offered):
            code = self._offered[int(code) - 1].label.partition(":")[0]
        if read_code(code) is not None:
            self.floor.say(Watch(code))
            return True
        return False

    def _go(self, entry: Entry) -> None:
        code = entry.line.code
        self.floor.say(Join(code) if entry.mine or entry.free else Watch(code))
