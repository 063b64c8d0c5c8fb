"""All that was said at a table and is kept: to be scrolled through, and a line of it to be ignored or reported."""

from typing import Final, Literal

from cartino_protocol.commands import Ignore, Report, Say
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatLine
from cartino_tui.draw.canvas import Frame, Row
from cartino_tui.draw.text import clean
from cartino_tui.games.screen import Look
from cartino_tui.keys import TALK, KeyTable
from cartino_tui.known import Known
from cartino_tui.screens.base import HintRow, HouseScreen
from cartino_tui.screens.ignored import IgnoredScreen
from cartino_tui.screens.question import Question
from cartino_tui.screens.talk import Heard, ask_to_say
from cartino_tui.screens.talk_drawing import draw_talk, row_of, talk_blocks, talk_height
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press, Tap

_ASKED_HERE: Final = frozenset({"", Say.__name__, Ignore.__name__, Report.__name__})
About = Literal["ignore", "report"]
"""What is done about a line."""


class TalkScreen(HouseScreen):
    """The talk over the table. It follows what is said until a line is chosen, and then stays with that one."""

    SHOWS_TALK = True

    def __init__(self, stage: Stage, known: Known, about: About | None = None) -> None:
        """The newest of what `known` has heard; with `about`, somebody wants to do that about a line of it."""
        super().__init__(stage, known)
        self._about = about
        self._heard = Heard(newest=0)
        self._chosen: int | None = None
        """The number of the line that is chosen; None where the end is followed."""
        self._top = 0
        """The first row in sight."""
        self._depth = 0
        """How many rows below it the chosen line begins."""

    def on_mount(self) -> None:
        """Choose a line, where one is wanted."""
        if self._about is not None:
            rows = sum(map(len, self._blocks(self.look)))
            self._top = max(0, rows - talk_height(self.look, self.news))
            self._offer(self._about)

    def learned(self) -> None:
        """There is more talk, or less of it: what is read stays where it is on the screen."""
        if self._chosen is not None:
            self._chosen = self._nearest(self._chosen)

    def draw(self, look: Look) -> Frame:
        """The rows in sight."""
        blocks = self._blocks(look)
        rows = [row for block in blocks for row in block]
        marked = self._marked(blocks)
        height = talk_height(look, self.news)
        end = max(0, len(rows) - height)
        if self._chosen is None:
            self._top = end
        else:
            # The whole line where it fits, else its beginning.
            top = min(max(marked.start - self._depth, marked.stop - height), marked.start)
            if self._numbers()[:1] == [self._chosen]:
                # What happened, or the host said, before that can't be chosen, and is read here.
                top = marked.stop - height
            self._top = max(0, min(top, end))
            self._depth = marked.start - self._top
        return draw_talk(rows, self._top, look, self.news, self.shown_hints(), marked)

    def keys(self) -> KeyTable:
        """The talk's keys."""
        return TALK

    def hints(self) -> HintRow:
        """What can be done, with the chosen line too."""
        answers = ("ignore", "report") if self._line_chosen() is not None else ()
        listed = ("ignored",) if self.known.ignored else ()
        moves = ("up", "down", "page-up", "page-down", "first", "last")
        return TALK.hints("chat", *answers, *listed, *moves, "actions", "back")

    def refused(self, refusal: Refusal) -> bool:
        """What could not be said or done, where that is why."""
        return super().refused(refusal) if refusal.to in _ASKED_HERE else False

    def press(self, press: Press) -> None:
        """Choose a line, say something, or go back."""
        page = talk_height(self.look, self.news) - 1
        line = self._line_chosen()
        match TALK.action(press.key):
            case "up":
                self._step(-1)
            case "down":
                self._step(1)
            case "page-up":
                self._page(-page)
            case "page-down":
                self._page(page)
            case "first":
                numbers = self._numbers()
                self._choose(numbers[0] if numbers else None)
            case "last":
                self._choose(None)
            case "chat":
                self.ask(ask_to_say(self, self.known.chat))
            case "ignored":
                self.app.push_screen(IgnoredScreen(self.stage, self.known))
            case "back":
                self.app.pop_screen()
            case "ignore" | "report" as about if line is None:
                self._offer(about)
            case "ignore" if line is not None:
                # A line of an older house has a name alone.
                self.wish(Ignore(line.who, line.name), awaited=False)
            case "report" if line is not None:
                self._report(line)

    def tap(self, tap: Tap) -> None:
        """A click chooses the line that it hits."""
        row = row_of(tap.y, self._top, self.look, self.news)
        begin = 0
        for number, block in zip(self._numbers(words=False), self._blocks(self.look), strict=True):
            if row is not None and begin <= row < begin + len(block):
                self._chosen, self._depth = self._nearest(number), begin - self._top
            begin += len(block)

    def _offer(self, about: About) -> None:
        """Choose what somebody else said last: the same key again does it to that line."""
        tongue, name = self.look.tongue, self.known.welcome.name if self.known.welcome else ""
        lines = self.known.chat.lines if self.known.chat is not None else ()
        line = next((line for line in reversed(lines) if line.name != name), None)
        if line is None:
            self.status = tongue.say("Nobody else has said anything here.")
            return
        self._choose(line.n)
        places = {"key": self.look.keymap.shown(TALK.hints(about)[0][0]), "name": clean(line.name)}
        if about == "ignore":
            told = tongue.say(
                "{key} once more hears no more of {name}; ↑ and ↓ choose another line.", **places
            )
        else:
            told = tongue.say(
                "{key} once more has the host read what {name} said; ↑ and ↓ choose another.", **places
            )
        self.status = told

    def _report(self, line: ChatLine) -> None:
        """It can't be taken back, so it is asked about."""
        sentence = self.look.tongue.say("Have the host read what {name} said?", name=clean(line.name))
        report = Report(line.n)
        self.question = Question(sentence, lambda: self.wish(report, awaited=False))

    def _step(self, by: int) -> None:
        """To the line above or below; below the last one the end is followed again."""
        numbers = self._numbers()
        at = len(numbers) if self._chosen is None else numbers.index(self._chosen)
        self._go_to(at + by)

    def _page(self, rows: int) -> None:
        """So many rows up or down."""
        blocks, numbers = self._blocks(self.look), self._numbers(words=False)
        starts = [sum(len(block) for block in blocks[:number]) for number in range(len(blocks))]
        height = sum(map(len, blocks))
        wanted = (height - 1 if self._chosen is None else self._marked(blocks).start) + rows
        if wanted >= height:
            self._choose(None)
            return
        reached = [number for number, start in zip(numbers, starts, strict=True) if start <= max(0, wanted)]
        if reached:
            self._choose(self._nearest(reached[-1]))

    def _go_to(self, at: int) -> None:
        numbers = self._numbers()
        self._choose(numbers[max(0, at)] if numbers and at < len(numbers) else None)

    def _choose(self, number: int | None) -> None:
        """Choose the line of that number, with the talk scrolled as little as brings it into sight."""
        blocks = self._blocks(self.look)
        self._chosen = number
        if number is not None:
            self._depth = max(0, self._marked(blocks).start - self._top)

    def _nearest(self, number: int) -> int | None:
        """The line that somebody said at or after `number`, else the last before it; None for none."""
        numbers = self._numbers()
        return next((each for each in numbers if each >= number), numbers[-1] if numbers else None)

    def _numbers(self, *, words: bool = True) -> list[int]:
        """The numbers of all that stands there, or of the lines alone that somebody at the table said."""
        if not words:
            return [number for number, _ in self._lines(self.look)]
        return [line.n for line in self.known.chat.lines] if self.known.chat is not None else []

    def _line_chosen(self) -> ChatLine | None:
        lines = self.known.chat.lines if self.known.chat is not None else ()
        return next((line for line in lines if line.n == self._chosen), None)

    def _marked(self, blocks: list[list[Row]]) -> range:
        """The rows of the chosen line."""
        begin = 0
        for number, block in zip(self._numbers(words=False), blocks, strict=True):
            if number == self._chosen:
                return range(begin, begin + len(block))
            begin += len(block)
        return range(0)

    def _blocks(self, look: Look) -> list[list[Row]]:
        return talk_blocks(tuple(line for _, line in self._lines(look)), look, look.width - 2)

    def _lines(self, look: Look) -> list[tuple[int, tuple[str, str]]]:
        """All lines with their numbers; what the host has said has that of the line before it."""
        chat, code = self.known.chat, self.known.room.code if self.known.room is not None else ""
        numbers = (each.n for each in chat.talk) if chat is not None else ()
        lines = list(zip(numbers, self._heard.said(chat, look.tongue), strict=True))
        hosts = self.stage.host.kept(code, look.tongue)
        if hosts:
            lines += [(number, ("", text)) for number, text in hosts]
            lines.sort(key=lambda line: line[0])
        return lines
