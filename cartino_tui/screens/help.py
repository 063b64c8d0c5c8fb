"""The help: the keys as the tables in `keys` have them, and a game's rules from its plug."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from cartino_protocol.refusals import Refusal
from cartino_protocol.views import RoomView, Welcome
from cartino_tui.door import Door
from cartino_tui.draw.canvas import Frame
from cartino_tui.games.screen import AnyScreen, Look
from cartino_tui.keys import FORM, HELP, HISTORY, LESSON, LOBBY, REPLAY_IN_HOUSE, TABLE, WAITING, KeyTable
from cartino_tui.known import Known
from cartino_tui.screens import help_drawing
from cartino_tui.screens.base import HintRow, HouseScreen
from cartino_tui.screens.finding import first_from
from cartino_tui.screens.form import Form
from cartino_tui.screens.help_drawing import (
    HelpModel,
    HelpPart,
    draw_help,
    found,
    last_top,
    page_height,
    row_at,
)
from cartino_tui.screens.prompt import Ask
from cartino_tui.screens.shuffle import promise_help, shuffle_help
from cartino_tui.stage import Stage
from cartino_tui.terms import terms
from cartino_tui.tongue import Tongue
from cartino_tui.typeahead import Press, Tap

MOST_SOUGHT: Final = 40
_A_WORD: Final = re.compile("[a-z][a-z-]+")


def keys_said(keys: Iterable[tuple[str, str]], tongue: Tongue) -> tuple[tuple[str, str], ...]:
    """Keys and what they do, as the key tables have them, in words of `tongue`.

    Names of keys stand on the keyboard; but what a table shows in a word ("away") is said, too.
    """
    return tuple(
        (tongue.say(shown) if _A_WORD.fullmatch(shown) else shown, tongue.say(what)) for shown, what in keys
    )


def now_help(table: KeyTable, hints: HintRow, tongue: Tongue) -> tuple[HelpPart, ...]:
    """The keys of `table` that `hints` are of, which do something just now; () for none."""
    keys = keys_said(table.explain(hints), tongue)
    return (HelpPart(tongue.say("Just now"), keys),) if keys else ()


def lobby_help(
    tongue: Tongue, welcome: Welcome | None = None, hints: HintRow = (), plugs: Iterable[AnyScreen] = ()
) -> HelpModel:
    """The help of somebody in the lobby, who was told `welcome` and may do what `hints` say; the rules of `plugs`."""
    say = tongue.say
    mouse = say(
        "Click a table to mark it, click it again to go there. The words in the last line are buttons."
    )
    return HelpModel(
        say("Help: the lobby"),
        (
            *now_help(LOBBY, hints, tongue),
            HelpPart(say("In the lobby"), keys_said(LOBBY.help(), tongue)),
            HelpPart(
                say("With the mouse"),
                text="\n".join((mouse, say("A click on a key in this help presses it."))),
            ),
            HelpPart(say("Names"), text=names_help(tongue)),
            HelpPart(say("In the form for a new table"), keys_said(FORM.help(), tongue)),
            HelpPart(say("At a table that has not begun"), keys_said(WAITING.help(), tongue)),
            *promise_help(welcome, tongue),
            *(part for plug in plugs for part in _rules(plug, tongue)),
        ),
    )


def names_help(tongue: Tongue) -> str:
    """What a name here says of whoever bears it."""
    return tongue.say(
        "The house knows you by your ssh key, and once you have sat down or chosen a name it is yours, on every "
        "machine whose key you add. Nobody else can have it, or one that looks like it. A name that begins with ~ is a "
        "guest's: somebody without a key, who may be anybody and is somebody else the next time, but for the word that "
        "brings them back."
    )


def form_help(form: Form, plugs: Mapping[str, AnyScreen], tongue: Tongue) -> HelpModel:
    """The help of somebody who fills in `form`: its keys, what its lines are about, the rules of the game in it."""
    plug = plugs.get(form.command().game)
    parts = (
        HelpPart(tongue.say("In the form for a new table"), keys_said(FORM.help(), tongue)),
        *(HelpPart(tongue.say(line.label), text=tongue.say(line.note)) for line in form.fields if line.note),
        *(_rules(plug, tongue) if plug else ()),
    )
    return HelpModel(tongue.say("A new table"), parts)


def history_help(tongue: Tongue, hints: HintRow = ()) -> HelpModel:
    """The help of somebody who looks at the games that are over, and may do what `hints` say."""
    say = tongue.say
    past = say(
        "Every finished game has a name of its own, like K7QP-12: the table's code and a number. "
        "A game of a private table is listed for its players alone. Times are UTC."
    )
    mouse = say("Click a game to mark it, click it again to replay it.")
    return HelpModel(
        say("Help: finished games"),
        (
            *now_help(HISTORY, hints, tongue),
            HelpPart(say("In the list"), keys_said(HISTORY.help(), tongue), past),
            HelpPart(say("In a replay"), keys_said(REPLAY_IN_HOUSE.help(), tongue)),
            HelpPart(say("With the mouse"), text=mouse),
        ),
    )


def waiting_help(
    plug: AnyScreen, room: RoomView, welcome: Welcome | None, door: Door, tongue: Tongue, hints: HintRow = ()
) -> HelpModel:
    """The help at the table `room`, whose game has not begun, of somebody who may do what `hints` say."""
    say = tongue.say
    parts = (
        *now_help(WAITING, hints, tongue),
        HelpPart(say("Before the game"), keys_said(WAITING.help(), tongue)),
        HelpPart(say("Time"), text=terms(room.clock, room.absence, tongue)),
        *way_back_help(welcome, door, tongue),
        *shuffle_help(plug.chance_of(room.options), room, tongue),
        *_game_parts(plug, tongue),
    )
    return HelpModel(say("Help: {game}", game=tongue.say(plug.title)), parts)


def table_help(
    plug: AnyScreen, room: RoomView, tongue: Tongue, now: HelpPart, more: Sequence[HelpPart] = ()
) -> HelpModel:
    """The help at the table `room` of `plug`'s game: the keys that work `now`, `more`, all keys, the rules."""
    keys, *rules = _game_parts(plug, tongue)
    parts = (now, *more, keys, *shuffle_help(plug.chance_of(room.options), room, tongue), *rules)
    return HelpModel(tongue.say("Help: {game}", game=tongue.say(plug.title)), parts)


