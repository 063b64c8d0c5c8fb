"""Chat at a table: the newest lines on the table screen, and the screen with all of it.

The screen follows new lines until one is selected; a selected line can be reported and its author muted.
"""

import math
from collections.abc import Callable, Collection, Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from cartino_protocol.commands import Ignore, Report, Say
from cartino_protocol.notices import News, Notice, NoticeKind
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatLine, ChatView, TableView
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Canvas, Frame, Row, put_rows, row_width, wrap_rows
from cartino_tui.draw.text import clean, fit
from cartino_tui.game_port.screen import Look, speaker_role
from cartino_tui.i18n import ENGLISH, Translator
from cartino_tui.keys import TALK
from cartino_tui.pages.contacts import MUTED_PAGE
from cartino_tui.screens.page import open_page
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import AppScreen, HintRow
from cartino_tui.widgets.layout import Hints, footer, footer_height, glyphs, put_centred, title_bar
from cartino_tui.widgets.prompt import Confirmation, Prompt

ChatText = tuple[tuple[str, str], ...]
"""Chat lines as (name, text), oldest first, safe to draw; name "" for a notice."""

_TOP = 2


def chat_rows(talk: ChatText, look: Look, cells: int, table: TableView | None = None) -> list[Row]:
    """Return the rows of all lines, wrapped behind their names; players of `table` have their colours."""
    return [row for line in talk for row in _line_rows(line, look, cells, table)]


def _line_rows(line: tuple[str, str], look: Look, cells: int, table: TableView | None) -> list[Row]:
    name, text = line
    shown = f"{fit(name, cells // 2, ascii=look.ascii)}  "
    lead: Row = ((shown, speaker_role(table, name)),) if name else ()
    begin, role = row_width(lead), "chat" if name else "notice"
    first, *others = wrap_rows(text, role, cells - begin, ascii=look.ascii) or [()]
    return [(*lead, *first), *(((" " * begin, role), *row) for row in others)]


def can_mute(action: str, known: ClientState) -> bool:
    """Return whether `action` is none of muting and reporting, or somebody else said something here."""
    own = known.welcome.name if known.welcome is not None else ""
    lines = known.chat.lines if known.chat is not None else ()
    return action not in {"ignore", "report"} or any(line.name != own for line in lines)


def others_here(table: TableView) -> bool:
    """Return whether there is anybody at the table to talk to: bots don't answer."""
    return table.spectators + sum(seat.kind == "human" for seat in table.seats) > 1


def chat_height(look: Look, status: str) -> int:
    """Return how many rows of chat are visible."""
    return max(1, look.height - _TOP - footer_height(look, status))


def chat_row_at(y: int, top: int, look: Look, status: str) -> int | None:
    """Return the chat row in row `y` of the screen, where `top` is the first visible one; None for none."""
    return top + y - _TOP if _TOP <= y < _TOP + chat_height(look, status) else None


