"""The menus that the lobby opens: new table, language, rules, finished games."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, Literal

import msgspec

from cartino_protocol.base import ABSENCES, CLOCKS
from cartino_protocol.commands import Create, History, Replay
from cartino_protocol.text import N_
from cartino_protocol.views import GameInfo, HistoryView, QueryAnswer, ReplayView
from cartino_tui.game_port.description import OLDER_GAMES_REMOVED, Chapter
from cartino_tui.game_port.speech import Lines, find_word, normalize_typed
from cartino_tui.i18n import Language, Translator
from cartino_tui.pages.history import HISTORY_PAGE
from cartino_tui.pages.page import row_sentence
from cartino_tui.plain.menu import ChoiceMenu, LineMenu, MenuChoice, PlainContext
from cartino_tui.plain.replay_menu import ReplayMenu
from cartino_tui.time_control import ABSENCE_CHOICES, CLOCK_CHOICES


class NewTableMenu(LineMenu):
    """The terms of a table as they would be, the usual ones at first."""

    def __init__(self, context: PlainContext, games: Sequence[GameInfo]) -> None:
        """One of `games`, the first unless another is chosen."""
        super().__init__(context)
        self._games = tuple(games)
        self._game = self._games[0]
        self.order = _default_order(self._game)

    def opening(self) -> Sequence[str]:
        """Return what this is."""
        return (
            self.translator.gettext(
                "New table. Type 1 to open it as it is, or another number to change something."
            ),
        )

    def choices(self) -> Sequence[MenuChoice]:
        """Open it, or change one of its terms."""
        translator, order = self.translator, self.order
        choices = [
            MenuChoice(
                translator.gettext("open the table"),
                lambda: self.context.send(order),
                translator.command_words("open"),
            )
        ]
        if len(self._games) > 1:
            game = translator.gettext(self._game.title)
            choices.append(self._term(translator.gettext("game: {value}", value=game), self._games_to_choose))
        for number, option in enumerate(self._game.options):
            label = translator.gettext(
                "{option}: {value}",
                option=translator.gettext(option.label or option.name.capitalize()),
                value=translator.gettext(order.options[option.name]),
            )
            choices.append(self._term(label, partial(self._values_of, number)))
        choices.append(self._term(translator.gettext("seats: {value}", value=order.seats), self._seats))
        if self._game.bots:
            choices.append(
                self._term(translator.gettext("bot seats: {value}", value=len(order.bots)), self._bots)
            )
        found = translator.gettext("public") if order.open else translator.gettext("private (code only)")
        if order.hints:
            found = translator.gettext("private, with hints for all")
        found = translator.gettext("duplicate match") if order.duplicate else found
        choices.append(self._term(translator.gettext("visibility: {value}", value=found), self._found))
        choices.append(
            self._term(
                translator.gettext(
                    "time per turn: {value}", value=translator.gettext(CLOCK_CHOICES[order.clock])
                ),
                self._clocks,
            )
        )
        absence = translator.gettext(ABSENCE_CHOICES[order.absence])
        choices.append(
            self._term(
                translator.gettext("substitute bot for absent players: {value}", value=absence),
                self._absences,
            )
        )
        return choices

    # What can be chosen of each term: (label, what the order is then).

    def _games_to_choose(self) -> Sequence[tuple[str, Create]]:
        return [(self.translator.gettext(game.title), _default_order(game)) for game in self._games]

    def _values_of(self, number: int) -> Sequence[tuple[str, Create]]:
        option = self._game.options[number]
        return [
            (self.translator.gettext(value), self._with(options={**self.order.options, option.name: value}))
            for value in option.choices
        ]

    def _seats(self) -> Sequence[tuple[str, Create]]:
        least, most = self._game.seats
        bots = self.order.bots
        return [
            (str(seats), self._with(seats=seats, bots=bots[: seats - 1])) for seats in range(least, most + 1)
        ]

    def _bots(self) -> Sequence[tuple[str, Create]]:
        choices = [(self.translator.gettext("none"), self._with(bots=()))]
        for count in range(1, self.order.seats):
            choices += [
                (
                    self.translator.gettext("{n} bots, {name}", n=count, name=bot)
                    if count > 1
                    else self.translator.gettext("bot {name}", name=bot),
                    self._with(bots=(bot,) * count),
                )
                for bot in self._game.bots
            ]
        return choices

    def _found(self) -> Sequence[tuple[str, Create]]:
        return [
            (self.translator.gettext("public"), self._with(open=True, hints=False, duplicate=False)),
            (
                self.translator.gettext("private (code only)"),
                self._with(open=False, hints=False, duplicate=False),
            ),
            (
                self.translator.gettext("private, with hints for all"),
                self._with(open=False, hints=True, duplicate=False),
            ),
            *self._duplicate(),
        ]

    def _duplicate(self) -> Sequence[tuple[str, Create]]:
        """Return a match in which everybody plays the same deal, each alone against bots."""
        bots = self.order.bots[:1] or self._game.bots[:1]
        if not bots or self.order.seats < 2:
            return []
        order = self._with(open=False, duplicate=True, bots=bots * (self.order.seats - 1))
        return [(self.translator.gettext("duplicate match"), order)]

    def _clocks(self) -> Sequence[tuple[str, Create]]:
        return [(self.translator.gettext(CLOCK_CHOICES[each]), self._with(clock=each)) for each in CLOCKS]

    def _absences(self) -> Sequence[tuple[str, Create]]:
        return [
            (self.translator.gettext(ABSENCE_CHOICES[each]), self._with(absence=each)) for each in ABSENCES
        ]

    def _with(self, **terms: Any) -> Create:
        return msgspec.structs.replace(self.order, **terms)

    def _term(self, label: str, values: Callable[[], Sequence[tuple[str, Create]]]) -> MenuChoice:
        def choose() -> None:
            choices = [MenuChoice(value, partial(self._take, order)) for value, order in values()]
            self.context.push(ChoiceMenu(self.context, label, choices))

        return MenuChoice(label, choose)

    def _take(self, order: Create) -> None:
        self.order = order
        self._game = next(game for game in self._games if game.name == order.game)
        self.context.pop()


def _default_order(game: GameInfo) -> Create:
    """Return the usual table of `game`."""
    options = {option.name: option.default for option in game.options}
    return Create(game.name, options, max(2, game.seats[0]))


_LANGUAGE_NAMES: Final[dict[Language, str]] = {"en": "English", "fr": "Français", "de": "Deutsch"}
"""Each language as those who read it call it: it is looked for by people who can't read the one that is set."""


