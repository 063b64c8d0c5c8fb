"""The speech of any declared table: its areas in sentences, its choices by number and by word."""

import re
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from typing_extensions import override

from cartino_games.kit.declared.description import GenericDescription, Sayer, waiting
from cartino_games.kit.spoken import NothingHeld, command_of, headline
from cartino_protocol.base import Seat
from cartino_protocol.declared import (
    CHOICE_WORD_PATTERN,
    Area,
    Card,
    Cell,
    Choose,
    DeclaredView,
    Grid,
    Pile,
    Piles,
)
from cartino_protocol.text import N_
from cartino_protocol.views import TableView
from cartino_tui.draw.text import fold, plain
from cartino_tui.game_port.speech import GameSpeech, LineReaction, Lines
from cartino_tui.i18n import Translator

MOST_READ: Final = 12
"""Choices that are read out unasked."""
WIDTH: Final = 80
_WORD: Final = re.compile(CHOICE_WORD_PATTERN)
_COMMANDS: Final = ("choices", "board", "scores", "moves", "turn", "hand")


class GenericSpeech(GenericDescription, GameSpeech[DeclaredView, NothingHeld]):
    """Speaks of declared tables and reads lines for them."""

    @override
    def fresh(self) -> NothingHeld:
        return NothingHeld()

    @override
    def describe_table(self, table: TableView, view: DeclaredView, translator: Translator) -> Lines:
        return (*self.scores(table, view, translator), *_areas(view, Sayer(translator, table)))

    @override
    def describe_events(
        self, table: TableView, before: DeclaredView, after: DeclaredView, translator: Translator
    ) -> Lines:
        new = after.logged - before.logged
        told = _log(after, Sayer(translator, table))[-new:] if new > 0 else ()
        if new <= len(told):
            return told
        return (translator.gettext("More moves were made meanwhile; here are the latest."), *told)

    @override
    def standing(self, table: TableView, view: DeclaredView, translator: Translator) -> Lines:
        sayer = Sayer(translator, table)
        if not view.on_turn:
            seats = range(len(view.totals))
            return (headline(table, translator), *(_settled(view, seat, sayer) for seat in seats))
        status, wait = sayer.text(view.status), waiting(table, view, sayer)
        if wait:
            return (wait, status)
        return (translator.gettext("Your turn."), status, *_choices(view, sayer, MOST_READ))

    @override
    def scores(self, table: TableView, view: DeclaredView, translator: Translator) -> Lines:
        sayer = Sayer(translator, table)
        return tuple(
            translator.gettext(
                "{name}: {text}",
                name=sayer.player(seat),
                text=", ".join((sayer.points(total), *sayer.facts(view, seat))) + ".",
            )
            for seat, total in enumerate(view.totals)
        )

    @override
    def enter(
        self, table: TableView, view: DeclaredView, hold: NothingHeld, text: str, translator: Translator
    ) -> LineReaction[NothingHeld]:
        sayer = Sayer(translator, table)
        choice = view.chosen(text)
        if text.isascii() and text.isdigit() and text != "0":
            wait, number = waiting(table, view, sayer), int(text[:4]) - 1
            if wait:
                return LineReaction(hold, lines=(wait,))
            if number >= len(view.choices):
                wrong = translator.ngettext(
                    "There is {n} choice; type its number.",
                    "There are {n} choices; type a number from 1 to {n}.",
                    len(view.choices),
                )
                return LineReaction(hold, lines=(wrong,))
            choice = view.choices[number]
        if choice is not None:
            return LineReaction(hold, Choose(choice.word))
        match command_of(
            text, translator.command_words("choices", "board", "scores", "moves", "turn", "hand")
        ):
            case "choices":
                wait = waiting(table, view, sayer)
                return LineReaction(hold, lines=(wait,) if wait else _choices(view, sayer, len(view.choices)))
            case "board" | "hand":
                return LineReaction(hold, lines=_areas(view, sayer))
            case "scores":
                return LineReaction(hold, lines=self.scores(table, view, translator))
            case "moves":
                return LineReaction(
                    hold, lines=_log(view, sayer) or (translator.gettext("Nothing has happened yet."),)
                )
            case "turn":
                return LineReaction(hold, lines=self.standing(table, view, translator))
            case _:
                return LineReaction(hold, taken=False)

    @override
    def words(self, translator: Translator) -> Lines:
        return (
            translator.gettext("The number or word of a choice: make that choice. choices: list them all."),
            translator.gettext(
                "board: everything on the table. turn: whose turn it is. scores: everyone's points."
            ),
            translator.gettext("moves: the latest moves."),
        )

    @override
    def first_step(self, translator: Translator) -> str:
        return translator.gettext("Type a choice's number to make it, or help for more commands.")

    @override
    def move(self, word: str, view: DeclaredView | None = None) -> msgspec.Struct | None:
        """Any word may be that of a choice, but for those that mean something else here."""
        return Choose(word) if _WORD.search(word) and word.casefold() not in _COMMANDS else None

    @override
    def move_words(self) -> str:
        return N_("the word of a choice, as `show` lists it")

    @override
    def legal(self, view: DeclaredView) -> Sequence[tuple[str, int]]:
        return sorted(((each.word, each.points or 0) for each in view.choices), key=lambda each: -each[1])

    @override
    def picture(self, table: TableView, view: DeclaredView, translator: Translator) -> Lines:
        sayer = Sayer(translator, table, _code)
        return tuple(plain(line) for area in view.areas for line in _pictured(area, sayer))

    @override
    def own(self, table: TableView, view: DeclaredView, translator: Translator) -> Lines:
        sayer = Sayer(translator, table)
        return tuple(filter(None, (sayer.text(view.status), *_choices(view, sayer, len(view.choices)))))


