"""The types of a page: its title, rows, columns and actions, and how it becomes text, sentences and JSON.

A page is declared once over the view that the server sends. `cartino_tui.screens.page` draws it; `page_text` and
`page_json` print it for the shell, `page_sentences` for plain mode. All of them follow the columns: a page words some
columns itself, the others follow with their headings. Everything that a page returns as text is in the reader's
language.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from cartino_protocol.commands import Command
from cartino_protocol.records import BOT_MARK
from cartino_protocol.text import N_
from cartino_protocol.views import QueryAnswer
from cartino_tui.draw.canvas import Run
from cartino_tui.game_port.description import AnyDescription, fact_name, game_title
from cartino_tui.i18n import ENGLISH, Translator
from cartino_tui.key_table import KeyTable
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.visit.state import ClientState

V = TypeVar("V")
"""What a page shows, as the server sent it."""
R = TypeVar("R")
"""A row of it."""

LOADING_LIST = N_("Loading…")


def this_minute() -> int:
    """Return the time for a `Reader`: it changes once a minute, so that what is drawn for one can be reused."""
    return int(time.time()) // 60 * 60


class Reader(msgspec.Struct, frozen=True):
    """The person who reads a page, the games that the client knows, and the names of the server's games.

    `link_time` is their terminal's response time as text, "" where it is unknown; `now` is the time in whole minutes
    (seconds since 1970); `spoken`: they read sentences, in plain mode.
    """

    translator: Translator = ENGLISH
    games: Mapping[str, AnyDescription] = {}
    commands: ShellCommands = ShellCommands()
    guest: bool = False
    game_names: Sequence[str] = ()
    link_time: str = ""
    now: int = 0
    spoken: bool = False

    def title(self, game: str, options: Mapping[str, str] | None = None) -> str:
        """Return the title of `game` with its options: "Cartino 1974"."""
        return game_title(self.games, game, options or {}, self.translator)

    def fact(self, game: str, fact: str) -> str:
        """Return what `game` calls the best of something: "turn"."""
        return fact_name(self.games, game, fact, self.translator)

    def game_after(self, game: str) -> str:
        """Return the server's next game after `game`, the first one after the last or an unknown one; "" for none."""
        names = list(self.game_names)
        at = names.index(game) + 1 if game in names else 0
        return names[at % len(names)] if names else ""

    def player(self, name: str, *, bot: bool) -> str:
        """Return a player's name, marked for a bot; that of a bot account has its own mark."""
        marked = bot and not name.startswith(BOT_MARK)
        return self.translator.gettext("bot {name}", name=name) if marked else name


class PageCell(NamedTuple):
    """A piece of a row: `text` may be cut, what stands before and after it may not; `short` replaces a cut text."""

    text: str
    role: str = "text"
    before: str = ""
    after: str = ""
    short: str = ""


class PageColumn(msgspec.Struct, Generic[R], frozen=True):
    """A column as wide as its widest cell or heading, in cells; `gap` blanks follow it.

    The first `flexible` column takes what is left. `narrow` is `most` below 80 columns; 0 leaves the column out. `wide`
    is what `most` may grow to in wider terminals. `optional` columns are left out where the flexible one, which
    then takes all that is left, would not keep the cells that it `keeps`; one that `hides`, where nothing stands in it.
    `samples`, the texts that may stand in a column, fix its width. Of several cells as many are shown as have at least
    `letters` of their text.

    `record` is what the column adds to a row in JSON: keys with values, or the row's attributes to copy ("name
    line.code"). Without it, the cells' text stands under the English heading. `facts` are what it adds to a row's line
    and sentence, heading and cells by default.
    """

    heading: str
    cells: Callable[[R, Reader], Sequence[PageCell]]
    record: Callable[[R], Mapping[str, object]] | str = ""
    facts: "Callable[[R, Reader], Iterable[str]] | None" = None
    least: int = 0
    most: int = 999
    narrow: int | None = None
    wide: int = 0
    optional: bool = False
    hides: bool = False
    keeps: int = 0
    letters: int = 1
    samples: Callable[[Translator], Sequence[str]] | None = None
    right: bool = False
    flexible: bool = False
    gap: int = 2


def rank_column(rank: Callable[[R], int]) -> PageColumn[R]:
    """Return the first column of a ranking; rank 0 is none."""
    return PageColumn(
        N_("rank"),
        lambda row, _: (PageCell(f"{rank(row) or '-':>3}", "dim"),),
        lambda row: {"place": rank(row) or None},
        least=4,
        most=4,
        gap=1,
    )