def language_menu(context: PlainContext) -> LineMenu:
    """Return the settings."""
    gettext = context.translator.gettext

    def choose(language: Literal["auto"] | Language) -> None:
        context.preferences.choose(language=language)
        context.save_settings()
        spoken = next((name for code, name in _LANGUAGE_NAMES.items() if code == context.translator.name), "")
        context.explain(N_("Your language is now {language}."), language=spoken)
        context.pop()

    languages = (MenuChoice(name, partial(choose, code), (code,)) for code, name in _LANGUAGE_NAMES.items())
    own = MenuChoice(gettext("same as your terminal"), partial(choose, "auto"))
    return ChoiceMenu(context, gettext("Your language:"), (own, *languages))


def choose_game(
    context: PlainContext, question: str, names: Sequence[str], then: Callable[[PlainContext, str], None]
) -> None:
    """Do `then` with one of the games `names`, at least one; ask the `question` where there are several."""

    def choose(name: str) -> None:
        context.topics.remove(menu)
        then(context, name)

    choices = [MenuChoice(context.title(name, {}), partial(choose, name), (name,)) for name in names]
    menu = ChoiceMenu(context, question, choices)
    if len(names) == 1:
        then(context, names[0])
    else:
        context.push(menu)


def rule_headings(chapters: Sequence[Chapter]) -> Lines:
    """Return the parts with the numbers that ask for them."""
    return tuple(f"{number}: {chapter.heading}" for number, chapter in enumerate(chapters, 1))