def _log(view: DeclaredView, sayer: Sayer) -> Lines:
    return tuple(sayer.text(each) for each in view.log)


def _choices(view: DeclaredView, sayer: Sayer, most: int) -> Lines:
    """Return the first choices with the numbers and words that make them."""
    translator = sayer.translator
    lines = []
    for number, choice in enumerate(view.choices[:most], 1):
        said = sayer.choice(choice)
        if choice.points is not None:
            gain = sayer.points(choice.points)
            said = translator.gettext("{move} ({points})", move=said.rstrip("."), points=gain)
        elif said != choice.word:
            said = translator.gettext("{move} ({points})", move=said.rstrip("."), points=choice.word)
        lines.append(f"{number}: {said}")
    more = len(view.choices) - most
    if more > 0:
        lines.append(
            translator.ngettext(
                "{n} more choice; type choices to hear all.",
                "{n} more choices; type choices to hear all.",
                more,
            )
        )
    return tuple(lines)


def _settled(view: DeclaredView, seat: Seat, sayer: Sayer) -> str:
    """Return a player's total, with what it is made of."""
    name, total = sayer.player(seat), sayer.points(view.totals[seat])
    parts = [
        f"{sayer.text(column.title)} {column.values[seat]}"
        for column in view.columns
        if seat < len(column.values)
    ]
    if not parts:
        return sayer.translator.gettext("{name}: {points} in total.", name=name, points=total)
    return sayer.translator.gettext(
        "{name}: {points} in total ({parts}).", name=name, points=total, parts=", ".join(parts)
    )


def _areas(view: DeclaredView, sayer: Sayer) -> Lines:
    return tuple(line for area in view.areas for line in _area(area, sayer))


def _area(area: Area, sayer: Sayer) -> Sequence[str]:
    """Return an area in sentences."""
    translator, title = sayer.translator, sayer.text(area.title)
    match area:
        case Grid():
            taken = [_row(area, row, sayer) for row in range(len(area.rows))]
            lines = [f"{title}, {line}" for line in taken if line]
            return lines or [translator.gettext("{title}: empty.", title=title)]
        case Piles():
            return [f"{title}: {', '.join(_pile(pile, sayer) for pile in area.piles)}."]
        case _:
            if not area.cards:
                return [translator.gettext("{title}: empty.", title=title)]
            known = [sayer.card_name(card) for card in area.cards if card.code]
            hidden = len(area.cards) - len(known)
            if hidden:
                known.append(translator.ngettext("{n} card face down", "{n} cards face down", hidden))
            return [f"{title}: {', '.join(known)}."]


def _row(grid: Grid, row: int, sayer: Sayer) -> str:
    """Return what stands in a row of a grid: "row 3: b X, c O."; "" for nothing."""
    start = row * len(grid.columns)
    cells = zip(grid.columns, grid.cells[start : start + len(grid.columns)], strict=True)
    taken = [f"{column} {said}" for column, cell in cells if (said := _cell(cell, sayer))]
    if not taken:
        return ""
    return sayer.translator.gettext("row {row}: {cells}.", row=grid.rows[row], cells=", ".join(taken))


def _cell(cell: Cell, sayer: Sayer) -> str:
    return cell.text or ("" if cell.seat is None else sayer.player(cell.seat))


def _pile(pile: Pile, sayer: Sayer) -> str:
    title = sayer.text(pile.title)
    cards = sayer.translator.ngettext("{n} card", "{n} cards", pile.cards)
    if pile.top is None:
        return f"{title} {cards}"
    return sayer.translator.gettext(
        "{pile} {cards} with {top} on top", pile=title, cards=cards, top=sayer.card_name(pile.top)
    )


def _code(card: Card) -> str:
    return card.code or "##"


def _pictured(area: Area, sayer: Sayer) -> Sequence[str]:
    """Return an area in rows of characters."""
    title = sayer.text(area.title)
    match area:
        case Grid():
            return [title, *_pictured_grid(area)]
        case Piles():
            shown = [
                f"{sayer.text(pile.title)} {pile.cards}{'' if pile.top is None else f' ({_code(pile.top)})'}"
                for pile in area.piles
            ]
        case _:
            shown = [_code(card) for card in area.cards]
    return fold(f"{title}: {' '.join(shown) or '-'}", WIDTH)


def _pictured_grid(grid: Grid) -> Sequence[str]:
    side = max(map(len, grid.rows))
    cells = [[*grid.columns]] + [
        [_mark(cell) for cell in grid.cells[start : start + len(grid.columns)]]
        for start in range(0, len(grid.cells), len(grid.columns))
    ]
    most = (WIDTH - side) // len(grid.columns) - 1
    width = max(1, min(most, max(len(each) for row in cells for each in row)))
    label: Callable[[str], str] = lambda text: text.rjust(side)  # noqa: E731
    return [
        " ".join([label(name), *(text[:width].ljust(width) for text in row)]).rstrip()
        for name, row in zip(("", *grid.rows), cells, strict=True)
    ]


def _mark(cell: Cell) -> str:
    return cell.text or ("." if cell.seat is None else "oxv^"[cell.seat % 4])