def missing_list(waiting: bool, reader: Reader) -> str:
    """Return what a page says that has no list yet: it is loading, or the answer hasn't come."""
    gettext = reader.translator.gettext
    return gettext(LOADING_LIST) if waiting else gettext("Couldn't load the list. Go back and open it again.")


class PageSection(msgspec.Struct, Generic[R], frozen=True):
    """Rows below a heading, "" for none.

    `sentence` is the heading in text, `key` the key of the rows in JSON; with "" the rows are the whole JSON.
    """

    rows: Sequence[R]
    heading: str = ""
    sentence: str = ""
    key: str = "rows"


class PageParagraph(msgspec.Struct, frozen=True):
    """Labels that flow over as many lines as they need; a single one is wrapped. Without labels: a blank line."""

    labels: Sequence[Run] = ()
    indent: int = 0


class EmptyCard(msgspec.Struct, frozen=True):
    """What to do where a list is empty: a title, and what each action does."""

    title: str
    actions: Mapping[str, str]


class Question(msgspec.Struct, frozen=True):
    """A line of text to ask for: its label in English and the most characters.

    A refusal of one of `commands` opens the line again, with the text typed. A screen begins with the text `start`
    returns for its view; `check` returns why a text won't do, "" if it does.
    """

    label: str
    most: int
    commands: tuple[str, ...] = ()
    start: Callable[[Any], str] = lambda view: ""
    check: Callable[[str, Reader], str] = lambda text, reader: ""


class Open(msgspec.Struct, frozen=True):
    """Open `page` over this one, and ask the server for it by `command`."""

    page: "AnyPage"
    command: Command | None = None


Outcome = "Command | Open | Action[Any, Any] | str | None"
"""A command to send, a page to open, an action to do instead, a status to show, or nothing."""


class Action(msgspec.Struct, Generic[V, R], frozen=True):
    """What a key does: `do` gets the view, the selected row and the typed text.

    `ask` asks for that text first, `confirm` for a yes. An action of a `row` needs a selected row. A second click on
    a row does the `main` one. `awaited`: typed keys wait for the answer.
    """

    do: Callable[[V, R, str, Reader], "Command | Open | Action[V, R] | str | None"]
    row: bool = False
    main: bool = False
    ask: Question | None = None
    confirm: Callable[[R, Reader], str] | None = None
    when: Callable[[V | None, Reader], bool] = lambda view, reader: True
    awaited: bool = True


class HelpText(msgspec.Struct, frozen=True):
    """A part of a page's help, in English: a heading, the keys of a table, and a text."""

    heading: str
    keys: KeyTable | None = None
    text: str = ""


class Page(msgspec.Struct, Generic[V, R], frozen=True, kw_only=True):
    """A list or a text. Its view is an answer of the type `answer`, or what `live` takes out of the client's state.

    `title` gives the title, then facts from long to short, in parts to be joined. `hints` names the actions that make
    sense now. `empty` says why there are no rows; its flag is set while an answer is due. A page has `sections` of rows
    in `columns`, or a `text`. `identity` keeps the selection on its row when the view changes; without it, it goes to
    the top.
    """

    keys: KeyTable
    title: Callable[[V | None, Reader], Sequence[str | tuple[str, ...]]]
    hints: Callable[[V | None, Reader], Sequence[str]]
    actions: Mapping[str, Action[V, R]] = {}
    answer: type[V] | None = None
    live: Callable[[ClientState], V] | None = None
    sections: Callable[[V], Sequence[PageSection[R]]] = lambda view: ()
    columns: tuple[PageColumn[R], ...] = ()
    high_headings: bool = False
    """Whether the blank row is below the headings, not above them."""
    mark: Callable[[R], bool] | None = None
    """Whether a row waits for the reader."""
    identity: Callable[[R], str] | None = None
    second: Callable[[R, Reader], Sequence[str]] | None = None
    """Facts in a second line, below the flexible column, joined where they fit, else the last that fits."""
    text: Callable[[V, Reader], Sequence[PageParagraph]] | None = None
    detail: Callable[[R, Reader], tuple[Sequence[PageCell], Sequence[PageCell]]] | None = None
    """Two groups of labels about the selected row, below the list."""
    below: Callable[[V | None, Reader], Sequence[Run]] = lambda view, reader: ()
    """Sentences below the list."""
    empty: Callable[[V | None, bool, Reader], str | EmptyCard] = lambda view, waiting, reader: ""
    tabs: Callable[[V | None, Command | None, Reader], Sequence[tuple[str, bool]]] | None = None
    """Labels above the list, and whether each is the one shown; the command is the one that opened the page."""
    older: Callable[[V], Command | None] = lambda view: None
    append: Callable[[V, V], V] = lambda view, older: older
    renew: Callable[[V], Command] | None = None
    """What to ask for again when a new day has begun."""
    note: Callable[[V, Command, Reader], str] = lambda view, asked, reader: ""
    """The status that tells what an answer has done."""
    commands: tuple[str, ...] = ()
    """Commands whose refusals are this page's alone; empty: all refusals."""
    help_title: str = ""
    help: tuple[HelpText, ...] = ()
    opening: Callable[[V, Reader], Iterable[str]] = lambda view, reader: ()
    """The lines above the rows in the shell and in plain mode; all of a page that has no rows."""
    line: Callable[[V, Reader], Callable[[R], str]] = lambda view, reader: lambda row: ""
    """The beginning of a row's line in the shell, aligned with the view's other rows; the columns' facts follow."""
    sentence: Callable[[R, Reader], str] | None = None
    """The same in plain mode, as a whole sentence; without it, `line`."""
    worded: tuple[str, ...] = ()
    """Headings of the columns that `line` and `sentence` contain; these columns add no facts."""
    closing: Callable[[V, Reader], Iterable[str]] = lambda view, reader: ()
    """The lines below the rows."""
    portion: int = 0
    """The rows that plain mode tells at once, 0 for all."""
    record: Callable[[V, Reader], Mapping[str, object]] = lambda view, reader: {}
    """What JSON has beside the rows. The shapes are public: keys are only ever added."""

    def read(self, answer: QueryAnswer) -> V | None:
        """Return `answer` if it is this page's view."""
        return answer if self.answer is not None and isinstance(answer, self.answer) else None


