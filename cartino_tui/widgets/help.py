"""Show help over any screen: its keys from the key tables, the rules from the game, and a search.

A click on a key in the help presses it on the screen below.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

import msgspec

from cartino_protocol.commands import Cut
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import RoomView, Welcome
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.text import fit, fold, plain
from cartino_tui.game_port.description import ChanceWords
from cartino_tui.game_port.screen import AnyScreen, Look
from cartino_tui.i18n import Translator
from cartino_tui.keys import FORM, HELP, LESSON, LOBBY, TABLE, WAITING, KeyTable
from cartino_tui.time_control import time_control_text
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import AppScreen, HintRow
from cartino_tui.widgets.layout import hint_line, key_name, localize_hints, title_bar
from cartino_tui.widgets.menu import Hit, find_words, first_hit_from
from cartino_tui.widgets.prompt import Prompt
from cartino_tui.widgets.table_form import TableForm

HELP_HINTS = HELP.hints("find", "up", "down", "page-up", "page-down", "actions", "back")
HELP_SEARCH_HINTS = HELP.hints("next", "previous", "find", "page-up", "page-down", "actions", "back")
_MAX_WIDTH = 88
_MAX_KEY_WIDTH = 24
"""A word of a table can stand there, in any language."""
_TOP, _ROWS_BELOW = 3, 2


class HelpPart(msgspec.Struct, frozen=True):
    """A part of the help: a heading, keys as (key, what it does), and plain paragraphs, in the reader's language."""

    heading: str
    keys: tuple[tuple[str, str], ...] = ()
    text: str = ""


class HelpModel(msgspec.Struct, frozen=True):
    """What the help shows: a title, the parts, and the first line in sight.

    `sought` are words that somebody looks for, and `at` is the place, of all where they stand, that they are shown.
    """

    title: str
    parts: tuple[HelpPart, ...]
    top: int = 0
    sought: str = ""
    at: int = 0


def help_page_height(look: Look) -> int:
    """How many lines are in sight at once."""
    return max(1, look.height - _TOP - _ROWS_BELOW)


def help_last_top(model: HelpModel, look: Look) -> int:
    """The furthest that one can scroll."""
    return max(0, len(_lines(model.parts, look)) - help_page_height(look))


def search_hits(model: HelpModel, look: Look) -> tuple[Hit, ...]:
    """Every place where the words stand that are sought."""
    if not model.sought:
        return ()
    return find_words(["".join(text for text, _ in runs) for runs in _lines(model.parts, look)], model.sought)


