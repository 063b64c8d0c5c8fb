"""Runs tables written as text: a position, keys and typed lines of one player, and what they see and hear.

    == a stone is laid where the cursor stands
    hands: AH KH 7S *, 7D 8D; stones: ASu
    press: 1 enter
    move: AHu

Position, moves and facts are those of `rules_script`. What the player's own keys lead to is kept, not made.

* `you: 1`, `you: -` (a spectator), `at: 60x20 ascii fr`: who looks, in what. `options: edition=1969` of the table.
* `clock SEAT: TEXT, SHORT` and `late SEAT: TEXT` run for a seat, bots play for `substitutes: SEATS`, and one has made
  the last move of `substituted: SEATS`.
* `press: KEYS`; `left: KEYS` (each is the frame's); `click: TEXT` (its first cell); `fresh:` nothing is picked.
* `status: TEXT` is what the last key said, `says: TEXT` a part of it; `move: TEXT` the move it led to, if any.
* `see: TEXT`, `not: TEXT`: whether the table has it, line breaks apart. `row N: TEXT`: a whole row, -1 the last one.
* `hint: TEXT`, `why N: TEXT`, `title: TEXT`, `keys: KEYS`: what the screen answers.
* `type: TEXT` is a line in plain mode, `ignored: TEXT` one that isn't the game's, `word: TEXT` one of a command line.
  `ask: WHAT` (standing, picture, own, hint ...) asks for sentences, `events:` for what happened since `mark:`.
* `hear: TEXT` is the next of the sentences, `hears: TEXT` the beginning of any, `silence:` there are no more.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from cartino_protocol.base import Audience
from cartino_protocol.views import TableView
from cartino_tui.game_port.screen import ClockReading, Look, Reaction, TableChrome
from cartino_tui.i18n import LANGUAGES, Language, translator_for
from tests.support.rules_script import Case, Notation


class Setting(NamedTuple):
    """A game with its screen and speech, and the table that is around a position."""

    notation: Notation
    screen: Any
    speech: Any
    table_of: Callable[[Any, Audience], TableView]
    around: TableChrome


class TableCase(Case):
    """A case of a player at a table."""

    def __init__(self, setting: Setting, position: str) -> None:
        """Sit down on seat 0 with nothing picked, at 80 by 24 cells."""
        super().__init__(setting.notation, position)
        self.setting = setting
        self.seat: Audience = 0
        self.look = Look(80, 24)
        self.options: dict[str, str] = {}
        self.around = setting.around
        self.substitutes, self.substituted = "", ""
        self.lines: list[str] = []
        self.pointer: Any
        self.hold: Any
        self.before: Any
        self.reaction: Any
        self.do_fresh()
        self.do_mark()

    @property
    def at(self) -> tuple[TableView, Any]:
        """The table and the game's view, as the player sees them."""
        table = self.setting.table_of(self.state, self.seat)
        view = self.notation.game.view(self.state, self.seat)
        seats = tuple(
            msgspec.structs.replace(
                each,
                substitute="greedy" if str(seat) in self.substitutes.split() else "",
                substituted=str(seat) in self.substituted.split(),
            )
            for seat, each in enumerate(table.seats)
        )
        return msgspec.structs.replace(table, seats=seats, options={**table.options, **self.options}), view

    def rows(self) -> list[str]:
        """What is drawn, row by row."""
        around = msgspec.structs.replace(self.around, status=self.reaction.status)
        frame = self.setting.screen.draw(*self.at, self.pointer, self.look, around)
        return [str(row) for row in frame.text().split("\n")]

    def command(self, line: str) -> None:
        """Do or check what a line says."""
        head, _, text = line.partition(":")
        word, *numbers = head.split()
        if word == "?" or word.isdigit():
            super().command(line)
            self.pointer = self.setting.screen.update_pointer(*self.at, self.pointer)
        else:
            getattr(self, f"do_{word}")(text[1:], *map(int, numbers))

    def do_fresh(self, text: str = "") -> None:
        screen, self.hold = self.setting.screen, self.setting.speech.fresh()
        self.pointer = screen.update_pointer(*self.at, screen.fresh())
        self.reaction = Reaction(self.pointer)

    def do_mark(self, text: str = "") -> None:
        self.before = self.at[1]

    def do_you(self, text: str) -> None:
        self.seat = None if text == "-" else int(text)
        self.do_fresh()
        self.do_mark()

    def do_at(self, text: str) -> None:
        size, *more = text.split()
        languages: list[Language] = [each for each in LANGUAGES if each in more]
        name: Language = languages[0] if languages else "en"
        width, height = map(int, size.split("x"))
        self.look = Look(width, height, "ascii" in more, translator_for(name), name)

    def do_clock(self, text: str, seat: int, *, late: bool = False) -> None:
        long, _, short = text.partition(", ")
        clocks = (*(None for _ in range(seat)), ClockReading(long, late, short))
        self.around = msgspec.structs.replace(self.around, clocks=clocks)

    def do_late(self, text: str, seat: int) -> None:
        self.do_clock(text, seat, late=True)

    def do_substitutes(self, text: str) -> None:
        self.substitutes = text

    def do_substituted(self, text: str) -> None:
        self.substituted = text

    def do_options(self, text: str) -> None:
        self.options = dict(each.split("=") for each in text.split())

    def do_press(self, text: str) -> None:
        for key in text.split():
            self._take(self.setting.screen.key(*self.at, self.pointer, key, self.look), key)

    def do_left(self, text: str) -> None:
        for key in text.split():
            assert not self.setting.screen.key(*self.at, self.pointer, key, self.look).taken, key

    def do_click(self, text: str) -> None:
        y, row = next((y, row) for y, row in enumerate(self.rows()) if text in row)
        self._take(self.setting.screen.click(*self.at, self.pointer, self.look, row.index(text), y), text)

    def _take(self, reaction: Any, what: str) -> None:
        assert reaction.taken, what
        self.pointer, self.reaction = reaction.pointer, reaction

    def do_status(self, text: str) -> None:
        assert self.reaction.status == text, self.reaction.status

    def do_says(self, text: str) -> None:
        assert text in self.reaction.status, self.reaction.status

    def do_move(self, text: str) -> None:
        expected = self.notation.read(text, self.state, self.seat or 0) if text else None
        assert self.reaction.move == expected, self.reaction.move

    def do_see(self, text: str) -> None:
        assert self._sees(text), "\n".join(self.rows())

    def do_not(self, text: str) -> None:
        assert not self._sees(text), "\n".join(self.rows())

    def _sees(self, text: str) -> bool:
        rows = self.rows()
        return any(text in row for row in rows) or text in " ".join(" ".join(rows).split())

    def do_row(self, text: str, number: int) -> None:
        assert self.rows()[number] == text, "\n".join(self.rows())

    def do_hint(self, text: str) -> None:
        found = self.setting.screen.hint(*self.at, self.look)
        assert found == text, found

    def do_why(self, text: str, back: int) -> None:
        found = self.setting.screen.why(*self.at, self.pointer, self.look, back)
        assert found == text, found

    def do_title(self, text: str) -> None:
        found = self.setting.screen.title_of(self.options, self.look.translator)
        assert found == text, found

    def do_keys(self, text: str) -> None:
        found = [key for key, _ in self.setting.screen.keys_now(*self.at, self.pointer)]
        assert found == text.split(", "), found

    def do_type(self, text: str) -> None:
        heard = self.setting.speech.enter(*self.at, self.hold, text, self.look.translator)
        assert heard.taken, text
        self.hold, self.lines = heard.hold, list(heard.lines)
        self.reaction = Reaction(self.pointer, heard.move)

    def do_ignored(self, text: str) -> None:
        assert not self.setting.speech.enter(*self.at, self.hold, text, self.look.translator).taken

    def do_word(self, text: str) -> None:
        speech, (_, view) = self.setting.speech, self.at
        self.reaction = Reaction(self.pointer, speech.typed_move(text, view, self.look.translator))

    def do_ask(self, text: str) -> None:
        self.lines = list(getattr(self.setting.speech, text)(*self.at, self.look.translator))

    def do_events(self, text: str) -> None:
        table, view = self.at
        found = self.setting.speech.describe_events(table, self.before, view, self.look.translator)
        self.lines = list(found)

    def do_hear(self, text: str) -> None:
        assert self.lines[:1] == [text], self.lines
        del self.lines[0]

    def do_hears(self, text: str) -> None:
        assert any(line.startswith(text) for line in self.lines), self.lines

    def do_silence(self, text: str) -> None:
        assert self.lines == []


def play(setting: Setting, lines: list[str]) -> None:
    """Play a case at a table."""
    position, *commands = lines
    case = TableCase(setting, position)
    for line in commands:
        case.command(line)
