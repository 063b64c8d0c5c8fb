"""The tables of the lobby: the reader's own first, then those with a free seat. The page updates live."""

import re
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from cartino_protocol.accounts import Account, Keys
from cartino_protocol.base import CODE_LENGTH, parse_address, parse_code
from cartino_protocol.commands import Back, Command, History, Join, Leaders, Rename, Replay, Watch
from cartino_protocol.deals import Daily
from cartino_protocol.text import N_
from cartino_protocol.views import SeatLine, TableLine
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import Translator
from cartino_tui.keys import LOBBY
from cartino_tui.pages.account import ACCOUNT_PAGE, KEYS_PAGE
from cartino_tui.pages.contacts import INVITATIONS_PAGE, MUTED_PAGE
from cartino_tui.pages.deals import DEAL_PAGE
from cartino_tui.pages.history import HISTORY_PAGE
from cartino_tui.pages.page import (
    Action,
    EmptyCard,
    Open,
    Page,
    PageCell,
    PageColumn,
    PageSection,
    Question,
    Reader,
)
from cartino_tui.pages.people import LEADERS_PAGE
from cartino_tui.time_control import CLOCK_COLUMN, CLOCK_FACTS
from cartino_tui.visit.state import ClientState, LobbyEntry, lobby_entries

MAX_RESUME_CODE: Final = 64
_MAX_NAME, _MAX_CODE = 16, 24
_GAME_WIDTH, _MAX_GAME_WIDTH = 13, 29
"""Cells for the game at 80 columns, and at most."""
_MIN_PLAYERS: Final = 36
"""Cells for the players; columns that leave them less are left out: all of it stands below the list."""
_MIN_NAME: Final = 6
"""A name cut to fewer letters tells nobody anything."""
_PARENTHESIS: Final = re.compile(r" \([^)]*\)")
"""What a title that is too long loses first: "Casino (card game)" is "Casino"."""

_STATES: Final = {
    "paused": (N_("paused"), N_("paused, you're playing")),
    "challenge": (N_("challenge"), N_("your challenge")),
    "open": (N_("open"), N_("not started, you have a seat")),
    "playing": (N_("in progress"), N_("you're playing")),
    "finished": (N_("over"), N_("over")),
}
"""The states of a table in plain mode: others', and the reader's own."""
_SIT_DOWN, _WATCH, _RETURN = N_("sit down"), N_("watch"), N_("rejoin")
"""What Enter does with a table."""
_ELSEWHERE: Final = ("daily", "history", "leaders", "settings", "actions", "rename", "help", "quit")
_HINTS: Final = ("join", "new", "quick", "learn", "code", "watch", *_ELSEWHERE)
_EMPTY_HINTS: Final = (
    *("quick", "learn", "new", "code"),
    *("settings", "actions", "daily", "history", "leaders", "rename", "help", "quit"),
)


class TablesView(msgspec.Struct, frozen=True):
    """The tables, the reader's name, how many people are here, and whether the list has `arrived` yet.

    `place` is what the host calls the server, "" for nothing.
    """

    entries: tuple[LobbyEntry, ...] = ()
    name: str = ""
    people: int = 0
    arrived: bool = True
    invited: int = 0
    place: str = ""
    offer: str = ""
    """The game to offer lessons of, below the tables; none of them is selected then."""
    other_lessons: bool = False
    """Whether other games have lessons, too."""


def _tables_view(known: ClientState) -> TablesView:
    welcome, lobby = known.welcome, known.lobby
    return TablesView(
        lobby_entries(known),
        welcome.name if welcome else "",
        lobby.people if lobby else 0,
        arrived=lobby is not None,
        invited=len(known.invitations),
        place=known.summary.place if known.summary else "",
    )


def _title(view: TablesView | None, reader: Reader) -> Sequence[str | tuple[str, ...]]:
    """Return the reader's name and how many are here, in fewer and fewer words."""
    translator = reader.translator
    here = translator.gettext("Game server") if reader.commands.words else translator.gettext("This computer")
    place = view.place if view is not None and view.place else here
    if view is None or not view.name:
        return (place,)
    name = view.name
    if view.offer:
        return place, translator.gettext("you are {name}", name=name)
    who = f"{name} ({translator.gettext('guest')})" if reader.guest else name
    you = (
        translator.gettext("you are {name} (guest)", name=name)
        if reader.guest
        else translator.gettext("you are {name}", name=name)
    )
    people = (
        translator.gettext("nobody else here")
        if view.people <= 1
        else translator.ngettext("{n} person here", "{n} people here", view.people)
    )
    with_link = (you, people, reader.link_time) if reader.link_time else (you, people)
    return place, with_link, (you, people), (who, people), who


