"""What Caro tells people about itself, on the screen and in sentences alike."""

from collections.abc import Mapping
from typing import ClassVar

import msgspec

from cartino_games.caro import views, words
from cartino_games.caro.views import SPANS, Accept, Call, CaroView, Move, read_lay
from cartino_games.kit.spoken import name_of, points
from cartino_games.kit.table_speech import TableDescription
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
        return answers.get(word.casefold()) or read_lay(word, view.span if view else max(SPANS.values()))

    def title_of(self, options: Mapping[str, str], tongue: Tongue) -> str:
        """See GameDescription: with the referee and the rounds where they are not as usual."""
        rounds = int(options.get("rounds", "1"))
        honour = tongue.say("on honour") if options.get("referee") == "honour" else ""
        several = tongue.count("{n} round", "{n} rounds", rounds) if rounds > 1 else ""
        return ", ".join(filter(None, (tongue.say(self.title), honour, several)))

    def said(self, room: RoomView, line: RecordLine, tongue: Tongue) -> str:
        """See TableDescription."""
        say, span = tongue.say, SPANS[max(len(room.seats), 2)]
        match line:
            case views.RoundLine(round=n, first=seat):
                return say("Round {n}: {name} begins.", n=n + 1, name=name_of(room, seat))
            case views.LayLine(seat=seat, colour=colour, points=gain, doubled=doubled, penalty=penalty):
                said = N_("{name}: the last {colour} on {place}, doubled: {points}.")
                said = said if doubled else N_("{name}: {colour} on {place}, {points}.")
                said = (
                    N_("{name} lays again: {colour} on {place}, {points}; the call costs 10.")
                    if penalty
                    else said
                )
                places = {"colour": say(self.pieces[colour]), "place": views.place_name(line, span)}
                return say(said, name=name_of(room, seat), points=points(gain, tongue), **places)
            case views.CallLine(seat=seat, against=other, right=right):
                said = N_("{name} calls {other}, and is right.")
                said = said if right else N_("{name} calls {other}, but no rule was broken: 10 points lost.")
                return say(said, name=name_of(room, seat), other=name_of(room, other))
            case views.UndoLine(seat=seat, points=lost):
                places = {"place": views.place_name(line, span), "points": points(lost, tongue)}
                return say(
                    "{name} takes {place} back and loses {points}.", name=name_of(room, seat), **places
                )
            case views.ForfeitLine(seat=seat, colour=colour):
                said = N_("{name} has no place for {colour}: the turn and 10 points are lost.")
                return say(said, name=name_of(room, seat), colour=say(self.pieces[colour]))
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
            again = tongue.say("Lay {colour} again, by the rules.", colour=tongue.say(self.pieces[view.must]))
            return " ".join((tongue.say(words.BROKEN[view.broke]), again)) if view.broke else again
        return tongue.say("You may call the last lay.") if view.claim else ""
