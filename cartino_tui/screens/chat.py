"""Chat at a table: the newest lines on the table screen, and the screen with all of it.

The screen follows new lines until one is selected; a selected line can be reported and its author muted.
"""

from typing import Final, Literal

from cartino_protocol.commands import Ignore, Report, Say
from cartino_protocol.notices import Notice
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatLine, ChatView, RoomView
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Canvas, Frame, Row, put_rows, row_width, wrap_rows
from cartino_tui.draw.text import clean, fit
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import ENGLISH, Translator
from cartino_tui.keys import TALK, KeyTable
from cartino_tui.pages.contacts import MUTED_PAGE
from cartino_tui.screens.page import open_page
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import AppScreen, HintRow
from cartino_tui.widgets.layout import Hints, footer, footer_height, glyphs, put_centred, title_bar
from cartino_tui.widgets.prompt import Confirmation, Prompt

ChatText = tuple[tuple[str, str], ...]
"""Lines of talk as (name, text), oldest first, safe to draw; name "" for a notice."""

_TOP = 2


def chat_rows(talk: ChatText, look: Look, cells: int) -> list[Row]:
    """Every line within `cells`, on as many rows as it takes behind its name."""
    return [row for rows in chat_blocks(talk, look, cells) for row in rows]


def chat_blocks(talk: ChatText, look: Look, cells: int) -> list[list[Row]]:
    """The rows of each line."""
    blocks: list[list[Row]] = []
    for name, text in talk:
        lead: Row = ((f"{fit(name, cells // 2, ascii=look.ascii)}  ", "chat-name"),) if name else ()
        begin, role = row_width(lead), "chat" if name else "notice"
        first, *others = wrap_rows(text, role, cells - begin, ascii=look.ascii) or [()]
        blocks.append([(*lead, *first), *(((" " * begin, role), *row) for row in others)])
    return blocks


def chat_height(look: Look, status: str) -> int:
    """How many rows of talk are in sight at once."""
    return max(1, look.height - _TOP - footer_height(look, status))


def chat_row_at(y: int, top: int, look: Look, status: str) -> int | None:
    """The row of talk that stands in row `y` of the screen, where `top` is the first in sight; None for none."""
    return top + y - _TOP if _TOP <= y < _TOP + chat_height(look, status) else None