def way_back_help(welcome: Welcome | None, door: Door, tongue: Tongue) -> tuple[HelpPart, ...]:
    """How a guest with a seat comes back to it; () for others. `door` as in `HouseApp`."""
    if welcome is None or not welcome.word:
        return ()
    lines = [
        tongue.say("Your word to come back: {word}", word=welcome.word),
        tongue.say("It works from anywhere, in the lobby with b or in a terminal with"),
        tongue.tell(door.back(welcome.word)),
        tongue.say("When you have come back the house gives you a new one."),
    ]
    return (HelpPart(tongue.say("Your seat"), text="\n".join(lines)),)


def lesson_help(plug: AnyScreen, now: Iterable[tuple[str, str]], tongue: Tongue) -> HelpModel:
    """The help of somebody who learns `plug`'s game: the keys that do something `now`, all keys, the rules."""
    first = HelpPart(tongue.say("Just now"), keys_said(now, tongue))
    keys = HelpPart(tongue.say("In a lesson"), keys_said((*plug.key_help, *LESSON.help()), tongue))
    return HelpModel(
        tongue.say("Help: {game}", game=tongue.say(plug.title)), (first, keys, *_rules(plug, tongue))
    )


def replay_help(plug: AnyScreen, room: RoomView, table: KeyTable, tongue: Tongue) -> HelpModel:
    """The help of somebody who steps through a record with the keys of `table`, and is at `room`."""
    keys = HelpPart(tongue.say("Keys"), keys_said(table.help(), tongue))
    title = tongue.say("Help: a record of {game}", game=tongue.say(plug.title))
    return HelpModel(
        title, (keys, *shuffle_help(plug.chance_of(room.options), room, tongue), *_rules(plug, tongue))
    )


