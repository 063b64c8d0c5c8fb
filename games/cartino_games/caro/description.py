"""What Caro tells people about itself, on the screen and in sentences alike."""

from collections.abc import Mapping
from typing import ClassVar

import msgspec

from cartino_games.caro import views, words
from cartino_games.caro.views import Accept, Call, CaroView, Move, read_lay
from cartino_games.kit.boards.table_speech import TableDescription
from cartino_games.kit.spoken import name_of, points
from cartino_protocol.marking import N_
from cartino_protocol.records import RecordLine
from cartino_protocol.views import RoomView
from cartino_tui.tongue import Tongue


class CaroDescription(TableDescription[CaroView]):
    """Names, rules and refusals of Caro, and what is said of its lines."""

    name = "caro"
    title = "Caro"
    decoder = msgspec.msgpack.Decoder(CaroView)
    pieces: ClassVar[Mapping[str, str]] = words.COLOUR_NAMES
    rules = words.RULES
    lessons = words.LESSONS
    refusals: ClassVar = {str(rule): sentence for rule, sentence in words.REFUSED.items()}
    endings: ClassVar = {"laid": N_("all caros were laid"), "blocked": N_("nobody could lay another caro")}
    facts: ClassVar = {"lay": N_("best lay")}

    def move(self, word: str, view: CaroView | None = None) -> Move | None:
        """Return the move typed as `Rf6`, `call` or `accept`, in any case; None for no move."""
        answers: dict[str, Move] = {"call": Call(), "accept": Accept()}
        return answers.get(word.casefold()) or read_lay(word)

    def title_of(self, options: Mapping[str, str], tongue: Tongue) -> str:
        """See GameDescription: with the referee and the rounds where they are not as usual."""
        rounds = int(options.get("rounds", "1"))
        honour = tongue.say("on honour") if options.get("referee") == "honour" else ""
        several = tongue.count("{n} round", "{n} rounds", rounds) if rounds > 1 else ""
        return ", ".join(filter(None, (tongue.say(self.title), honour, several)))

    def said(self, room: RoomView, line: RecordLine, tongue: Tongue) -> str:
        """See TableDescription."""
        say = tongue.say
        match line:
            case views.RoundLine(round=n, first=seat):
                return say("Round {n}: {name} begins.", n=n + 1, name=name_of(room, seat))
            case views.LayLine(seat=seat, colour=colour, place=place, points=gain, doubled=doubled):
                said = N_("{name}: the last {colour} on {place}, doubled: {points}.")
                said = said if doubled else N_("{name}: {colour} on {place}, {points}.")
                places = {"colour": say(self.pieces[colour]), "place": place, "points": points(gain, tongue)}
                return say(said, name=name_of(room, seat), **places)
            case views.CallLine(seat=seat, against=other, rule=rule, points=lost):
                said = N_("{name} calls {other}. {rule} {other} loses {points} and lays again.")
                said = said if rule else N_("{name} calls {other}, but no rule was broken: {points} lost.")
                places = {"other": name_of(room, other), "rule": say(words.BROKEN[rule]) if rule else ""}
                return say(said, name=name_of(room, seat), points=points(lost, tongue), **places)
            case views.AcceptLine(seat=seat):
                return say("{name} accepts the last lay.", name=name_of(room, seat))
            case views.SkipLine(seat=seat):
                return say("{name} has no place to lay and is skipped.", name=name_of(room, seat))
        return ""

    def asked(self, room: RoomView, view: CaroView, tongue: Tongue) -> str:
        """See TableDescription."""
        if view.closing and view.claim:
            return tongue.say("The round's last lay: call it or accept it.")
        if view.must and view.lays:
            return tongue.say("Lay {colour} again, by the rules.", colour=tongue.say(self.pieces[view.must]))
        return tongue.say("You may call the last lay.") if view.claim else ""