def _hints(view: TablesView | None, reader: Reader) -> Sequence[str]:
    if view is None:
        return _EMPTY_HINTS
    if view.offer:
        return ("help", "quit")
    return (*(("invited",) * bool(view.invited)), *(_HINTS if view.entries else _EMPTY_HINTS))


def hints_at(entry: LobbyEntry, hints: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return `hints` with what Enter does with the table of `entry`."""
    does = _RETURN if entry.mine else _SIT_DOWN if entry.free else _WATCH
    (join,) = LOBBY.hints("join")
    return tuple((hint[0], does) if hint == join else hint for hint in hints)


def pad_hints(hints: Sequence[tuple[str, str]], look: Look) -> tuple[tuple[str, str], ...]:
    """Return translated `hints` with the one of Enter as long at every table: the others stay where they are."""
    enter, does = (
        look.key_name("Enter"),
        [look.translator.gettext(each) for each in (_SIT_DOWN, _WATCH, _RETURN)],
    )
    width = max(map(len, does))
    return tuple((key, what.ljust(width) if key == enter and what in does else what) for key, what in hints)


def short_title(title: str) -> str:
    """Return a game's title without what stands in parentheses."""
    return _PARENTHESIS.sub("", title)


def _game(line: TableLine, reader: Reader) -> PageCell:
    title = reader.title(line.game, line.options)
    return PageCell(title, short=short_title(title) if "(" in title else "")


def _seat_name(seat: SeatLine, reader: Reader) -> str:
    return reader.player(seat.name, bot=seat.kind == "bot" and not seat.name.startswith("bot"))


def _players(line: TableLine, reader: Reader, *, each_bot: bool = False) -> list[PageCell]:
    """Return the seats, with a mark for whose turn it is. Several bots are shown as their number, unless `each_bot`."""
    bots = [number for number, seat in enumerate(line.seats) if seat.kind == "bot"]
    if each_bot or len(bots) < 2:
        bots = []
    cells = []
    for number, seat in enumerate(line.seats):
        if number in bots:
            continue
        turn = number in line.turn
        name = reader.translator.gettext("free") if seat.kind == "empty" else _seat_name(seat, reader)
        role = "turn" if turn else "dim" if seat.kind == "empty" else "text"
        after = f" ({reader.translator.gettext('away')})" if number in line.away else ""
        cells.append(PageCell(f"►{name}" if turn else name, role, after=after))
    if bots:
        turn = any(number in line.turn for number in bots)
        name = reader.translator.ngettext("{n} bot", "{n} bots", len(bots))
        cells.append(PageCell(f"►{name}" if turn else name, "turn" if turn else "text"))
    return cells


def _state(entry: LobbyEntry, translator: Translator) -> PageCell:
    line, gettext = entry.line, translator.gettext
    if entry.waits:
        return PageCell(gettext("your turn"), "turn")
    if entry.mine and line.paused:
        return PageCell(gettext("yours, paused"), "you")
    if line.is_challenge and not entry.mine:
        return PageCell(gettext("challenge"), "points")
    if entry.mine:
        over = line.state == "finished"
        return PageCell(gettext("yours, over") if over else gettext("your table"), "you")
    if line.state == "open":
        taken = sum(seat.kind != "empty" for seat in line.seats)
        return PageCell(gettext("open {taken}/{seats}", taken=taken, seats=len(line.seats)), "points")
    if line.state == "finished":
        return PageCell(gettext("over"), "dim")
    return PageCell(gettext("paused") if line.paused else gettext("playing"))


def _all_states(translator: Translator) -> Sequence[str]:
    """Return all that may stand in the column of states."""
    gettext = translator.gettext
    mine = gettext("your turn"), gettext("yours, paused"), gettext("your table"), gettext("yours, over")
    open_table = gettext("open {taken}/{seats}", taken=1, seats=4)
    return *mine, gettext("challenge"), open_table, gettext("over"), gettext("paused"), gettext("playing")


def _line(view: TablesView, reader: Reader) -> Callable[[LobbyEntry], str]:
    """Return what writes a table's line in the shell; the states of all tables are aligned."""
    translator = reader.translator
    width = max((8, *(len(_short_state(entry.line, translator)) for entry in view.entries)))

    def line(entry: LobbyEntry) -> str:
        line, gettext = entry.line, translator.gettext
        facts = _seat_names(line, reader, gettext("(free)"), gettext("{name} (to move)"))
        facts += filter(None, (_watching(line, translator), gettext(CLOCK_FACTS[line.clock])))
        state = _short_state(line, translator).ljust(width)
        return f"{line.code}  {reader.title(line.game, line.options)}  {state}  {', '.join(facts)}"

    return line


def _seat_names(line: TableLine, reader: Reader, free: str, to_move: str = "{name}") -> list[str]:
    names = []
    for number, seat in enumerate(line.seats):
        name = free if seat.kind == "empty" else _seat_name(seat, reader)
        if number in line.away:
            name = reader.translator.gettext("{name} (away)", name=name)
        names.append(to_move.format(name=name) if number in line.turn else name)
    return names


def _watching(line: TableLine, translator: Translator) -> str:
    return translator.ngettext("{n} watching", "{n} watching", line.spectators) if line.spectators else ""


def _short_state(line: TableLine, translator: Translator) -> str:
    """Return a table's state for the shell, where nobody has a seat."""
    if line.state == "finished":
        return translator.pgettext("table", "finished")
    if line.state == "open" and not line.is_challenge:
        return translator.gettext("open")
    return _state(LobbyEntry(line), translator).text


def _sentence(entry: LobbyEntry, reader: Reader) -> str:
    """Return a table for plain mode: "K7QP: Cartino 1974, open; Bob, free seat."."""
    gettext, line = reader.translator.gettext, entry.line
    names = _seat_names(line, reader, gettext("free seat"))
    return gettext(
        "{code}: {game}, {state}; {players}.",
        code=line.code,
        game=reader.title(line.game, line.options),
        state=_own_state(entry, reader.translator),
        players=", ".join((*names, *second_line(entry, reader))),
    )


def _own_state(entry: LobbyEntry, translator: Translator) -> str:
    """Return a table's state for plain mode, and whether the reader plays there."""
    line = entry.line
    if entry.waits:
        return translator.gettext("it's your turn")
    state = "paused" if line.paused else "challenge" if line.is_challenge else line.state
    others, own = _STATES[state]
    return translator.gettext(own if entry.mine else others)


def second_line(entry: LobbyEntry, reader: Reader) -> Sequence[str]:
    """Return what a list with two lines a table adds to the columns: the clock, and who watches."""
    clock = reader.translator.gettext(CLOCK_FACTS[entry.line.clock])
    return [fact for fact in (clock, _watching(entry.line, reader.translator)) if fact]


def _detail(entry: LobbyEntry, reader: Reader) -> tuple[Sequence[PageCell], Sequence[PageCell]]:
    """Return all of the selected table that its row may have no room for."""
    line, translator = entry.line, reader.translator
    free = sum(seat.kind == "empty" for seat in line.seats) if line.state == "open" else 0
    facts = (
        reader.title(line.game, line.options),
        translator.ngettext("{n} free seat", "{n} free seats", free) if free else "",
        "" if free and not (entry.mine or line.is_challenge) else _state(entry, translator).text,
        *second_line(entry, reader),
    )
    return _players(line, reader, each_bot=True), [PageCell(fact, "dim") for fact in facts if fact]


def _empty(view: TablesView | None, waiting: bool, reader: Reader) -> str | EmptyCard:
    gettext = reader.translator.gettext
    if view is None or not (view.arrived or view.offer):
        return gettext("Loading the lobby…")
    if view.offer:
        return EmptyCard(
            gettext("New here?"),
            {
                "join": gettext("learn {game} (3 minutes)", game=view.offer),
                **({"learn": gettext("other lessons")} if view.other_lessons else {}),
                "quick": gettext("play an easy bot"),
                "back": gettext("skip"),
            },
        )
    return EmptyCard(
        gettext("No tables are open yet. Be the first:"),
        {
            "learn": gettext("new here? learn the game in three minutes"),
            "quick": gettext("play now, with a bot if nobody is waiting"),
            "new": gettext("open your own table and share its code"),
            "code": gettext("join a table by code"),
        },
    )


def _closing(view: TablesView, reader: Reader) -> Sequence[str]:
    typed = N_("No tables are open. Type new in the lobby to open one.")
    said = typed if reader.spoken else N_("No tables yet. Open one with `ssh -t HOST new`.")
    return () if view.entries else (reader.translator.gettext(said),)


def _go_to(entry: LobbyEntry | None, reader: Reader, *, watch: bool = False) -> Join | Watch | str:
    if entry is None:
        return reader.translator.gettext("There are no tables yet. Press p to play now, n to open one.")
    sits = entry.mine or (entry.free and not watch)
    return Join(entry.line.code) if sits else Watch(entry.line.code)


INVALID_CODE: Final = N_("Not a valid code. Codes have 4 or 8 letters and digits.")


def read_code_command(text: str) -> Command | None:
    """Return the command for a code, `watch` and a code, or the address of a turn; None for other text."""
    first, _, rest = text.partition(" ")
    watch = first.lower() == "watch" and bool(rest.strip())
    code = parse_code(rest if watch else text)
    if code is None:
        return None if parse_address(text) is None else Replay(text.strip())
    return Watch(code) if watch else Join(code)


def _why_no_code(typed: str, reader: Reader) -> str:
    return "" if read_code_command(typed) else reader.translator.gettext(INVALID_CODE)


def _rename(view: TablesView | None, entry: LobbyEntry | None, typed: str, reader: Reader) -> Rename | None:
    return Rename(typed) if view is None or typed != view.name else None


def _own_keys(reader: Reader) -> Open | str:
    if not reader.commands.words:
        return reader.translator.gettext("There are no SSH keys here: this server runs on your own computer.")
    return Open(KEYS_PAGE, None if reader.guest else Keys())


def _own_account(reader: Reader) -> Open | str:
    if not reader.commands.words:
        return reader.translator.gettext("Nothing is stored about you: this table runs on your own computer.")
    return Open(ACCOUNT_PAGE, Account())


TABLES_PAGE: Final[Page[TablesView, LobbyEntry]] = Page(
    keys=LOBBY,
    title=_title,
    hints=_hints,
    live=_tables_view,
    sections=lambda view: (PageSection(view.entries, key=""),),
    identity=lambda entry: entry.line.code,
    high_headings=True,
    columns=(
        PageColumn(
            N_("code"),
            lambda entry, _: (PageCell(entry.line.code, "you" if entry.mine else "key"),),
            # The commitment is what the table promises of its shuffle.
            "line.code line.commitment",
            least=CODE_LENGTH,
        ),
        PageColumn(
            N_("game"),
            lambda entry, reader: (_game(entry.line, reader),),
            "line.game line.options",
            least=_GAME_WIDTH,
            most=_GAME_WIDTH,
            wide=_MAX_GAME_WIDTH,
            narrow=0,
            gap=1,
        ),
        PageColumn(
            N_("players"),
            lambda entry, reader: _players(entry.line, reader),
            # The seats to act, and a challenge's seats whose players are away.
            lambda entry: {
                "seats": [{"name": seat.name, "kind": seat.kind} for seat in entry.line.seats],
                "turn": entry.line.turn,
                "away": entry.line.away,
            },
            flexible=True,
            keeps=_MIN_PLAYERS,
            letters=_MIN_NAME,
            gap=1,
        ),
        PageColumn(
            N_("clock"),
            lambda entry, reader: (
                PageCell(reader.translator.gettext(CLOCK_COLUMN[entry.line.clock]), "dim"),
            ),
            "line.clock",
            optional=True,
            hides=True,
            gap=1,
        ),
        PageColumn(
            N_("watching"),
            lambda entry, _: (PageCell(str(entry.line.spectators or ""), "dim"),),
            "line.spectators",
            most=6,
            optional=True,
            gap=1,
        ),
        PageColumn(
            N_("status"),
            lambda entry, reader: (_state(entry, reader.translator),),
            "line.state line.paused",
            samples=_all_states,
            gap=1,
        ),
    ),
    line=_line,
    sentence=_sentence,
    worded=("code", "game", "players", "clock", "watching", "status"),
    opening=lambda view, reader: (
        (reader.translator.gettext("Which table?"),) if reader.spoken and view.entries else ()
    ),
    closing=_closing,
    mark=lambda entry: entry.waits,
    detail=_detail,
    empty=_empty,
    actions={
        "join": Action(lambda view, entry, typed, reader: _go_to(entry, reader), main=True),
        "code": Action(
            lambda view, entry, typed, reader: read_code_command(typed) or _why_no_code(typed, reader),
            ask=Question(
                N_("Table code (or: watch CODE)"),
                _MAX_CODE,
                (Join.__name__, Watch.__name__, Replay.__name__),
                check=_why_no_code,
            ),
        ),
        "rename": Action(
            _rename,
            ask=Question(N_("Your name"), _MAX_NAME, (Rename.__name__,), lambda view: view.name),
            awaited=False,
        ),
        "watch": Action(lambda view, entry, typed, reader: _go_to(entry, reader, watch=True)),
        "word": Action(
            lambda view, entry, typed, reader: Back(typed),
            ask=Question(N_("Your resume code"), MAX_RESUME_CODE, (Back.__name__,)),
        ),
        "history": Action(lambda view, entry, typed, reader: Open(HISTORY_PAGE, History("all"))),
        "daily": Action(lambda view, entry, typed, reader: Open(DEAL_PAGE, Daily())),
        "leaders": Action(lambda view, entry, typed, reader: Open(LEADERS_PAGE, Leaders())),
        "invited": Action(lambda view, entry, typed, reader: Open(INVITATIONS_PAGE)),
        "ignored": Action(lambda view, entry, typed, reader: Open(MUTED_PAGE)),
        "keys": Action(lambda view, entry, typed, reader: _own_keys(reader)),
        "account": Action(lambda view, entry, typed, reader: _own_account(reader)),
    },
)