def _game_parts(plug: AnyScreen, tongue: Tongue) -> tuple[HelpPart, ...]:
    keys = keys_said((*plug.key_help, *TABLE.help()), tongue)
    return HelpPart(tongue.say("In the game"), keys), *_rules(plug, tongue)


def _rules(plug: AnyScreen, tongue: Tongue) -> tuple[HelpPart, ...]:
    """A part a section of the game's rules, each paragraph behind its marks."""
    return tuple(
        HelpPart(
            tongue.say("Rules: {section}", section=tongue.say(section.heading)),
            text="\n".join(paragraph.said(tongue) for paragraph in section.paragraphs),
        )
        for section in plug.rules
    )


class HelpScreen(HouseScreen):
    """The help over another screen; every key that goes back anywhere goes back here."""

    def __init__(self, stage: Stage, known: Known, model: HelpModel) -> None:
        """The help that `model` holds, with the keys of the person's keymap."""
        super().__init__(stage, known)
        keymap = stage.preferences.keymap
        parts = tuple(
            HelpPart(
                part.heading, tuple((keymap.all_shown(keys), what) for keys, what in part.keys), part.text
            )
            for part in model.parts
        )
        self.model = msgspec.structs.replace(model, parts=parts)

    def draw(self, look: Look) -> Frame:
        """The lines in sight."""
        return draw_help(self.model, look, self.news)

    def keys(self) -> KeyTable:
        """The help's keys."""
        return HELP

    def hints(self) -> HintRow:
        """The help's hints."""
        return help_drawing.hints_of(self.model)

    def refused(self, refusal: Refusal) -> bool:
        """Nothing is asked for here; the screen below has the sentence."""
        return False

    def press(self, press: Press) -> None:
        """Scroll, or go back."""
        page = page_height(self.look) - 1
        match HELP.action(press.key):
            case "up":
                self._scroll(-1)
            case "down":
                self._scroll(1)
            case "page-up":
                self._scroll(-page)
            case "page-down":
                self._scroll(page)
            case "first":
                self._scroll(-self.model.top)
            case "last":
                self._scroll(last_top(self.model, self.look))
            case "find":
                self.ask(Ask(self.look.tongue.say("Find"), MOST_SOUGHT, self._find, self.model.sought))
            case "next":
                self._go(1)
            case "previous":
                self._go(-1)
            case "back":
                self.app.pop_screen()

    def _find(self, sought: str) -> None:
        """Look for `sought` from the first line in sight on."""
        self.model = msgspec.structs.replace(self.model, sought=sought)
        self._show(first_from(found(self.model, self.look), self.model.top))

    def _go(self, by: int) -> None:
        if self.model.sought:
            self._show(self.model.at + by)
        else:
            self.status = self.look.tongue.say("/ finds words in this help.")

    def _show(self, at: int) -> None:
        """Have the place number `at` in sight, round and round; or say that there is none."""
        places = found(self.model, self.look)
        if not places:
            self.status = self.look.tongue.say("{words}: that stands nowhere here.", words=self.model.sought)
            self.model = msgspec.structs.replace(self.model, sought="")
            return
        at %= len(places)
        line, height = places[at][0].line, page_height(self.look)
        self.model = msgspec.structs.replace(self.model, at=at)
        if not self.model.top <= line < self.model.top + height:
            # A third of the way down, so that one sees what it belongs to.
            self._scroll(line - height // 3 - self.model.top)

    def tap(self, tap: Tap) -> None:
        """A click on a key of the screen below presses it there; one on the text means nothing."""
        row, below = row_at(self.model, self.look, tap.y), self.app.screen_stack[-2]
        key = below.key_of(row) if row is not None and isinstance(below, HouseScreen) else None
        if key is not None and isinstance(below, HouseScreen):
            self.app.pop_screen()
            below.do_key(Press(key))
            below.redraw()

    def _scroll(self, by: int) -> None:
        top = max(0, min(self.model.top + by, last_top(self.model, self.look)))
        self.model = msgspec.structs.replace(self.model, top=top)
