"""What Caro tells people about itself, on the screen and in sentences alike."""

from collections.abc import Mapping
from random import Random
from typing import ClassVar

import msgspec
from typing_extensions import override

from cartino_games.caro import views, words
from cartino_games.caro.bots import CaroGreedy
from cartino_games.caro.views import SPANS, Accept, Call, CaroLay, CaroView, Move, place_at, read_lay
from cartino_games.kit.levels import LEVELS
from cartino_games.kit.spoken import name_of, points
from cartino_protocol.records import RecordLine
from cartino_protocol.text import N_
from cartino_protocol.views import TableView
from cartino_tui.game_port.description import LOT, GameDescription, read_view
from cartino_tui.i18n import Translator

_views = msgspec.msgpack.Decoder(CaroView)
_moves: msgspec.msgpack.Decoder[Move] = msgspec.msgpack.Decoder(Move)


def colour_letters(translator: Translator) -> Mapping[str, str]:
    """Return what the colours' names begin with in the reader's language, by their English letters.

    Where two names begin alike, the English letters stay.
    """
    own = {letter: translator.gettext(name)[:1].upper() for letter, name in words.COLOUR_NAMES.items()}
    return own if len({*own.values()}) == len(own) else {letter: letter for letter in own}


class CaroDescription(GameDescription[CaroView]):
    """Names, rules and refusals of Caro, and the sentences for its lines and for what it waits for."""

    name = "caro"
    title = "Caro"
    rules = words.RULES
    lessons = words.LESSONS
    levels: ClassVar[tuple[str, ...]] = LEVELS
    refusals: ClassVar = {str(rule): sentence for rule, sentence in words.REFUSED.items()}
    chance = LOT
    endings: ClassVar = {
        "laid": N_("all caros have been laid"),
        "blocked": N_("nobody could lay another caro"),
    }
    no_chance: ClassVar = {"begins": "opener"}
    facts: ClassVar = {"lay": N_("best move")}

    @override
    def read(self, raw: msgspec.Raw) -> CaroView:
        return read_view(_views, raw)

    def move(self, word: str, view: CaroView | None = None) -> Move | None:
        """Return the move typed as `Rf6`, `call` or `accept`, in any case; None for no move."""
        answers: dict[str, Move] = {"call": Call(), "accept": Accept()}
        return answers.get(word.casefold()) or read_lay(word, view.span if view else max(SPANS.values()))

    def hint_words(self, view: CaroView, translator: Translator) -> tuple[str, str]:
        """Return the best lay for now in a sentence, and as it is typed; "" for no lay."""
        if not view.lays:
            return "", ""
        lay = CaroGreedy().choose(msgspec.msgpack.encode(view), Random(0))
        if not isinstance(lay, CaroLay):
            return "", ""
        place = place_at(lay.x, lay.y, view.span)
        typed = f"{lay.colour}{place}"
        gain, colour = view.lays.get(typed, 0), translator.gettext(words.COLOUR_NAMES[lay.colour])
        said = translator.gettext(
            "Hint: {colour} on {place}, {points}.",
            colour=colour,
            place=place,
            points=points(gain, translator),
        )
        return said, typed

    @override
    def move_said(self, move: msgspec.Raw, table: TableView, translator: Translator) -> str:
        """Return a lay by colour and field; answers to a lay need no words."""
        read = _moves.decode(move)
        if not isinstance(read, CaroLay):
            return ""
        place = place_at(read.x, read.y, SPANS[max(len(table.seats), 2)])
        colour = translator.gettext(words.COLOUR_NAMES[read.colour])
        return translator.gettext("{colour} on {place}", colour=colour, place=place)

    @override
    def title_of(self, options: Mapping[str, str], translator: Translator) -> str:
        """Return the title with the referee and the rounds where they are not as usual."""
        rounds = int(options.get("rounds", "1"))
        honour = translator.gettext("honour system") if options.get("referee") == "honour" else ""
        several = translator.ngettext("{n} round", "{n} rounds", rounds) if rounds > 1 else ""
        return ", ".join(filter(None, (translator.gettext(self.title), honour, several)))

    @override
    def describe_last_action(self, table: TableView, view: CaroView, translator: Translator) -> str:
        return self.line_sentence(table, view.recent[-1], translator) if view.recent else ""

    def line_sentence(self, table: TableView, line: RecordLine, translator: Translator) -> str:
        """Return a record line in a sentence."""
        gettext, span = translator.gettext, SPANS[max(len(table.seats), 2)]
        name = name_of(table, line.seat) if isinstance(line, views.SeatRecordLine) else ""
        match line:
            case views.RoundLine(round=n, first=seat):
                return gettext("Round {n}: {name} begins.", n=n + 1, name=name_of(table, seat))
            case views.CaroLayLine(x=x, y=y, colour=colour):
                said = N_("{name}: the last {colour} on {place}, doubled: {points}.")
                said = said if line.doubled else N_("{name}: {colour} on {place}, {points}.")
                again = N_("{name} lays again: {colour} on {place}, {points}; being caught costs 10.")
                places = {
                    "colour": gettext(words.COLOUR_NAMES[colour]),
                    "place": place_at(x, y, span),
                    "name": name,
                }
                return gettext(
                    again if line.penalty else said, points=points(line.points, translator), **places
                )
            case views.CallLine(against=other):
                wrong = N_("{name} wrongly calls {other}'s move and loses 10 points.")
                said = N_("{name} calls {other}'s move, and is right.") if line.right else wrong
                return gettext(said, name=name, other=name_of(table, other))
            case views.UndoLine(x=x, y=y):
                place, lost = place_at(x, y, span), points(line.points, translator)
                return gettext(
                    "{name} takes back the caro on {place} and loses {lost}.",
                    name=name,
                    place=place,
                    lost=lost,
                )
            case views.ForfeitLine(colour=colour):
                said = N_("{name} has no place for {colour} and loses the turn and 10 points.")
                return gettext(said, name=name, colour=gettext(words.COLOUR_NAMES[colour]))
            case views.AcceptLine():
                return gettext("{name} accepts the last move.", name=name)
            case views.SkipLine():
                return gettext("{name} can't lay a caro and is skipped.", name=name)
        return ""

    def verdict(self, view: CaroView, translator: Translator) -> str:
        """Return the rule that the lay called last broke; "" where none was called rightly."""
        return translator.gettext(words.BROKEN[view.broke]) if view.broke else ""

    def describe_duty(self, table: TableView, view: CaroView, translator: Translator) -> str:
        """Return what the reader has to do now besides a lay; "" where that is nothing."""
        if view.closing:
            said = N_("Last move of the round: call it or accept it.")
            return translator.gettext(said if view.claim else N_("The last move of the round can be called."))
        if view.must and view.lays:
            return translator.gettext(
                "Lay {colour} again, this time by the rules.",
                colour=translator.gettext(words.COLOUR_NAMES[view.must]),
            )
        return translator.gettext("You can call the last move.") if view.claim else ""
