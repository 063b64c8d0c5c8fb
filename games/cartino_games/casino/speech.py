"""Casino's speech: what plain mode says of a table, and what a typed line means at it."""

from collections.abc import Sequence
from functools import partial

from typing_extensions import override

from cartino_games.casino.arithmetic import gain, ordered, plays, readings
from cartino_games.casino.bots import best_play
from cartino_games.casino.cards import Customs
from cartino_games.casino.description import CasinoDescription
from cartino_games.casino.lessons import SPOKEN
from cartino_games.casino.story import columns, gains, offer, told
from cartino_games.casino.typing_moves import meant, read, write
from cartino_games.casino.views import CasinoEvent, CasinoView, Play
from cartino_games.kit.hands.speech import HandSpeech
from cartino_games.kit.spoken import card_name, cards, in_english, in_letters, name_of, points, suit_name
from cartino_protocol.text import N_
from cartino_protocol.views import RoomView
from cartino_tui.game_port.speech import Lines
from cartino_tui.i18n import Translator

_MOST = 8
"""The captures that are read out for a card; any other can be typed."""


class CasinoSpeech(CasinoDescription, HandSpeech[CasinoView]):
    """Speaks of Casino and reads lines for it; see HandSpeech and GameSpeech for what each method is."""

    spoken_lessons = SPOKEN

    @override
    def hint(self, room: RoomView, view: CasinoView, translator: Translator) -> Lines:
        """Return what the bot `careful` would play."""
        if not view.plays:
            return ()
        play, said = best_play(view), partial(cards, translator=translator)
        suit = suit_name(view.customs.suit, translator)
        texts = offer(view, play, translator, said), gains(view, play, translator, suit)
        what = ": ".join(filter(None, texts))
        return (
            translator.gettext("Hint: {card}, {play}.", card=card_name(play.card, translator), play=what),
            translator.gettext("Type {moves} to play it.", moves=in_letters(write(play), translator)),
        )

    @override
    def tell(self, room: RoomView, view: CasinoView, event: CasinoEvent, translator: Translator) -> Lines:
        """Return a scored deal with what each player got for it."""
        scored = self.outcome(room, view, translator) if event.kind == "score" else ()
        return (told(room, view, event, translator), *scored)

    @override
    def table(self, room: RoomView, view: CasinoView, translator: Translator) -> Lines:
        gettext = translator.gettext
        lines = [] if view.pack else [gettext("This is the last hand of the deal.")]
        if view.loose or not view.builds:
            loose = cards(view.loose, translator)
            lines.append(
                gettext("On the table: {cards}.", cards=loose) if loose else gettext("The table is empty.")
            )
        for build in view.builds:
            locked = N_("Build of {n} by {name}, locked: {cards}.")
            said = locked if build.multiple else N_("Build of {n} by {name}: {cards}.")
            name, built = name_of(room, build.owner), cards(build.cards, translator)
            lines.append(gettext(said, n=build.value, name=name, cards=built))
        return tuple(lines)

    @override
    def outcome(self, room: RoomView, view: CasinoView, translator: Translator) -> Lines:
        """Return the deal that was scored last."""
        lines, columned = [], columns(view, translator)[:-1]
        for seat, score in enumerate(view.score.points if view.score else ()):
            parts = ", ".join(f"{what} {each[seat]}" for what, _, each in columned if each[seat])
            places = {"name": name_of(room, seat), "points": points(score, translator), "parts": parts}
            nothing = N_("{name}: {points} in this deal, {total} in total.")
            said = N_("{name}: {points} in this deal ({parts}), {total} in total.") if parts else nothing
            lines.append(translator.gettext(said, total=view.totals[seat], **places))
        return tuple(lines)

    @override
    def scores(self, room: RoomView, view: CasinoView, translator: Translator) -> Lines:
        say = N_("{name}: {points}, {hand} in hand, {taken} in the pile, {sweeps}.")
        return tuple(
            translator.gettext(
                say,
                name=name_of(room, seat),
                points=points(total, translator),
                hand=translator.ngettext("{n} card", "{n} cards", view.held[seat]),
                taken=view.taken[seat],
                sweeps=translator.ngettext("{n} sweep", "{n} sweeps", view.sweeps[seat]),
            )
            for seat, total in enumerate(view.totals)
        )

    @override
    def choices(
        self, view: CasinoView, card: str, translator: Translator
    ) -> Sequence[tuple[Play, str]] | str:
        suit, said = suit_name(view.customs.suit, translator), partial(cards, translator=translator)
        found = []
        for play in plays(view, card, _MOST):
            texts = offer(view, play, translator, said), gains(view, play, translator, suit)
            found.append((ordered(view, play), ": ".join(filter(None, texts))))
        return found or str(readings(view, card, ())[0][1])

    @override
    def typed(self, view: CasinoView, text: str) -> Play | str | None:
        play = read(text, view)
        return ordered(view, play) if isinstance(play, Play) else play

    @override
    def words(self, translator: Translator) -> Lines:
        gettext = translator.gettext
        return (
            gettext("A number: choose that card from your hand, then what to do with it. 0 puts it back."),
            gettext(
                "9H: trail the nine of hearts. 9Hx3C+6D,9C: take a set and a card with it. 5Cx*: take "
                "everything."
            ),
            gettext("AH=14xKC+AD: take with the value 14. 9Hx>9: take the build of 9. 2H+7C=9: build 9."),
            gettext(
                "7H&7C: build on a card of equal value. AH>9: raise the build of 9. 4H+5C>>9: add to it."
            ),
            gettext(
                "hand, turn, board: the table and your cards. scores: the points. moves: the latest moves."
            ),
        )

    @override
    def move(self, word: str, view: CasinoView | None = None) -> Play | None:
        return meant(in_english(word), view or CasinoView(Customs(), ()))

    @override
    def move_words(self) -> str:
        return N_("9H trails, 9Hx3C+6D,9C takes, 2H+7C=9 builds, 'AH>9' raises, '4H+5C>>9' adds to a build")

    @override
    def legal(self, view: CasinoView) -> Sequence[tuple[str, int]]:
        worth = ((write(play), sum(gain(view, play)[2:])) for play in view.plays)
        return sorted(worth, key=lambda each: -each[1])

    @override
    def picture(self, room: RoomView, view: CasinoView, translator: Translator) -> Lines:
        gettext, loose = translator.gettext, in_letters(" ".join(view.loose), translator)
        lines = [gettext("On the table: {cards}.", cards=loose)] if loose else []
        for build in view.builds:
            value, owner = f"{build.value}{'#' * build.multiple}", name_of(room, build.owner)
            lines.append(f">{value} {in_letters(' '.join(build.cards), translator)} ({owner})")
        return tuple(lines) or (gettext("The table is empty."),)
