"""What can be typed at every table, whatever is played and whether it has begun."""

from typing import Literal, get_args

from cartino_protocol.commands import Cut, Invite, Pause, Rematch
from cartino_protocol.views import RoomView
from cartino_tui.games.chance import SHUFFLE
from cartino_tui.games.speech import find
from cartino_tui.plain.floor import Floor
from cartino_tui.plain.ignoring import Ignoring
from cartino_tui.plain.listing import seat_name
from cartino_tui.plain.rulebook import headings, read_out
from cartino_tui.plain.talk import Talk

Word = Literal[
    "say",
    "talk",
    "who",
    "invite",
    "cut",
    "shuffle",
    "rules",
    "code",
    "pause",
    "rematch",
    "leave",
    "ignore",
    "unignore",
    "ignored",
    "report",
]
_ORDER: tuple[Word, ...] = get_args(Word)
_LETTERS: dict[str, Word] = {
    "t": "say",
    "p": "pause",
    "r": "rematch",
    "q": "leave",
    "x": "cut",
    "quit": "leave",
}
"""The letters that mean the same on the screen."""
MOST_CUT = 100


class Manners:
    """The words that the frame has at a table."""

    def __init__(self, floor: Floor, talk: Talk) -> None:
        """At the table whose `talk` this is."""
        self._floor = floor
        self._talk = talk
        self._ignoring = Ignoring(floor)

    def free(self, text: str, room: RoomView) -> bool:
        """Do what `text` asks for; False where it is none of these words."""
        head, _, rest = text.partition(" ")
        rest = rest.strip()
        match self._word(head):
            case None:
                return False
            case "say":
                self._talk.say(rest)
            case "who":
                self._who(room)
            case "invite":
                self._invite(rest)
            case "cut":
                self._cut(room, rest)
            case "shuffle":
                self._shuffle(room)
            case "rules":
                self._rules(room, rest)
            case "code":
                self._code(room)
            case "pause":
                self._pause(room)
            case "rematch":
                self._rematch(room)
            case "leave":
                self._floor.topics[-1].go_back()
            case word:
                self._of_others(word, rest)
        return True

    def _of_others(self, word: Word, rest: str) -> None:
        """Do what `word` asks for that is about what others have said."""
        match word:
            case "talk":
                self._talk.again()
            case "ignore":
                self._ignoring.ignore(rest)
            case "unignore":
                self._ignoring.hear(rest)
            case "ignored":
                self._ignoring.listed()
            case "report":
                self._talk.report(rest)

    def help(self, room: RoomView) -> None:
        """Tell the words that mean something now."""
        tongue = self._floor.tongue
        self._floor.tell(
            tongue.say("say WORDS: say something to those who are here. talk: what was said last."),
            tongue.say(
                "who: who is here. code: how a friend comes. invite NAME: ask somebody to this table."
            ),
            tongue.say("ignore NAME: hear no more of somebody. ignored: whom you ignore."),
            tongue.say("report: have the host read what somebody said."),
            tongue.say("rules: the rules of the game."),
            tongue.say(
                "shuffle: what was promised of it. leave: back to the lobby; a seat in a game stays yours."
            ),
        )
        if room.state == "playing":
            self._floor.tell(
                tongue.say("pause: want the game to stop, or to go on; it does when all want it.")
            )
        else:
            self._floor.tell(tongue.say("cut WORDS: your cut of the next shuffle, any words."))
        if room.state == "finished":
            self._floor.tell(tongue.say("rematch: another game; it begins when all who played want it."))

    def _word(self, typed: str) -> Word | None:
        tongue = self._floor.tongue
        if typed.casefold() in _LETTERS:
            return _LETTERS[typed.casefold()]
        said = (
            tongue.say_in("command", "say"),
            tongue.say_in("command", "talk"),
            tongue.say_in("command", "who"),
            tongue.say_in("command", "invite"),
            tongue.say_in("command", "cut"),
            tongue.say_in("command", "shuffle"),
            tongue.say_in("command", "rules"),
            tongue.say_in("command", "code"),
            tongue.say_in("command", "pause"),
            tongue.say_in("command", "rematch"),
            tongue.say_in("command", "leave"),
            tongue.say_in("command", "ignore"),
            tongue.say_in("command", "unignore"),
            tongue.say_in("command", "ignored"),
            tongue.say_in("command", "report"),
        )
        number = find(said, typed)
        if number is None:
            number = find(_ORDER, typed)
        return None if number is None else _ORDER[number]

    def _who(self, room: RoomView) -> None:
        tongue = self._floor.tongue
        for number, seat in enumerate(room.seats, 1):
            name = seat_name(seat, tongue)
            if number - 1 == room.you:
                self._floor.tell(tongue.say("Seat {n}: you.", n=number))
            elif seat.stand_in:
                self._floor.tell(tongue.say("Seat {n}: {name}; a stand-in plays.", n=number, name=name))
            elif not seat.here:
                self._floor.tell(tongue.say("Seat {n}: {name}, away.", n=number, name=name))
            else:
                self._floor.tell(tongue.say("Seat {n}: {name}.", n=number, name=name))
        if room.spectators:
            names = ", ".join(room.watchers)
            self._floor.tell(
                tongue.count(
                    "{n} is watching: {names}", "{n} are watching: {names}", room.spectators, names=names
                )
            )

    def _invite(self, name: str) -> None:
        if name:
            self._floor.say(Invite(name[:1000]), awaited=False)
        else:
            self._floor.tell(self._floor.tongue.say("Type invite and the name of a person."))

    def _code(self, room: RoomView) -> None:
        tongue, door, own = self._floor.tongue, self._floor.door, self._floor.own_door
        self._floor.tell(tongue.say("The code of this table is {code}.", code=" ".join(room.code)))
        if door.words:
            self._floor.tell(tongue.say("A friend comes with: {command}", command=door.join(room.code)))
        word = "" if self._floor.known.welcome is None else self._floor.known.welcome.word
        if word:
            self._floor.tell(
                tongue.say("You come back from anywhere with: {command}", command=tongue.tell(own.back(word)))
            )

    def _cut(self, room: RoomView, words: str) -> None:
        tongue = self._floor.tongue
        if room.state == "playing":
            self._floor.tell(tongue.say("The shuffle is cut before a game; this one runs."))
        elif room.you is None:
            self._floor.tell(tongue.say("Only those who play cut the shuffle."))
        elif not words or len(words) > MOST_CUT:
            self._floor.tell(tongue.say("Type cut and any words, up to {n} characters.", n=MOST_CUT))
        else:
            self._floor.say(Cut(words), awaited=False)
            self._floor.tell(tongue.say("Your cut goes into the shuffle."))

    def _shuffle(self, room: RoomView) -> None:
        tongue = self._floor.tongue
        voice = self._floor.voices.get(room.game)
        words = voice.chance_of(room.options) if voice else SHUFFLE
        if words is None:
            self._floor.tell(tongue.say("Nothing is left to chance in this game."))
            return
        fixed = tongue.say(words.open if room.state == "open" else words.begun)
        self._floor.tell(f"{fixed} {room.commitment}")
        if room.seed:
            self._floor.tell(tongue.say("The seed itself: {seed}.", seed=room.seed))
        if room.next_commitment:
            self._floor.tell(
                tongue.say("The next game here is promised with {hash}.", hash=room.next_commitment)
            )

    def _rules(self, room: RoomView, wanted: str) -> None:
        floor, tongue = self._floor, self._floor.tongue
        voice = floor.voices.get(room.game)
        chapters = () if voice is None else tuple(section.said(tongue) for section in voice.rules)
        if wanted:
            floor.tell(*read_out(chapters, wanted, tongue))
        else:
            title = floor.title(room.game, {})
            floor.tell(
                tongue.say(
                    "The rules of {game}. Type rules and the number of a part, or a word.", game=title
                ),
                *headings(chapters),
            )

    def _pause(self, room: RoomView) -> None:
        tongue = self._floor.tongue
        if room.state != "playing":
            self._floor.tell(tongue.say("Only a game that runs can be paused."))
        elif room.you is None:
            self._floor.tell(tongue.say("Those who play decide on a pause; you are watching."))
        else:
            voted = room.you in room.votes
            self._floor.say(Pause(room.paused == voted), awaited=False)

    def _rematch(self, room: RoomView) -> None:
        tongue = self._floor.tongue
        if room.state != "finished":
            self._floor.tell(tongue.say("You can ask for another game when this one is over."))
        elif room.you is None:
            self._floor.tell(tongue.say("Those who played decide on another game; you will hear it."))
        elif room.you in room.again:
            self._floor.tell(tongue.say("You want another game; it begins when the others want it too."))
        else:
            self._floor.say(Rematch())