AnyPage = Page[Any, Any]


def page_text(page: Page[V, R], view: V, reader: Reader) -> str:
    """Return a page for the shell."""
    return "".join(f"{line}\n" for line in _lines(page, view, reader))


def page_sentences(page: Page[V, R], view: V, reader: Reader) -> Sequence[str]:
    """Return a page for plain mode."""
    return tuple(_lines(page, view, msgspec.structs.replace(reader, spoken=True)))


def page_json(page: Page[V, R], view: V, reader: Reader) -> str:
    """Return a page for programs."""
    data: dict[str, object] = dict(page.record(view, reader))
    for section in page.sections(view):
        rows = [row_record(page.columns, row) for row in section.rows]
        if not section.key:
            return pretty_json(rows)
        data[section.key] = rows
    return pretty_json(data)


def _lines(page: Page[V, R], view: V, reader: Reader) -> Iterator[str]:
    yield from page.opening(view, reader)
    line = page.line(view, reader)
    for section in page.sections(view):
        if section.sentence and section.rows:
            yield reader.translator.gettext(section.sentence)
        for row in section.rows:
            if reader.spoken and page.sentence is not None:
                yield row_sentence(page, row, reader)
            else:
                yield ", ".join(filter(None, (line(row), *_facts(page, row, reader))))
    yield from page.closing(view, reader)


def row_sentence(page: Page[V, R], row: R, reader: Reader) -> str:
    """Return a row for plain mode: the page's sentence, and the facts of the other columns."""
    begin = "" if page.sentence is None else page.sentence(row, reader).removesuffix(".")
    return f"{', '.join(filter(None, (begin, *_facts(page, row, reader))))}."


def row_record(columns: Sequence[PageColumn[R]], row: R) -> dict[str, object]:
    """Return a row for programs: the keys of each column, in English."""
    data: dict[str, object] = {}
    for column in columns:
        if not isinstance(column.record, str):
            data |= column.record(row)
        elif column.record:
            data |= {path.split(".")[-1]: attrgetter(path)(row) for path in column.record.split()}
        else:
            data[re.sub(r"\W+", "_", column.heading)] = _text(column, row, Reader())
    return data


def _text(column: PageColumn[R], row: R, reader: Reader) -> str:
    return ", ".join(f"{cell.before}{cell.text}{cell.after}".strip() for cell in column.cells(row, reader))


def _facts(page: Page[V, R], row: R, reader: Reader) -> Iterator[str]:
    for column in page.columns:
        if column.heading in page.worded:
            continue
        if column.facts is not None:
            yield from column.facts(row, reader)
        elif text := _text(column, row, reader):
            gettext, heading = reader.translator.gettext, column.heading
            yield gettext("{fact}: {value}", fact=gettext(heading), value=text) if heading else text
    if page.second is not None:
        yield from page.second(row, reader)


def pretty_json(value: object) -> str:
    """Return `value` as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(value)).decode() + "\n"
