"""Format the list of tables for the shell, as text or JSON, and say who reads a page there.

The JSON shape is public: fields are only ever added.
"""

from collections.abc import Sequence

from cartino_games.registry import installed
from cartino_protocol.base import Clock
from cartino_protocol.text import N_
from cartino_protocol.views import RoomLine
from cartino_tui.game_port.description import game_title
from cartino_tui.i18n import ENGLISH, Translator
from cartino_tui.pages.page import Reader
from cartino_tui.visit.routes import ShellCommands

_TURN_TIMES: dict[Clock, str] = {
    "none": "",
    "30s": N_("30 s a turn"),
    "60s": N_("60 s a turn"),
    "120s": N_("120 s a turn"),
    "day": N_("a day a turn"),
}


def shell_reader(translator: Translator = ENGLISH, command: str = "") -> Reader:
    """Return the reader of a page in the shell; `command` leads to this server ("ssh -t example.org")."""
    games = installed()
    return Reader(translator, games.speeches, ShellCommands(command), game_names=tuple(games.rules))


def tables_record(rooms: Sequence[RoomLine]) -> list[dict[str, object]]:
    """Return the tables as JSON has them: code, game, options, seats, spectators, state, turn (seats to act).

    `commitment` is what the table promises of its shuffle, `clock` the time for a turn ("none", "30s", … "day"),
    `paused` whether its players have stopped the game for a while.
    """
    return [
        {
            "code": room.code,
            "game": room.game,
            "options": room.options,
            "seats": [{"name": seat.name, "kind": seat.kind} for seat in room.seats],
            "spectators": room.spectators,
            "state": room.state,
            "turn": list(room.turn),
            "commitment": room.commitment,
            "clock": room.clock,
            "paused": room.paused,
        }
        for room in rooms
    ]


def tables_text(rooms: Sequence[RoomLine], translator: Translator = ENGLISH) -> str:
    """A line a table, for people who read `translator`."""
    if not rooms:
        return translator.gettext("No tables yet; `ssh -t HOST new` opens one.") + "\n"
    states = [_table_state(room, translator) for room in rooms]
    width = max(8, *map(len, states))
    return "".join(
        f"{_table_line(room, state.ljust(width), translator)}\n"
        for room, state in zip(rooms, states, strict=True)
    )


def _table_state(room: RoomLine, translator: Translator) -> str:
    if room.paused:
        return translator.gettext("paused")
    match room.state:
        case "open":
            return translator.gettext("open")
        case "playing":
            return translator.gettext("playing")
        case "finished":
            return translator.pgettext("table", "finished")


def _table_line(room: RoomLine, state: str, translator: Translator) -> str:
    game = game_title(installed().speeches, room.game, room.options, translator)
    facts = [_table_seat(room, number, translator) for number in range(len(room.seats))]
    if room.spectators:
        facts.append(translator.ngettext("{n} watching", "{n} watching", room.spectators))
    if room.clock != "none":
        facts.append(translator.gettext(_TURN_TIMES[room.clock]))
    return f"{room.code}  {game}  {state}  {', '.join(facts)}"


def _table_seat(room: RoomLine, number: int, translator: Translator) -> str:
    seat = room.seats[number]
    if seat.kind == "empty":
        return translator.gettext("(free)")
    name = translator.gettext("bot {name}", name=seat.name) if seat.kind == "bot" else seat.name
    return translator.gettext("{name} (to move)", name=name) if number in room.turn else name
