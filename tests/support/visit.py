"""A visit to a server that the test plays: a link with the test at its other end, a toy game, views in short."""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

import msgspec
from textual.events import Key, MouseScrollDown, MouseScrollUp
from textual.pilot import Pilot

from cartino_games.kit.card_roles import CARD_ROLES
from cartino_protocol.base import Absence, Clock, Part, TableStatus
from cartino_protocol.commands import Channel, Command, Hello, Prefer, SaveSelection, Summary
from cartino_protocol.deals import Today
from cartino_protocol.link import ConnectionStatus, LinkClosed
from cartino_protocol.notices import News, Notice
from cartino_protocol.views import (
    Answer,
    ChatLine,
    ChatView,
    ClaimView,
    GameInfo,
    LobbyView,
    OptionInfo,
    SeatLine,
    SeatView,
    TableLine,
    TableView,
    Welcome,
)
from cartino_protocol.wire import VERSION, encode_raw
from cartino_tui.app import CartinoApp
from cartino_tui.draw.canvas import Canvas, Frame, Row
from cartino_tui.draw.theme import RoleSet
from cartino_tui.game_port.description import Paragraph, Section
from cartino_tui.game_port.screen import MIN_LOOK, AnyScreen, GameScreen, Look, Reaction, TableChrome
from cartino_tui.i18n import Translator
from cartino_tui.widgets.frame_screen import FrameScreen

HASH = "3fa291bc" * 8


class Counter(Part, frozen=True):
    """The toy's view: how many stones were laid."""

    laid: int


class Pick(msgspec.Struct, frozen=True):
    """The toy's pointer: the stone picked, 0 for none."""

    picked: int = 0


class LayOne(msgspec.Struct, frozen=True, tag=True):
    """The toy's first move."""

    stone: int


class End(msgspec.Struct, frozen=True, tag=True):
    """The toy's second move; its plug makes it only when the view shows something laid."""


class ToyScreen(GameScreen[Counter, Pick]):
    """A game of one counter: 1-5 picks, Enter lays what is picked, e ends the turn once something lies."""

    name = "toy"
    title = "Toy"
    rules: ClassVar[Sequence[Section]] = (
        Section("Your turn", (Paragraph("Lay a stone."), Paragraph("Then end the turn."))),
    )
    key_help: ClassVar[Sequence[tuple[str, str]]] = (("1-5", "pick a stone"), ("e", "end the turn"))
    endings: ClassVar[Mapping[str, str]] = {
        "out": "a player laid all their stones",
        "blocked": "nobody could lay a stone",
    }
    roles: ClassVar[tuple[RoleSet, ...]] = (CARD_ROLES,)
    settings: ClassVar[frozenset[str]] = frozenset({"letters", "deck"})

    def read(self, raw: msgspec.Raw) -> Counter:
        return msgspec.msgpack.decode(raw, type=Counter)

    def fresh(self) -> Pick:
        return Pick()

    def update_pointer(self, table: TableView, view: Counter, pointer: Pick) -> Pick:
        return Pick()

    def encode_selection(self, pointer: Pick) -> bytes:
        return msgspec.msgpack.encode(pointer.picked) if pointer.picked else b""

    def restore_selection(
        self, table: TableView, view: Counter, pointer: Pick, selection: msgspec.Raw
    ) -> Pick:
        try:
            return Pick(msgspec.msgpack.decode(selection, type=int))
        except msgspec.DecodeError:
            return pointer

    def key(
        self, table: TableView, view: Counter, pointer: Pick, key: str, look: Look = MIN_LOOK
    ) -> Reaction[Pick]:
        if table.state == "playing" and key in {"1", "2", "3", "4", "5"}:
            return Reaction(Pick(int(key)))
        if key == "enter" and pointer.picked:
            return Reaction(pointer, LayOne(pointer.picked))
        if key == "e":
            return Reaction(pointer, End()) if view.laid else Reaction(pointer, status="Lay first.")
        if key in {"escape", "backspace"} and pointer.picked:
            return Reaction(Pick())
        return Reaction(pointer, taken=False)

    def click(
        self, table: TableView, view: Counter, pointer: Pick, look: Look, x: int, y: int
    ) -> Reaction[Pick]:
        return Reaction(Pick(4)) if (x, y) == (4, 4) else Reaction(pointer, taken=False)

    def draw(
        self,
        table: TableView,
        view: Counter,
        pointer: Pick,
        look: Look,
        around: TableChrome,
        under: Frame | None = None,
    ) -> Frame:
        canvas = Canvas(look.width, look.height)
        rows = (
            f"{around.title} | {around.facts}",
            f"laid {view.laid} picked {pointer.picked}",
            *(f"{'!' if clock.soon else ''}{clock.text} left" for clock in around.clocks if clock),
            *(f"{name}: {text}" for name, text in around.said),
        )
        for y, row in enumerate(rows):
            canvas.put(0, y, row, "text")
        canvas.put(0, look.height - 2, around.status or around.lead, "status")
        canvas.put(0, look.height - 1, "  ".join(f"{key} {what}" for key, what in around.hints), "hint")
        return canvas.frame()

    def sample(self, look: Look) -> tuple[Row, ...]:
        return (((" toy ", "spade"),),)

    def describe_last_action(self, table: TableView, view: Counter, translator: Translator) -> str:
        return f"Stone {view.laid} was laid" if view.laid else ""

    def describe_refusal(self, rule: str, translator: Translator) -> str:
        return f"The toy forbids {rule}."

    def title_of(self, options: Mapping[str, str], translator: Translator) -> str:
        return f"Toy {options['size']}" if options.get("size") else "Toy"


