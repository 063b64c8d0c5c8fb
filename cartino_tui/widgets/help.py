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
from cartino_protocol.text import N_
from cartino_protocol.views import TableView, Welcome
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Canvas, Frame, put_row
from cartino_tui.draw.text import fit, fold, safe
from cartino_tui.game_port.description import ChanceWords
from cartino_tui.game_port.screen import AnyScreen, Look
from cartino_tui.i18n import Translator
from cartino_tui.keys import FORM, HELP, LESSON, LOBBY, TABLE, WAITING, KeyTable
from cartino_tui.pages.new_table import TableForm
from cartino_tui.time_control import time_control_text
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import AppScreen, HintRow, available_actions
from cartino_tui.widgets.layout import cursor_step, hint_line, localize_hints, title_bar
from cartino_tui.widgets.menu import Hit, find_words, first_hit_from, item_key
from cartino_tui.widgets.prompt import Prompt

HELP_HINTS = HELP.hints("part", "keys", "find", "up", "down", "page-down", "actions", "back")
HELP_SEARCH_HINTS = HELP.hints("next", "previous", "find", "page-up", "page-down", "actions", "back")
_MAX_WIDTH = 88
_MAX_KEY_WIDTH = 28
"""A word of a table can stand there, in any language."""
_TOP, _ROWS_BELOW = 3, 2


class HelpPart(msgspec.Struct, frozen=True):
    """A section of the help, translated: a heading, keys as (key, what it does), and paragraphs."""

    heading: str
    keys: tuple[tuple[str, str], ...] = ()
    text: str = ""


class HelpModel(msgspec.Struct, frozen=True):
    """What the help shows; `top` is the first visible line, `at` the shown hit of the search for `sought`."""

    title: str
    parts: tuple[HelpPart, ...]
    top: int = 0
    sought: str = ""
    at: int = 0

    @property
    def hints(self) -> HintRow:
        """The hints in English; those of a search once something is sought."""
        return HELP_SEARCH_HINTS if self.sought else HELP_HINTS


Runs = Sequence[tuple[str, str]]