def draw_chat(
    rows: list[Row], top: int, look: Look, status: str, hints: Hints, marked: range = range(0)
) -> Frame:
    """The whole screen, `look.width` by `look.height` cells, with the row `top` as the first in sight.

    `marked` are the rows of the line that is chosen.
    """
    canvas = Canvas(look.width, look.height)
    seen = rows[top : top + chat_height(look, status)]
    where = f"{top + 1}-{top + len(seen)}/{len(rows)}" if rows else ""
    title_bar(canvas, look, look.translator.say("All that was said here"), where)
    put_rows(canvas, 1, _TOP, seen)
    for row in marked:
        if top <= row < top + len(seen):
            y = _TOP + row - top
            canvas.put(0, y, glyphs(look).pick if row == marked.start else " ", "selected")
            canvas.paint(0, y, look.width - 1, "selected")
    if not rows:
        nothing = look.translator.say("Nobody has said anything yet; t says something.")
        put_centred(canvas, look.height // 2, nothing, "dim", ascii=look.ascii)
    footer(canvas, look, status, hints)
    return canvas.frame()


PRIVATE_LINE_SECONDS = 60.0
"""How long a line for one person alone stands with the talk."""
NEWEST_LINES = 12
"""As many lines of talk as any layout of a table has room for."""


def chat_text(chat: ChatView | None, translator: Translator, newest: int = 0) -> ChatText:
    """The lines, or so many of the `newest`, as (name, text), oldest first, safe to draw; name "" for a notice."""
    return tuple(_chat_line(each, translator) for each in (tuple(chat.talk)[-newest:] if chat else ()))


class RecentChat:
    """The talk as it was drawn last: making a line safe takes longer than all that a key changes on the screen."""

    def __init__(self, newest: int = NEWEST_LINES) -> None:
        """Nothing heard yet; of what comes, so many of the newest lines count, or all with 0."""
        self._newest = newest
        self._chat: ChatView | None = None
        self._tongue = ENGLISH
        self._said: ChatText = ()

    def said(self, chat: ChatView | None, translator: Translator) -> ChatText:
        """The newest lines of `chat`, worked out once for one and the same view."""
        if chat is not self._chat or translator is not self._tongue:
            self._chat, self._tongue, self._said = chat, translator, chat_text(chat, translator, self._newest)
        return self._said


class PrivateLine:
    """A line for one person alone, behind all that was said: until somebody says more, or its time is over."""

    def __init__(self) -> None:
        """Nothing to tell."""
        self._text = ""
        self._after: ChatLine | None = None

    def tell(self, text: str, chat: ChatView | None) -> None:
        """`text` is to stand behind what `chat` has."""
        self._text, self._after = text, _newest_line(chat)

    def drop(self, text: str) -> None:
        """Tell `text` no more, if it still is what is told."""
        if self._text == text:
            self._text = ""

    def lines(self, chat: ChatView | None) -> ChatText:
        """The line, if it is to be seen; what happens at the table sends it not away, what somebody says does."""
        if _newest_line(chat) != self._after:
            self._text = ""
        return (("", self._text),) if self._text else ()


def chat_prompt(screen: AppScreen, chat: ChatView | None, begun: str = "") -> Prompt:
    """The question for something to say, which says who will hear it; `begun` stands there already."""
    translator = screen.look.translator
    watchers = chat is not None and chat.channel == "watchers"
    label = translator.say("To those who watch") if watchers else translator.say("To the table")
    most = screen.known.chat_length
    return Prompt(label, most, lambda text: screen.wish(Say(text), awaited=False), begun, keep=True)


def spectators_text(room: RoomView, translator: Translator) -> str:
    """Who watches, in a few words; "" for nobody."""
    if room.spectators == 1 and room.watchers:
        return translator.say("{name} is watching", name=clean(room.watchers[0]))
    return translator.count("{n} watching", "{n} watching", room.spectators) if room.spectators else ""


def table_facts(room: RoomView, look: Look, link_time: str) -> str:
    """Who watches, and for a player how long the line takes; who looks on shares a picture with all who do."""
    facts = (spectators_text(room, look.translator), link_time if room.you is not None else "")
    return f" {glyphs(look).dot} ".join(filter(None, facts))


def _newest_line(chat: ChatView | None) -> ChatLine | None:
    """What somebody has said last."""
    return chat.lines[-1] if chat and chat.lines else None


def _chat_line(each: ChatLine | Notice, translator: Translator) -> tuple[str, str]:
    if isinstance(each, Notice):
        return "", clean(translator.tell(each.news.words()))
    name = clean(each.name)
    watches = each.channel == "watchers"
    return translator.say("{name} (watching)", name=name) if watches else name, clean(each.text)


_OWN_COMMANDS: Final = frozenset({"", Say.__name__, Ignore.__name__, Report.__name__})
LineAction = Literal["ignore", "report"]
"""What is done about a line."""


class ChatScreen(AppScreen):
    """The talk over the table. It follows what is said until a line is chosen, and then stays with that one."""

    SHOWS_CHAT = True

    def __init__(self, stage: AppContext, known: ClientState, about: LineAction | None = None) -> None:
        """The newest of what `known` has heard; with `about`, somebody wants to do that about a line of it."""
        super().__init__(stage, known)
        self._about = about
        self._heard = RecentChat(newest=0)
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
            self._top = max(0, rows - chat_height(self.look, self.news))
            self._offer(self._about)

    def state_changed(self) -> None:
        """There is more talk, or less of it: what is read stays where it is on the screen."""
        if self._chosen is not None:
            self._chosen = self._nearest(self._chosen)

    def draw(self, look: Look) -> Frame:
        """The rows in sight."""
        blocks = self._blocks(look)
        rows = [row for block in blocks for row in block]
        marked = self._marked(blocks)
        height = chat_height(look, self.news)
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
        return draw_chat(rows, self._top, look, self.news, self.shown_hints(), marked)

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
        return super().refused(refusal) if refusal.to in _OWN_COMMANDS else False

    def press(self, press: Press) -> None:
        """Choose a line, say something, or go back."""
        page = chat_height(self.look, self.news) - 1
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
                self.ask(chat_prompt(self, self.known.chat))
            case "ignored":
                open_page(self, MUTED_PAGE)
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
        row = chat_row_at(tap.y, self._top, self.look, self.news)
        begin = 0
        for number, block in zip(self._numbers(words=False), self._blocks(self.look), strict=True):
            if row is not None and begin <= row < begin + len(block):
                self._chosen, self._depth = self._nearest(number), begin - self._top
            begin += len(block)

    def _offer(self, about: LineAction) -> None:
        """Choose what somebody else said last: the same key again does it to that line."""
        translator, name = self.look.translator, self.known.welcome.name if self.known.welcome else ""
        lines = self.known.chat.lines if self.known.chat is not None else ()
        line = next((line for line in reversed(lines) if line.name != name), None)
        if line is None:
            self.status = translator.say("Nobody else has said anything here.")
            return
        self._choose(line.n)
        places = {"key": self.look.keymap.shown(TALK.hints(about)[0][0]), "name": clean(line.name)}
        if about == "ignore":
            told = translator.say(
                "{key} once more hears no more of {name}; ↑ and ↓ choose another line.", **places
            )
        else:
            told = translator.say(
                "{key} once more has the host read what {name} said; ↑ and ↓ choose another.", **places
            )
        self.status = told

    def _report(self, line: ChatLine) -> None:
        """It can't be taken back, so it is asked about."""
        sentence = self.look.translator.say("Have the host read what {name} said?", name=clean(line.name))
        report = Report(line.n)
        self.question = Confirmation(sentence, lambda: self.wish(report, awaited=False))

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
        return chat_blocks(tuple(line for _, line in self._lines(look)), look, look.width - 2)

    def _lines(self, look: Look) -> list[tuple[int, tuple[str, str]]]:
        """All lines with their numbers; what the host has said has that of the line before it."""
        chat, code = self.known.chat, self.known.room.code if self.known.room is not None else ""
        numbers = (each.n for each in chat.talk) if chat is not None else ()
        lines = list(zip(numbers, self._heard.said(chat, look.translator), strict=True))
        hosts = self.stage.host.kept(code, look.translator)
        if hosts:
            lines += [(number, ("", text)) for number, text in hosts]
            lines.sort(key=lambda line: line[0])
        return lines