TOYS: dict[str, AnyScreen] = {"toy": ToyScreen()}
BOTS = ("greedy", "random")
SIZE = OptionInfo("size", ("small", "big"), "small", "How big it is")
TOY_INFO = GameInfo("toy", "Toy", (2, 4), (SIZE,), BOTS)
ODD_INFO = GameInfo("odd", "Odd", (2, 3), (), BOTS)


def _is_aside(command: Command) -> bool:
    """Whether a command only greets, or has something kept that nobody chose."""
    if isinstance(command, Prefer):
        return set(msgspec.msgpack.decode(command.settings)) == {"game"}
    return isinstance(command, Hello | SaveSelection | Summary | Today)


class ScriptedLink:
    """A link whose other end is the test: `sent` is what the app said, `tell` is what it hears.

    `reacts`, if given, is called with every command, and may `tell`.
    """

    def __init__(self, reacts: Callable[[Command], None] | None = None) -> None:
        self.said: list[Command] = []
        self.closed = False
        self.reacts = reacts
        self._answers: asyncio.Queue[Answer | ConnectionStatus | LinkClosed] = asyncio.Queue()
        self._waits = False

    @property
    def all_heard(self) -> bool:
        """Whether the app has taken in everything that was told, and waits for more."""
        return self._waits and self._answers.empty()

    @property
    def sent(self) -> list[Command]:
        """What the app said after its greeting, but for what is to be kept for it."""
        return [command for command in self.said if not _is_aside(command)]

    @property
    def kept(self) -> list[object]:
        """What the app wants kept, read."""
        return [
            msgspec.msgpack.decode(said.selection) for said in self.said if isinstance(said, SaveSelection)
        ]

    def send(self, command: Command) -> None:
        self.said.append(command)
        if self.reacts is not None:
            self.reacts(command)

    async def receive(self) -> Answer | ConnectionStatus:
        self._waits = self._answers.empty()
        answer = await self._answers.get()
        self._waits = False
        if isinstance(answer, LinkClosed):
            raise answer
        return answer

    def close(self) -> None:
        self.closed = True

    def tell(self, *answers: Answer | ConnectionStatus) -> None:
        for answer in answers:
            self._answers.put_nowait(answer)

    def cut(self, error: LinkClosed | None = None) -> None:
        """The line is gone."""
        self._answers.put_nowait(error or LinkClosed())


def welcome(
    name: str = "Ann",
    *,
    guest: bool = False,
    version: int = VERSION,
    odd: bool = False,
    back: str = "",
    word: str = "",
    elsewhere: bool = False,
    over: bool = False,
) -> Welcome:
    games = (TOY_INFO, ODD_INFO) if odd else (TOY_INFO,)
    return Welcome(version, name, guest, games, back=back, word=word, elsewhere=elsewhere, over=over)


def _seats(names: str) -> tuple[tuple[str, str], ...]:
    """(name, kind) of seats written as `Ann bot:greedy -`."""
    return tuple(
        ("", "empty")
        if word == "-"
        else (word.removeprefix("bot:"), "bot" if word.startswith("bot:") else "human")
        for word in names.split()
    )


def line(
    code: str,
    names: str = "Bo -",
    state: TableStatus = "open",
    spectators: int = 0,
    turn: tuple[int, ...] = (),
    game: str = "toy",
    clock: Clock = "none",
    paused: bool = False,
) -> TableLine:
    """A table of the lobby."""
    seats = tuple(SeatLine(name, kind) for name, kind in _seats(names))  # type: ignore[arg-type]
    return TableLine(code, game, {"size": "small"}, seats, spectators, state, turn, "", clock, paused)