class HelpDrawing:
    """The help at one size."""

    def __init__(self, model: HelpModel, look: Look) -> None:
        """Wrap all parts, and find what is sought."""
        self._model, self._look = model, look
        self._lines: list[tuple[Runs, tuple[str, str] | None]] = []
        """Every line, with the key row that it belongs to."""
        self.key_parts: list[int] = []
        """The lines at which parts with keys begin."""
        for part in model.parts:
            self._add_part(part)
        self.height = max(1, look.height - _TOP - _ROWS_BELOW)
        """Lines in sight at once."""
        self.last_top = max(0, len(self._lines) - self.height)
        self.headings = [at for at, (runs, _) in enumerate(self._lines) if runs and runs[0][1] == "title"]
        """The lines at which parts begin."""
        texts = ("".join(text for text, _ in runs) for runs, _ in self._lines)
        self.hits: tuple[Hit, ...] = find_words(list(texts), model.sought) if model.sought else ()
        self._top = min(model.top, self.last_top)

    def frame(self, status: str = "") -> Frame:
        """Draw the help screen with `status` in its status line."""
        model, look, top = self._model, self._look, self._top
        canvas = Canvas(look.width, look.height)
        seen = min(len(self._lines), top + self.height)
        title_bar(canvas, look, model.title, *self._position(top + 1, seen))
        left = max(2, (look.width - _MAX_WIDTH) // 2)
        for y, (runs, _) in enumerate(self._lines[top:seen], _TOP):
            put_row(canvas, left, y, ((safe(text, ascii=look.ascii), role) for text, role in runs))
        for number, hit in enumerate(self.hits):
            role = "selected" if number == model.at else "button"
            for line, at, width in hit:
                if top <= line < seen:
                    canvas.paint(left + at, _TOP + line - top, width, role)
        canvas.put(1, look.height - 2, status, "status")
        hint_line(canvas, look, look.height - 1, localize_hints(model.hints, look))
        return canvas.frame()

    def row_at(self, y: int) -> tuple[str, str] | None:
        """Return the key row shown in row `y`, None for none."""
        line = y - _TOP + self._top
        shown = 0 <= y - _TOP < self.height and line < len(self._lines)
        return self._lines[line][1] if shown else None

    def _position(self, first: int, last: int) -> tuple[str, str]:
        """Return the visible lines, or the number of the hit, in a long and a short form."""
        gettext, short = self._look.translator.gettext, f"{first}-{last}/{len(self._lines)}"
        if self.hits:
            return gettext("match {n} of {all}", n=self._model.at + 1, all=len(self.hits)), short
        count = len(self._lines)
        return gettext("lines {first} to {last} of {count}", first=first, last=last, count=count), short

    def _add_part(self, part: HelpPart) -> None:
        look, lines = self._look, self._lines
        width = min(_MAX_WIDTH, look.width - 4)
        if lines:
            lines.append(((), None))
        if part.keys:
            self.key_parts.append(len(lines))
        lines.append((((part.heading, "title"),), None))
        keys = [fit(look.key_name(key), _MAX_KEY_WIDTH, ascii=look.ascii) for key, _ in part.keys]
        column = 2 + max(map(len, keys), default=0)
        for key, row in zip(keys, part.keys, strict=True):
            for number, text in enumerate(_wrapped(row[1], width - column) or ("",)):
                lines.append(((((key if number == 0 else "").ljust(column), "key"), (text, "text")), row))
        for paragraph in part.text.splitlines():
            folded: list[Runs] = [((text, "text"),) for text in _wrapped(paragraph, width)]
            lines += [(runs, None) for runs in folded or [()]]


@lru_cache(maxsize=2048)
def _wrapped(text: str, width: int) -> tuple[str, ...]:
    """Wrap `text` to `width` cells; cached, because wrapping is most of the cost of drawing help."""
    return tuple(fold(text, width))


MAX_CUT = 100


def cut_prompt(say: Callable[[Cut], None], translator: Translator) -> Prompt:
    """Return the prompt for a cut of the shuffle, any text, sent with `say`."""
    return Prompt(translator.gettext("Your text"), MAX_CUT, lambda text: say(Cut(text)))


def promise_help(welcome: Welcome | None, translator: Translator) -> tuple[HelpPart, ...]:
    """Return the hash promised for the next table that the person opens; () for none."""
    if welcome is None or not welcome.promise:
        return ()
    sentence = translator.gettext(
        "The next table you open is shuffled with the seed that has this SHA-256 hash:"
    )
    return (HelpPart(translator.gettext("The shuffle"), text=f"{sentence}\n{welcome.promise}"),)


def shuffle_help(words: ChanceWords | None, table: TableView, translator: Translator) -> tuple[HelpPart, ...]:
    """Return a table's hashes and seed in full; () for a game without chance."""
    if words is None:
        return ()
    lines = [translator.gettext(words.open if table.state == "open" else words.begun), table.commitment]
    if table.seed:
        lines += [translator.gettext("The seed, now that the game is over:"), table.seed]
    if table.next_commitment:
        next_game = translator.gettext("Hash of the next game's seed; press x to add text:")
        lines += [next_game, table.next_commitment]
    return (HelpPart(translator.gettext(words.heading), text="\n".join(lines)),)


MAX_SEARCH: Final = 40
_KEY_WORD: Final = re.compile("[a-z][a-z-]+")


def translate_keys(keys: Iterable[tuple[str, str]], translator: Translator) -> tuple[tuple[str, str], ...]:
    """Translate what keys do, and words in place of keys ("away"); names of keys are translated when drawn."""
    gettext = translator.gettext
    return tuple(
        (gettext(shown) if _KEY_WORD.fullmatch(shown) else shown, gettext(what)) for shown, what in keys
    )


def keys_help(heading: str, table: KeyTable, translator: Translator) -> HelpPart:
    """Return the keys of `table` below `heading`, which is in English."""
    return HelpPart(translator.gettext(heading), translate_keys(table.help(), translator))


def current_keys_help(table: KeyTable, hints: HintRow, translator: Translator) -> tuple[HelpPart, ...]:
    """Return the keys of `table` that `hints` show as working now; () for none."""
    keys = translate_keys(table.explain(hints), translator)
    return (HelpPart(translator.gettext("Available now"), keys),) if keys else ()


def lobby_help(
    translator: Translator,
    welcome: Welcome | None = None,
    hints: HintRow = (),
    game_screens: Iterable[AnyScreen] = (),
) -> HelpModel:
    """Return the lobby's help: keys, mouse, names, and the rules of `game_screens`."""
    gettext = translator.gettext
    mouse = (
        gettext("Click a table to select it, click again to join. The words in the bottom line are buttons."),
        gettext("Click a key in this help to press it."),
    )
    parts = (
        *current_keys_help(LOBBY, hints, translator),
        keys_help(N_("In the lobby"), LOBBY, translator),
        HelpPart(gettext("With the mouse"), text="\n".join(mouse)),
        HelpPart(gettext("Names"), text=names_help(translator)),
        keys_help(N_("In the form for a new table"), FORM, translator),
        keys_help(N_("At a table before the game starts"), WAITING, translator),
        *promise_help(welcome, translator),
        *(part for game_screen in game_screens for part in _rules_parts(game_screen, None, translator)),
    )
    return HelpModel(gettext("Help: the lobby"), parts)


def names_help(translator: Translator) -> str:
    """Explain what a name says about its owner."""
    return translator.gettext(
        "The server recognizes you by your SSH key. Once you take a seat or choose a name, that name is "
        "yours on every computer whose key you add; nobody else can use it, or one that looks like it. A "
        "name that starts with ~ belongs to a guest, who has no key: it can be a different person each "
        "time, unless they return with a resume code."
    )


def form_help(form: TableForm, game_screens: Mapping[str, AnyScreen], translator: Translator) -> HelpModel:
    """Return the help of the new-table form: its keys, its fields and the rules of the chosen game."""
    gettext, game_screen = translator.gettext, game_screens.get(form.command().game)
    parts = (
        keys_help(N_("In the form for a new table"), FORM, translator),
        *(HelpPart(gettext(line.label), text=gettext(line.note)) for line in form.fields if line.note),
        *(_rules_parts(game_screen, form.command().options, translator) if game_screen else ()),
    )
    return HelpModel(gettext("New table"), parts)


def waiting_help(
    game_screen: AnyScreen,
    table: TableView,
    welcome: Welcome | None,
    shell_commands: ShellCommands,
    translator: Translator,
    hints: HintRow = (),
) -> HelpModel:
    """Return the help at a table whose game has not begun: the rules, the keys, what else holds here."""
    gettext = translator.gettext
    parts = (
        *_rules_parts(game_screen, table.options, translator),
        *current_keys_help(WAITING, hints, translator),
        keys_help(N_("Before the game"), WAITING, translator),
        _game_keys(game_screen, translator),
        HelpPart(gettext("Time"), text=time_control_text(table.clock, table.absence, translator)),
        *resume_code_help(welcome, shell_commands, translator),
        *shuffle_help(game_screen.chance_of(table.options), table, translator),
    )
    return HelpModel(_help_title(game_screen, translator), parts)


def table_help(
    game_screen: AnyScreen,
    table: TableView,
    translator: Translator,
    now: HelpPart,
    more: Sequence[HelpPart] = (),
) -> HelpModel:
    """Return the help during and after a game: the rules, the keys that work `now`, all keys, `more`."""
    rules, shuffle = (
        _rules_parts(game_screen, table.options, translator),
        game_screen.chance_of(table.options),
    )
    keys = _game_keys(game_screen, translator)
    parts = (*rules, now, keys, *more, *shuffle_help(shuffle, table, translator))
    return HelpModel(_help_title(game_screen, translator), parts)


def resume_code_help(
    welcome: Welcome | None, shell_commands: ShellCommands, translator: Translator
) -> tuple[HelpPart, ...]:
    """Explain how a guest returns to their seat; () for others."""
    if welcome is None or not welcome.word:
        return ()
    lines = [
        translator.gettext("Your resume code: {word}", word=welcome.word),
        translator.gettext("Use it from anywhere: press b in the lobby, or run this in a terminal:"),
        translator.render(shell_commands.describe_return(welcome.word)),
        translator.gettext("Once you're back, the server gives you a new one."),
    ]
    return (HelpPart(translator.gettext("Your seat"), text="\n".join(lines)),)


def lesson_help(
    game_screen: AnyScreen,
    options: Mapping[str, str],
    now: Iterable[tuple[str, str]],
    translator: Translator,
) -> HelpModel:
    """Return the help in a lesson with `options`: the rules, the keys that work `now`, all keys."""
    gettext, keys = translator.gettext, (*game_screen.key_help, *LESSON.help())
    parts = (
        *_rules_parts(game_screen, options, translator),
        HelpPart(gettext("Available now"), translate_keys(now, translator)),
        HelpPart(gettext("In a lesson"), translate_keys(keys, translator)),
    )
    return HelpModel(_help_title(game_screen, translator), parts)


def replay_help(
    game_screen: AnyScreen, table: TableView, key_table: KeyTable, translator: Translator
) -> HelpModel:
    """Return the help in a replay at `table`, whose keys are `key_table`."""
    gettext = translator.gettext
    parts = (
        *_rules_parts(game_screen, table.options, translator),
        keys_help(N_("Keys"), key_table, translator),
        *shuffle_help(game_screen.chance_of(table.options), table, translator),
    )
    return HelpModel(gettext("Help: a record of {game}", game=gettext(game_screen.title)), parts)


def _help_title(game_screen: AnyScreen, translator: Translator) -> str:
    return translator.gettext("Help: {game}", game=translator.gettext(game_screen.title))


def _game_keys(game_screen: AnyScreen, translator: Translator) -> HelpPart:
    keys = translate_keys((*game_screen.key_help, *TABLE.help()), translator)
    return HelpPart(translator.gettext("In the game"), keys)


def _rules_parts(
    game_screen: AnyScreen, options: Mapping[str, str] | None, translator: Translator
) -> tuple[HelpPart, ...]:
    """Return one part per section of the game's rules with `options`, None for those of every edition."""
    return tuple(
        HelpPart(
            translator.gettext(section.heading)
            if options is not None
            else translator.gettext(
                "{place}: {what}",
                place=translator.gettext(game_screen.title),
                what=translator.gettext(section.heading),
            ),
            text="\n".join(paragraph.translate_paragraph(translator) for paragraph in section.paragraphs),
        )
        for section in (game_screen.rules if options is None else game_screen.rules_of(options))
    )


class HelpScreen(AppScreen):
    """The help over another screen."""

    KEYS = HELP

    def __init__(self, context: AppContext, known: ClientState, model: HelpModel) -> None:
        """Create the help of `model` with the keys of the person's keymap."""
        super().__init__(context, known)
        keymap = context.preferences.keymap
        parts = tuple(
            msgspec.structs.replace(
                part, keys=tuple((keymap.all_shown(key), does) for key, does in part.keys)
            )
            for part in model.parts
        )
        self.model = msgspec.structs.replace(model, parts=parts)

    def draw(self, look: Look) -> Frame:
        """Draw the visible lines."""
        return HelpDrawing(self.model, look).frame(self.status_text)

    def hints(self) -> HintRow:
        """Return the hints of the help or of its search."""
        return self.model.hints

    def handle_refusal(self, refusal: Refusal) -> bool:
        """Leave the refusal to the screen below: the help sends no commands."""
        return False

    def press(self, press: Press) -> None:
        """Scroll, or go back."""
        action, drawing = HELP.action(press.key), HelpDrawing(self.model, self.look)
        step = cursor_step(action, drawing.height - 1, drawing.last_top)
        if step is not None:
            self._scroll(step)
            return
        match action:
            case "find":
                self.ask(
                    Prompt(self.look.translator.gettext("Find"), MAX_SEARCH, self._find, self.model.sought)
                )
            case "next":
                self._go(1)
            case "previous":
                self._go(-1)
            case "part":
                top = self.model.top
                below = (at for at in drawing.headings if top < at and top < drawing.last_top)
                self._scroll(next(below, 0) - top)
            case "keys":
                top = self.model.top
                below = (at for at in drawing.key_parts if top < at and top < drawing.last_top)
                self._scroll(next(below, next(iter(drawing.key_parts), 0)) - top)
            case "back":
                self.app.pop_screen()

    def _find(self, sought: str) -> None:
        """Search from the first visible line on."""
        self.model = msgspec.structs.replace(self.model, sought=sought)
        self._show(first_hit_from(HelpDrawing(self.model, self.look).hits, self.model.top))

    def _go(self, by: int) -> None:
        if self.model.sought:
            self._show(self.model.at + by)
        else:
            self.status = self.look.translator.gettext("Press / to search this help.")

    def _show(self, at: int) -> None:
        """Scroll to hit `at`, counted round the end, or say that there is none."""
        drawing = HelpDrawing(self.model, self.look)
        places, height = drawing.hits, drawing.height
        if not places:
            self.status = self.look.translator.gettext("{words}: no matches.", words=self.model.sought)
            self.model = msgspec.structs.replace(self.model, sought="")
            return
        at %= len(places)
        line = places[at][0].line
        self.model = msgspec.structs.replace(self.model, at=at)
        if not self.model.top <= line < self.model.top + height:
            # A third of the way down, to show the context.
            self._scroll(line - height // 3 - self.model.top)

    def tap(self, tap: Tap) -> None:
        """Press a clicked key on the screen below."""
        row, below = HelpDrawing(self.model, self.look).row_at(tap.y), self.app.screen_stack[-2]
        if row is None or not isinstance(below, AppScreen):
            return
        key = item_key(below.keys(), available_actions(below), row, below.look)
        if key is not None:
            self.app.pop_screen()
            below.do_key(Press(key))
            below.redraw()

    def _scroll(self, by: int) -> None:
        top = max(0, min(self.model.top + by, HelpDrawing(self.model, self.look).last_top))
        self.model = msgspec.structs.replace(self.model, top=top)