def draw_help(model: HelpModel, look: Look, status: str = "") -> Frame:
    """The whole help screen, `look.width` by `look.height` cells, with a line about what happened."""
    canvas = Canvas(look.width, look.height)
    lines = _lines(model.parts, look)
    height = help_page_height(look)
    top = min(model.top, max(0, len(lines) - height))
    seen = min(len(lines), top + height)
    places = search_hits(model, look)
    where = _position(top + 1, seen, len(lines), look)
    if places:
        where = (look.translator.say("found: {n} of {all}", n=model.at + 1, all=len(places)), where[1])
    title_bar(canvas, look, model.title, *where)
    left = max(2, (look.width - _MAX_WIDTH) // 2)
    for line, runs in enumerate(lines[top:seen]):
        x = left
        for text, role in runs:
            x = canvas.put(x, _TOP + line, plain(text) if look.ascii else text, role)
    for number, hit in enumerate(places):
        for line, at, width in hit:
            if top <= line < seen:
                canvas.paint(
                    left + at, _TOP + line - top, width, "selected" if number == model.at else "button"
                )
    canvas.put(1, look.height - 2, status, "status")
    hint_line(canvas, look, look.height - 1, localize_hints(help_hints(model), look))
    return canvas.frame()


def help_hints(model: HelpModel) -> tuple[tuple[str, str], ...]:
    """What can be done in the help, in English: more once something is sought."""
    return HELP_SEARCH_HINTS if model.sought else HELP_HINTS


def _position(first: int, last: int, count: int, look: Look) -> tuple[str, str]:
    """What is in sight, in fewer and fewer words."""
    lines = look.translator.say("lines {first} to {last} of {count}", first=first, last=last, count=count)
    return lines, f"{first}-{last}/{count}"


def help_row_at(model: HelpModel, look: Look, y: int) -> tuple[str, str] | None:
    """The key and what it does, as the model has them, that stand in row `y`; None where no key stands."""
    line = y - _TOP
    if not 0 <= line < help_page_height(look):
        return None
    rows = _rows(model.parts, look)
    line += min(model.top, max(0, len(rows) - help_page_height(look)))
    return rows[line][1] if line < len(rows) else None


@lru_cache(maxsize=2048)
def _wrapped(text: str, width: int) -> tuple[str, ...]:
    """`text` in lines of `width` cells, worked out once for all who read it: wrapping is most of what help takes."""
    return tuple(fold(text, width))


Runs = Sequence[tuple[str, str]]


def _lines(parts: Sequence[HelpPart], look: Look) -> list[Runs]:
    """Every line of the help as runs of (text, role)."""
    return [runs for runs, _ in _rows(parts, look)]


def _rows(parts: Sequence[HelpPart], look: Look) -> list[tuple[Runs, tuple[str, str] | None]]:
    """Every line of the help, and of those about a key, which one and what it does."""
    width = min(_MAX_WIDTH, look.width - 4)
    lines: list[tuple[Runs, tuple[str, str] | None]] = []
    for part in parts:
        if lines:
            lines.append(((), None))
        lines.append((((part.heading, "title"),), None))
        keys = [fit(key_name(key, look), _MAX_KEY_WIDTH, ascii=look.ascii) for key, _ in part.keys]
        column = 2 + max(map(len, keys), default=0)
        for key, row in zip(keys, part.keys, strict=True):
            for number, text in enumerate(_wrapped(row[1], width - column) or ("",)):
                lines.append(((((key if number == 0 else "").ljust(column), "key"), (text, "text")), row))
        for paragraph in part.text.splitlines():
            folded: list[Runs] = [((text, "text"),) for text in _wrapped(paragraph, width)]
            lines += [(runs, None) for runs in folded or [()]]
    return lines


MAX_CUT = 100


def cut_prompt(say: Callable[[Cut], None], translator: Translator) -> Prompt:
    """Ask for a cut, any text, and `say` it."""
    return Prompt(translator.say("Your cut"), MAX_CUT, lambda text: say(Cut(text)))


def promise_help(welcome: Welcome | None, translator: Translator) -> tuple[HelpPart, ...]:
    """What is promised to somebody in the lobby: the shuffle of the next table that they open."""
    if welcome is None or not welcome.promise:
        return ()
    lines = [
        translator.say("The next table that you open is shuffled by a seed with this SHA-256 hash:"),
        welcome.promise,
    ]
    return (HelpPart(translator.say("The shuffle"), text="\n".join(lines)),)


def shuffle_help(words: ChanceWords | None, room: RoomView, translator: Translator) -> tuple[HelpPart, ...]:
    """The hashes and the seed of a table in full, to be kept and checked; () where nothing is left to chance."""
    if words is None:
        return ()
    lines = [translator.say(words.open if room.state == "open" else words.begun), room.commitment]
    if room.seed:
        lines += [translator.say("The seed itself, now that the game is over:"), room.seed]
    if room.next_commitment:
        lines += [
            translator.say("The next game here is promised with this hash; x cuts it:"),
            room.next_commitment,
        ]
    return (HelpPart(translator.say(words.heading), text="\n".join(lines)),)


MAX_SEARCH: Final = 40
_KEY_WORD: Final = re.compile("[a-z][a-z-]+")


def translate_keys(keys: Iterable[tuple[str, str]], translator: Translator) -> tuple[tuple[str, str], ...]:
    """Keys and what they do, as the key tables have them, in words of `translator`.

    Names of keys stand on the keyboard; but what a table shows in a word ("away") is said, too.
    """
    return tuple(
        (translator.say(shown) if _KEY_WORD.fullmatch(shown) else shown, translator.say(what))
        for shown, what in keys
    )


def current_keys_help(table: KeyTable, hints: HintRow, translator: Translator) -> tuple[HelpPart, ...]:
    """The keys of `table` that `hints` are of, which do something just now; () for none."""
    keys = translate_keys(table.explain(hints), translator)
    return (HelpPart(translator.say("Just now"), keys),) if keys else ()


def lobby_help(
    translator: Translator,
    welcome: Welcome | None = None,
    hints: HintRow = (),
    game_screens: Iterable[AnyScreen] = (),
) -> HelpModel:
    """Return the lobby's help: the keys of `hints`, how to come back, and the rules of `game_screens`."""
    say = translator.say
    mouse = say(
        "Click a table to mark it, click it again to go there. The words in the last line are buttons."
    )
    return HelpModel(
        say("Help: the lobby"),
        (
            *current_keys_help(LOBBY, hints, translator),
            HelpPart(say("In the lobby"), translate_keys(LOBBY.help(), translator)),
            HelpPart(
                say("With the mouse"),
                text="\n".join((mouse, say("A click on a key in this help presses it."))),
            ),
            HelpPart(say("Names"), text=names_help(translator)),
            HelpPart(say("In the form for a new table"), translate_keys(FORM.help(), translator)),
            HelpPart(say("At a table that has not begun"), translate_keys(WAITING.help(), translator)),
            *promise_help(welcome, translator),
            *(part for game_screen in game_screens for part in _rules_parts(game_screen, translator)),
        ),
    )


def names_help(translator: Translator) -> str:
    """What a name here says of whoever bears it."""
    return translator.say(
        "The house knows you by your ssh key, and once you have sat down or chosen a name it is yours, on every "
        "machine whose key you add. Nobody else can have it, or one that looks like it. A name that begins with ~ is a "
        "guest's: somebody without a key, who may be anybody and is somebody else the next time, but for the word that "
        "brings them back."
    )


def form_help(form: TableForm, game_screens: Mapping[str, AnyScreen], translator: Translator) -> HelpModel:
    """The help of somebody who fills in `form`: its keys, what its lines are about, the rules of the game in it."""
    game_screen = game_screens.get(form.command().game)
    parts = (
        HelpPart(translator.say("In the form for a new table"), translate_keys(FORM.help(), translator)),
        *(
            HelpPart(translator.say(line.label), text=translator.say(line.note))
            for line in form.fields
            if line.note
        ),
        *(_rules_parts(game_screen, translator) if game_screen else ()),
    )
    return HelpModel(translator.say("A new table"), parts)


def waiting_help(
    game_screen: AnyScreen,
    room: RoomView,
    welcome: Welcome | None,
    door: ShellCommands,
    translator: Translator,
    hints: HintRow = (),
) -> HelpModel:
    """The help at the table `room`, whose game has not begun, of somebody who may do what `hints` say."""
    say = translator.say
    parts = (
        *current_keys_help(WAITING, hints, translator),
        HelpPart(say("Before the game"), translate_keys(WAITING.help(), translator)),
        HelpPart(say("Time"), text=time_control_text(room.clock, room.absence, translator)),
        *resume_code_help(welcome, door, translator),
        *shuffle_help(game_screen.chance_of(room.options), room, translator),
        *_keys_and_rules(game_screen, translator),
    )
    return HelpModel(say("Help: {game}", game=translator.say(game_screen.title)), parts)


def table_help(
    game_screen: AnyScreen,
    room: RoomView,
    translator: Translator,
    now: HelpPart,
    more: Sequence[HelpPart] = (),
) -> HelpModel:
    """The help at the table `room` of `game_screen`'s game: the keys that work `now`, `more`, all keys, the rules."""
    keys, *rules = _keys_and_rules(game_screen, translator)
    parts = (now, *more, keys, *shuffle_help(game_screen.chance_of(room.options), room, translator), *rules)
    return HelpModel(translator.say("Help: {game}", game=translator.say(game_screen.title)), parts)


def resume_code_help(
    welcome: Welcome | None, door: ShellCommands, translator: Translator
) -> tuple[HelpPart, ...]:
    """How a guest with a seat comes back to it; () for others. `door` as in `HouseApp`."""
    if welcome is None or not welcome.word:
        return ()
    lines = [
        translator.say("Your word to come back: {word}", word=welcome.word),
        translator.say("It works from anywhere, in the lobby with b or in a terminal with"),
        translator.tell(door.back(welcome.word)),
        translator.say("When you have come back the house gives you a new one."),
    ]
    return (HelpPart(translator.say("Your seat"), text="\n".join(lines)),)


def lesson_help(game_screen: AnyScreen, now: Iterable[tuple[str, str]], translator: Translator) -> HelpModel:
    """The help of somebody who learns `game_screen`'s game: the keys that do something `now`, all keys, the rules."""
    first = HelpPart(translator.say("Just now"), translate_keys(now, translator))
    keys = HelpPart(
        translator.say("In a lesson"), translate_keys((*game_screen.key_help, *LESSON.help()), translator)
    )
    return HelpModel(
        translator.say("Help: {game}", game=translator.say(game_screen.title)),
        (first, keys, *_rules_parts(game_screen, translator)),
    )


def replay_help(game_screen: AnyScreen, room: RoomView, table: KeyTable, translator: Translator) -> HelpModel:
    """The help of somebody who steps through a record with the keys of `table`, and is at `room`."""
    keys = HelpPart(translator.say("Keys"), translate_keys(table.help(), translator))
    title = translator.say("Help: a record of {game}", game=translator.say(game_screen.title))
    return HelpModel(
        title,
        (
            keys,
            *shuffle_help(game_screen.chance_of(room.options), room, translator),
            *_rules_parts(game_screen, translator),
        ),
    )


def _keys_and_rules(game_screen: AnyScreen, translator: Translator) -> tuple[HelpPart, ...]:
    keys = translate_keys((*game_screen.key_help, *TABLE.help()), translator)
    return HelpPart(translator.say("In the game"), keys), *_rules_parts(game_screen, translator)


def _rules_parts(game_screen: AnyScreen, translator: Translator) -> tuple[HelpPart, ...]:
    """A part a section of the game's rules, each paragraph behind its marks."""
    return tuple(
        HelpPart(
            translator.say("Rules: {section}", section=translator.say(section.heading)),
            text="\n".join(paragraph.said(translator) for paragraph in section.paragraphs),
        )
        for section in game_screen.rules
    )


class HelpScreen(AppScreen):
    """The help over another screen; every key that goes back anywhere goes back here."""

    def __init__(self, stage: AppContext, known: ClientState, model: HelpModel) -> None:
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
        return help_hints(self.model)

    def refused(self, refusal: Refusal) -> bool:
        """Nothing is asked for here; the screen below has the sentence."""
        return False

    def press(self, press: Press) -> None:
        """Scroll, or go back."""
        page = help_page_height(self.look) - 1
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
                self._scroll(help_last_top(self.model, self.look))
            case "find":
                self.ask(Prompt(self.look.translator.say("Find"), MAX_SEARCH, self._find, self.model.sought))
            case "next":
                self._go(1)
            case "previous":
                self._go(-1)
            case "back":
                self.app.pop_screen()

    def _find(self, sought: str) -> None:
        """Look for `sought` from the first line in sight on."""
        self.model = msgspec.structs.replace(self.model, sought=sought)
        self._show(first_hit_from(search_hits(self.model, self.look), self.model.top))

    def _go(self, by: int) -> None:
        if self.model.sought:
            self._show(self.model.at + by)
        else:
            self.status = self.look.translator.say("/ finds words in this help.")

    def _show(self, at: int) -> None:
        """Have the place number `at` in sight, round and round; or say that there is none."""
        places = search_hits(self.model, self.look)
        if not places:
            self.status = self.look.translator.say(
                "{words}: that stands nowhere here.", words=self.model.sought
            )
            self.model = msgspec.structs.replace(self.model, sought="")
            return
        at %= len(places)
        line, height = places[at][0].line, help_page_height(self.look)
        self.model = msgspec.structs.replace(self.model, at=at)
        if not self.model.top <= line < self.model.top + height:
            # A third of the way down, so that one sees what it belongs to.
            self._scroll(line - height // 3 - self.model.top)

    def tap(self, tap: Tap) -> None:
        """A click on a key of the screen below presses it there; one on the text means nothing."""
        row, below = help_row_at(self.model, self.look, tap.y), self.app.screen_stack[-2]
        key = below.key_of(row) if row is not None and isinstance(below, AppScreen) else None
        if key is not None and isinstance(below, AppScreen):
            self.app.pop_screen()
            below.do_key(Press(key))
            below.redraw()

    def _scroll(self, by: int) -> None:
        top = max(0, min(self.model.top + by, help_last_top(self.model, self.look)))
        self.model = msgspec.structs.replace(self.model, top=top)