def rule_lines(chapters: Sequence[Chapter], wanted: str, translator: Translator) -> Lines:
    """Return the parts that `wanted` names: a number, a word of a heading or else of the text, or "all"."""
    if find_word(translator.command_words("all"), wanted) is not None:
        found = tuple(chapters)
    elif wanted.isascii() and wanted.isdigit():
        number = int(wanted[:4])
        found = tuple(chapters[number - 1 : number]) if number else ()
    else:
        word = normalize_typed(wanted)
        found = tuple(chapter for chapter in chapters if word in normalize_typed(chapter.heading))
        found = found or tuple(
            chapter for chapter in chapters if any(word in normalize_typed(line) for line in chapter.lines)
        )
    if not found:
        return (translator.gettext("The rules have no section {wanted}.", wanted=wanted[:40]),)
    return tuple(line for chapter in found for line in (f"{chapter.heading}:", *chapter.lines))


class RulesMenu(LineMenu):
    """The rules for somebody who is at no table."""

    def __init__(self, context: PlainContext, title: str, chapters: Sequence[Chapter]) -> None:
        super().__init__(context)
        self._title = title
        self._chapters = chapters

    def opening(self) -> Sequence[str]:
        """Return what this is."""
        return (
            self.translator.gettext(
                "The rules of {game}. Type a section's number, one of its words, or all.", game=self._title
            ),
        )

    def choices(self) -> Sequence[MenuChoice]:
        """Return the parts."""
        return [
            MenuChoice(chapter.heading, partial(self._tell, str(number)))
            for number, chapter in enumerate(self._chapters, 1)
        ]

    def free(self, text: str) -> bool:
        """Tell all parts for "all"."""
        if find_word(self.translator.command_words("all"), text) is None:
            return False
        self._tell(text)
        return True

    def handle_unknown_line(self, text: str) -> None:
        """Tell the parts that have the word."""
        self._tell(text)

    def _tell(self, wanted: str) -> None:
        self.context.tell(*rule_lines(self._chapters, wanted, self.translator))


_GAMES_SHOWN = 9
"""Games that are told at once."""


class HistoryMenu(LineMenu):
    """A list of finished games, newest first, a few at a time."""

    def __init__(self, context: PlainContext, view: HistoryView) -> None:
        super().__init__(context)
        self._view = view
        self._from = 0

    def opening(self) -> Sequence[str]:
        """Whose games these are."""
        translator = self.translator
        gone = (translator.gettext(OLDER_GAMES_REMOVED),) if self._view.pruned else ()
        if not self._view.games:
            return gone or (translator.gettext("No finished games here."),)
        return (
            translator.gettext(
                "Finished games, newest first. Type a number to follow that game step by step."
            ),
            *gone,
        )

    def choices(self) -> Sequence[MenuChoice]:
        """Return the games in reach, further ones, and the other lists."""
        translator, view = self.translator, self._view
        shown = view.games[self._from : self._from + _GAMES_SHOWN]
        choices = [
            MenuChoice(
                row_sentence(HISTORY_PAGE, game, self.context.reader),
                partial(self.context.send, Replay(game.name)),
            )
            for game in shown
        ]
        if view.more or self._from + _GAMES_SHOWN < len(view.games):
            choices.append(
                MenuChoice(
                    translator.gettext("older games"),
                    self._older,
                    translator.command_words("older"),
                )
            )
        if view.of == "mine":
            choices.append(
                MenuChoice(translator.gettext("everyone's games"), partial(self.context.send, History("all")))
            )
        else:
            choices.append(
                MenuChoice(
                    translator.gettext("your own games"),
                    partial(self.context.send, History("mine")),
                    translator.command_words("mine"),
                )
            )
        return choices

    def handle_answer(self, answer: QueryAnswer) -> bool:
        """Another list, or the game that was chosen."""
        if isinstance(answer, ReplayView):
            self.context.push(ReplayMenu(self.context, answer))
            return True
        if not isinstance(answer, HistoryView):
            return False
        self._view, self._from = answer, 0
        self.open()
        return True

    def _older(self) -> None:
        if self._from + _GAMES_SHOWN < len(self._view.games):
            self._from += _GAMES_SHOWN
            self.open()
        else:
            self.context.send(History(self._view.of, self._view.name, self._view.games[-1].number))
