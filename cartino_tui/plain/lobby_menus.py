"""The menus that the lobby opens: new table, language, rules, finished games."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Literal

from cartino_protocol.text import N_
from cartino_tui.game_port.description import Chapter
from cartino_tui.game_port.speech import Lines, find_word, normalize_typed
from cartino_tui.i18n import Language, Translator
from cartino_tui.pages.new_table import TableField, TableForm
from cartino_tui.plain.menu import ChoiceMenu, LineMenu, MenuChoice, PlainContext


class NewTableMenu(LineMenu):
    """The terms of a table as they would be, the usual ones at first."""

    def __init__(self, context: PlainContext, form: TableForm) -> None:
        super().__init__(context)
        self._form = form

    def opening(self) -> Sequence[str]:
        """Return what this is."""
        return (
            self.translator.gettext(
                "New table. Type 1 to open it as it is, or another number to change something."
            ),
        )

    def choices(self) -> Sequence[MenuChoice]:
        """Open it, or change one of its terms."""
        gettext = self.translator.gettext
        return (
            MenuChoice(
                gettext("open the table"),
                lambda: self.context.send(self._form.command()),
                self.translator.command_words("open"),
            ),
            *(
                MenuChoice(self._term(field, field.value), partial(self._change, line))
                for line, field in enumerate(self._form.fields)
            ),
        )

    def _term(self, field: TableField, value: str) -> str:
        gettext = self.translator.gettext
        return gettext("{fact}: {value}", fact=gettext(field.label), value=self._said(field, value))

    def _said(self, field: TableField, value: str) -> str:
        return self.translator.gettext(value) if field.words else value

    def _change(self, line: int) -> None:
        field = self._form.fields[line]
        about = (self._term(field, field.value), self.translator.gettext(field.note))
        choices = [
            MenuChoice(self._said(field, value), partial(self._take, line, number))
            for number, value in enumerate(field.choices)
        ]
        self.context.push(ChoiceMenu(self.context, about, choices))

    def _take(self, line: int, choice: int) -> None:
        self._form = self._form.choose(line, choice)
        self.context.pop()


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
    return ChoiceMenu(context, (gettext("Your language:"),), (own, *languages))


def choose_game(
    context: PlainContext, question: str, names: Sequence[str], then: Callable[[PlainContext, str], None]
) -> None:
    """Do `then` with one of the games `names`, at least one; ask the English `question` where there are several."""

    def choose(name: str) -> None:
        context.topics.remove(menu)
        then(context, name)

    choices = [MenuChoice(context.title(name, {}), partial(choose, name), (name,)) for name in names]
    menu = ChoiceMenu(context, (context.translator.gettext(question),), choices)
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