def draw_chat(
    rows: list[Row], top: int, look: Look, status: str, hints: Hints, marked: range = range(0)
) -> Frame:
    """Draw the screen from chat row `top` on; `marked` are the rows of the selected line."""
    canvas = Canvas(look.width, look.height)
    seen = rows[top : top + chat_height(look, status)]
    where = f"{top + 1}-{top + len(seen)}/{len(rows)}" if rows else ""
    title_bar(canvas, look, look.translator.gettext("Chat history"), where)
    put_rows(canvas, 1, _TOP, seen)
    for row in marked:
        if top <= row < top + len(seen):
            y = _TOP + row - top
            canvas.put(0, y, glyphs(look).pick if row == marked.start else " ", "selected")
            canvas.paint(0, y, look.width - 1, "selected")
    if not rows:
        nothing = look.translator.gettext("No messages yet. Press t to write one.")
        put_centred(canvas, look.height // 2, nothing, "dim", ascii=look.ascii)
    footer(canvas, look, status, hints)
    return canvas.frame()


PASSING_SECONDS: Final = 20.0
"""Seconds for which a coming or going stands beside the chat."""
COMINGS_AND_GOINGS: Final[frozenset[NoticeKind]] = frozenset(
    {
        "watches",
        "sits",
        "stands",
        "left",
        "cut-off",
        "back",
        "not-back",
        "renamed",
        "paused",
        "goes-on",
        "leads",
    }
)
"""Notices that say nothing any more after a while; the chat history has them."""
NEWEST_LINES = 12
"""More than any table layout shows."""


def chat_text(
    chat: ChatView | None, translator: Translator, newest: int = 0, without: Collection[int] = ()
) -> ChatText:
    """Return all lines, or the `newest`, as (name, text), oldest first, safe to draw; name "" for a notice.

    As many notices are returned besides, except those numbered in `without`.
    """
    if chat is None:
        return ()
    notices = tuple(notice for notice in chat.notices if notice.n not in without)
    shown = msgspec.structs.replace(chat, lines=chat.lines[-newest:], notices=notices[-newest:])
    return tuple(_chat_line(each, translator) for each in shown.talk)


class RecentChat:
    """Caches chat as drawn: making it safe costs more than the rest of a redraw."""

    def __init__(self, newest: int = NEWEST_LINES, now: Callable[[], float] | None = None) -> None:
        """Create it for the `newest` lines, 0 for all; comings and goings expire by the seconds of `now`."""
        self._newest = newest
        self._now = now
        self._first_seen: dict[int, float] = {}
        """When each coming or going was first seen, by its number."""
        self._chat: ChatView | None = None
        self._translator = ENGLISH
        self._without: frozenset[int] = frozenset()
        self._said: ChatText = ()

    def format_newest_lines(
        self, chat: ChatView | None, translator: Translator, own: News | None = None
    ) -> ChatText:
        """Return the newest lines of `chat`; `own` is a coming or going of the reader's, which isn't shown."""
        without = self._hidden(chat, own)
        if chat is not self._chat or translator is not self._translator or without != self._without:
            self._chat, self._translator, self._without = chat, translator, without
            self._said = chat_text(chat, translator, self._newest, without)
        return self._said

    def next_expiry(self) -> float | None:
        """Return the seconds until the next coming or going expires; None if none is shown."""
        if self._now is None:
            return None
        ends = [
            seen + PASSING_SECONDS for number, seen in self._first_seen.items() if number not in self._without
        ]
        return max(0.0, min(ends) - self._now()) if ends else None

    def _hidden(self, chat: ChatView | None, own: News | None) -> frozenset[int]:
        """Return the numbers of comings and goings that have expired, and of `own`."""
        if chat is None or self._now is None:
            return frozenset()
        now = self._now()
        passing = [notice for notice in chat.notices if notice.news.word in COMINGS_AND_GOINGS]
        seen = {each.n: self._first_seen.get(each.n, now) for each in passing if each.news != own}
        self._first_seen = seen
        return frozenset(each.n for each in passing if now - seen.get(each.n, -math.inf) >= PASSING_SECONDS)


def chat_prompt(screen: AppScreen, chat: ChatView | None, begun: str = "") -> Prompt:
    """Return the prompt for a chat line, which says who will read it; `begun` is its text so far."""
    translator = screen.look.translator
    watchers = chat is not None and chat.channel == "watchers"
    label = translator.gettext("To spectators") if watchers else translator.gettext("To the table")
    most = screen.known.chat_length
    return Prompt(label, most, lambda text: screen.send(Say(text), awaited=False), begun, keep=True)


def spectators_text(table: TableView, translator: Translator) -> str:
    """Return who watches, in a few words; "" for nobody."""
    if table.spectators == 1 and table.watchers:
        return translator.gettext("{name} is watching", name=clean(table.watchers[0]))
    return translator.ngettext("{n} watching", "{n} watching", table.spectators) if table.spectators else ""


def table_facts(table: TableView, look: Look, link_time: str) -> str:
    """Return who watches and, for a player, the response time; spectators share their frames."""
    facts = (spectators_text(table, look.translator), link_time if table.you is not None else "")
    return f" {glyphs(look).dot} ".join(filter(None, facts))


def _chat_line(each: ChatLine | Notice, translator: Translator) -> tuple[str, str]:
    if isinstance(each, Notice):
        return "", clean(translator.render(each.news.words()))
    name = clean(each.name)
    watches = each.channel == "watchers"
    return translator.gettext("{name} (watching)", name=name) if watches else name, clean(each.text)


_OWN_COMMANDS: Final = frozenset({"", Say.__name__, Ignore.__name__, Report.__name__})
LineAction = Literal["ignore", "report"]


class _Entry(NamedTuple):
    """A line or a notice: its number, and its rows from `start` on."""

    number: int
    start: int
    rows: list[Row]

    @property
    def marked(self) -> range:
        """The rows to mark where it is selected."""
        return range(self.start, self.start + len(self.rows))


class ChatScreen(AppScreen):
    """All chat of the table. Follows new lines until one is selected."""

    KEYS = TALK
    SHOWS_CHAT = True

    def __init__(self, context: AppContext, known: ClientState, about: LineAction | None = None) -> None:
        """Create the screen; `about` selects a line to do that with."""
        super().__init__(context, known)
        self._about = about
        self._heard = RecentChat(newest=0)
        self._chosen: int | None = None
        """The number of the selected line, None to follow the end."""
        self._top = 0
        """The first visible row."""
        self._depth = 0
        """Rows from there to the selected line."""

    def on_mount(self) -> None:
        """Select a line for `about`."""
        if self._about is not None:
            rows = sum(len(entry.rows) for entry in self._entries())
            self._top = max(0, rows - chat_height(self.look, self.status_text))
            self._offer(self._about)

    def state_changed(self) -> None:
        """Keep the selected line in place."""
        if self._chosen is not None:
            self._chosen = self._nearest(self._chosen)

    def draw(self, look: Look) -> Frame:
        """Draw the visible rows."""
        entries = self._entries()
        rows = [row for entry in entries for row in entry.rows]
        marked = self._marked(entries)
        height = chat_height(look, self.status_text)
        end = max(0, len(rows) - height)
        if self._chosen is None:
            self._top = end
        else:
            # The whole line where it fits, else its beginning.
            top = min(max(marked.start - self._depth, marked.stop - height), marked.start)
            if self._lines[0].n == self._chosen:
                # Notices above the first line can't be selected, so show them.
                top = marked.stop - height
            self._top = max(0, min(top, end))
            self._depth = marked.start - self._top
        return draw_chat(rows, self._top, look, self.status_text, self.shown_hints(), marked)

    def hints(self) -> HintRow:
        """Return the hints, those for the selected line too."""
        answers = ("ignore", "report") if self._chosen is not None else ()
        listed = ("ignored",) if self.known.ignored else ()
        moves = ("up", "down", "page-up", "page-down", "first", "last")
        return TALK.hints("chat", *answers, *listed, *moves, "actions", "back")

    def handle_refusal(self, refusal: Refusal) -> bool:
        """Show refusals of this screen's own commands."""
        return super().handle_refusal(refusal) if refusal.to in _OWN_COMMANDS else False

    def press(self, press: Press) -> None:
        """Handle a key."""
        page = chat_height(self.look, self.status_text) - 1
        line = next((line for line in self._lines if line.n == self._chosen), None)
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
                self._choose(self._lines[0].n if self._lines else None)
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
                # Lines of older servers have a name only.
                self.send(Ignore(line.who, line.name), awaited=False)
            case "report" if line is not None:
                # A report can't be taken back.
                asked = self.look.translator.gettext(
                    "Report {name}'s message to the host?", name=clean(line.name)
                )
                report = Report(line.n)
                self.question = Confirmation(asked, lambda: self.send(report, awaited=False))

    def tap(self, tap: Tap) -> None:
        """Select the clicked line."""
        row = chat_row_at(tap.y, self._top, self.look, self.status_text)
        hit = next((entry for entry in self._entries() if row in entry.marked), None)
        if hit is not None:
            self._chosen, self._depth = self._nearest(hit.number), hit.start - self._top

    @property
    def _lines(self) -> Sequence[ChatLine]:
        """The lines that can be selected; notices can't."""
        return self.known.chat.lines if self.known.chat is not None else ()

    def _offer(self, about: LineAction) -> None:
        """Select the latest line by somebody else; the same key again acts on it."""
        translator, name = self.look.translator, self.known.welcome.name if self.known.welcome else ""
        line = next((line for line in reversed(self._lines) if line.name != name), None)
        if line is None:
            self.status = translator.gettext("Nobody else has said anything here.")
            return
        self._choose(line.n)
        places = {"key": self.look.key_shown(TALK.hints(about)[0][0]), "name": clean(line.name)}
        if about == "ignore":
            self.status = translator.gettext(
                "Press {key} again to mute {name}; ↑ and ↓ select another message.", **places
            )
        else:
            self.status = translator.gettext(
                "Press {key} again to report {name}'s message; ↑ and ↓ select another.", **places
            )

    def _step(self, by: int) -> None:
        """Select the line above or below; below the last one, follow the end."""
        numbers = [line.n for line in self._lines]
        at = by + (len(numbers) if self._chosen is None else numbers.index(self._chosen))
        self._choose(numbers[max(0, at)] if numbers and at < len(numbers) else None)

    def _page(self, rows: int) -> None:
        """Move by so many rows."""
        entries = self._entries()
        height = sum(len(entry.rows) for entry in entries)
        wanted = (height - 1 if self._chosen is None else self._marked(entries).start) + rows
        reached = [entry.number for entry in entries if entry.start <= max(0, wanted)]
        if wanted >= height:
            self._choose(None)
        elif reached:
            self._choose(self._nearest(reached[-1]))

    def _choose(self, number: int | None) -> None:
        """Select a line, and scroll as little as needed."""
        self._chosen = number
        if number is not None:
            self._depth = max(0, self._marked(self._entries()).start - self._top)

    def _nearest(self, number: int) -> int | None:
        """Return the line at or after `number`, else the last before it; None for none."""
        numbers = [line.n for line in self._lines]
        return next((each for each in numbers if each >= number), numbers[-1] if numbers else None)

    def _marked(self, entries: Sequence[_Entry]) -> range:
        """Return the rows of the selected line."""
        return next((entry.marked for entry in entries if entry.number == self._chosen), range(0))

    def _entries(self) -> list[_Entry]:
        """Return all lines and notices; a host's notice has the number of the line before it."""
        look, chat = self.look, self.known.chat
        code = self.known.table.code if self.known.table is not None else ""
        numbers = (each.n for each in chat.talk) if chat is not None else ()
        lines = list(zip(numbers, self._heard.format_newest_lines(chat, look.translator), strict=True))
        announced = [
            (number, ("", text))
            for number, text in self.context.host.format_last_notices(code, look.translator)
        ]
        if announced:
            lines = sorted((*lines, *announced), key=lambda line: line[0])
        entries: list[_Entry] = []
        for number, line in lines:
            start = entries[-1].marked.stop if entries else 0
            entries.append(_Entry(number, start, _line_rows(line, look, look.width - 2, self.known.table)))
        return entries
