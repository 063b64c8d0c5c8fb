"""Format tables, finished games, profiles and leaders as text or JSON for the shell.

The JSON shapes are public: fields are only ever added.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import msgspec

from cartino_games.registry import installed
from cartino_protocol.base import Clock
from cartino_protocol.records import BOT
from cartino_protocol.text import N_
from cartino_protocol.views import Leader, LeadersView, PastGame, ProfileView, RoomLine, ScoreLine
from cartino_tui.game_port.description import OLDER_GAMES_REMOVED, end_reason, fact_name, game_title
from cartino_tui.i18n import ENGLISH, Translator
from cartino_tui.profiles import GameNames, leaders_lines, profile_lines

_TURN_TIMES: dict[Clock, str] = {
    "none": "",
    "30s": N_("30 s a turn"),
    "60s": N_("60 s a turn"),
    "120s": N_("120 s a turn"),
    "day": N_("a day a turn"),
}


def tables_json(rooms: Sequence[RoomLine]) -> str:
    """A list of objects: code, game, options, seats (name and kind), spectators, state, turn (seats to act).

    `commitment` is what the table promises of its shuffle, `clock` the time for a turn ("none", "30s", … "day"),
    `paused` whether its players have stopped the game for a while.
    """
    listed = [
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
    return msgspec.json.format(msgspec.json.encode(listed), indent=2).decode() + "\n"


def tables_text(rooms: Sequence[RoomLine], translator: Translator = ENGLISH) -> str:
    """A line a table, for people who read `translator`."""
    if not rooms:
        return translator.say("No tables yet; `ssh -t HOST new` opens one.") + "\n"
    states = [_table_state(room, translator) for room in rooms]
    width = max(8, *map(len, states))
    return "".join(
        f"{_table_line(room, state.ljust(width), translator)}\n"
        for room, state in zip(rooms, states, strict=True)
    )


def _table_state(room: RoomLine, translator: Translator) -> str:
    if room.paused:
        return translator.say("paused")
    match room.state:
        case "open":
            return translator.say("open")
        case "playing":
            return translator.say("playing")
        case "finished":
            return translator.pgettext("table", "finished")


def _table_line(room: RoomLine, state: str, translator: Translator) -> str:
    game = game_title(installed().speeches, room.game, room.options, translator)
    facts = [_table_seat(room, number, translator) for number in range(len(room.seats))]
    if room.spectators:
        facts.append(translator.count("{n} watching", "{n} watching", room.spectators))
    if room.clock != "none":
        facts.append(translator.say(_TURN_TIMES[room.clock]))
    return f"{room.code}  {game}  {state}  {', '.join(facts)}"


def _table_seat(room: RoomLine, number: int, translator: Translator) -> str:
    seat = room.seats[number]
    if seat.kind == "empty":
        return translator.say("(free)")
    name = translator.say("bot {name}", name=seat.name) if seat.kind == "bot" else seat.name
    return translator.say("{name} (to move)", name=name) if number in room.turn else name


GAMES_PER_PAGE = 50
"""Games in one answer; `--before` asks for those before them."""


def finished_json(games: Sequence[PastGame]) -> str:
    """A list of objects, newest first, at most MOST.

    Each has name ("K7QP-12": what `export` takes), number (its place in time), game, options, seats (names in seat
    order, a bot as bot:NAME), totals and winners (seats from 0) in the same order, reason ("out", "blocked",
    "points", "abandoned") and ended (RFC 3339, UTC).
    """
    return msgspec.json.format(msgspec.json.encode(games), indent=2).decode() + "\n"


def finished_text(
    games: Sequence[PastGame], translator: Translator = ENGLISH, *, pruned: bool = False
) -> str:
    """A line a game, for people who read `translator`; where there may be more, a line that says how to see them.

    `pruned`: older games were removed, which the end of the list says.
    """
    more = translator.say(OLDER_GAMES_REMOVED) + "\n" if pruned else ""
    if not games:
        return more or translator.say("No finished games here.") + "\n"
    if len(games) == GAMES_PER_PAGE:
        command = f"`ssh HOST games --finished --before {games[-1].name}`"
        more = translator.say("There may be more: {command}.", command=command) + "\n"
    return "".join(_finished_line(game, translator) + "\n" for game in games) + more


def _finished_line(game: PastGame, translator: Translator) -> str:
    called = game_title(installed().speeches, game.game, game.options, translator)
    seats = ", ".join(_finished_seat(game, seat, translator) for seat in range(len(game.seats)))
    reason = end_reason(installed().speeches, game.game, game.reason, translator)
    return f"{game.name:<8}  {game.ended[:10]}  {called}  {seats}; {reason}"


def _finished_seat(game: PastGame, seat: int, translator: Translator) -> str:
    name = game.seats[seat]
    if name.startswith(BOT):
        name = translator.say("bot {name}", name=name.removeprefix(BOT))
    scored = f"{name} {game.totals[seat]}"
    return translator.say("{name} (won)", name=scored) if seat in game.winners else scored


def profile_json(view: ProfileView) -> str:
    """An object: name, bot, you (it is one's own), scores, ratings, against, meetings.

    Each of `scores` has game, options, games, wins (also shared ones), mean (of the totals), bests: a list of fact
    (the game's own word, as "turn"), value, and game (its name). `ratings` have game, rating, games (rated ones),
    place (null: far down). `meetings` are with the player called `against` ("" for none): game, games, and in how
    many of them this one was ahead, or behind.
    """
    told = {
        "name": view.name,
        "bot": view.bot,
        "you": view.you,
        "scores": [_score_json(line) for line in view.scores],
        "ratings": [
            {"game": line.game, "rating": line.rating, "games": line.games, "place": line.place or None}
            for line in view.ratings
        ],
        "against": view.against,
        "meetings": [
            {"game": met.game, "games": met.games, "ahead": met.ahead, "behind": met.behind}
            for met in view.meetings
        ],
    }
    return _pretty_json(told)


def leaders_json(view: LeadersView) -> str:
    """An object: game, other_games (for `top --game`), people and bots (lists, best first), you (null: no rating).

    Each line has place (null: far down), name, rating and games (rated ones). Equal ratings share a place.
    """
    you = None if view.you is None else _leader_json(view.you)
    people, bots = ([_leader_json(line) for line in lines] for lines in (view.people, view.bots))
    others = _other_games(view.game)
    return _pretty_json(
        {"game": view.game, "other_games": others, "people": people, "bots": bots, "you": you}
    )


def profile_text(view: ProfileView, translator: Translator = ENGLISH) -> str:
    """A line a rating, a kind of game and a game played together, for people who read `translator`."""
    return "".join(
        f"{line}\n"
        for line in profile_lines(
            view, GameNames(partial(_game_title, translator), partial(_game_fact, translator)), translator
        )
    )


def leaders_text(view: LeadersView, translator: Translator = ENGLISH) -> str:
    """The game and how to ask for others, then a line a player, best first, then the bots, then one's own place."""
    names = "|".join(_other_games(view.game))
    others = translator.say("other games: top --game {names}", names=names) if names else ""
    return "".join(
        f"{line}\n"
        for line in leaders_lines(view, _game_title(translator, view.game, {}), others, translator)
    )


def _other_games(game: str) -> list[str]:
    return [name for name in installed().rules if name != game]


def _game_title(translator: Translator, game: str, options: Mapping[str, str]) -> str:
    return game_title(installed().speeches, game, options, translator)


def _game_fact(translator: Translator, game: str, fact: str) -> str:
    return fact_name(installed().speeches, game, fact, translator)


def _score_json(line: ScoreLine) -> dict[str, object]:
    return {
        "game": line.game,
        "options": line.options,
        "games": line.games,
        "wins": line.wins,
        "mean": round(line.mean, 2),
        "bests": [{"fact": best.fact, "value": best.value, "game": best.game} for best in line.bests],
    }


def _leader_json(line: Leader) -> dict[str, object]:
    return {"place": line.place or None, "name": line.name, "rating": line.rating, "games": line.games}


def _pretty_json(told: object) -> str:
    return msgspec.json.format(msgspec.json.encode(told), indent=2).decode() + "\n"