def lobby(*lines: TableLine, people: int = 3) -> LobbyView:
    return LobbyView(lines, people)


def toy_table(
    names: str = "Ann Bo",
    state: TableStatus = "playing",
    *,
    number: int = 1,
    you: int | None = 0,
    laid: int = 0,
    code: str = "K7QP",
    game: str = "toy",
    owner: int | None = 0,
    watchers: tuple[str, ...] = (),
    cut: Iterable[int] = (),
    away: Iterable[int] = (),
    again: tuple[int, ...] = (),
    open: bool = True,
    table: msgspec.Raw | None = None,
    left: Mapping[int, float] = MappingProxyType({}),
    substitutes: Iterable[int] = (),
    clock: Clock = "none",
    absence: Absence = "2m",
    paused: bool = False,
    votes: tuple[int, ...] = (),
    turn: tuple[int, ...] = (),
    claim: ClaimView | None = None,
) -> TableView:
    """One's table; `left` are the seconds that a seat has."""
    seats = tuple(
        SeatView(
            name,
            kind,  # type: ignore[arg-type]
            seat not in set(away),
            seat in set(cut),
            "greedy" if seat in set(substitutes) else "",
            left.get(seat),
        )
        for seat, (name, kind) in enumerate(_seats(names))
    )
    return TableView(
        code=code,
        game=game,
        options={"size": "small"},
        state=state,
        number=0 if state == "open" else number,
        seats=seats,
        owner=owner,
        you=you,
        spectators=len(watchers),
        commitment=HASH,
        watchers=watchers,
        open=open,
        game_view=encode_raw(Counter(laid)) if table is None else table,
        again=again,
        clock=clock,
        absence=absence,
        paused=paused,
        votes=votes,
        turn=turn,
        claim=claim,
    )


def chat(*said: tuple[str, str] | News, watchers: bool = False) -> ChatView:
    """The talk, as (name, text), on the table's channel or the spectators', with notices among it."""
    channel: Channel = "watchers" if watchers else "table"
    numbered = tuple(enumerate(said, 1))
    lines = tuple(ChatLine(n, *each, channel) for n, each in numbered if not isinstance(each, News))
    return ChatView(lines, channel, tuple(Notice(n, each) for n, each in numbered if isinstance(each, News)))


class Visit:
    """An app, its pilot and the link's other end, with the waiting that every test needs."""

    def __init__(self, app: CartinoApp, pilot: Pilot[str], link: ScriptedLink) -> None:
        self.app = app
        self.pilot = pilot
        self.link = link

    @property
    def frame(self) -> Frame:
        screen = self.app.screen
        assert isinstance(screen, FrameScreen)
        return screen.shown

    @property
    def text(self) -> str:
        """What stands on the sheet in front."""
        return self.frame.text()

    @property
    def status(self) -> str:
        return self.text.splitlines()[-2].strip()

    async def until(self, condition: Callable[[], bool], why: str = "") -> None:
        """Let the app go on until `condition` holds; it must within a generous time."""
        deadline = time.monotonic() + 30
        while not condition():
            assert self.app.is_running, f"the app ended: {why}"
            assert time.monotonic() < deadline, f"it never came: {why}\n{self.text}"
            await self.pilot.pause()

    async def hears(self, *answers: Answer | ConnectionStatus) -> None:
        """The app hears `answers` and has taken in the last of them."""
        self.link.tell(*answers)
        await self.until(lambda: self.link.all_heard, "the app takes in what it hears")
        await self.pilot.pause()

    async def types(self, *keys: str) -> None:
        """One burst: all keys are in the app's queue before it handles the first."""
        for key in keys:
            self.app.post_message(Key(key, key if len(key) == 1 else None))
        await self.pilot.pause()

    async def says(self, *commands: Command) -> None:
        """The app says `commands` and nothing else since the test began (or `forget`)."""
        await self.until(lambda: len(self.link.sent) >= len(commands), f"it says {commands}")
        assert self.link.sent == list(commands), self.link.sent

    async def click(self, words: str) -> None:
        """Click where `words` stand on the screen."""
        for y, row in enumerate(self.text.splitlines()):
            if words in row:
                await self.pilot.click(offset=(row.index(words), y))
                return
        raise AssertionError(f"{words!r} stands nowhere:\n{self.text}")

    async def wheel(self, *, down: bool) -> None:
        """Turn the wheel one notch over the middle of the screen."""
        kind = MouseScrollDown if down else MouseScrollUp
        x, y = self.frame.width // 2, self.frame.height // 2
        self.app.post_message(kind(None, x, y, 0, 1 if down else -1, 0, False, False, False, x, y))
        await self.pilot.pause()
